// Package slab allocates values of one type a few at a time.
package slab

import "unsafe"

// Slab hands out zero values from chunks of 1, 2, 4 ... values, up to 64 or
// 8 KiB. Keeping one value keeps its chunk. The zero Slab is ready.
type Slab[T any] struct {
	free []T
	size int // of the last chunk
}

// New gives a value.
func (s *Slab[T]) New() *T {
	if len(s.free) == 0 {
		s.size = min(2*s.size, 64, int(8192/max(unsafe.Sizeof(*new(T)), 1)))
		s.size = max(s.size, 1)
		s.free = make([]T, s.size)
	}
	p := &s.free[0]
	s.free = s.free[1:]
	return p
}

// Reset starts again with chunks of one.
func (s *Slab[T]) Reset() { *s = Slab[T]{} }
