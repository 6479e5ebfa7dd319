package put_test

import (
	"encoding/hex"
	"math"
	"math/big"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/putget/putget/get"
	"github.com/putget/putget/internal/access"
	"github.com/putget/putget/internal/wire"
	"github.com/putget/putget/put"
)

// encoding is a value, its bytes, and the pair that turns one into the other.
type encoding struct {
	name string
	hex  string
	put  func(b *put.Builder)
	get  func(r *get.Reader) any
	want any

	putValue func(b *put.Builder, v any) // put for another value
}

// enc makes an encoding of a pair of functions on values.
func enc[T any](name, hex string, v T, p func(*put.Builder, T), g func(*get.Reader) T) encoding {
	return encoding{
		name: name, hex: hex, want: v,
		put: func(b *put.Builder) { p(b, v) },
		get: func(r *get.Reader) any { return g(r) },

		putValue: func(b *put.Builder, v any) { p(b, v.(T)) },
	}
}

// Codecs of the elements in these tests.
type (
	intCodec    struct{}
	stringCodec struct{}
	floatCodec  struct{}
	emptyCodec  struct{}
)

func (intCodec) Put(b *put.Builder, v *int)        { b.Int(*v) }
func (intCodec) Get(r *get.Reader, v *int)         { *v = r.Int() }
func (stringCodec) Put(b *put.Builder, v *string)  { b.String(*v) }
func (stringCodec) Get(r *get.Reader, v *string)   { *v = r.String() }
func (floatCodec) Put(b *put.Builder, v *float64)  { b.Float64(*v) }
func (floatCodec) Get(r *get.Reader, v *float64)   { *v = r.Float64() }
func (emptyCodec) Put(b *put.Builder, v *struct{}) {}
func (emptyCodec) Get(r *get.Reader, v *struct{})  {}

func slicePut(b *put.Builder, s []int)        { put.Slice(b, s, intCodec{}) }
func sliceGet(r *get.Reader) []int            { return get.Slice(r, intCodec{}) }
func mapPut(b *put.Builder, m map[string]int) { put.Map(b, m, stringCodec{}, intCodec{}) }
func mapGet(r *get.Reader) map[string]int     { return get.Map(r, stringCodec{}, intCodec{}) }
func maybePut(b *put.Builder, m wire.Maybe[int]) {
	put.Maybe(b, &m, intCodec{})
}
func maybeGet(r *get.Reader) wire.Maybe[int] { return get.Maybe(r, intCodec{}) }
func treePut(b *put.Builder, t *tree)        { put.Ptr(b, t, treeCodec{}) }
func treeGet(r *get.Reader) *tree            { return get.Ptr(r, treeCodec{}) }

// tree is a node with owned edges.
type tree struct {
	V           int
	Left, Right *tree
}

type treeCodec struct{}

func (c treeCodec) Put(b *put.Builder, t *tree) {
	b.Int(t.V)
	put.Ptr(b, t.Left, c)
	put.Ptr(b, t.Right, c)
}

func (c treeCodec) Get(r *get.Reader, t *tree) {
	t.V = r.Int()
	t.Left = get.Ptr(r, c)
	t.Right = get.Ptr(r, c)
}

func bigInt(s string) *big.Int {
	x, ok := new(big.Int).SetString(s, 0)
	if !ok {
		panic(s)
	}
	return x
}

func bigFloat(v float64, precision uint, mode big.RoundingMode) *big.Float {
	return new(big.Float).SetPrec(precision).SetMode(mode).SetFloat64(v)
}

func bigInf(sign int, precision uint) *big.Float {
	return new(big.Float).SetPrec(precision).SetInf(sign < 0)
}

func addrPut(b *put.Builder, a netip.Addr) { put.Binary(b, a) }
func addrGet(r *get.Reader) (a netip.Addr) { get.Binary(r, &a); return a }

