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
	plans  []supply // likewise
	counts []uint64 // for reserve
}

// slab is memory for values of one layout: the bytes from used up to size are
// zero and free. All the values of a slab are kept as long as one of them is.
type slab struct {
	base       unsafe.Pointer
	used, size uintptr
}

// supply is where the next slab comes from.
type supply struct {
	next  int           // how many values in the next slab, at least
	exact bool          // that is how many there are, not a guess
	slice reflect.Value // what the memory is allocated as
}

const slabMost = 1 << 13 // bytes, unless the number of values is known

// Reset lets the memory go and keeps what it is allocated with for other sessions.
func (r *decoderRun) Reset() {
	if r.slabs == nil {
		return
	}
	clear(r.slabs.list)
	for i := range r.slabs.plans {
		p := &r.slabs.plans[i]
		p.next, p.exact = 0, false
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
			d.run.slabs = &slabs{make([]slab, len(g.slabs)), make([]supply, len(g.slabs)), make([]uint64, len(g.slabs))}
		}
		if d.u.Root() {
			d.reserve(false)
		}
	}
	d.slabs = d.run.slabs.list
}

// alloc gives n zero values that lie together.
func (d *decoder) alloc(pl *plan, n int) unsafe.Pointer {
	if pl.slab < 0 {
		return reflect.MakeSlice(reflect.SliceOf(pl.typ), n, n).UnsafePointer()
	}
	if pl.size == 0 {
		return unsafe.Pointer(&none)
	}
	s := &d.slabs[pl.slab]
	if pl.size > 0 && uintptr(n) > (s.size-s.used)/pl.size { // a product might overflow
		d.more(pl, n)
	}
	p := unsafe.Add(s.base, s.used)
	s.used += uintptr(n) * pl.size
	return p
}

// one is alloc of one value of a plan that has a slab.
func (d *decoder) one(pl *plan) unsafe.Pointer {
	s := &d.slabs[pl.slab]
	if s.size-s.used < pl.size {
		return d.alloc(pl, 1)
	}
	p := unsafe.Add(s.base, s.used)
	s.used += pl.size
	return p
}

// more begins a new slab: of as many values as the document states, or of more
// than the one before; of n at least. The memory comes from growing an empty
// slice: one allocation, where making a slice by reflection takes two.
func (d *decoder) more(pl *plan, n int) {
	s, p := &d.slabs[pl.slab], &d.run.slabs.plans[pl.slab]
	if !p.exact {
		p.next = min(p.next, slabMost/int(max(pl.size, 1)))
	}
	n = max(n, p.next)
	if !p.slice.IsValid() {
		p.slice = reflect.New(d.program.slabs[pl.slab].slice).Elem()
	}
	p.slice.Grow(n)
	*s = slab{base: p.slice.UnsafePointer(), size: uintptr(n) * pl.size}
	p.slice.SetZero()
	p.next, p.exact = 2*n, false
}
