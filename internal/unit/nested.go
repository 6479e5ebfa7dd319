package unit

import "github.com/putget/putget/internal/wire"

// Units within units: while an entry of a table is put, another may have to be
// put first. Each is a unit of its own, but they share one stack.

// The ids of units that are not entries: roots and bare units, and what is put
// or read on the way to an entry.
const (
	rootID  = -1
	InnerID = -2
)

// Nest begins w as a unit of parent's run that is put while parent waits. Depth
// goes on from parent's, so that Limits.Depth bounds the stack of them all.
func (w *Writer) Nest(parent *Writer, buf []byte, table string) {
	w.Begin(parent.Run, buf, parent.limits, parent.marks != nil, table, InnerID)
	w.depth = parent.depth + 1
}

// Depth is how many composites the unit is in.
func (r *Reader) Depth() int { return r.depth }

// Unit is the table and the entry that the unit is.
func (r *Reader) Unit() (table string, id int) { return r.table, r.id }

// Suspend is called before r waits for another unit to be read, in the same
// session; Resume after it. The other unit starts at depth 0, so that its error
// does not depend on who asked; what bounds the stack of all of them is the sum
// of the depths. Suspend is false, with r failed, when that is too much.
func (r *Reader) Suspend() bool {
	if r.Err != nil {
		return false
	}
	if most := 4 * r.limits.Depth; r.Session.Depth+r.depth >= most {
		r.Failf(wire.ErrLimit, "units that wait for each other nest %d levels deep in all", most)
		return false
	}
	r.Session.Nested++
	r.Session.Depth += r.depth + 1
	return true
}

// Resume undoes Suspend.
func (r *Reader) Resume() {
	r.Session.Nested--
	r.Session.Depth -= r.depth + 1
}

// Part gets bytes behind their length, which were put together without marks.
func (r *Reader) Part() []byte {
	if !r.more() {
		return nil
	}
	n, size := Uvarint(r.Buf[r.Off:])
	if size <= 0 {
		r.BadVarint(size)
		return nil
	}
	r.Off += size
	if left := uint64(len(r.Buf) - r.Off); n > left {
		r.Failf(wire.ErrTruncated, "%d bytes are announced, the unit has %d left", n, left)
		return nil
	}
	p := r.Buf[r.Off : r.Off+int(n) : r.Off+int(n)]
	r.Off += int(n)
	return p
}

// Rests are the parts of an entry that are put later, each as a unit of its
// own; RestSlot is where the unit of such an entry has them.
type Rests struct{ List []Rest }

// Rest is one of them: Put, a func(*put.Builder), is to put what belongs at
// offset At of the unit.
type Rest struct {
	At  int64
	Put any
}

// RestSlot is the index of the Rests in a unit's slots.
var RestSlot = Slots.Next()

// Reset drops all.
func (r *Rests) Reset() {
	clear(r.List)
	r.List = r.List[:0]
}
