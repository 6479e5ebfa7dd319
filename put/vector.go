package put

import (
	"unsafe"

	"github.com/putget/putget/internal/bulk"
	"github.com/putget/putget/internal/wire"
)

// Number is any numeric type of fixed size.
type Number = bulk.Number

// Vector puts a whole slice of numbers at the speed of memory, each little-endian.
//
// Bytes: 0 for a nil slice, else the length + 1 as Uvarint and the bytes of
// the numbers. In a stream they are as many primitives as blocks ask for.
func Vector[S ~[]T, T Number](b *Builder, s S) {
	vector(b, "Vector", s, bulk.AppendLittle[T])
}

// VectorBig is Vector for big-endian numbers, the order of XDR and of networks.
func VectorBig[S ~[]T, T Number](b *Builder, s S) {
	vector(b, "VectorBig", s, bulk.AppendBig[T])
}

func vector[T Number](b *Builder, what string, s []T, add func([]byte, []T) []byte) {
	if b.rest.Err != nil {
		return
	}
	b.u().Mark(what)
	if s == nil {
		b.Uvarint(0)
		return
	}
	b.Uvarint(uint64(len(s)) + 1)
	block := wire.BlockSize / int(unsafe.Sizeof(*new(T)))
	for b.u().Streaming() && len(s) > block {
		numbers(b, s[:block], add)
		s = s[block:]
	}
	numbers(b, s, add)
}

// numbers puts numbers as one primitive.
func numbers[T Number](b *Builder, s []T, add func([]byte, []T) []byte) {
	if len(b.buf) >= b.full {
		b.u().Slow(wire.Raw)
	}
	if b.rest.Err == nil {
		b.buf = add(b.buf, s)
	}
}
