package bulk

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

var sizes = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 1000}

// put is what Append should do, a unit at a time.
func put(order binary.AppendByteOrder, native []byte, unit int) (b []byte) {
	for ; len(native) > 0; native = native[unit:] {
		switch unit {
		case 1:
			b = append(b, native[0])
		case 2:
			b = order.AppendUint16(b, binary.NativeEndian.Uint16(native))
		case 4:
			b = order.AppendUint32(b, binary.NativeEndian.Uint32(native))
		case 8:
			b = order.AppendUint64(b, binary.NativeEndian.Uint64(native))
		}
	}
	return b
}

// check compares Append and Copy with the model for random bits, which include
// every kind of NaN, at every alignment of both sides.
func check[T Number](t *testing.T, unit int) {
	rnd := rand.New(rand.NewPCG(1, 2))
	t.Run(fmt.Sprintf("%T", *new(T)), func(t *testing.T) {
		for _, n := range sizes {
			for offset := range 9 {
				src := make([]T, n+offset)[offset:]
				raw := view(src)
				for i := range raw {
					raw[i] = byte(rnd.Uint32())
				}
				if len(raw) >= 8 && n%2 == 0 {
					copy(raw, []byte{0x01, 0, 0xa0, 0x7f, 0x7f, 0xa0, 0, 0x01}) // signalling NaNs
				}
				before := bytes.Clone(raw)
				test := func(name string, order binary.AppendByteOrder, appendTo func([]byte, []T) []byte, copyTo func([]T, []byte) int) {
					t.Helper()
					prefix := bytes.Repeat([]byte{0xee}, offset)
					want := append(bytes.Clone(prefix), put(order, raw, unit)...)
					got := appendTo(bytes.Clone(prefix), src)
					if !bytes.Equal(got, want) {
						t.Fatalf("Append%s of %d at %d:\n got %x\nwant %x", name, n, offset, got, want)
					}
					if !bytes.Equal(raw, before) {
						t.Fatalf("Append%s of %d at %d changed its source", name, n, offset)
					}
					room := append(make([]byte, 0, len(want)+8), prefix...)
					if got := appendTo(room, src); !bytes.Equal(got, want) || &got[:1][0] != &room[:1][0] {
						t.Fatalf("Append%s of %d at %d: wrong with room", name, n, offset)
					}

					// With an element too many on either side, and a cut one.
					dst := make([]T, offset+n+1)
					view(dst[offset+n:])[0] = 0xee
					if k := copyTo(dst[offset:], want[offset:]); k != n {
						t.Fatalf("Copy%s of %d at %d: %d elements", name, n, offset, k)
					}
					if !bytes.Equal(view(dst[offset:offset+n]), raw) || view(dst[offset+n:])[0] != 0xee || !allZero(view(dst[:offset])) {
						t.Fatalf("Copy%s of %d at %d: wrong", name, n, offset)
					}
					if n == 0 {
						return
					}
					clear(dst)
					if k := copyTo(dst[:n-1], want[offset:]); k != n-1 || !bytes.Equal(view(dst[:n-1]), before[:(n-1)*size[T]()]) || !allZero(view(dst[n-1:])) {
						t.Fatalf("Copy%s of %d at %d: wrong in a short slice", name, n, offset)
					}
					clear(dst)
					if k := copyTo(dst, want[offset:len(want)-1]); k != n-1 || !allZero(view(dst[n-1:])) {
						t.Fatalf("Copy%s of %d at %d: %d elements from short bytes", name, n, offset, k)
					}
				}
				test("Little", binary.LittleEndian, AppendLittle[T], CopyLittle[T])
				test("Big", binary.BigEndian, AppendBig[T], CopyBig[T])
			}
		}
	})
}

func allZero(b []byte) bool {
	return !slices.ContainsFunc(b, func(x byte) bool { return x != 0 })
}

type (
	level  int16
	volts  float32
	phasor complex64
)

func TestAll(t *testing.T) {
	check[int8](t, 1)
	check[int16](t, 2)
	check[int32](t, 4)
	check[int64](t, 8)
	check[uint8](t, 1)
	check[uint16](t, 2)
	check[uint32](t, 4)
	check[uint64](t, 8)
	check[float32](t, 4)
	check[float64](t, 8)
	check[complex64](t, 4)
	check[complex128](t, 8)
	check[level](t, 2)
	check[volts](t, 4)
	check[phasor](t, 4)
}

