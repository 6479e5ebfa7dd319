package put_test

import (
	"encoding/binary"
	"errors"
	"io"
	"math/rand"
	"slices"
	"testing"
	"time"

	"github.com/putget/putget/get"
	"github.com/putget/putget/internal/wire"
	"github.com/putget/putget/put"
)

type maybeInt = wire.Maybe[int64]

type maybeCodec struct{}

func (maybeCodec) Put(b *put.Builder, m *maybeInt) {
	b.Bool(m.OK)
	if m.OK {
		b.Int64(m.Value)
	}
}

func (maybeCodec) Get(r *get.Reader, m *maybeInt) {
	if m.OK = r.Bool(); m.OK {
		m.Value = r.Int64()
	}
}

// handPut is the loop that an author without this library would write.
func handPut(buf []byte, s []maybeInt) []byte {
	buf = binary.AppendUvarint(buf, uint64(len(s))+1)
	for i := range s {
		if m := &s[i]; m.OK { // two checks of the room, as the codec has: a bool, a number
			buf = append(buf, 1)
			buf = binary.LittleEndian.AppendUint64(buf, uint64(m.Value))
		} else {
			buf = append(buf, 0)
		}
	}
	return buf
}

// called is what any library pays whose elements are put by a method it does
// not know: a call for each, and the bytes in memory that both sides see.
type called struct{ buf []byte }

type elementPutter interface{ put(*called, *maybeInt) }

type plainCodec struct{}

func (plainCodec) put(c *called, m *maybeInt) {
	if m.OK {
		c.buf = append(c.buf, 1)
		c.buf = binary.LittleEndian.AppendUint64(c.buf, uint64(m.Value))
	} else {
		c.buf = append(c.buf, 0)
	}
}

//go:noinline
func (c *called) slice(s []maybeInt, e elementPutter) {
	c.buf = binary.AppendUvarint(c.buf, uint64(len(s))+1)
	for i := range s {
		e.put(c, &s[i])
	}
}

var errBool = errors.New("bad bool")

// handGet is its mirror image, with the checks that hostile bytes need.
func handGet(data []byte) ([]maybeInt, error) {
	n, k := binary.Uvarint(data)
	if k <= 0 || n == 0 || n-1 > uint64(len(data)-k) {
		return nil, io.ErrUnexpectedEOF
	}
	data = data[k:]
	s := make([]maybeInt, n-1)
	for i := range s {
		if len(data) < 1 {
			return nil, io.ErrUnexpectedEOF
		}
		x := data[0]
		data = data[1:]
		if x > 1 {
			return nil, errBool
		}
		if x == 1 {
			if len(data) < 8 {
				return nil, io.ErrUnexpectedEOF
			}
			s[i] = maybeInt{Value: int64(binary.LittleEndian.Uint64(data)), OK: true}
			data = data[8:]
		}
	}
	return s, nil
}

// compare runs f and base in turns, warm, and reports the median of f's time
// in times of base's, and base's own.
func compare(b *testing.B, name string, f, base func()) {
	const rounds = 9
	f()
	base()
	var ratios, bases []float64
	for range rounds {
		start := time.Now()
		f()
		middle := time.Now()
		base()
		hand := time.Since(middle)
		ratios = append(ratios, float64(middle.Sub(start))/float64(hand))
		bases = append(bases, hand.Seconds()*1e3)
	}
	slices.Sort(ratios)
	slices.Sort(bases)
	b.ReportMetric(ratios[rounds/2], name+"-ratio")
	b.ReportMetric(bases[rounds/2], name+"-hand-ms")
}

// BenchmarkMaybe compares slices of Maybe with a hand-written loop: same bytes,
// same checks. Metrics: the time in times of the hand loop; "call" is the floor
// of put: see called.
func BenchmarkMaybe(b *testing.B) {
	const n = 10_000_000
	s := make([]maybeInt, n)
	buf := make([]byte, 0, 9*n+16)
	clear(buf[:cap(buf)])
	for _, c := range []struct {
		name    string
		present func(i int) bool
	}{
		{"third", func(i int) bool { return i%3 != 0 }},
		{"random", func(int) bool { return rand.Uint32()&1 == 0 }},
	} {
		b.Run(c.name, func(b *testing.B) {
			for i := range s {
				s[i] = maybeInt{}
				if c.present(i) {
					s[i] = maybeInt{Value: int64(i), OK: true}
				}
			}
			var w put.Builder
			var r get.Reader
			data := slices.Clone(handPut(buf[:0], s))
			for b.Loop() {
				compare(b, "put", func() {
					w.Reset(buf[:0], nil)
					put.Slice(&w, s, maybeCodec{})
					if _, err := w.Done(); err != nil {
						b.Fatal(err)
					}
				}, func() { buf = handPut(buf[:0], s)[:0] })
				compare(b, "call", func() {
					c := called{buf[:0]}
					c.slice(s, plainCodec{})
				}, func() { buf = handPut(buf[:0], s)[:0] })
				compare(b, "get", func() {
					r.Reset(data, nil)
					get.Slice(&r, maybeCodec{})
					if err := r.Done(); err != nil {
						b.Fatal(err)
					}
				}, func() {
					if _, err := handGet(data); err != nil {
						b.Fatal(err)
					}
				})
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkVector compares vectors of 100 million int32, into memory that is
// warm, with copy. Metrics: the time in times of copy's.
func BenchmarkVector(b *testing.B) {
	const n = 100_000_000
	s, t := make([]int32, n), make([]int32, n)
	for i := range s {
		s[i], t[i] = int32(i), int32(-i)
	}
	to, plainFrom, plainTo := make([]byte, 4*n+16), make([]byte, 4*n), make([]byte, 4*n)
	for i := range plainTo {
		to[i], plainFrom[i], plainTo[i] = 1, 1, 1
	}
	plain := func() { copy(plainTo, plainFrom) }
	for _, c := range []struct {
		name string
		put  func(*put.Builder, []int32)
		get  func(*get.Reader, []int32) []int32
	}{
		{"little", put.Vector[[]int32], get.VectorInto[[]int32]},
		{"big", put.VectorBig[[]int32], get.VectorBigInto[[]int32]},
	} {
		b.Run(c.name, func(b *testing.B) {
			var w put.Builder
			var r get.Reader
			for b.Loop() {
				compare(b, "put", func() {
					w.Reset(to[:0], nil)
					c.put(&w, s)
				}, plain)
				data, err := w.Done()
				if err != nil || &data[0] != &to[0] {
					b.Fatal("allocated", err)
				}
				compare(b, "get", func() {
					r.Reset(data, nil)
					if t = c.get(&r, t); r.Done() != nil {
						b.Fatal(r.Err())
					}
				}, plain)
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}
