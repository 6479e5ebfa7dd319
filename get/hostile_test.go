package get_test

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"math/big"
	"runtime"
	"testing"
	"time"

	"github.com/putget/putget/get"
	"github.com/putget/putget/internal/wire"
)

type (
	intCodec   struct{}
	emptyCodec struct{}
	bigCodec   struct{}
	nestCodec  struct{}
	nodeCodec  struct{}
)

type nest []nest

type node struct {
	memory [100]int64
	Next   *node
}

func (intCodec) Get(r *get.Reader, v *int)        { *v = r.Int() }
func (emptyCodec) Get(r *get.Reader, v *struct{}) {}
func (bigCodec) Get(r *get.Reader, v *[64]byte)   { v[0] = r.Uint8() }
func (c nestCodec) Get(r *get.Reader, v *nest)    { *v = get.Slice(r, c) }
func (c nodeCodec) Get(r *get.Reader, v *node)    { v.Next = get.Ptr(r, c) }

// leaf gets one primitive or composite.
type leaf struct {
	name string
	get  func(r *get.Reader) any
}

func of[T any](name string, g func(*get.Reader) T) leaf {
	return leaf{name, func(r *get.Reader) any { return g(r) }}
}

func decode(data []byte, l leaf) (any, error) {
	var r get.Reader
	r.Reset(data, nil)
	v := l.get(&r)
	return v, r.Done()
}

// TestVarints reads integers in forms that no writer makes.
func TestVarints(t *testing.T) {
	for _, l := range []leaf{
		of("Uvarint", (*get.Reader).Uvarint), of("Varint", (*get.Reader).Varint),
		of("Int", (*get.Reader).Int), of("Uint", (*get.Reader).Uint), of("Rune", (*get.Reader).Rune),
		of("String", (*get.Reader).String), of("Bytes", (*get.Reader).Bytes),
		of("Slice", func(r *get.Reader) []int { return get.Slice(r, intCodec{}) }),
		of("Map", func(r *get.Reader) map[int]int { return get.Map(r, intCodec{}, intCodec{}) }),
		of("Vector", get.Vector[int32]), of("BigInt", get.BigInt), of("BigFloat", get.BigFloat),
		of("Time", get.Time), of("Ptr", func(r *get.Reader) *node { return get.Ptr(r, nodeCodec{}) }),
	} {
		for _, form := range []string{
			"8000", "808000", "80808080808080808000", // longer than need be
			"ffffffffffffffffff02", "80808080808080808002", "ffffffffffffffffff7f", // more than 64 bits
			"ffffffffffffffffff8100", "ffffffffffffffffffff01", "8080808080808080808001", // 11 bytes
		} {
			data, err := hex.DecodeString(form)
			if err != nil {
				t.Fatal(err)
			}
			if v, err := decode(data, l); !errors.Is(err, wire.ErrCorrupt) {
				t.Errorf("%s %s: got %v, error %v, want a corrupt one", l.name, form, v, err)
			}
		}
	}
}

