package derive

import (
	"reflect"
	"unsafe"

	"github.com/putget/putget/internal/unit"
)

// decoderRun is what a program keeps for all units of a session.
type decoderRun struct {
	program *program
	slabs   *slabs
}

// slabs is the memory that values are allocated in.
type slabs struct {
	list   []slab   // by slab number
	counts []uint64 // for reserve
}

// slab is memory for values of one type: those from used on are zero and free.
// All the values of a slab are kept as long as one of them is.
type slab struct {
	base      unsafe.Pointer
	used, cap int
	next      int           // how many in the next one, at least
	exact     bool          // next is how many there are, not a guess
	slice     reflect.Value // of the slice's type: what the memory is allocated as
}

const slabMost = 1 << 13 // bytes, unless the number of values is known

// Reset lets the memory go and keeps what it is allocated with for other sessions.
func (r *decoderRun) Reset() {
	if r.slabs == nil {
		return
	}
	for i := range r.slabs.list {
		s := &r.slabs.list[i]
		s.base, s.used, s.cap, s.next, s.exact = nil, 0, 0, 0, false
	}
	r.program.spare.Put(r.slabs)
	r.slabs = nil
}

// begin finds the session's state, and how much memory a root will take.
func (d *decoder) begin() {
	g := d.program
	d.run = d.u.Session.Slot(g.run, func() unit.Resetter { return &decoderRun{program: g} }).(*decoderRun)
	if d.run.slabs == nil {
		d.run.slabs, _ = g.spare.Get().(*slabs)
		if d.run.slabs == nil {
			d.run.slabs = &slabs{make([]slab, len(g.slabs)), make([]uint64, len(g.slabs))}
		}
		if d.u.Root() {
			d.reserve(false)
		}
	}
}

// alloc gives n zero values that lie together.
func (d *decoder) alloc(pl *plan, n int) unsafe.Pointer {
	if pl.slab < 0 {
		return reflect.MakeSlice(reflect.SliceOf(pl.typ), n, n).UnsafePointer()
	}
	s := &d.run.slabs.list[pl.slab]
	if s.cap-s.used < n {
		s.more(d.program, pl, n)
	}
	p := unsafe.Add(s.base, uintptr(s.used)*pl.size)
	s.used += n
	return p
}

// more begins a new slab: larger than the one before, and of n values at least.
func (s *slab) more(g *program, pl *plan, n int) {
	if !s.exact {
		s.next = min(s.next, slabMost/int(max(pl.size, 1)))
	}
	s.allocate(g, pl, max(n, s.next))
	s.next, s.exact = 2*s.cap, false
}

// allocate begins a slab of n values. The memory comes from growing an empty
// slice: one allocation, where making a slice by reflection takes two.
func (s *slab) allocate(g *program, pl *plan, n int) {
	if !s.slice.IsValid() {
		s.slice = reflect.New(g.slabs[pl.slab].slice).Elem()
	}
	s.slice.SetZero()
	s.slice.Grow(n)
	s.base, s.used, s.cap = s.slice.UnsafePointer(), 0, n
	s.slice.SetZero()
}
