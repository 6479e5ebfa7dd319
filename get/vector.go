package get

import (
	"slices"
	"unsafe"

	"github.com/putget/putget/internal/bulk"
	"github.com/putget/putget/internal/wire"
)

// Number is any numeric type of fixed size.
type Number = bulk.Number

// Vector gets a whole slice of numbers at the speed of memory, nil where nil
// was put. From memory it is one allocation, for which the bytes are there;
// from a stream it grows with what arrives.
func Vector[T Number](r *Reader) []T {
	return vector(r, "Vector", []T(nil), bulk.CopyLittle[T])
}

// VectorBig is Vector for big-endian numbers.
func VectorBig[T Number](r *Reader) []T {
	return vector(r, "VectorBig", []T(nil), bulk.CopyBig[T])
}

// VectorInto is Vector in the memory of dst, where its capacity suffices: the
// way to get many vectors through one buffer. The elements of dst are lost. It has
// no counterpart in package put: what it gets was put by put.Vector.
func VectorInto[S ~[]T, T Number](r *Reader, dst S) S {
	return vector(r, "Vector", dst, bulk.CopyLittle[T])
}

// VectorBigInto is VectorInto for big-endian numbers, put by put.VectorBig.
func VectorBigInto[S ~[]T, T Number](r *Reader, dst S) S {
	return vector(r, "VectorBig", dst, bulk.CopyBig[T])
}

func vector[S ~[]T, T Number](r *Reader, what string, dst S, set func([]T, []byte) int) S {
	if r.rest.Err != nil {
		return nil
	}
	r.u().Mark(what)
	n := r.Uvarint()
	if n == 0 {
		return nil
	}
	n--
	size := uint64(unsafe.Sizeof(*new(T)))
	block := n
	if r.u().Streaming() {
		block = wire.BlockSize / size
	} else if n > uint64(r.Left())/size {
		r.u().Failf(wire.ErrTruncated, "%d numbers of %d bytes are announced, the unit has %d bytes left", n, size, r.Left())
		return nil
	}
	dst = dst[:0]
	for {
		k := int(min(n, block))
		p := r.u().Raw(uint64(k) * size)
		if r.rest.Err != nil {
			return nil
		}
		dst = extend(dst, k)
		set(dst[len(dst)-k:], p)
		if n -= uint64(k); n == 0 {
			return dst
		}
	}
}

// extend makes s longer by n numbers of any value, in one allocation where it is empty.
func extend[S ~[]T, T any](s S, n int) S {
	if len(s) == 0 && n > cap(s) || s == nil {
		return make(S, n)
	}
	return slices.Grow(s, n)[:len(s)+n]
}
