package derive

import (
	"unsafe"

	"github.com/putget/putget/get"
	"github.com/putget/putget/put"
)

// Slices of numbers of fixed size are moved as a whole. Numbers of one size
// have one memory layout, so those of any type go as integers of that size.
// Complex numbers do not: each of their parts has its own byte order.

func (e *encoder) putVector(pl *plan, p unsafe.Pointer) {
	switch {
	case pl.elem.kind == kindComplex && pl.elem.size == 8:
		put.Vector(e.b, *(*[]complex64)(p))
	case pl.elem.kind == kindComplex:
		put.Vector(e.b, *(*[]complex128)(p))
	case pl.elem.size == 2:
		put.Vector(e.b, *(*[]uint16)(p))
	case pl.elem.size == 4:
		put.Vector(e.b, *(*[]uint32)(p))
	default:
		put.Vector(e.b, *(*[]uint64)(p))
	}
}

func (d *decoder) getVector(pl *plan, p unsafe.Pointer) {
	switch {
	case pl.elem.kind == kindComplex && pl.elem.size == 8:
		*(*[]complex64)(p) = clip(get.Vector[complex64](d.r))
	case pl.elem.kind == kindComplex:
		*(*[]complex128)(p) = clip(get.Vector[complex128](d.r))
	case pl.elem.size == 2:
		*(*[]uint16)(p) = clip(get.Vector[uint16](d.r))
	case pl.elem.size == 4:
		*(*[]uint32)(p) = clip(get.Vector[uint32](d.r))
	default:
		*(*[]uint64)(p) = clip(get.Vector[uint64](d.r))
	}
}

// clip makes the capacity the length: a stream's slices grow.
func clip[T any](s []T) []T { return s[:len(s):len(s)] }