// TestCorrupt reads what no writer makes.
func TestCorrupt(t *testing.T) {
	for _, c := range []struct {
		leaf
		hex string
	}{
		{of("bool 2", (*get.Reader).Bool), "02"},
		{of("bool 255", (*get.Reader).Bool), "ff"},
		{of("maybe 2", func(r *get.Reader) wire.Maybe[int] { return get.Maybe(r, intCodec{}) }), "0200"},
		{of("marker 3", func(r *get.Reader) *node { return get.Ptr(r, nodeCodec{}) }), "03"},
		{of("keys out of order", func(r *get.Reader) map[int]int { return get.Map(r, intCodec{}, intCodec{}) }), "0302000000"},
		{of("a key twice", func(r *get.Reader) map[int]int { return get.Map(r, intCodec{}, intCodec{}) }), "0302000200"},
		{of("keys of no bytes", func(r *get.Reader) map[struct{}]int { return get.Map(r, emptyCodec{}, intCodec{}) }), "030000"},
		{of("-0 and +0", func(r *get.Reader) map[float64]int {
			return get.Map(r, get.Func[float64](func(r *get.Reader, v *float64) { *v = r.Float64() }), intCodec{})
		}), "03" + "0000000000000080" + "00" + "0000000000000000" + "00"},
		{of("a key that cannot be compared", func(r *get.Reader) map[any]int {
			return get.Map(r, get.Func[any](func(r *get.Reader, v *any) { *v = r.Bytes() }), intCodec{})
		}), "020100"},
		{of("an interface key twice", func(r *get.Reader) map[any]int {
			return get.Map(r, get.Func[any](func(r *get.Reader, v *any) { *v = r.Int() }), intCodec{})
		}), "0302000200"},
		{of("negative zero", get.BigInt), "02"},
		{of("a leading zero", get.BigInt), "050001"},
		{of("not reduced", get.BigRat), "03020304"},
		{of("a denominator of 0", get.BigRat), "030101"},
		{of("a negative denominator", get.BigRat), "03010402"},
		{of("no denominator", get.BigRat), "030100"},
		{of("zero not reduced", get.BigRat), "010302"},
		{of("a precision too large", get.BigFloat), "81808080" + "10" + "00"},
		{of("an unknown mode", get.BigFloat), "0b06"},
		{of("an unknown kind", get.BigFloat), "0b40"},
		{of("finite and infinite", get.BigFloat), "0b30"},
		{of("digits that are even", get.BigFloat), "0b10000302"},
		{of("digits that are 0", get.BigFloat), "0b100001"},
		{of("no digits", get.BigFloat), "0b100000"},
		{of("negative digits", get.BigFloat), "0b10000403"},
		{of("more digits than the precision", get.BigFloat), "0310000307"},
		{of("an exponent too large", get.BigFloat), "0b10" + "8080808010" + "0301"},
		{of("an exponent too small", get.BigFloat), "0b10" + "8180808010" + "0301"},
		{of("a second of nanoseconds", get.Time), "00" + "8094ebdc03" + "00"},
		{of("a zone too far", get.Time), "00" + "00" + "01" + "8080808010" + "00"},
		{of("not a time", func(r *get.Reader) (v time.Time) { get.Binary(r, &v); return v }), "0401020304"},
	} {
		data, err := hex.DecodeString(c.hex)
		if err != nil {
			t.Fatal(err)
		}
		if v, err := decode(data, c.leaf); !errors.Is(err, wire.ErrCorrupt) {
			t.Errorf("%s: got %v, error %v, want a corrupt one", c.name, v, err)
		}
	}
}

// TestLongDenominator has the check that bounds the cost of reducing.
func TestLongDenominator(t *testing.T) {
	data := []byte{3, 1}
	data = binary.AppendUvarint(data, 1+2*(wire.MaxDenominator+1))
	data = append(data, big.NewInt(1).Lsh(big.NewInt(1), 8*wire.MaxDenominator).Bytes()...)
	if v, err := decode(data, of("BigRat", get.BigRat)); !errors.Is(err, wire.ErrLimit) {
		t.Errorf("got %v, error %v, want a limit one", v, err)
	}
}

// allocated is how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestCounts announces more than there is.
func TestCounts(t *testing.T) {
	const tail = 100 // bytes behind the count
	leaves := []leaf{
		of("String", (*get.Reader).String), of("Bytes", (*get.Reader).Bytes),
		of("Slice", func(r *get.Reader) []int { return get.Slice(r, intCodec{}) }),
		of("Slice of arrays", func(r *get.Reader) [][64]byte { return get.Slice(r, bigCodec{}) }),
		of("Slice of nothing", func(r *get.Reader) []struct{} { return get.Slice(r, emptyCodec{}) }),
		of("Slice of slices", func(r *get.Reader) []nest { return get.Slice(r, nestCodec{}) }),
		of("Strings", get.Strings[string]),
		of("Map", func(r *get.Reader) map[int][64]byte { return get.Map(r, intCodec{}, bigCodec{}) }),
		of("Map of nothing", func(r *get.Reader) map[struct{}]struct{} { return get.Map(r, emptyCodec{}, emptyCodec{}) }),
		of("Vector int8", get.Vector[int8]), of("Vector int64", get.Vector[int64]),
		of("VectorBig complex128", get.VectorBig[complex128]),
		of("BigInt", get.BigInt), of("BigRat", get.BigRat),
		of("Binary", func(r *get.Reader) (v time.Time) { get.Binary(r, &v); return v }),
		of("View", func(r *get.Reader) []byte { return r.View(int(r.Uvarint() >> 1)) }),
	}
	for _, l := range leaves {
		for _, n := range []uint64{tail + 2, tail + 3, 1000, math.MaxInt32 - 1, math.MaxInt32, math.MaxInt32 + 1, math.MaxUint32, math.MaxUint32 + 1,
			1 << 60, 1 << 61, 1 << 62, math.MaxInt64, math.MaxInt64 + 1, math.MaxUint64 - 1, math.MaxUint64} {
			if l.name == "Slice of nothing" && n < wire.DefaultFree {
				continue
			}
			data := append(binary.AppendUvarint(nil, n), make([]byte, tail)...)
			var v any
			var err error
			if k := allocated(func() { v, err = decode(data, l) }); k > 64<<10 {
				t.Errorf("%s of %d: %d bytes allocated", l.name, n, k)
			}
			if !errors.Is(err, wire.ErrTruncated) && !errors.Is(err, wire.ErrLimit) && !errors.Is(err, wire.ErrCorrupt) {
				t.Errorf("%s of %d: got %.100q, error %v", l.name, n, fmt.Sprint(v), err)
			}
		}
	}
}

