package unit

import (
	"fmt"
	"math"

	"github.com/putget/putget/internal/wire"
)

// Reader is one unit being read: the mirror image of Writer.
//
// Invariants: Off <= len(Buf). Lim is len(Buf) in the ordinary case, and -1,
// so that every primitive takes the slow path, when debug marks are on or the
// unit has failed. After a failure Buf is eight zeros.
//
// A get.Reader has the same layout: Buf, Off and Lim first, as fields of its
// own, so that the compiler inlines the primitives, then a ReaderRest.
type Reader struct {
	Buf []byte
	Off int
	Lim int
	ReaderRest
}

// ReaderRest is what the primitives do not touch in the ordinary case.
type ReaderRest struct {
	State
	Err     *wire.Error
	Source  *Source  // nil in a bare unit
	Session *Session // never nil

	// Fill, in a stream, gives the next block of the unit; nil bytes and no
	// error at its end.
	Fill func() ([]byte, error)

	limits wire.Limits
	marks  *markReader
	table  string
	id     int
	passed int64 // bytes of blocks before Buf

	// Claimed is how many bytes the elements to come of enclosing loops need.
	Claimed uint64

	text      string // see Text
	textStart int

	depth  int
	inline int
	queue  queue
	own    Session // what Session points to in a bare unit
}

// Begin starts reading a unit: data, in a session of a source, or bare (both nil).
func (r *Reader) Begin(src *Source, session *Session, data []byte, limits wire.Limits, marks bool, table string, id int) {
	r.resetState()
	if r.State.fail == nil {
		r.State.fail = r.fail
	}
	r.State.env = nil
	if src != nil {
		r.State.env = src.Env
	}
	r.Source, r.Session = src, session
	if session == nil {
		r.own.reset()
		r.Session = &r.own
	}
	r.Buf, r.Off, r.passed = data, 0, 0
	r.Err, r.Fill = nil, nil
	r.text = ""
	r.limits = limits.WithDefaults()
	r.table, r.id = table, id
	r.depth, r.inline, r.Claimed = 0, 0, 0
	r.queue.drop()
	r.marks = nil
	if marks {
		r.marks = &markReader{}
	}
	r.setLim()
}

// Begun is the unit's state; the zero Reader begins an empty bare unit.
func (r *Reader) Begun() *State {
	if r.limits.Depth == 0 {
		r.Begin(nil, nil, nil, wire.Limits{}, false, "", -1)
	}
	return &r.State
}

// BindEnv gives a bare unit an environment.
func (r *Reader) BindEnv(bindings []Binding) {
	env, err := BindEnv(bindings)
	r.State.env = env
	r.fail(err)
}

func (r *Reader) setLim() {
	r.Lim = len(r.Buf)
	if r.marks != nil || r.Err != nil {
		r.Lim = -1
	}
}

// Need is where a primitive of n bytes goes that is not wholly before Lim. It
// reports whether the n bytes are at Off; if not, the unit has failed.
func (r *Reader) Need(k wire.Kind, n int) bool {
	if !r.more() {
		return false
	}
	if r.marks != nil && !r.checkMark(k.String()) {
		return false
	}
	if len(r.Buf)-r.Off < n {
		r.truncated(k, n)
		return false
	}
	return true
}

// more fetches the next block of a stream when Buf is used up.
func (r *Reader) more() bool {
	r.Begun()
	if r.Err != nil {
		return false
	}
	for r.Off == len(r.Buf) && r.Fill != nil {
		block, err := r.Fill()
		if err != nil {
			r.fail(err)
			return false
		}
		if block == nil {
			r.Fill = nil
			break
		}
		r.passed += int64(len(r.Buf))
		r.Buf, r.Off = block, 0
		r.setLim()
	}
	return true
}

func (r *Reader) checkMark(what string) bool {
	n, err := r.marks.check(r.Buf[r.Off:], what)
	if err != nil {
		err.Unit, err.Offset = UnitName(r.table, r.id), r.Offset()
		r.fail(err)
		return false
	}
	r.Off += n
	return true
}

func (r *Reader) truncated(k wire.Kind, n int) {
	r.Failf(wire.ErrTruncated, "%v needs %d bytes, the unit has %d left", k, n, len(r.Buf)-r.Off)
}

// Mark checks, when debug marks are on, that what comes was put as what.
func (r *Reader) Mark(what string) {
	if r.marks != nil && r.more() {
		r.checkMark(what)
	}
}

