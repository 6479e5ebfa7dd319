package put_test

import (
	"encoding/hex"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
	"testing/quick"
	"time"

	"github.com/putget/putget/get"
	"github.com/putget/putget/internal/access"
	"github.com/putget/putget/internal/wire"
	"github.com/putget/putget/put"
)

// roundTrip checks for random values that what is put is got.
func roundTrip[T any](t *testing.T, p func(*put.Builder, T), g func(*get.Reader) T) {
	t.Helper()
	check := func(v T) bool {
		data := encode(t, func(b *put.Builder) { p(b, v) })
		got, err := decode(data, func(r *get.Reader) any { return g(r) })
		return err == nil && same(v, got)
	}
	if err := quick.Check(check, &quick.Config{MaxCount: 500}); err != nil {
		t.Errorf("%T: %v", *new(T), err)
	}
}

func TestRoundTrips(t *testing.T) {
	roundTrip(t, (*put.Builder).Bool, (*get.Reader).Bool)
	roundTrip(t, (*put.Builder).Uint8, (*get.Reader).Uint8)
	roundTrip(t, (*put.Builder).Uint16, (*get.Reader).Uint16)
	roundTrip(t, (*put.Builder).Uint32, (*get.Reader).Uint32)
	roundTrip(t, (*put.Builder).Uint64, (*get.Reader).Uint64)
	roundTrip(t, (*put.Builder).Int8, (*get.Reader).Int8)
	roundTrip(t, (*put.Builder).Int16, (*get.Reader).Int16)
	roundTrip(t, (*put.Builder).Int32, (*get.Reader).Int32)
	roundTrip(t, (*put.Builder).Int64, (*get.Reader).Int64)
	roundTrip(t, (*put.Builder).Uvarint, (*get.Reader).Uvarint)
	roundTrip(t, (*put.Builder).Varint, (*get.Reader).Varint)
	roundTrip(t, (*put.Builder).Int, (*get.Reader).Int)
	roundTrip(t, (*put.Builder).Uint, (*get.Reader).Uint)
	roundTrip(t, (*put.Builder).Rune, (*get.Reader).Rune)
	roundTrip(t, (*put.Builder).Float32, (*get.Reader).Float32)
	roundTrip(t, (*put.Builder).Float64, (*get.Reader).Float64)
	roundTrip(t, (*put.Builder).Complex64, (*get.Reader).Complex64)
	roundTrip(t, (*put.Builder).Complex128, (*get.Reader).Complex128)
	roundTrip(t, (*put.Builder).String, (*get.Reader).String)
	roundTrip(t, (*put.Builder).Bytes, (*get.Reader).Bytes)
	roundTrip(t, func(b *put.Builder, v int) { maybePut(b, wire.Maybe[int]{Value: v, OK: true}) },
		func(r *get.Reader) int { return maybeGet(r).Value })
	roundTrip(t, slicePut, sliceGet)
	roundTrip(t, mapPut, mapGet)
	roundTrip(t, put.Strings[[]string], get.Strings[string])
	roundTrip(t, put.Vector[[]int16], get.Vector[int16])
	roundTrip(t, put.Vector[[]float64], get.Vector[float64])
	roundTrip(t, put.VectorBig[[]int32], get.VectorBig[int32])
	roundTrip(t, put.VectorBig[[]complex128], get.VectorBig[complex128])
}

// TestFloatBits has every kind of float, and random bits.
func TestFloatBits(t *testing.T) {
	bits := []uint64{0, 1 << 63, 1, 0x7ff0000000000000, 0x7ff0000000000001, 0x7ff8000000000000, 0xfff8000000000001, 0xffffffffffffffff}
	for range 1000 {
		bits = append(bits, rand.Uint64())
	}
	for _, n := range bits {
		data := encode(t, func(b *put.Builder) {
			b.Float64(math.Float64frombits(n))
			b.Float32(math.Float32frombits(uint32(n >> 32)))
		})
		var r get.Reader
		r.Reset(data, nil)
		f := r.Float64()
		if math.Float64bits(f) != n {
			t.Errorf("%x: got float64 %x", n, math.Float64bits(f))
		}
		if f := r.Float32(); math.Float32bits(f) != uint32(n>>32) {
			t.Errorf("%x: got float32 %x", n>>32, math.Float32bits(f))
		}
	}
}

