package unit

import (
	"fmt"
	"math"
	"slices"

	"github.com/putget/putget/internal/wire"
)

// Writer is one unit being written.
//
// Invariants: Full is math.MaxInt in the ordinary case; smaller, so that every
// primitive takes the slow path, once the unit has failed or when debug marks
// are on; and start+BlockSize where Flush cuts the unit into blocks.
// After a failure Buf is cut back to start.
//
// A put.Builder has the same layout: Buf and Full first, as fields of its own,
// so that the compiler inlines the primitives, then a WriterRest.
type Writer struct {
	Buf  []byte
	Full int
	WriterRest
}

// WriterRest is what the primitives do not touch in the ordinary case.
type WriterRest struct {
	State
	Err *wire.Error
	Run *Run // nil in a bare unit

	// Flush, in a stream, takes the unit's bytes so far and returns the
	// buffer to go on with.
	Flush func([]byte) ([]byte, error)

	limits  wire.Limits
	marks   *markWriter
	table   string // the unit is entry id of this table, or the one named so
	id      int    // -1 where the unit is not an entry
	start   int
	flushed int64
	own     int  // see spent
	aside   bool // see BeginAside
	spent   *int // of Limits.Free: the run's, or own

	depth  int
	inline int
	path   [wire.InlineDepth + 1]any // owned pointers of the edges that are inline, by depth; nil from inline+1 on
	chain  chain
	queue  queue
}

// chain is Brent's cycle finder along one chain of deferred owned pointers:
// mark is an ancestor, moved at powers of two.
type chain struct {
	mark         any
	steps, power uint32
}

// Begin starts a unit at the end of buf, in a run or bare. It keeps the memory of units before.
func (w *Writer) Begin(run *Run, buf []byte, limits wire.Limits, marks bool, table string, id int) {
	w.resetState()
	if w.State.fail == nil {
		w.State.fail = w.fail
	}
	w.State.env = nil
	w.Run = run
	if run != nil {
		w.State.env = run.Env
	}
	w.Buf, w.start, w.flushed = buf, len(buf), 0
	w.Err, w.Flush = nil, nil
	w.limits = limits.WithDefaults()
	w.own = 0
	if w.spent = &w.own; run != nil {
		w.spent = &run.Spent
	}
	w.table, w.id = table, id
	w.depth, w.inline, w.chain = 0, 0, chain{}
	clear(w.path[:])
	w.queue.drop()
	w.aside = false
	w.marks = nil
	if marks {
		w.marks = newMarkWriter()
	}
	w.Full = w.full()
}

// Begun is the unit's state; the zero Writer begins a bare unit.
func (w *Writer) Begun() *State {
	if w.limits.Depth == 0 {
		w.Begin(nil, nil, wire.Limits{}, false, "", -1)
	}
	return &w.State
}

// BeginAside starts a bare unit that sees the environment and the scopes of another.
func (w *Writer) BeginAside(from *Writer) {
	w.Begin(nil, w.Buf[:0], from.limits, false, from.table, from.id)
	w.env, w.scopes = from.env, from.scopes
	w.depth, w.aside = from.depth, true
}

// Aside reports whether the unit only serves to order the keys of a map.
func (w *Writer) Aside() bool { return w.aside }

// BindEnv gives a bare unit an environment.
func (w *Writer) BindEnv(bindings []Binding) {
	env, err := BindEnv(bindings)
	w.State.env = env
	w.fail(err)
}

func (w *Writer) full() int {
	switch {
	case w.Err != nil || w.marks != nil:
		return -1
	case w.Flush != nil:
		return w.start + wire.BlockSize
	}
	return math.MaxInt
}

// SetFlush cuts the unit into blocks from here on.
func (w *Writer) SetFlush(flush func([]byte) ([]byte, error)) {
	w.Flush = flush
	w.Full = w.full()
}

// Slow is where a primitive goes when it starts at or past Full.
func (w *Writer) Slow(k wire.Kind) {
	w.slow()
	if w.marks != nil && w.Err == nil {
		w.Buf = w.marks.append(w.Buf, k.String())
	}
}

