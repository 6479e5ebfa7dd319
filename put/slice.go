package put

import (
	"fmt"
	"unsafe"
)

// Slice puts the elements of s in order. A nil slice and an empty one differ.
//
// Bytes: 0 for a nil slice, else the length + 1 as Uvarint and the elements,
// each as its codec puts it.
//
// Elements that take no bytes cost Limits.Free on the other side, so a slice
// with too many of them is refused. What lies between the length and the
// capacity of s is not put.
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

// Strings puts s as Slice does, each element as Builder.String does.
func Strings[S ~[]T, T ~string](b *Builder, s S) { Slice(b, s, text[T]{}) }

type text[T ~string] struct{}

func (text[T]) Put(b *Builder, v *T) { b.String(string(*v)) }

func elements[T any, C Codec[T]](b *Builder, s []T, c C) {
	if !b.u().Enter() {
		return
	}
	start := b.u().Offset()
	var i int
	if b.u().Streaming() {
		i = streamed(b, s, c)
	} else {
		i = each(b, s, c)
	}
	if b.rest.Err != nil {
		b.u().At(fmt.Sprintf("[%d]", max(i-1, 0)))
	}
	b.u().Free(len(s), b.u().Since(start), unsafe.Sizeof(*new(T)))
	b.u().Leave()
}

// each puts elements until the unit fails, and reports how many it began.
func each[T any, C Codec[T]](b *Builder, s []T, c C) (i int) {
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

// streamed is each for a stream, whose reader stops at elements that take no
// bytes without knowing what follows.
func streamed[T any, C Codec[T]](b *Builder, s []T, c C) (i int) {
	start := b.u().Offset()
	for ; i < len(s) && b.u().Affordable(i, b.u().Since(start), unsafe.Sizeof(*new(T))); i++ {
		c.Put(b, &s[i])
	}
	return i
}