var encodings = []encoding{
	enc("false", "00", false, (*put.Builder).Bool, (*get.Reader).Bool),
	enc("true", "01", true, (*put.Builder).Bool, (*get.Reader).Bool),
	enc("Uint8", "ff", math.MaxUint8, (*put.Builder).Uint8, (*get.Reader).Uint8),
	enc("Uint16", "0201", 0x0102, (*put.Builder).Uint16, (*get.Reader).Uint16),
	enc("Uint32", "04030201", 0x01020304, (*put.Builder).Uint32, (*get.Reader).Uint32),
	enc("Uint64", "0807060504030201", 0x0102030405060708, (*put.Builder).Uint64, (*get.Reader).Uint64),
	enc("Uint64 max", "ffffffffffffffff", math.MaxUint64, (*put.Builder).Uint64, (*get.Reader).Uint64),
	enc("Int8", "80", math.MinInt8, (*put.Builder).Int8, (*get.Reader).Int8),
	enc("Int16", "0080", math.MinInt16, (*put.Builder).Int16, (*get.Reader).Int16),
	enc("Int32", "00000080", math.MinInt32, (*put.Builder).Int32, (*get.Reader).Int32),
	enc("Int64", "0000000000000080", math.MinInt64, (*put.Builder).Int64, (*get.Reader).Int64),
	enc("Uvarint 0", "00", 0, (*put.Builder).Uvarint, (*get.Reader).Uvarint),
	enc("Uvarint 127", "7f", 127, (*put.Builder).Uvarint, (*get.Reader).Uvarint),
	enc("Uvarint 128", "8001", 128, (*put.Builder).Uvarint, (*get.Reader).Uvarint),
	enc("Uvarint 16383", "ff7f", 16383, (*put.Builder).Uvarint, (*get.Reader).Uvarint),
	enc("Uvarint 16384", "808001", 16384, (*put.Builder).Uvarint, (*get.Reader).Uvarint),
	enc("Uvarint max", "ffffffffffffffffff01", math.MaxUint64, (*put.Builder).Uvarint, (*get.Reader).Uvarint),
	enc("Varint 0", "00", 0, (*put.Builder).Varint, (*get.Reader).Varint),
	enc("Varint -1", "01", -1, (*put.Builder).Varint, (*get.Reader).Varint),
	enc("Varint 63", "7e", 63, (*put.Builder).Varint, (*get.Reader).Varint),
	enc("Varint -64", "7f", -64, (*put.Builder).Varint, (*get.Reader).Varint),
	enc("Varint 64", "8001", 64, (*put.Builder).Varint, (*get.Reader).Varint),
	enc("Varint min", "ffffffffffffffffff01", math.MinInt64, (*put.Builder).Varint, (*get.Reader).Varint),
	enc("Int", "c1c001", -12321, (*put.Builder).Int, (*get.Reader).Int),
	enc("Uint", "ac02", 300, (*put.Builder).Uint, (*get.Reader).Uint),
	enc("Rune", "d88201", '€', (*put.Builder).Rune, (*get.Reader).Rune),
	enc("Rune -1", "01", -1, (*put.Builder).Rune, (*get.Reader).Rune),
	enc("Float32", "0000c03f", 1.5, (*put.Builder).Float32, (*get.Reader).Float32),
	enc("Float32 signalling NaN", "0100807f", math.Float32frombits(0x7f800001), (*put.Builder).Float32, (*get.Reader).Float32),
	enc("Float64 -0", "0000000000000080", math.Copysign(0, -1), (*put.Builder).Float64, (*get.Reader).Float64),
	enc("Float64 signalling NaN", "010000000000f0ff", math.Float64frombits(0xfff0000000000001), (*put.Builder).Float64, (*get.Reader).Float64),
	enc("Float64 infinity", "000000000000f07f", math.Inf(1), (*put.Builder).Float64, (*get.Reader).Float64),
	enc("Complex64", "0000803f000000c0", complex64(1-2i), (*put.Builder).Complex64, (*get.Reader).Complex64),
	enc("Complex128", "0000000000000080010000000000f87f", complex(math.Copysign(0, -1), math.NaN()), (*put.Builder).Complex128, (*get.Reader).Complex128),
	enc("String", "0468ffc3a9", "h\xffé", (*put.Builder).String, (*get.Reader).String),
	enc("String empty", "00", "", (*put.Builder).String, (*get.Reader).String),
	enc("Bytes", "030102", []byte{1, 2}, (*put.Builder).Bytes, (*get.Reader).Bytes),
	enc("Bytes empty", "01", []byte{}, (*put.Builder).Bytes, (*get.Reader).Bytes),
	enc("Bytes nil", "00", nil, (*put.Builder).Bytes, (*get.Reader).Bytes),
	enc("Raw", "0102", []byte{1, 2}, (*put.Builder).Raw, func(r *get.Reader) []byte { return r.Raw(2) }),
	enc("View", "0102", []byte{1, 2}, (*put.Builder).Raw, func(r *get.Reader) []byte { return r.View(2) }),
	enc("Maybe nothing", "00", wire.Maybe[int]{}, maybePut, maybeGet),
	enc("Maybe", "0100", wire.Maybe[int]{Value: 0, OK: true}, maybePut, maybeGet),
	enc("Slice", "030201", []int{1, -1}, slicePut, sliceGet),
	enc("Slice empty", "01", []int{}, slicePut, sliceGet),
	enc("Slice nil", "00", nil, slicePut, sliceGet),
	enc("Slice of nothing", "06", make([]struct{}, 5), func(b *put.Builder, s []struct{}) { put.Slice(b, s, emptyCodec{}) },
		func(r *get.Reader) []struct{} { return get.Slice(r, emptyCodec{}) }),
	enc("Slice by functions", "0301ff", []int8{1, -1}, func(b *put.Builder, s []int8) {
		put.Slice(b, s, put.Func[int8](func(b *put.Builder, v *int8) { b.Int8(*v) }))
	}, func(r *get.Reader) []int8 {
		return get.Slice(r, get.Func[int8](func(r *get.Reader, v *int8) { *v = r.Int8() }))
	}),
	enc("Array", "0204", [2]int{1, 2}, func(b *put.Builder, a [2]int) { put.Array(b, a[:], intCodec{}) },
		func(r *get.Reader) (a [2]int) { get.Array(r, a[:], intCodec{}); return a }),
	enc("Strings", "03016100", []string{"a", ""}, put.Strings[[]string], get.Strings[string]),
	enc("Strings nil", "00", nil, put.Strings[[]string], get.Strings[string]),
	enc("Vector int16", "030100feff", []int16{1, -2}, put.Vector[[]int16], get.Vector[int16]),
	enc("Vector complex", "020000803f000000c0", []complex64{1 - 2i}, put.Vector[[]complex64], get.Vector[complex64]),
	enc("Vector empty", "01", []int64{}, put.Vector[[]int64], get.Vector[int64]),
	enc("Vector nil", "00", nil, put.Vector[[]int64], get.Vector[int64]),
	enc("VectorBig int16", "030001fffe", []int16{1, -2}, put.VectorBig[[]int16], get.VectorBig[int16]),
	enc("VectorBig float64", "023ff8000000000000", []float64{1.5}, put.VectorBig[[]float64], get.VectorBig[float64]),
	enc("Map", "040006016104016202", map[string]int{"b": 1, "a": 2, "": 3}, mapPut, mapGet),
	enc("Map empty", "01", map[string]int{}, mapPut, mapGet),
	enc("Map nil", "00", nil, mapPut, mapGet),
	enc("Map by int", "04c701017a010179020178", map[int]string{1: "x", -1: "y", -100: "z"}, func(b *put.Builder, m map[int]string) { put.Map(b, m, intCodec{}, stringCodec{}) },
		func(r *get.Reader) map[int]string { return get.Map(r, intCodec{}, stringCodec{}) }),
	enc("BigInt 0", "01", new(big.Int), put.BigInt, get.BigInt),
	enc("BigInt", "07010203", bigInt("0x10203"), put.BigInt, get.BigInt),
	enc("BigInt negative", "060100", bigInt("-256"), put.BigInt, get.BigInt),
	enc("BigInt nil", "00", nil, put.BigInt, get.BigInt),
	enc("BigRat", "04030304", big.NewRat(-3, 4), put.BigRat, get.BigRat),
	enc("BigRat 0", "010301", new(big.Rat), put.BigRat, get.BigRat),
	enc("BigRat nil", "00", nil, put.BigRat, get.BigRat),
	enc("BigFloat", "3692040305", bigFloat(-2.5, 53, big.ToZero), put.BigFloat, get.BigFloat),
	enc("BigFloat 0", "0100", new(big.Float), put.BigFloat, get.BigFloat),
	enc("BigFloat -0", "0b83", bigFloat(math.Copysign(0, -1), 10, big.AwayFromZero), put.BigFloat, get.BigFloat),
	enc("BigFloat infinity", "08a0", bigInf(-1, 7), put.BigFloat, get.BigFloat),
	enc("BigFloat smallest", "3610ffffffff0f0301", new(big.Float).SetMantExp(big.NewFloat(0.5), big.MinExp), put.BigFloat, get.BigFloat),
	enc("BigFloat nil", "00", nil, put.BigFloat, get.BigFloat),
	enc("Time 0", "ffdb8ff9ce030000", time.Time{}, put.Time, get.Time),
	enc("Time", "80808080200500", time.Unix(1<<32, 5).UTC(), put.Time, get.Time),
	enc("Time with zone", "01ff93ebdc0301a03803434554", time.Unix(-1, 999999999).In(time.FixedZone("CET", 3600)), put.Time, get.Time),
	enc("Binary", "0401020304", netip.MustParseAddr("1.2.3.4"), addrPut, addrGet),
	enc("Appender", "0401020304", netip.MustParseAddr("1.2.3.4"), func(b *put.Builder, a netip.Addr) { put.Appender(b, a) }, addrGet),
	enc("Ptr nil", "00", nil, treePut, treeGet),
	enc("Ptr", "01020001040000", &tree{V: 1, Right: &tree{V: 2}}, treePut, treeGet),
	enc("Ptr deferred", "0120011e011c011a01180116011401120110010e010c010a01080106010401020200000000000000000000000000000000000000", list(17), treePut, treeGet),
}