func (w *Writer) slow() {
	w.Begun()
	if w.Err != nil {
		w.Buf = w.Buf[:w.start]
		return
	}
	if w.Flush != nil && len(w.Buf)-w.start >= wire.BlockSize {
		n := len(w.Buf) - w.start
		buf, err := w.Flush(w.Buf)
		if err != nil {
			w.fail(err)
			return
		}
		w.Buf = buf
		w.start = len(buf)
		w.flushed += int64(n)
		w.Full = w.full()
	}
}

// Mark records, when debug marks are on, that what comes is put as what.
func (w *Writer) Mark(what string) {
	if w.marks != nil && w.Err == nil {
		w.slow()
		w.Buf = w.marks.append(w.Buf, what)
	}
}

// Uvarint puts v as a primitive.
func (w *Writer) Uvarint(v uint64) {
	if len(w.Buf) >= w.Full {
		w.Slow(wire.Uvarint)
	}
	for v >= 0x80 {
		w.Buf = append(w.Buf, byte(v)|0x80)
		v >>= 7
	}
	w.Buf = append(w.Buf, byte(v))
}

// Marker puts the marker of a pointer, one byte.
func (w *Writer) Marker(m byte) {
	if len(w.Buf) >= w.Full {
		w.Slow(wire.Uvarint)
	}
	w.Buf = append(w.Buf, m)
}

// Raw puts bytes as they are, in as many primitives as the blocks of a stream want.
func (w *Writer) Raw(p []byte) {
	for w.Flush != nil && len(p) > wire.BlockSize {
		w.Raw(p[:wire.BlockSize])
		p = p[wire.BlockSize:]
	}
	if len(w.Buf) >= w.Full {
		w.Slow(wire.Raw)
	}
	w.Buf = append(w.Buf, p...)
}

// RawString is Raw for a string.
func (w *Writer) RawString(p string) {
	for w.Flush != nil && len(p) > wire.BlockSize {
		w.RawString(p[:wire.BlockSize])
		p = p[wire.BlockSize:]
	}
	if len(w.Buf) >= w.Full {
		w.Slow(wire.Raw)
	}
	w.Buf = append(w.Buf, p...)
}

// Offset is the number of bytes of the unit so far.
func (w *Writer) Offset() int64 { return w.flushed + int64(len(w.Buf)-w.start) }

// Root reports whether the unit is the root of a document or stream, or bare.
func (w *Writer) Root() bool { return w.id == rootID }

// Streaming reports whether the unit is cut into blocks.
func (w *Writer) Streaming() bool { return w.Flush != nil }

// Marked reports whether debug marks are on.
func (w *Writer) Marked() bool { return w.marks != nil }

// Limits are the unit's, with the defaults filled in.
func (w *Writer) Limits() wire.Limits { return w.limits }

// Failf makes an error of a class the unit's error, if it has none.
func (w *Writer) Failf(class error, format string, args ...any) {
	if w.Err == nil {
		w.fail(&wire.Error{Class: class, Unit: UnitName(w.table, w.id), Offset: w.Offset(), Msg: fmt.Sprintf(format, args...)})
	}
}

func (w *Writer) fail(err error) {
	if w.Err != nil || err == nil {
		return
	}
	w.Begun()
	e, ok := err.(*wire.Error)
	if !ok {
		e = &wire.Error{Unit: UnitName(w.table, w.id), Offset: w.Offset(), Err: err}
	} else {
		c := *e // an error may be remembered elsewhere: paths grow on a copy
		e = &c
	}
	w.Err = e
	w.Buf = w.Buf[:w.start]
	w.Full = -1
	w.queue.drop()
}

// At puts a step in front of the error's path: each composite calls it when
// what it contains has failed.
func (w *Writer) At(step string) { prependPath(w.Err, step) }

const maxPath = 200

func prependPath(e *wire.Error, step string) {
	const cut = "…"
	switch {
	case len(e.Path) >= len(cut) && e.Path[:len(cut)] == cut:
	case len(e.Path)+len(step) > maxPath:
		e.Path = cut + e.Path
	default:
		e.Path = step + e.Path
	}
}

// UnitName names a unit in errors.
func UnitName(table string, id int) string {
	if id < 0 {
		return table
	}
	return fmt.Sprintf("%s#%d", table, id)
}

