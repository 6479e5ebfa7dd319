package derive

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"unsafe"

	"github.com/putget/putget/internal/access"
	"github.com/putget/putget/internal/identity"
	"github.com/putget/putget/internal/unit"
	"github.com/putget/putget/internal/wire"
	"github.com/putget/putget/put"
	"github.com/putget/putget/symtab"
)

// encoder is what a program keeps in a unit that is being written.
type encoder struct {
	program *program
	b       *put.Builder
	w       *unit.Writer
	last    []*Last // by delta number, nil until used in the unit
	refs    []refs
	run     *encoderRun
	counts  []uint64 // by slab number: run's, for the root or for other units

	// For fastput.go.
	fast    bool             // the unit is for it
	most    int              // Limits.Depth
	numbers []symtab.Numbers // by dictionary number

	written map[string]uint64 // texts of the unit

	aside *aside // a map's key is put to find its place
	bare  bool   // run is the unit's own
	begun bool   // the unit's first value has been put
}

func (e *encoder) Reset() {
	clear(e.last)
	for i := range e.refs {
		e.refs[i].reset()
	}
	if e.bare {
		e.run.Release()
	}
	e.run, e.counts, e.aside, e.bare, e.begun = nil, nil, nil, false, false
	clear(e.numbers)
	e.written = emptied(e.written, 1<<11)
}

// encoder gives the state of the program in b's unit.
func (g *program) encoder(b *put.Builder) *encoder {
	w := access.Writer(b)
	if e, ok := w.State.Slot(g.slot).(*encoder); ok {
		return e
	}
	e := b.State().Activate(g.slot, func() unit.Resetter {
		return &encoder{program: g, last: make([]*Last, len(g.deltas)), refs: make([]refs, g.refs), numbers: make([]symtab.Numbers, len(g.dicts))}
	}).(*encoder)
	e.b, e.w = b, w
	e.begin()
	e.beginFast()
	return e
}

// refs numbers the pointers of one type in a unit.
type refs struct {
	large identity.Map[[2]uint64]   // pointees of 16 bytes and more
	small map[unsafe.Pointer]uint32 // others, and maps
}

func (r *refs) reset() {
	r.large.Reset()
	r.small = emptied(r.small, 1<<8)
}

func (r *refs) id(p unsafe.Pointer, size uintptr) (id uint32, isNew bool) {
	if size >= 16 {
		return r.large.ID((*[2]uint64)(p))
	}
	if id, ok := r.small[p]; ok {
		return id, false
	}
	if r.small == nil {
		r.small = map[unsafe.Pointer]uint32{}
	}
	id = uint32(len(r.small))
	r.small[p] = id
	return id, true
}

// put puts the value of plan pl at p.
func (e *encoder) put(pl *plan, p unsafe.Pointer) {
	switch pl.kind {
	case kindStruct:
		e.putStruct(pl, p)
	case kindBool:
		e.b.Bool(*(*bool)(p))
	case kindByte:
		e.b.Uint8(*(*uint8)(p))
	case kindInt:
		e.b.Varint(loadInt(pl.size, p))
	case kindUint:
		e.b.Uvarint(loadUint(pl.size, p))
	case kindFloat:
		if pl.size == 4 {
			e.b.Float32(*(*float32)(p))
		} else {
			e.b.Float64(*(*float64)(p))
		}
	case kindComplex:
		if pl.size == 8 {
			e.b.Complex64(*(*complex64)(p))
		} else {
			e.b.Complex128(*(*complex128)(p))
		}
	case kindString:
		e.b.String(*(*string)(p))
	case kindIntern:
		e.putInterned(pl, *(*string)(p))
	case kindText:
		e.putText(pl, p)
	case kindDelta:
		e.putDelta(pl, p)
	case kindEnum:
		e.putEnum(pl, p)
	case kindBytes:
		e.b.Bytes(*(*[]byte)(p))
	case kindSlice:
		e.putSlice(pl, p)
	case kindArray:
		if n := pl.typ.Len(); pl.elem.kind == kindByte {
			e.b.Raw(unsafe.Slice((*byte)(p), n))
		} else {
			e.putElements(pl.elem, p, n)
		}
	case kindVector:
		e.putVector(pl, p)
	case kindMap:
		e.putMap(pl, p)
	case kindPointer:
		e.putPointer(pl, *(*unsafe.Pointer)(p))
	case kindUnion:
		e.putUnion(pl, p)
	case kindUse:
		pl.use.put(e.b, p)
	}
}

