package put_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/putget/putget/get"
	"github.com/putget/putget/internal/wire"
	"github.com/putget/putget/put"
)

// byteCodec puts a key by a function, and a value of one byte.
type byteCodec struct{}

func (byteCodec) Put(b *put.Builder, v *byte) { b.Uint8(*v) }
func (byteCodec) Get(r *get.Reader, v *byte)  { *v = r.Uint8() }

// keyCase puts and gets a map from keys, which are listed in the order that
// they are put in, to their number in it.
func keyCase[K comparable](t *testing.T, name, want string, p put.Func[K], g get.Func[K], keys ...K) {
	t.Helper()
	var first []byte
	for range 20 {
		m := map[K]byte{}
		for _, i := range rand.Perm(len(keys)) {
			m[keys[i]] = byte(i)
		}
		data, err := tryEncode(func(b *put.Builder) { put.Map(b, m, p, byteCodec{}) })
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if first == nil {
			first = data
		}
		if !bytes.Equal(data, first) || want != "" && hex.EncodeToString(data) != want {
			t.Fatalf("%s: put %x, before %x, want %s", name, data, first, want)
		}
	}
	v, err := decode(first, func(r *get.Reader) any { return get.Map(r, g, byteCodec{}) })
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	again := encode(t, func(b *put.Builder) { put.Map(b, v.(map[K]byte), p, byteCodec{}) })
	if got := v.(map[K]byte); len(got) != len(keys) || !bytes.Equal(again, first) {
		t.Errorf("%s: got %v, which is put as %x, want %x", name, got, again, first)
	}
}

type (
	name  string
	point struct {
		x    int8
		y, z float32
	}
	inner struct {
		b bool
		p *int
	}
)

// TestMapKeys has keys of every kind.
func TestMapKeys(t *testing.T) {
	keyCase(t, "bool", "0300000101", func(b *put.Builder, k *bool) { b.Bool(*k) }, func(r *get.Reader, k *bool) { *k = r.Bool() }, false, true)
	keyCase(t, "int8", "04800000017f02", func(b *put.Builder, k *int8) { b.Int8(*k) }, func(r *get.Reader, k *int8) { *k = r.Int8() }, -128, 0, 127)
	keyCase(t, "uint64", "", func(b *put.Builder, k *uint64) { b.Uint64(*k) }, func(r *get.Reader, k *uint64) { *k = r.Uint64() },
		0, 1, math.MaxInt64, math.MaxUint64)
	keyCase(t, "named string", "0400000161010261ff02", func(b *put.Builder, k *name) { b.String(string(*k)) },
		func(r *get.Reader, k *name) { *k = name(r.String()) }, "", "a", "a\xff")
	nan := math.Float64frombits
	keyCase(t, "float64", "", func(b *put.Builder, k *float64) { b.Float64(*k) }, func(r *get.Reader, k *float64) { *k = r.Float64() },
		nan(0xfff8000000000001), nan(0xfff0000000000001), math.Inf(-1), -1, math.Copysign(0, -1), 1e-300, 1, math.Inf(1), nan(0x7ff0000000000001), nan(0x7ff8000000000001))
	keyCase(t, "float32", "", func(b *put.Builder, k *float32) { b.Float32(*k) }, func(r *get.Reader, k *float32) { *k = r.Float32() },
		-1, 0, 1, math.Float32frombits(0x7f800001), math.Float32frombits(0x7fc00001))
	keyCase(t, "complex128", "", func(b *put.Builder, k *complex128) { b.Complex128(*k) }, func(r *get.Reader, k *complex128) { *k = r.Complex128() },
		complex(-1, 5), complex(1, -1), complex(1, math.NaN()))
	keyCase(t, "complex64", "", func(b *put.Builder, k *complex64) { b.Complex64(*k) }, func(r *get.Reader, k *complex64) { *k = r.Complex64() },
		-1, complex(0, -2), complex(0, 3))
	keyCase(t, "struct", "", func(b *put.Builder, k *point) { b.Int8(k.x); b.Float32(k.y); b.Float32(k.z) },
		func(r *get.Reader, k *point) { *k = point{r.Int8(), r.Float32(), r.Float32()} },
		point{-1, 9, 9}, point{0, -1, 2}, point{0, 3, -7}, point{0, 3, 7}, point{1, 0, 0})
	keyCase(t, "array", "", func(b *put.Builder, k *[2]bool) { b.Bool(k[0]); b.Bool(k[1]) },
		func(r *get.Reader, k *[2]bool) { *k = [2]bool{r.Bool(), r.Bool()} },
		[2]bool{}, [2]bool{false, true}, [2]bool{true, false}, [2]bool{true, true})
	keyCase(t, "interface", "030005000101020201", putAny, getAny, any(int(-3)), any("\x02"))
	one, two := 1, 2
	keyCase(t, "pointer", "", func(b *put.Builder, k **int) { put.Ptr(b, *k, intCodec{}) },
		func(r *get.Reader, k **int) { *k = get.Ptr(r, intCodec{}) }, nil, &one, &two)
	keyCase(t, "struct with a pointer", "", func(b *put.Builder, k *inner) { b.Bool(k.b); put.Ptr(b, k.p, intCodec{}) },
		func(r *get.Reader, k *inner) { k.b = r.Bool(); k.p = get.Ptr(r, intCodec{}) }, inner{}, inner{false, &one}, inner{true, nil})
	keyCase(t, "none", "01", func(b *put.Builder, k *int) { b.Int(*k) }, func(r *get.Reader, k *int) { *k = r.Int() })
}