// Uvarint gets an unsigned integer in its one minimal form, put as a primitive of kind k.
func (r *Reader) Uvarint(k wire.Kind) uint64 {
	if r.Off >= r.Lim && !r.Need(k, 1) {
		return 0
	}
	buf := r.Buf[r.Off:]
	if b := buf[0]; b < 0x80 {
		r.Off++
		return uint64(b)
	}
	v, n := Uvarint(buf)
	if n <= 0 {
		r.BadVarint(n)
		return 0
	}
	r.Off += n
	return v
}

// Uvarint decodes a minimal LEB128 integer; n is 0 where buf is too short and
// negative where the bytes are not a minimal form of 64 bits at most.
func Uvarint(buf []byte) (v uint64, n int) {
	for i, b := range buf {
		if i == wire.MaxVarint-1 && b > 1 {
			return 0, -1
		}
		v |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			if b == 0 && i > 0 {
				return 0, -1
			}
			return v, i + 1
		}
	}
	return 0, 0
}

// BadVarint fails for an integer that Uvarint refused with n.
func (r *Reader) BadVarint(n int) {
	if n == 0 {
		r.Failf(wire.ErrTruncated, "the unit ends in a variable-length integer")
	} else {
		r.Failf(wire.ErrCorrupt, "a variable-length integer is not in its minimal form of at most 64 bits")
	}
}

// Marker gets a pointer's marker.
func (r *Reader) Marker() uint64 { return r.Uvarint(wire.Uvarint) }

// Raw gets n bytes. They alias the unit where they lie in it as a whole: in a
// stream they are valid until the next primitive, otherwise as long as the input.
func (r *Reader) Raw(n uint64) []byte {
	if n > uint64(max(r.Lim-r.Off, 0)) || r.Lim < 0 {
		switch {
		case r.Fill != nil && n > wire.BlockSize:
			return r.rawBlocks(n)
		case r.Err == nil && n > uint64(len(r.Buf)) && r.Fill == nil:
			r.Failf(wire.ErrTruncated, "%d bytes are announced, the unit has %d left", n, r.Left())
			return nil
		case !r.Need(wire.Raw, int(n)):
			return nil
		}
	}
	p := r.Buf[r.Off : r.Off+int(n) : r.Off+int(n)]
	r.Off += int(n)
	return p
}

// rawBlocks puts together bytes that the writer cut at the size of a block. It
// grows with what arrives, not with what is announced.
func (r *Reader) rawBlocks(n uint64) []byte {
	var all []byte
	for n > 0 && r.Err == nil {
		part := r.Raw(min(n, wire.BlockSize))
		all = append(all, part...)
		n -= min(n, wire.BlockSize)
	}
	if r.Err != nil {
		return nil
	}
	return all
}

// Offset is the number of bytes of the unit consumed so far.
func (r *Reader) Offset() int64 { return r.passed + int64(r.Off) }

// Left is how many bytes the unit still has; in a stream, how many are at hand.
func (r *Reader) Left() int { return len(r.Buf) - r.Off }

// Root reports whether the unit is the root of a document or stream, or bare.
func (r *Reader) Root() bool { return r.id == rootID }

// Streaming reports whether the unit comes in blocks, so that Left is not all.
func (r *Reader) Streaming() bool { return r.Fill != nil }

// Marked reports whether debug marks are on.
func (r *Reader) Marked() bool { return r.marks != nil }

// Limits are the unit's, with the defaults filled in.
func (r *Reader) Limits() wire.Limits { return r.limits }

// Failf makes an error of a class the unit's error, if it has none.
func (r *Reader) Failf(class error, format string, args ...any) {
	r.FailWith(class, nil, format, args...)
}

// FailWith is Failf for an error that has a cause.
func (r *Reader) FailWith(class, cause error, format string, args ...any) {
	if r.Err == nil {
		r.fail(&wire.Error{Class: class, Unit: UnitName(r.table, r.id), Offset: r.Offset(), Msg: fmt.Sprintf(format, args...), Err: cause})
	}
}

// zeros is what is read after a failure.
var zeros [8]byte

func (r *Reader) fail(err error) {
	if r.Err != nil || err == nil {
		return
	}
	r.Begun()
	e, ok := err.(*wire.Error)
	if !ok {
		e = &wire.Error{Unit: UnitName(r.table, r.id), Offset: r.Offset(), Err: err}
	} else {
		c := *e // an error may be remembered elsewhere: paths grow on a copy
		e = &c
	}
	r.Err = e
	r.passed += int64(r.Off)
	r.Buf, r.Off, r.Lim = zeros[:], 0, -1
	r.queue.drop()
}

// At puts a step in front of the error's path: each composite calls it when
// what it contains has failed.
func (r *Reader) At(step string) { prependPath(r.Err, step) }