// TestBigs has numbers of many sizes.
func TestBigs(t *testing.T) {
	sizes := []int{0, 1, 7, 8, 9, 31, 32, 33, 63, 64, 65, 1000, 100_000}
	for _, bits := range sizes {
		x := new(big.Int)
		if bits > 0 {
			x.SetBit(x, bits-1, 1).Add(x, big.NewInt(int64(rand.Uint32N(math.MaxInt32))&(1<<min(bits-1, 30)-1)))
		}
		for _, x := range []*big.Int{x, new(big.Int).Neg(x)} {
			data := encode(t, func(b *put.Builder) { put.BigInt(b, x) })
			if got, err := decode(data, func(r *get.Reader) any { return get.BigInt(r) }); err != nil || got.(*big.Int).Cmp(x) != 0 {
				t.Errorf("an integer of %d bits: error %v", bits, err)
			}
			q := new(big.Rat).SetFrac(x, big.NewInt(15))
			data = encode(t, func(b *put.Builder) { put.BigRat(b, q) })
			if got, err := decode(data, func(r *get.Reader) any { return get.BigRat(r) }); err != nil || got.(*big.Rat).Cmp(q) != 0 {
				t.Errorf("a fraction of %d bits: error %v", bits, err)
			}
			for _, mode := range []big.RoundingMode{big.ToNearestEven, big.ToPositiveInf} {
				f := new(big.Float).SetPrec(uint(bits) + 1).SetMode(mode).SetInt(x)
				f.SetMantExp(f, rand.IntN(1000)-500)
				data = encode(t, func(b *put.Builder) { put.BigFloat(b, f) })
				got, err := decode(data, func(r *get.Reader) any { return get.BigFloat(r) })
				if err != nil || !same(f, got) {
					t.Errorf("a float of %d bits: error %v", bits, err)
				}
			}
		}
	}
	long := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 8*wire.MaxDenominator))
	if _, err := tryEncode(func(b *put.Builder) { put.BigRat(b, long) }); err == nil {
		t.Error("a denominator past the limit is put")
	}
}

// TestBigFloatZeros keeps what Cmp does not see.
func TestBigFloatZeros(t *testing.T) {
	for _, x := range []*big.Float{new(big.Float), new(big.Float).Neg(new(big.Float)), bigInf(1, 0), bigInf(-1, 0), bigInf(1, 9),
		new(big.Float).SetPrec(big.MaxPrec), new(big.Float).SetPrec(big.MaxPrec).SetInt64(-5),
		new(big.Float).SetMantExp(big.NewFloat(-0.5), big.MaxExp), new(big.Float).SetMantExp(big.NewFloat(0.75), big.MinExp)} {
		data := encode(t, func(b *put.Builder) { put.BigFloat(b, x) })
		got, err := decode(data, func(r *get.Reader) any { return get.BigFloat(r) })
		if err != nil || !same(x, got) || len(data) > 16 {
			t.Errorf("%x: got another number, error %v", data, err)
		}
	}
}

