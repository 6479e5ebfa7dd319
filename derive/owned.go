package derive

import (
	"unsafe"

	"github.com/putget/putget/internal/identity"
)

// encoderRun is what a program keeps for all units of a run.
type encoderRun struct {
	program *program
	sets    []identity.Set
	small   map[ownedKey]struct{} // owned values smaller than a granule of the sets
	counts  [2][]uint64           // by slab number: of the root, of all other units
}

type ownedKey struct {
	plan *plan
	p    unsafe.Pointer
}

// granule is how many bytes of memory share a bit of a set.
const (
	granuleShift = 4
	granule      = 1 << granuleShift
)

func newEncoderRun(g *program) *encoderRun {
	r := &encoderRun{program: g, sets: make([]identity.Set, g.sets)}
	for i := range r.sets {
		r.sets[i].Shift = granuleShift
	}
	for i := range r.counts {
		r.counts[i] = make([]uint64, len(g.slabs))
	}
	return r
}

// Release keeps the memory for other runs.
func (r *encoderRun) Release() {
	r.forget()
	for _, c := range r.counts {
		clear(c)
	}
	r.program.spareRun.Put(r)
}

// forget makes all values strangers again.
func (r *encoderRun) forget() {
	for i := range r.sets {
		r.sets[i].Reset()
	}
	r.small = emptied(r.small, 1<<8)
}

// emptied is an empty map: m, unless it is so large that clearing it would be
// felt by small units that follow.
func emptied[K comparable, V any](m map[K]V, most int) map[K]V {
	if len(m) > most {
		return nil
	}
	clear(m)
	return m
}

// begin finds the run's state, a bare unit's own if there is no run.
func (e *encoder) begin() {
	g := e.program
	if run := e.w.Run; run != nil {
		e.run = run.Slot(g.run, func() any {
			r, ok := g.spareRun.Get().(*encoderRun)
			if !ok {
				r = newEncoderRun(g)
			}
			if !e.w.Streaming() {
				_ = run.AddTable(g.census, &census{g, r}) // of two programs alike the first keeps it
			}
			return r
		}).(*encoderRun)
	} else {
		r, ok := g.spareRun.Get().(*encoderRun)
		if !ok {
			r = newEncoderRun(g)
		}
		e.run, e.bare = r, true
	}
	e.counts = e.run.counts[1]
	if e.w.Root() {
		e.counts = e.run.counts[0]
		if e.w.Streaming() {
			e.run.forget() // values of a stream do not outlive it, and may come again
		}
	}
}

// owned notes that p is owned, and reports whether it already was. It is exact:
// types of which two values can share a granule have sets of their own, or,
// being smaller than a granule, a map.
func (r *encoderRun) owned(pl *plan, p unsafe.Pointer) bool {
	if pl.elem.size == 0 {
		return false
	}
	if pl.set >= 0 {
		return r.sets[pl.set].Add(p)
	}
	k := ownedKey{pl, p}
	if _, ok := r.small[k]; ok {
		return true
	}
	if r.small == nil {
		r.small = map[ownedKey]struct{}{}
	}
	r.small[k] = struct{}{}
	return false
}