// list is a chain of n trees.
func list(n int) *tree {
	var head *tree
	for i := range n {
		head = &tree{V: i, Left: head}
	}
	return head
}

func decode(data []byte, g func(*get.Reader) any) (any, error) {
	var r get.Reader
	r.Reset(data, nil)
	v := g(&r)
	return v, r.Done()
}

// same is reflect.DeepEqual in which every bit of a float counts.
func same(x, y any) bool {
	switch x := x.(type) {
	case float32:
		return math.Float32bits(x) == math.Float32bits(y.(float32))
	case float64:
		return math.Float64bits(x) == math.Float64bits(y.(float64))
	case complex128:
		return same(real(x), real(y.(complex128))) && same(imag(x), imag(y.(complex128)))
	case *big.Rat:
		y := y.(*big.Rat)
		return x == y || x != nil && y != nil && x.Cmp(y) == 0
	case *big.Float:
		y := y.(*big.Float)
		return x == y || x != nil && y != nil && x.Cmp(y) == 0 && x.Signbit() == y.Signbit() && x.Prec() == y.Prec() && x.Mode() == y.Mode()
	case time.Time:
		y := y.(time.Time)
		name, offset := x.Zone()
		name2, offset2 := y.Zone()
		return x.Equal(y) && name == name2 && offset == offset2 && (x.Location() == time.UTC) == (y.Location() == time.UTC)
	}
	return reflect.DeepEqual(x, y)
}