// Enter begins a composite; false, with the unit failed, at the limit of depth.
func (w *Writer) Enter() bool {
	if w.Err != nil {
		return false
	}
	if w.Begun(); w.depth >= w.limits.Depth {
		w.Failf(wire.ErrLimit, "composites nest more than %d levels deep; put long chains with put.Ptr or share.Refs, or raise Limits.Depth on both sides", w.limits.Depth)
		return false
	}
	w.depth++
	return true
}

// Leave ends a composite.
func (w *Writer) Leave() { w.depth-- }

// Free charges for n elements of the given size that took only used bytes of
// the unit; see wire.Limits.
func (w *Writer) Free(n int, used int64, size uintptr) {
	if int64(n) <= used || w.Err != nil {
		return
	}
	if cost := freeCost(uint64(n)-uint64(used), size); cost > uint64(max(w.limits.Free-*w.spent, 0)) {
		w.Failf(wire.ErrLimit, "%d elements take %d bytes: elements that take none may cost %d bytes of memory in all; put their number with Uvarint, or raise Limits.Free on both sides", n, used, w.limits.Free)
	} else {
		*w.spent += int(cost)
	}
}

// Affordable reports whether i elements of the given size that took only used
// bytes may be followed by more: a reader of a stream, which does not see what
// follows, asks the same. If not, the unit has failed.
func (w *Writer) Affordable(i int, used int64, size uintptr) bool {
	spent := *w.spent
	w.Free(i, used, size)
	*w.spent = spent
	return w.Err == nil
}

// freeCost is what n elements cost that no bytes pay for, saturating.
func freeCost(n uint64, size uintptr) uint64 {
	s := uint64(max(size, 1))
	if n > math.MaxUint64/s {
		return math.MaxUint64
	}
	return n * s
}

// Inline begins an edge to a pointer's body. It reports whether the body goes
// inline (else it is to be deferred) and whether the edge is the outermost.
// Each call needs its Outline.
func (w *Writer) Inline() (inline, outer bool) {
	w.Begun()
	w.inline++
	return w.inline <= wire.InlineDepth, w.inline == 1
}

// Own notes that the edge that was begun inline is an owned pointer.
func (w *Writer) Own(p any) { w.path[w.inline] = p }

// WouldDefer reports whether the next edge's body is to be deferred.
func (w *Writer) WouldDefer() bool { return w.inline >= wire.InlineDepth }

// Outline ends an edge, and drains the queue when it was the outermost.
func (w *Writer) Outline(outer bool) {
	if w.inline <= wire.InlineDepth {
		w.path[w.inline] = nil
	}
	w.inline--
	if outer && !w.queue.empty() {
		w.drain()
	}
}

// Defer queues a body. owned, if not nil, is the owned pointer to it: where a
// chain of those comes back to an ancestor, the unit fails. Short cycles show
// among the edges that are inline, long ones in the chain.
func (w *Writer) Defer(body Body, owned any) {
	c := w.chain
	if owned != nil {
		if owned == c.mark || slices.Contains(w.path[:], owned) {
			w.Failf(wire.ErrCycle, "owned pointers of type %T lead back to themselves; put them with share.Refs or a symtab.Table", owned)
			return
		}
		if c.steps++; c.steps >= c.power {
			c.mark, c.power = owned, 2*c.steps
		}
	}
	w.queue.push(deferred{body, w.scopes, c})
}

// drain runs the queued bodies in the order of the tree, as if each were the
// outermost's own.
func (w *Writer) drain() {
	scopes, c := w.scopes, w.chain
	w.queue.turn(0)
	for w.Err == nil && !w.queue.empty() {
		d, left := w.queue.pop()
		w.scopes, w.chain, w.inline = d.scopes, d.chain, 1
		d.body.Run()
		w.queue.turn(left)
	}
	w.scopes, w.chain, w.inline = scopes, c, 0
}

// Done ends the unit: its bytes, after what the buffer held before.
func (w *Writer) Done() ([]byte, error) {
	if w.Err != nil {
		return w.Buf[:w.start], w.Err
	}
	return w.Buf, nil
}

// Since is the number of bytes put since offset.
func (w *Writer) Since(offset int64) int64 { return w.Offset() - offset }
