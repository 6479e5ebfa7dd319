package derive

import "unsafe"

// The first value of a unit is its root: shared pointers that lead back to it
// come back as pointers to it.

func (e *encoder) putFirst(pl *plan, p unsafe.Pointer) {
	if !e.begun {
		e.begun = true
		if pl.slab >= 0 && !e.w.Root() {
			e.counts[pl.slab]++ // New gives an entry's value from the slab
		}
		if pl.self >= 0 && e.aside == nil {
			e.refs[pl.self].id(p, pl.size)
		}
	}
	if !e.from(pl, p) {
		e.put(pl, p)
	}
}

func (d *decoder) getFirst(pl *plan, p unsafe.Pointer) {
	if !d.begun {
		d.begun = true
		if pl.self >= 0 {
			d.refs[pl.self] = append(d.refs[pl.self], p)
		}
	}
	if !d.from(pl, p) {
		d.get(pl, p)
	}
}