func putAny(b *put.Builder, k *any) {
	switch v := (*k).(type) {
	case int:
		b.Uint8(0)
		b.Int(v)
	case string:
		b.Uint8(1)
		b.String(v)
		b.Uint8(2)
	}
}

func getAny(r *get.Reader, k *any) {
	if r.Uint8() == 0 {
		*k = r.Int()
	} else {
		*k = r.String()
		r.Uint8()
	}
}

// TestNaNs has two keys of the same bits.
func TestNaNs(t *testing.T) {
	m := map[float64]int{math.NaN(): 1, 0: 2}
	m[math.NaN()] = 1
	data := encode(t, func(b *put.Builder) { put.Map(b, m, floatCodec{}, intCodec{}) })
	v, err := decode(data, func(r *get.Reader) any { return get.Map(r, floatCodec{}, intCodec{}) })
	if err != nil || len(v.(map[float64]int)) != 3 {
		t.Errorf("got %v, error %v, want 3 pairs", v, err)
	}
}

// named is a key that knows its order.
type named struct{ name string }

type namedCodec struct{}

func (namedCodec) Put(b *put.Builder, k **named) { b.String((*k).name) }
func (namedCodec) Get(r *get.Reader, k **named)  { *k = &named{r.String()} }
func (namedCodec) Compare(x, y **named) int {
	return bytes.Compare([]byte((*y).name), []byte((*x).name))
}

func TestMapCompare(t *testing.T) {
	m := map[*named]byte{{"a"}: 1, {"c"}: 3, {"b"}: 2}
	data := encode(t, func(b *put.Builder) { put.Map(b, m, namedCodec{}, byteCodec{}) })
	if got, want := hex.EncodeToString(data), "04016303016202016101"; got != want {
		t.Errorf("put %s, want %s: the codec's order, which is backwards", got, want)
	}
}

// TestMapChanged changes a map while it is put.
func TestMapChanged(t *testing.T) {
	for what, change := range map[string]func(m map[string]int){
		"grows":   func(m map[string]int) { m["new"] = 1 },
		"shrinks": func(m map[string]int) { clear(m) },
	} {
		m := map[string]int{"a": 1, "b": 2}
		data, err := tryEncode(func(b *put.Builder) {
			put.Map(b, m, stringCodec{}, put.Func[int](func(b *put.Builder, v *int) { b.Int(*v); change(m) }))
		})
		if len(data) > 0 || !errors.Is(err, wire.ErrValue) {
			t.Errorf("a map that %s: %x, error %v, want a value one", what, data, err)
		}
	}
}

// TestMapErrors has codecs of keys and values that fail.
func TestMapErrors(t *testing.T) {
	m := map[int]int{1: 1, 2: 2, 3: 3}
	one := 3
	for name, p := range map[string]func(b *put.Builder){
		"[key 2] key":   func(b *put.Builder) { put.Map(b, m, failing{}, intCodec{}) },
		"[key 2] value": func(b *put.Builder) { put.Map(b, m, intCodec{}, failing{}) },
		" order": func(b *put.Builder) {
			put.Map(b, map[*int]int{&one: 1}, put.Func[*int](func(b *put.Builder, k **int) { failing{}.Put(b, *k) }), intCodec{})
		},
	} {
		var e *wire.Error
		if _, err := tryEncode(p); !errors.Is(err, errOwn) || !errors.As(err, &e) || !bytes.HasPrefix([]byte(name), []byte(e.Path)) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	data := encode(t, func(b *put.Builder) { put.Map(b, m, intCodec{}, intCodec{}) })
	for name, g := range map[string]func(r *get.Reader) any{
		"key":   func(r *get.Reader) any { return get.Map(r, failing{}, intCodec{}) },
		"value": func(r *get.Reader) any { return get.Map(r, intCodec{}, failing{}) },
	} {
		var e *wire.Error
		if _, err := decode(data, g); !errors.Is(err, errOwn) || !errors.As(err, &e) || e.Path != "[key 2]" {
			t.Errorf("got a %s that fails: error %v", name, err)
		}
	}
}
