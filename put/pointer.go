package put

import (
	"fmt"

	"github.com/putget/putget/internal/wire"
)

// Ptr puts an owned pointer, an edge of a tree: nil or not, and the value.
// It keeps no identity and no map: a value that two owned pointers lead to is
// put twice. Owned pointers that lead back to themselves are an error.
//
// Bytes: the marker 0 for nil, 1 with the body behind it, or 2 where the body
// is deferred; see docs/format.md. Chains of any length take no stack.
func Ptr[T any, C Codec[T]](b *Builder, p *T, c C) {
	if b.rest.Err != nil {
		return
	}
	b.u().Mark("Ptr")
	if p == nil {
		b.u().Marker(wire.MarkNil)
		return
	}
	inline, outer := b.u().Inline()
	if inline {
		b.u().Own(p)
		b.u().Marker(wire.MarkInline)
		body(b, p, c)
	} else {
		b.u().Marker(wire.MarkDeferred)
		b.u().Defer(&deferred[T, C]{b, p, c}, p)
	}
	b.u().Outline(outer)
}

type deferred[T any, C Codec[T]] struct {
	b *Builder
	p *T
	c C
}

func (d *deferred[T, C]) Run() { body(d.b, d.p, d.c) }

func body[T any, C Codec[T]](b *Builder, p *T, c C) {
	if b.u().Enter() {
		c.Put(b, p)
		b.u().Leave()
		if b.rest.Err != nil {
			b.u().At(fmt.Sprintf("(%T)", p))
		}
	}
}
