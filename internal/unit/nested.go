package unit

import "github.com/putget/putget/internal/wire"

// Units within units: while an entry of a table is put, another may have to be
// put first. Each is a unit of its own, but they share one stack.

// Nest begins w as a unit of parent's run that is put while parent waits. Depth
// goes on from parent's, so that Limits.Depth bounds the stack of them all.
func (w *Writer) Nest(parent *Writer, buf []byte, table string) {
	w.Begin(parent.Run, buf, parent.limits, parent.marks != nil, table, -1)
	w.depth = parent.depth + 1
}

// Depth is how many composites the unit is in.
func (r *Reader) Depth() int { return r.depth }

// Suspend is called before r waits for another unit to be read, in the same
// session; Resume after it. The other unit starts at depth 0, so that its error
// does not depend on who asked; what bounds the stack of all of them is the sum
// of the depths. Suspend is false, with r failed, when that is too much.
func (r *Reader) Suspend() bool {
	if r.Err != nil {
		return false
	}
	if r.Session.Depth+r.depth >= 4*r.limits.Depth {
		r.Failf(wire.ErrLimit, "units that wait for each other nest %d levels deep in all", 4*r.limits.Depth)
		return false
	}
	r.Session.Depth += r.depth + 1
	return true
}

// Resume undoes Suspend.
func (r *Reader) Resume() { r.Session.Depth -= r.depth + 1 }