func (e *encoder) putStruct(pl *plan, p unsafe.Pointer) {
	mask := uint64(math.MaxUint64)
	if pl.sparse > 0 {
		mask = e.mask(pl, p)
		for shift := 0; shift < pl.sparse; shift += 8 {
			e.b.Uint8(uint8(mask >> shift))
		}
	}
	for i := range pl.fields {
		f := &pl.fields[i]
		if mask&f.bit == 0 {
			continue
		}
		q := unsafe.Add(p, f.offset)
		switch f.kind {
		case kindDelta:
			e.putDelta(f.plan, q)
			continue
		case kindIntern:
			e.putInterned(f.plan, *(*string)(q))
			continue
		case kindPointer:
			e.putPointer(f.plan, *(*unsafe.Pointer)(q))
		case kindUnion:
			e.putUnion(f.plan, q)
		case kindSlice:
			e.putSlice(f.plan, q)
		default:
			e.put(f.plan, q)
		}
		if e.w.Err != nil {
			e.w.At("." + f.name)
			return
		}
	}
}

// mask is the bits of a sparse struct's fields that are not zero, the first
// field's lowest.
func (e *encoder) mask(pl *plan, p unsafe.Pointer) (mask uint64) {
	for i := range pl.fields {
		f := &pl.fields[i]
		q := unsafe.Add(p, f.offset)
		if f.bit != math.MaxUint64 && !f.plan.isZero(q) && !(f.kind == kindDelta && e.vanishes(f.plan, q)) {
			mask |= f.bit
		}
	}
	return mask
}

// vanishes reports whether the value of a Delta at p will be put as zero.
func (e *encoder) vanishes(pl *plan, p unsafe.Pointer) bool {
	last := e.lastOf(pl)
	if last.Outside == nil {
		return false
	}
	v := loadInt(pl.size, p)
	return (v < last.Low || v > last.High) && last.Outside(v) == 0
}

func (e *encoder) putEnum(pl *plan, p unsafe.Pointer) {
	v := loadInt(pl.size, p)
	n := pl.enum.number(v)
	if n < 0 {
		e.w.Failf(wire.ErrValue, "%d is not in the enum %v; name it in derive.Enum", v, pl.typ)
		return
	}
	e.b.Uvarint(uint64(n))
}

// putText puts twice the length and the bytes, or twice the number of the same
// text before, plus one.
func (e *encoder) putText(pl *plan, p unsafe.Pointer) {
	s := *(*string)(p)
	code, again := e.textCode(s)
	e.b.Uvarint(code)
	if !again {
		e.b.Text(s)
	}
	if pl.last != nil {
		e.lastOf(pl).Value += int64(len(s))
	}
}

// textCode is what stands before a text, or, if the unit has it already, for it.
func (e *encoder) textCode(s string) (code uint64, again bool) {
	if n, ok := e.written[s]; ok {
		return 2*n + 1, true
	}
	if e.written == nil {
		e.written = map[string]uint64{}
	}
	e.written[s] = uint64(len(e.written))
	return 2 * uint64(len(s)), false
}

// lastOf is the Last of a plan that has one.
func (e *encoder) lastOf(pl *plan) *Last {
	last := e.last[pl.delta]
	if last == nil {
		last = pl.last.Of(e.b)
		e.last[pl.delta] = last
	}
	return last
}

func (e *encoder) putDelta(pl *plan, p unsafe.Pointer) {
	v := loadInt(pl.size, p)
	if v == 0 {
		e.b.Uvarint(0)
		return
	}
	last := e.lastOf(pl)
	if last.Outside != nil && (v < last.Low || v > last.High) {
		if v = last.Outside(v); v == 0 {
			e.b.Uvarint(0)
			return
		}
	}
	// Zero stands for itself, so codes move up by one. The difference whose
	// code that would overflow takes the code of the one that never comes,
	// the one that leads to zero.
	d := wire.Zigzag(v - last.Value)
	if d == math.MaxUint64 {
		d = wire.Zigzag(-last.Value)
	}
	last.Value = v
	e.b.Uvarint(d + 1)
}