// TestAmplification has slices in slices that each announce all that is left.
func TestAmplification(t *testing.T) {
	const size = 64 << 10
	var data []byte
	for len(data) < size {
		data = binary.AppendUvarint(data, uint64(size-len(data)-3))
	}
	nests := of("nests", func(r *get.Reader) (n nest) { nestCodec{}.Get(r, &n); return n })
	nodes := of("nodes", func(r *get.Reader) *node { return get.Ptr(r, nodeCodec{}) })
	deep := make([]byte, size)
	for i := range deep {
		deep[i] = 3 // two elements each
	}
	wide := make([]byte, size)
	wide[0], wide[1], wide[2] = 0xfe, 0xff, 0x03 // empty ones
	for i := range wide[3:] {
		wide[3+i] = 1
	}
	pointers := make([]byte, size)
	for i := range pointers {
		pointers[i] = wire.MarkDeferred
	}
	for _, c := range []struct {
		name string
		leaf
		data  []byte
		times uint64 // bytes for each byte of the input
	}{
		{"all that is left", nests, data, 3 * 24},
		{"two each", nests, deep, 3 * 24},
		{"empty", nests, wide, 3 * 24},
		{"pointers", nodes, pointers, 3 * 896},
	} {
		if k := allocated(func() { decode(c.data, c.leaf) }); k > c.times*size+64<<10 {
			t.Errorf("%s: %d bytes allocated for %d", c.name, k, size)
		}
	}
}

// TestArray gets an array for which the bytes do not suffice.
func TestArray(t *testing.T) {
	var a [1000]int
	_, err := decode(make([]byte, 999), of("Array", func(r *get.Reader) int { get.Array(r, a[:], intCodec{}); return 0 }))
	var e *wire.Error
	if !errors.Is(err, wire.ErrTruncated) || !errors.As(err, &e) || e.Path != "[999]" {
		t.Errorf("error %v, want a truncated one at [999]", err)
	}
}

// TestAlias checks what refers to the input and what does not.
func TestAlias(t *testing.T) {
	data := []byte{3, 'a', 'b', 'c', 4, 1, 2, 3, 7, 8, 9}
	var r get.Reader
	r.Reset(data, nil)
	s, bytes, view := r.View(4)[1:], r.Bytes(), r.Raw(2)
	data[1], data[5], data[8] = 'x', 9, 9
	if string(s) != "xbc" || bytes[0] != 1 || view[0] != 7 {
		t.Errorf("a View is %q, Bytes %v, Raw %v after a change of the input", s, bytes, view)
	}
	if cap(r.View(1)) != 1 {
		t.Error("append to a View reaches into the input")
	}
}

// TestPhases has the order in which Later runs functions, and their error.
func TestPhases(t *testing.T) {
	var order []string
	note := func(r *get.Reader, phase int, name string) {
		r.Later(phase, func() error { order = append(order, name); return nil })
	}
	var r get.Reader
	r.Reset([]byte{1}, nil)
	note(&r, 2, "2a")
	note(&r, 1, "1a")
	note(&r, 2, "2b")
	r.Later(1, func() error { note(&r, 0, "0 late"); return nil })
	note(&r, 1, "1b")
	r.Uint8()
	if len(order) > 0 {
		t.Errorf("%v ran before Done", order)
	}
	if err := r.Done(); err != nil || fmt.Sprint(order) != "[1a 0 late 1b 2a 2b]" {
		t.Errorf("order %v, error %v", order, err)
	}

	own := errors.New("own")
	r.Reset(nil, nil)
	r.Later(0, func() error { return own })
	r.Later(1, func() error { t.Error("runs after an error"); return nil })
	if err := r.Done(); !errors.Is(err, own) {
		t.Errorf("error %v, want the function's", err)
	}
}
