package get

import (
	"fmt"

	"github.com/putget/putget/internal/wire"
)

// Ptr gets an owned pointer: nil, or a new value. The value may be filled only
// after Ptr returned: a Get never looks inside it; see Later.
func Ptr[T any, C Codec[T]](r *Reader, c C) *T {
	if r.rest.Err != nil {
		return nil
	}
	r.u().Mark("Ptr")
	switch m := r.u().Marker(); m {
	case wire.MarkNil:
		return nil
	case wire.MarkInline, wire.MarkDeferred:
		outer := r.u().Inline()
		p := new(T)
		if m == wire.MarkInline {
			body(r, p, c)
		} else {
			r.u().Defer(&deferred[T, C]{r, p, c})
		}
		r.u().Outline(outer)
		if r.rest.Err != nil {
			return nil
		}
		return p
	default:
		r.u().Failf(wire.ErrCorrupt, "the marker %d stands where an owned pointer has %d, %d or %d", m, wire.MarkNil, wire.MarkInline, wire.MarkDeferred)
		return nil
	}
}

type deferred[T any, C Codec[T]] struct {
	r *Reader
	p *T
	c C
}

func (d *deferred[T, C]) Run() { body(d.r, d.p, d.c) }

func body[T any, C Codec[T]](r *Reader, p *T, c C) {
	if r.u().Enter() {
		c.Get(r, p)
		r.u().Leave()
		if r.rest.Err != nil {
			r.u().At(fmt.Sprintf("(%T)", p))
		}
	}
}