func (e *encoder) putSlice(pl *plan, p unsafe.Pointer) {
	s := (*sliceHeader)(p)
	e.w.Mark("Slice")
	if s.data == nil {
		e.b.Uvarint(0)
		return
	}
	if pl.elem.slab >= 0 {
		e.counts[pl.elem.slab] += uint64(s.len)
	}
	switch {
	case s.len == 0:
		e.b.Uvarint(1)
	case !pl.tight:
		e.b.Uvarint(uint64(s.len) + 1)
		e.putElements(pl.elem, s.data, s.len)
	case e.w.WouldDefer() || slices.Contains(unsafe.Slice((*unsafe.Pointer)(s.data), s.len), nil):
		e.b.Uvarint(2*uint64(s.len) + 1)
		e.putElements(pl.elem, s.data, s.len)
	default:
		e.b.Uvarint(2 * uint64(s.len))
		e.putTight(pl.elem, unsafe.Slice((*unsafe.Pointer)(s.data), s.len))
	}
}

// affordable reports whether element i of a slice may follow those from start
// on: a stream, whose reader does not see what follows, has none behind too many
// that take no bytes.
func (e *encoder) affordable(least, i int, start int64, size uintptr) bool {
	return least > 0 || !e.w.Streaming() || e.w.Affordable(i, e.w.Since(start), size)
}

func (e *encoder) putInterned(pl *plan, s string) {
	if e.aside != nil {
		e.b.String(s)
	} else {
		pl.dict.Put(e.b, s)
	}
}

// putTight puts owned pointers, none of them nil or deferred, without their markers.
func (e *encoder) putTight(pl *plan, s []unsafe.Pointer) {
	if !e.w.Enter() {
		return
	}
	for i, p := range s {
		if e.seen(pl, p); e.w.Err == nil {
			_, outer := e.w.Inline()
			e.own(pl, p)
			e.body(pl, p)
			e.w.Outline(outer)
		}
		if e.w.Err != nil {
			e.w.At(fmt.Sprintf("[%d]", i))
			break
		}
	}
	e.counts[pl.elem.slab] += uint64(len(s))
	e.w.Leave()
}

func (e *encoder) putElements(pl *plan, p unsafe.Pointer, n int) {
	if !e.w.Enter() {
		return
	}
	start := e.w.Offset()
	i := 0
	for ; i < n && e.w.Err == nil && e.affordable(pl.min, i, start, pl.size); i++ {
		e.put(pl, unsafe.Add(p, uintptr(i)*pl.size))
	}
	if e.w.Err != nil {
		e.w.At(fmt.Sprintf("[%d]", i-1))
	}
	if pl.min == 0 {
		e.w.Free(n, e.w.Since(start), pl.size)
	}
	e.w.Leave()
}

func (e *encoder) putPointer(pl *plan, p unsafe.Pointer) {
	if pl.mode == table && e.aside == nil {
		pl.table.put(e.b, p)
		return
	}
	e.w.Mark("Ptr")
	if p == nil {
		e.w.Marker(wire.MarkNil)
		return
	}
	if id, ok := e.seen(pl, p); ok {
		e.b.Uvarint(id + wire.MarkBack)
		return
	}
	if e.w.Err != nil {
		return
	}
	e.counts[pl.elem.slab]++
	inline, outer := e.w.Inline()
	if inline {
		e.w.Marker(wire.MarkInline)
		e.own(pl, p)
		e.body(pl, p)
	} else {
		e.w.Marker(wire.MarkDeferred)
		e.later(pl, p)
	}
	e.w.Outline(outer)
}

// seen numbers a shared pointer, or checks an owned one. It reports the number
// of a shared pointer that was met before in the unit.
func (e *encoder) seen(pl *plan, p unsafe.Pointer) (id uint64, ok bool) {
	if e.aside != nil {
		return e.aside.seen(pl, p)
	}
	switch pl.mode {
	case share:
		if pl.elem.size == 0 {
			return 0, false // values of no size have no identity
		}
		id, isNew := e.refs[pl.refs].id(p, pl.elem.size)
		return uint64(id), !isNew
	case own:
		if e.run.owned(pl, p) {
			e.w.Failf(wire.ErrValue, "a %v is owned by two pointers, or by itself; let its pointers Share, or Inline what may be doubled", pl.elem.typ)
		}
	}
	return 0, false
}

