package get

import (
	"fmt"
	"unsafe"
)

// Slice gets the elements of a slice, nil where nil was put. Its capacity is
// its length.
//
// From memory the slice is allocated once, so that the addresses of its
// elements stay; no more than the bytes left can pay for. From a stream it
// grows with what arrives: the addresses of its elements stay only once Slice
// has returned.
func Slice[T any, C Codec[T]](r *Reader, c C) []T {
	if r.rest.Err != nil {
		return nil
	}
	r.u().Mark("Slice")
	n := r.Uvarint()
	if n == 0 {
		return nil
	}
	n--
	e, ok := r.u().Elements(n, 0, unsafe.Sizeof(*new(T)))
	if !ok {
		return nil
	}
	s := make([]T, e.First)
	i := each(r, s, c)
	for uint64(i) < n && e.Claim(r.u(), i) {
		s = append(s, *new(T))
		c.Get(r, &s[i])
		i++
	}
	if r.rest.Err != nil {
		r.u().At(fmt.Sprintf("[%d]", max(i-1, 0)))
	}
	e.End(r.u())
	if r.rest.Err != nil {
		return nil
	}
	return s[:len(s):len(s)]
}

// Array gets len(s) elements into s, which are zero before.
func Array[S ~[]T, T any, C Codec[T]](r *Reader, s S, c C) {
	if r.rest.Err != nil {
		return
	}
	r.u().Mark("Array")
	e, ok := r.u().Elements(uint64(len(s)), 0, unsafe.Sizeof(*new(T)))
	if !ok {
		return
	}
	i := each(r, s[:e.First], c)
	for i < len(s) && e.Claim(r.u(), i) {
		c.Get(r, &s[i])
		i++
	}
	if r.rest.Err != nil {
		r.u().At(fmt.Sprintf("[%d]", max(i-1, 0)))
	}
	e.End(r.u())
}

// Strings gets a slice of strings, as Slice and Reader.String do.
func Strings[T ~string](r *Reader) []T { return Slice(r, text[T]{}) }

type text[T ~string] struct{}

func (text[T]) Get(r *Reader, v *T) { *v = T(r.String()) }

// each gets elements that were allocated at once, and reports how many it
// began. Each element claims one byte less for those after it: Elements.Claim
// by hand, which the compiler would not inline here.
func each[T any, C Codec[T]](r *Reader, s []T, c C) (i int) {
	if f, ok := any(c).(Func[T]); ok { // spares a call an element
		for ; i < len(s) && r.rest.Err == nil; i++ {
			r.rest.Claimed--
			f(r, &s[i])
		}
		return i
	}
	for ; i < len(s) && r.rest.Err == nil; i++ {
		r.rest.Claimed--
		c.Get(r, &s[i])
	}
	return i
}