// Values and their bytes, independent of view.
func TestValues(t *testing.T) {
	value(t, []int8{-2, 1}, "fe01", "fe01")
	value(t, []uint16{0x0102, 3}, "02010300", "01020003")
	value(t, []int32{-2, 1}, "feffffff01000000", "fffffffe00000001")
	value(t, []uint64{0x0102030405060708}, "0807060504030201", "0102030405060708")
	value(t, []float32{1, float32(math.Inf(-1))}, "0000803f000080ff", "3f800000ff800000")
	value(t, []float64{1.5}, "000000000000f83f", "3ff8000000000000")
	value(t, []complex64{1 + 2i}, "0000803f00000040", "3f80000040000000")
	value(t, []complex128{1 + 2i}, "000000000000f03f0000000000000040", "3ff00000000000004000000000000000")
	value(t, []volts{-2}, "000000c0", "c0000000")
	value(t, []int32(nil), "", "")
}

func value[T Number](t *testing.T, src []T, little, big string) {
	t.Helper()
	if got := hex.EncodeToString(AppendLittle(nil, src)); got != little {
		t.Errorf("AppendLittle(%T%v) = %s, want %s", src, src, got, little)
	}
	if got := hex.EncodeToString(AppendBig(nil, src)); got != big {
		t.Errorf("AppendBig(%T%v) = %s, want %s", src, src, got, big)
	}
	dst := make([]T, len(src))
	b, _ := hex.DecodeString(little)
	if CopyLittle(dst, b); !slices.Equal(dst, src) {
		t.Errorf("CopyLittle(%s) = %v, want %v", little, dst, src)
	}
	clear(dst)
	b, _ = hex.DecodeString(big)
	if CopyBig(dst, b); !slices.Equal(dst, src) {
		t.Errorf("CopyBig(%s) = %v, want %v", big, dst, src)
	}
}

// The way through bytes, which only some machines take.
func TestReverseBytes(t *testing.T) {
	src := make([]byte, 200)
	for i := range src {
		src[i] = byte(i)
	}
	for _, unit := range []int{2, 4, 8} {
		for n := 0; n <= len(src); n += unit {
			got, want := make([]byte, n), make([]byte, n)
			reverseBytes(got, src[:n], unit)
			reverse(want, src[:n], unit)
			for i := range n {
				if want[i] != src[i^(unit-1)] || got[i] != want[i] {
					t.Fatalf("unit %d, length %d, byte %d: %d, %d", unit, n, i, got[i], want[i])
				}
			}
		}
	}
}

func TestAllocs(t *testing.T) {
	src := make([]uint32, 1000)
	dst := make([]byte, 0, 4000)
	if allocs := testing.AllocsPerRun(10, func() {
		CopyBig(src, AppendBig(dst, src))
		CopyLittle(src, AppendLittle(dst, src))
	}); allocs != 0 {
		t.Errorf("%v allocations with room for all", allocs)
	}
	for _, got := range [][]byte{AppendBig(nil, src), AppendLittle(nil, src)} {
		if cap(got) > 4096 { // the size class of 4000
			t.Errorf("%d bytes for 4000", cap(got))
		}
	}
}

// BenchmarkRatio takes turns with copy, in one iteration, between the same warm
// buffers, and reports medians of the ratios. The bytes start aligned or not.
func BenchmarkRatio(b *testing.B) {
	for _, n := range []int{1000, 1_000_000, 100_000_000} {
		for _, offset := range []int{0, 3} {
			b.Run(fmt.Sprintf("%d/int16/at %d", n, offset), func(b *testing.B) { ratio[int16](b, n, offset) })
			b.Run(fmt.Sprintf("%d/int32/at %d", n, offset), func(b *testing.B) { ratio[int32](b, n, offset) })
			b.Run(fmt.Sprintf("%d/float64/at %d", n, offset), func(b *testing.B) { ratio[float64](b, n, offset) })
		}
	}
}

func ratio[T Number](b *testing.B, n, offset int) {
	numbers := make([]T, n)
	raw := view(numbers)
	for i := range raw {
		raw[i] = byte(i)
	}
	buf := append(make([]byte, offset, offset+len(raw)), raw...)
	head, data := buf[:offset], buf[offset:]
	rounds := max(1, 8_000_000/len(raw))
	moves := []struct {
		name string
		move func()
	}{
		{"copy", func() { copy(data, raw) }},
		{"AppendLittle", func() { AppendLittle(head, numbers) }},
		{"AppendBig", func() { AppendBig(head, numbers) }},
		{"copy", func() { copy(raw, data) }},
		{"CopyLittle", func() { CopyLittle(numbers, data) }},
		{"CopyBig", func() { CopyBig(numbers, data) }},
	}
	ratios := make([][]float64, len(moves))
	for b.Loop() {
		var base float64
		for i, m := range moves {
			start := time.Now()
			for range rounds {
				m.move()
			}
			took := float64(time.Since(start))
			if m.name == "copy" {
				base = took
			}
			ratios[i] = append(ratios[i], base/took)
		}
	}
	b.ReportMetric(0, "ns/op") // not shown
	for i, m := range moves {
		if m.name != "copy" {
			slices.Sort(ratios[i])
			b.ReportMetric(ratios[i][len(ratios[i])/2], m.name)
		}
	}
}