func (e *encoder) body(pl *plan, p unsafe.Pointer) {
	if e.w.Enter() {
		if !e.from(pl.elem, p) {
			e.put(pl.elem, p)
		}
		e.w.Leave()
		if e.w.Err != nil {
			e.w.At("(" + pl.typ.String() + ")")
		}
	}
}

// own notes an edge that is not checked otherwise, so that a cycle shows.
func (e *encoder) own(pl *plan, p unsafe.Pointer) {
	if pl.mode == inline {
		e.w.Own(reflect.NewAt(pl.elem.typ, p).Interface())
	}
}

func (e *encoder) later(pl *plan, p unsafe.Pointer) {
	var chain any
	if pl.mode == inline {
		chain = reflect.NewAt(pl.elem.typ, p).Interface()
	}
	e.w.Defer(&deferredPut{e, pl, p}, chain)
}

type deferredPut struct {
	e    *encoder
	plan *plan
	p    unsafe.Pointer
}

func (d *deferredPut) Run() { d.e.body(d.plan, d.p) }

// The tags of a union: nil, a member's deferred body, typed nil and back
// reference with the member's number behind them, and from tagMember on the
// member's body inline.
const (
	tagNil = iota
	tagDeferred
	tagTypedNil
	tagBack
	tagMember
)

func (e *encoder) putUnion(pl *plan, p unsafe.Pointer) {
	v := (*iface)(p)
	e.w.Mark("Union")
	if v.tab == nil {
		e.b.Uvarint(tagNil)
		return
	}
	i := pl.find(v)
	if i < 0 {
		e.w.Failf(wire.ErrValue, "a %v is not in the union %v; name it in derive.Union",
			reflect.NewAt(pl.typ, p).Elem().Elem().Type(), pl.typ)
		return
	}
	m := &pl.members[i]
	if !m.pointer {
		e.putBoxed(pl, m, i, p)
		return
	}
	mp := m.plan
	if v.data == nil {
		e.b.Uvarint(tagTypedNil)
		e.b.Uvarint(uint64(i))
		return
	}
	if mp.mode == table && e.aside == nil || mp.kind != kindPointer {
		e.b.Uvarint(uint64(i) + tagMember)
		e.put(mp, unsafe.Pointer(&v.data))
		return
	}
	if id, ok := e.seen(mp, v.data); ok {
		e.b.Uvarint(tagBack)
		e.b.Uvarint(uint64(i))
		e.b.Uvarint(id)
		return
	}
	if e.w.Err != nil {
		return
	}
	e.counts[mp.elem.slab]++
	inline, outer := e.w.Inline()
	if inline {
		e.b.Uvarint(uint64(i) + tagMember)
		e.own(mp, v.data)
		e.body(mp, v.data)
	} else {
		e.b.Uvarint(tagDeferred)
		e.b.Uvarint(uint64(i))
		e.later(mp, v.data)
	}
	e.w.Outline(outer)
}

// putBoxed puts a member that is not a pointer, from a copy that has an address.
func (e *encoder) putBoxed(pl *plan, m *member, i int, p unsafe.Pointer) {
	if !e.w.Enter() {
		return
	}
	e.b.Uvarint(uint64(i) + tagMember)
	box := reflect.New(m.plan.typ)
	box.Elem().Set(reflect.NewAt(pl.typ, p).Elem().Elem())
	e.put(m.plan, box.UnsafePointer())
	e.w.Leave()
	if e.w.Err != nil {
		e.w.At("(" + m.plan.typ.String() + ")")
	}
}

func loadInt(size uintptr, p unsafe.Pointer) int64 {
	switch size {
	case 8:
		return *(*int64)(p)
	case 4:
		return int64(*(*int32)(p))
	case 2:
		return int64(*(*int16)(p))
	}
	return int64(*(*int8)(p))
}

func loadUint(size uintptr, p unsafe.Pointer) uint64 {
	switch size {
	case 8:
		return *(*uint64)(p)
	case 4:
		return uint64(*(*uint32)(p))
	case 2:
		return uint64(*(*uint16)(p))
	}
	return uint64(*(*uint8)(p))
}

// sliceHeader is the three words of a slice.
type sliceHeader struct {
	data     unsafe.Pointer
	len, cap int
}
