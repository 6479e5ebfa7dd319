package share

import (
	"unsafe"

	"github.com/putget/putget/get"
	"github.com/putget/putget/internal/access"
	"github.com/putget/putget/internal/identity"
	"github.com/putget/putget/internal/slab"
	"github.com/putget/putget/internal/unit"
	"github.com/putget/putget/internal/wire"
	"github.com/putget/putget/put"
)

// Codec puts and gets values of type T: both directions of a type together.
//
// A codec may have a method New(*get.Reader) *T, too, which makes the value
// that Get then fills. It takes nothing from the Reader but state.
type Codec[T any] interface {
	put.Codec[T]
	get.Codec[T]
}

// maker is the optional method of a Codec.
type maker[T any] interface{ New(*get.Reader) *T }

// Refs puts pointers to values of type T so that within one unit each value is
// put once and its pointers lead to one value again. It is a key: immutable,
// and safe for concurrent use.
type Refs[T any] struct {
	mark  string
	slot  int
	codec Codec[T]
	make  func(*get.Reader) *T // nil: from a slab
}

// New makes a key, for a package-level variable: it takes a few bytes in every
// unit for as long as the program runs. The name shows in errors and debug
// marks. Pointers put under different keys are strangers to each other.
func New[T any](name string, c Codec[T]) *Refs[T] {
	k := &Refs[T]{mark: name + ".Refs", slot: unit.Slots.Next(), codec: c}
	if m, ok := c.(maker[T]); ok {
		k.make = m.New
	}
	return k
}

// identified reports whether values of type T have an identity: in Go those of
// size zero have none. They are put afresh each time.
func (k *Refs[T]) identified() bool { return unsafe.Sizeof(*new(T)) > 0 }

// writing is the state of a unit being written.
type writing[T any] struct{ ids identity.Map[T] }

func (s *writing[T]) Reset() { s.ids.Reset() }

// Put puts p: nil, a reference to what was put before, or the value itself.
func (k *Refs[T]) Put(b *put.Builder, p *T) {
	w := access.Writer(b)
	if w.Err != nil {
		return
	}
	s, ok := w.Slot(k.slot).(*writing[T])
	if !ok {
		s = w.Begun().Activate(k.slot, func() unit.Resetter { return new(writing[T]) }).(*writing[T])
	}
	if w.Marked() {
		w.Mark(k.mark)
	}
	if p == nil {
		w.Marker(wire.MarkNil)
		return
	}
	if k.identified() {
		if id, isNew := s.ids.ID(p); !isNew {
			w.Uvarint(uint64(id) + wire.MarkBack)
			return
		}
	}
	inline, outer := w.Inline()
	if inline {
		// putBody, without its call: bodies nest inline, and a processor
		// foresees the returns of a few dozen calls only.
		w.Marker(wire.MarkInline)
		if w.Enter() {
			k.codec.Put(b, p)
			w.Leave()
			if w.Err != nil {
				w.At("(" + k.mark + ")")
			}
		}
	} else {
		w.Marker(wire.MarkDeferred)
		w.Defer(&deferredPut[T]{k, b, p}, nil)
	}
	w.Outline(outer)
}

func (k *Refs[T]) putBody(b *put.Builder, p *T) {
	if w := access.Writer(b); w.Enter() {
		k.codec.Put(b, p)
		w.Leave()
		if w.Err != nil {
			w.At("(" + k.mark + ")")
		}
	}
}

type deferredPut[T any] struct {
	k *Refs[T]
	b *put.Builder
	p *T
}

func (d *deferredPut[T]) Run() { d.k.putBody(d.b, d.p) }

// reading is the state of a unit being read.
type reading[T any] struct {
	values []*T // by id
	slab   slab.Slab[T]
}

// Reset drops all references. It keeps memory for a unit of the same size.
func (s *reading[T]) Reset() {
	if cap(s.values) > 1<<10 && len(s.values) < cap(s.values)/8 {
		s.values = nil
	}
	clear(s.values)
	s.values = s.values[:0]
	s.slab.Reset()
}

// Get gets a pointer that Put put. What it leads to may be filled only later:
// a Get never looks inside it; see [get.Reader.Later].
func (k *Refs[T]) Get(r *get.Reader) *T {
	u := access.Reader(r)
	if u.Err != nil {
		return nil
	}
	s, ok := u.Slot(k.slot).(*reading[T])
	if !ok {
		s = u.Begun().Activate(k.slot, func() unit.Resetter { return new(reading[T]) }).(*reading[T])
	}
	if u.Marked() {
		u.Mark(k.mark)
	}
	m := u.Marker()
	switch {
	case m == wire.MarkNil: // or an error
		return nil
	case m >= wire.MarkBack:
		if id := m - wire.MarkBack; id < uint64(len(s.values)) {
			return s.values[id]
		}
		u.Failf(wire.ErrCorrupt, "%s: a reference to value %d, of %d so far", k.mark, m-wire.MarkBack, len(s.values))
		return nil
	}
	var p *T
	if k.make != nil {
		p = k.make(r)
	} else {
		p = s.slab.New()
	}
	if k.identified() {
		s.values = append(s.values, p)
	}
	outer := u.Inline()
	if m == wire.MarkInline {
		if u.Enter() { // getBody, without its call; see Put
			k.codec.Get(r, p)
			u.Leave()
			if u.Err != nil {
				u.At("(" + k.mark + ")")
			}
		}
	} else {
		u.Defer(&deferredGet[T]{k, r, p})
	}
	u.Outline(outer)
	if u.Err != nil {
		return nil
	}
	return p
}

func (k *Refs[T]) getBody(r *get.Reader, p *T) {
	if u := access.Reader(r); u.Enter() {
		k.codec.Get(r, p)
		u.Leave()
		if u.Err != nil {
			u.At("(" + k.mark + ")")
		}
	}
}

type deferredGet[T any] struct {
	k *Refs[T]
	r *get.Reader
	p *T
}

func (d *deferredGet[T]) Run() { d.k.getBody(d.r, d.p) }
