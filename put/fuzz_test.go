package put_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/big"
	"testing"
	"time"

	"github.com/putget/putget/get"
	"github.com/putget/putget/internal/wire"
	"github.com/putget/putget/put"
)

// program is a sequence of operations, made from the fuzzer's bytes: one byte
// chooses the operation, the following ones are its value.
type program struct{ ops []operation }

type operation struct {
	put  func(b *put.Builder)
	get  func(r *get.Reader) any
	want any
}

// op makes an operation of a pair of functions on values.
func op[T any](v T, p func(*put.Builder, T), g func(*get.Reader) T) operation {
	return operation{func(b *put.Builder) { p(b, v) }, func(r *get.Reader) any { return g(r) }, v}
}

// source gives values until its bytes are used up.
type source struct{ data []byte }

func (s *source) bytes(n int) []byte {
	p := make([]byte, n)
	s.data = s.data[copy(p, s.data):]
	return p
}

func (s *source) uint64() uint64 { return binary.LittleEndian.Uint64(s.bytes(8)) }
func (s *source) byte() byte     { return s.bytes(1)[0] }
func (s *source) int() int       { return int(int64(s.uint64()) >> (s.byte() & 63)) }

func (s *source) ints() []int {
	n := int(s.byte() % 8)
	if n == 7 {
		return nil
	}
	v := make([]int, n)
	for i := range v {
		v[i] = s.int()
	}
	return v
}

func (s *source) tree(depth int) *tree {
	if b := s.byte(); b%3 == 0 || depth == 0 {
		return nil
	}
	return &tree{V: s.int(), Left: s.tree(depth - 1), Right: s.tree(depth - 1)}
}

func newProgram(data []byte) *program {
	s := &source{data}
	p := &program{}
	for len(s.data) > 0 {
		p.ops = append(p.ops, s.operation())
	}
	return p
}

func (s *source) operation() operation {
	switch s.byte() % 20 {
	case 0:
		return op(s.byte()&1 == 1, (*put.Builder).Bool, (*get.Reader).Bool)
	case 1:
		return op(s.byte(), (*put.Builder).Uint8, (*get.Reader).Uint8)
	case 2:
		return op(int16(s.uint64()), (*put.Builder).Int16, (*get.Reader).Int16)
	case 3:
		return op(uint32(s.uint64()), (*put.Builder).Uint32, (*get.Reader).Uint32)
	case 4:
		return op(int64(s.uint64()), (*put.Builder).Int64, (*get.Reader).Int64)
	case 5:
		return op(uint64(s.int()), (*put.Builder).Uvarint, (*get.Reader).Uvarint)
	case 6:
		return op(s.int(), (*put.Builder).Int, (*get.Reader).Int)
	case 7:
		return op(rune(s.int()), (*put.Builder).Rune, (*get.Reader).Rune)
	case 8:
		return op(string(s.bytes(int(s.byte()%20))), (*put.Builder).String, (*get.Reader).String)
	case 9:
		return op(s.bytes(int(s.byte()%20)), (*put.Builder).Bytes, (*get.Reader).Bytes)
	case 10:
		return op(s.ints(), slicePut, sliceGet)
	case 11:
		return op(wire.Maybe[int]{Value: s.int(), OK: true}, maybePut, maybeGet)
	case 12:
		m := map[string]int{}
		for _, v := range s.ints() {
			m[string(s.bytes(int(s.byte()%4)))] = v
		}
		return op(m, mapPut, mapGet)
	case 13:
		return op(s.tree(40), treePut, treeGet)
	case 14:
		return op(new(big.Int).SetBytes(s.bytes(int(s.byte()%40))), put.BigInt, get.BigInt)
	case 15:
		return op(big.NewRat(int64(s.int()), int64(s.byte())+1), put.BigRat, get.BigRat)
	case 16:
		return op(new(big.Float).SetInt64(int64(s.int())), put.BigFloat, get.BigFloat)
	case 17:
		return op(time.Unix(int64(s.int()), int64(s.byte())).In(time.FixedZone("Z", int(s.byte()))), put.Time, get.Time)
	case 18:
		return op([]uint16{uint16(s.byte()), 7}, put.Vector[[]uint16], get.Vector[uint16])
	default:
		return op(make([]struct{}, s.byte()), func(b *put.Builder, v []struct{}) { put.Slice(b, v, emptyCodec{}) },
			func(r *get.Reader) []struct{} { return get.Slice(r, emptyCodec{}) })
	}
}

func (p *program) put(b *put.Builder) {
	for _, o := range p.ops {
		o.put(b)
	}
}

func (p *program) get(r *get.Reader) (values []any) {
	for _, o := range p.ops {
		values = append(values, o.get(r))
	}
	return values
}

func (p *program) check(t *testing.T, values []any, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range p.ops {
		x, isInt := o.want.(*big.Int)
		if isInt && x.Cmp(values[i].(*big.Int)) == 0 {
			continue
		}
		if !same(o.want, values[i]) {
			t.Errorf("operation %d: got %v, want %v", i, values[i], o.want)
		}
	}
}

// FuzzOperations puts and gets a sequence of operations in every form, and then
// gets it from bytes that were changed.
func FuzzOperations(f *testing.F) {
	for i := range 20 {
		f.Add(bytes.Repeat([]byte{byte(i), 3, 1, 4, 1, 5, 9, 2, 6, 0xff}, 5), uint32(i), byte(1<<(i%8)))
	}
	f.Fuzz(func(t *testing.T, data []byte, at uint32, flip byte) {
		if len(data) > 10_000 {
			return
		}
		p := newProgram(data)
		encoded := encode(t, p.put)
		values, err := decode(encoded, func(r *get.Reader) any { return p.get(r) })
		p.check(t, values.([]any), err)

		values, err = stream(t, p.put, func(r *get.Reader) any { return p.get(r) })
		p.check(t, values.([]any), err)

		var b put.Builder
		b.Reset(nil, &put.Options{Marks: true})
		p.put(&b)
		marked, err := b.Done()
		if err != nil {
			t.Fatal(err)
		}
		var r get.Reader
		r.Reset(marked, &get.Options{Marks: true})
		values = p.get(&r)
		p.check(t, values.([]any), r.Done())

		if len(encoded) > 0 {
			encoded[at%uint32(len(encoded))] ^= flip
			_, err = decode(encoded, func(r *get.Reader) any { return p.get(r) })
			if err != nil && !errors.Is(err, wire.ErrCorrupt) && !errors.Is(err, wire.ErrTruncated) && !errors.Is(err, wire.ErrLimit) {
				t.Errorf("%v, an error of no class", err)
			}
			marked[at%uint32(len(marked))] ^= flip
			r.Reset(marked, &get.Options{Marks: true})
			p.get(&r)
			r.Done()
		}
	})
}