// TestTimes has times far and near, in many zones.
func TestTimes(t *testing.T) {
	now := time.Now() // with a monotonic clock
	for _, v := range []time.Time{{}, now, now.UTC(), now.Round(0), time.Unix(0, 0), time.Unix(math.MaxInt64, 0), time.Unix(math.MinInt64, 1),
		now.In(time.FixedZone("", -12345)), now.In(time.FixedZone("UTC", 0)), now.In(time.FixedZone("far", math.MaxInt32)), time.Date(-5000, 1, 1, 0, 0, 0, 0, time.UTC)} {
		data := encode(t, func(b *put.Builder) { put.Time(b, v) })
		got, err := decode(data, func(r *get.Reader) any { return get.Time(r) })
		if err != nil || !same(v, got) {
			t.Errorf("got %v, want %v, error %v", got, v, err)
		}
	}
	data := encode(t, func(b *put.Builder) { put.Time(b, time.Time{}) })
	if got, err := decode(data, func(r *get.Reader) any { return get.Time(r) }); got != (time.Time{}) || err != nil {
		t.Errorf("got %#v, want the zero time; error %v", got, err)
	}
}

// TestVectors has vectors of many lengths: in memory, in streams, into buffers.
func TestVectors(t *testing.T) {
	const block = wire.BlockSize / 4
	for _, n := range []int{0, 1, 2, 3, 100, block - 1, block, block + 1, 3*block + 7} {
		s := make([]int32, n)
		for i := range s {
			s[i] = int32(rand.Uint32())
		}
		p := func(b *put.Builder) { b.Uint8(1); put.Vector(b, s); put.VectorBig(b, s); b.Uint8(2) }
		for _, start := range [][]int32{nil, {}, make([]int32, 5), make([]int32, 0, n), make([]int32, 2*n)} {
			g := func(r *get.Reader) any {
				r.Uint8()
				v := get.VectorInto(r, start)
				if cap(start) >= n && n > 0 && &v[0] != &start[:1][0] {
					t.Errorf("%d numbers into a capacity of %d: allocated", n, cap(start))
				}
				if !same(s, v) {
					t.Errorf("%d numbers into %d: got others", n, len(start))
				}
				v = get.VectorBig[int32](r)
				r.Uint8()
				return v
			}
			got, err := decode(encode(t, p), g)
			if err != nil || !same(s, got) {
				t.Errorf("%d numbers: got others, error %v", n, err)
			}
			if got, err = stream(t, p, g); err != nil || !same(s, got) {
				t.Errorf("%d streamed numbers: got others, error %v", n, err)
			}
		}
	}
}

// TestStreamBlocks checks that a vector is cut where blocks end.
func TestStreamBlocks(t *testing.T) {
	var b put.Builder
	b.Reset(nil, nil)
	largest := 0
	access.Writer(&b).SetFlush(func(block []byte) ([]byte, error) {
		largest = max(largest, len(block))
		return block[:0], nil
	})
	put.Vector(&b, make([]int64, 1<<20))
	b.Bytes(make([]byte, 1<<20))
	b.String(string(make([]byte, 1<<20)))
	if largest > 2*wire.BlockSize {
		t.Errorf("a block of %d bytes", largest)
	}
}

// TestVectorAllocs checks that a vector from memory is one allocation.
func TestVectorAllocs(t *testing.T) {
	data := encode(t, func(b *put.Builder) { put.VectorBig(b, make([]float64, 1000)) })
	var r get.Reader
	if n := testing.AllocsPerRun(100, func() {
		r.Reset(data, nil)
		if s := get.VectorBig[float64](&r); cap(s) != len(s) {
			t.Fatalf("capacity %d, length %d", cap(s), len(s))
		}
	}); n != 1 {
		t.Errorf("%v allocations, want 1", n)
	}
}

// TestSpare checks that no hidden capacity is put or got.
func TestSpare(t *testing.T) {
	s := make([]int, 2, 10)
	data := encode(t, func(b *put.Builder) { slicePut(b, s); b.Bytes(make([]byte, 1, 100)) })
	if got := hex.EncodeToString(data); got != "0300000200" {
		t.Errorf("put %s", got)
	}
	var r get.Reader
	r.Reset(data, nil)
	if s, p := sliceGet(&r), r.Bytes(); cap(s) != 2 || cap(p) != 1 {
		t.Errorf("got capacities %d and %d", cap(s), cap(p))
	}
}