// Enter begins a composite; false, with the unit failed, at the limit of depth.
func (r *Reader) Enter() bool {
	if r.Err != nil {
		return false
	}
	if r.Begun(); r.depth >= r.limits.Depth {
		r.Failf(wire.ErrLimit, "composites nest more than %d levels deep", r.limits.Depth)
		return false
	}
	r.depth++
	return true
}

// Leave ends a composite.
func (r *Reader) Leave() { r.depth-- }

// Elements begins n elements of the given size in memory, each of which takes
// at least least bytes of the unit (0 counts as 1: what is missing then is
// charged to Limits.Free by End). It reports how many may be allocated at
// once: no more than the bytes left that enclosing elements do not claim.
// Before element i the caller calls Claim(i).
func (r *Reader) Elements(n uint64, least int, size uintptr) (e Elements, ok bool) {
	if !r.Enter() {
		return e, false
	}
	left := uint64(r.Left())
	step := uint64(max(least, 1))
	if r.Fill == nil && n > left/step && (least > 0 || freeCost(n-left, size) > r.free()) {
		if least > 0 || size > 0 {
			r.Failf(wire.ErrTruncated, "%d elements of at least %d bytes are announced, the unit has %d left", n, least, left)
		} else {
			r.Failf(wire.ErrLimit, "%d elements are announced, the unit has %d bytes left", n, left)
		}
		return e, false
	}
	e = Elements{n: n, step: step, size: size, claimed: r.Claimed, start: r.Offset()}
	if r.Claimed < left {
		e.First = int(min(n, (left-r.Claimed)/step))
	}
	if most := math.MaxInt / max(size, 1); uintptr(e.First) > most { // on 32 bits
		r.Leave()
		r.Failf(wire.ErrLimit, "%d elements of %d bytes are more than the memory of this machine", n, size)
		return e, false
	}
	if n <= (math.MaxUint64-r.Claimed)/step {
		r.Claimed += n * step
	} else {
		r.Claimed = math.MaxUint64 // a stream announces what it likes
	}
	return e, true
}

// Elements is where a loop over n elements stands.
type Elements struct {
	First   int // how many to allocate at once
	n, step uint64
	size    uintptr
	claimed uint64 // by what encloses
	start   int64
}

// Claim is called before element i: the elements after it need their bytes. It
// is false after a failure, and in a stream, which does not say what follows,
// where elements that take no bytes exceed Limits.Free.
func (e *Elements) Claim(r *Reader, i int) bool {
	r.Claimed -= e.step
	return r.Err == nil && (i < e.First || r.Fill == nil || r.affordable(uint64(i), r.Offset()-e.start, e.size))
}

// End ends the loop.
func (e *Elements) End(r *Reader) {
	r.Claimed = e.claimed
	r.Leave()
	if used := uint64(r.Offset() - e.start); r.Err == nil && e.n > used {
		if r.affordable(e.n, int64(used), e.size) {
			r.Session.Spent += int(freeCost(e.n-used, e.size))
		}
	}
}

// free is what the session may still spend on elements that take no bytes.
func (r *Reader) free() uint64 { return uint64(max(r.limits.Free-r.Session.Spent, 0)) }

func (r *Reader) affordable(n uint64, used int64, size uintptr) bool {
	if n > uint64(used) && freeCost(n-uint64(used), size) > r.free() {
		r.Failf(wire.ErrLimit, "%d elements take %d bytes of the unit: more than Limits.Free allows", n, used)
		return false
	}
	return true
}

// Inline begins an edge to a pointer's body and reports whether it is the
// outermost. Each call needs its Outline.
func (r *Reader) Inline() (outer bool) {
	r.inline++
	return r.inline == 1
}

// Outline ends an edge, and drains the queue when it was the outermost.
func (r *Reader) Outline(outer bool) {
	r.inline--
	if outer && !r.queue.empty() {
		r.drain()
	}
}

// Defer queues a body.
func (r *Reader) Defer(body Body) {
	r.queue.push(deferred{body: body, scopes: r.scopes})
}

// drain runs the queued bodies in the order of the tree, as if each were the
// outermost's own.
func (r *Reader) drain() {
	scopes := r.scopes
	r.queue.turn(0)
	for r.Err == nil && !r.queue.empty() {
		d, left := r.queue.pop()
		r.scopes, r.inline = d.scopes, 1
		d.body.Run()
		r.queue.turn(left)
	}
	r.scopes, r.inline = scopes, 0
}

// Done ends the unit: bytes left over are an error.
func (r *Reader) Done() error {
	if r.Err == nil && r.more() && r.Off != len(r.Buf) {
		r.Failf(wire.ErrCorrupt, "%d bytes are left over after the value; if the bytes are right, a Get does not match its Put: Options.Marks shows where", len(r.Buf)-r.Off)
	}
	if r.Err != nil {
		return r.Err
	}
	return nil
}