// TestEncodings compares values with their bytes, in both directions.
func TestEncodings(t *testing.T) {
	for _, e := range encodings {
		t.Run(e.name, func(t *testing.T) {
			data := encode(t, e.put)
			if got := hex.EncodeToString(data); got != e.hex && (wire.InlineDepth == 16 || !e.deep()) {
				t.Errorf("put %s, want %s", got, e.hex)
			}
			got, err := decode(data, e.get)
			if err != nil || !same(e.want, got) {
				t.Errorf("got %#v, want %#v; error %v", got, e.want, err)
			}
		})
	}
}

// TestMarkedEncodings has the same values with debug marks.
func TestMarkedEncodings(t *testing.T) {
	for _, e := range encodings {
		var b put.Builder
		b.Reset(nil, &put.Options{Marks: true})
		e.put(&b)
		data, err := b.Done()
		if err != nil {
			t.Fatal(err)
		}
		var r get.Reader
		r.Reset(data, &get.Options{Marks: true})
		got := e.get(&r)
		if err := r.Done(); err != nil || !same(e.want, got) {
			t.Errorf("%s: got %#v, want %#v; error %v", e.name, got, e.want, err)
		}
	}
}

// TestStreamedEncodings has the same values cut into blocks.
func TestStreamedEncodings(t *testing.T) {
	for _, e := range encodings {
		got, err := stream(t, func(b *put.Builder) {
			b.Raw(make([]byte, wire.BlockSize-1))
			e.put(b)
			e.put(b)
		}, func(r *get.Reader) any {
			r.Raw(wire.BlockSize - 1)
			e.get(r)
			return e.get(r)
		})
		if err != nil || !same(e.want, got) {
			t.Errorf("%s: got %#v, want %#v; error %v", e.name, got, e.want, err)
		}
	}
}

// stream puts a unit in blocks and gets it from them.
func stream(t *testing.T, p func(*put.Builder), g func(*get.Reader) any) (any, error) {
	t.Helper()
	var blocks [][]byte
	flush := func(block []byte) ([]byte, error) {
		blocks = append(blocks, slices.Clone(block))
		return block[:0], nil
	}
	var b put.Builder
	b.Reset(nil, nil)
	access.Writer(&b).SetFlush(flush)
	p(&b)
	last, err := b.Done()
	if err != nil {
		return nil, err
	}
	blocks = append(blocks, last)
	var r get.Reader
	r.Reset(nil, nil)
	access.Reader(&r).Fill = func() (block []byte, err error) {
		if len(blocks) == 0 {
			return nil, nil
		}
		block, blocks = blocks[0], blocks[1:]
		return block, nil
	}
	v := g(&r)
	return v, r.Done()
}

// deep reports whether the bytes depend on the inline depth.
func (e encoding) deep() bool { return strings.HasPrefix(e.name, "Ptr") }

func encode(t testing.TB, p func(*put.Builder)) []byte {
	t.Helper()
	var b put.Builder
	p(&b)
	data, err := b.Done()
	if err != nil {
		t.Fatal(err)
	}
	return data
}
