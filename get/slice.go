package get

import (
	"fmt"
	"unsafe"
)

// Slice gets the elements of a slice, nil where nil was put. From memory the
// slice is allocated once, so that the addresses of its elements stay; no more
// than the bytes left can pay for. From a stream it grows with what arrives.
func Slice[T any](r *Reader, c Codec[T]) []T {
	if r.u.Err != nil {
		return nil
	}
	r.u.Mark("Slice")
	n := r.Uvarint()
	if n == 0 {
		return nil
	}
	n--
	e, ok := r.u.Elements(n, 0, unsafe.Sizeof(*new(T)))
	if !ok {
		return nil
	}
	s := make([]T, e.First)
	i := 0
	if f, ok := c.(Func[T]); ok { // spares an indirect call an element
		for i < len(s) && e.Claim(&r.u, i) {
			f(r, &s[i])
			i++
		}
	} else {
		for i < len(s) && e.Claim(&r.u, i) {
			c.Get(r, &s[i])
			i++
		}
	}
	for uint64(i) < n && e.Claim(&r.u, i) {
		s = append(s, *new(T))
		c.Get(r, &s[i])
		i++
	}
	if r.u.Err != nil {
		r.u.At(fmt.Sprintf("[%d]", i-1))
	}
	e.End(&r.u)
	if r.u.Err != nil {
		return nil
	}
	return s
}

// Array gets len(s) elements into s, the mirror image of put.Array.
func Array[S ~[]T, T any](r *Reader, s S, c Codec[T]) {
	if r.u.Err != nil {
		return
	}
	r.u.Mark("Array")
	e, ok := r.u.Elements(uint64(len(s)), 0, unsafe.Sizeof(*new(T)))
	if !ok {
		return
	}
	i := 0
	for i < len(s) && e.Claim(&r.u, i) {
		c.Get(r, &s[i])
		i++
	}
	if r.u.Err != nil {
		r.u.At(fmt.Sprintf("[%d]", i-1))
	}
	e.End(&r.u)
}
