package put

import (
	"fmt"
	"unsafe"
)

// Slice puts the elements of s in order: length+1 as Uvarint, 0 for a nil
// slice, then each element by its codec.
//
// Elements that take no bytes cost Limits.Free on the other side, so a slice
// with too many of them is refused.
func Slice[S ~[]T, T any, C Codec[T]](b *Builder, s S, c C) {
	if b.rest.Err != nil {
		return
	}
	b.u().Mark("Slice")
	if s == nil {
		b.Uvarint(0)
		return
	}
	b.Uvarint(uint64(len(s)) + 1)
	elements(b, s, c)
}

// Array puts the elements of s without their number, which the codec knows
// otherwise: an array goes as Array(b, a[:], c).
func Array[S ~[]T, T any, C Codec[T]](b *Builder, s S, c C) {
	if b.rest.Err != nil {
		return
	}
	b.u().Mark("Array")
	elements(b, s, c)
}

func elements[T any, C Codec[T]](b *Builder, s []T, c C) {
	if !b.u().Enter() {
		return
	}
	start := b.u().Offset()
	i := drain(b, s, c)
	if b.rest.Err != nil {
		b.u().At(fmt.Sprintf("[%d]", i-1))
	}
	b.u().Free(len(s), b.u().Since(start), unsafe.Sizeof(*new(T)))
	b.u().Leave()
}

// drain puts elements until the unit fails, and reports how many it began.
func drain[T any, C Codec[T]](b *Builder, s []T, c C) (i int) {
	if f, ok := any(c).(Func[T]); ok { // spares a call an element
		for ; i < len(s) && b.rest.Err == nil; i++ {
			f(b, &s[i])
		}
		return i
	}
	for ; i < len(s) && b.rest.Err == nil; i++ {
		c.Put(b, &s[i])
	}
	return i
}
