package derive

import (
	"fmt"
	"math"
	"reflect"
	"unsafe"

	"github.com/putget/putget/get"
	"github.com/putget/putget/internal/access"
	"github.com/putget/putget/internal/unit"
	"github.com/putget/putget/internal/wire"
	"github.com/putget/putget/symtab"
)

// decoder is what a program keeps in a unit that is being read.
type decoder struct {
	program  *program
	r        *get.Reader
	u        *unit.Reader
	last     []*Last            // by delta number, nil until used in the unit
	refs     [][]unsafe.Pointer // by numbering: what the back references name
	run      *decoderRun
	slabs    []slab        // of run
	deferred []deferredGet // room for more

	// For fastget.go.
	buf   []byte        // the unit, or nil where it is not for fastget.go
	most  int           // Limits.Depth
	texts []symtab.Text // by dictionary number
	asked []bool        // likewise, whether they were asked for

	read []string // texts of the unit

	begun bool // the unit's first value has been asked for
}

func (d *decoder) Reset() {
	clear(d.last)
	for i := range d.refs {
		d.refs[i] = emptiedList(d.refs[i])
	}
	d.run, d.slabs, d.buf = nil, nil, nil
	clear(d.texts)
	clear(d.asked)
	d.read = emptiedList(d.read)
	d.deferred, d.begun = nil, false
}

// emptiedList is an empty list: l's memory, unless it is large.
func emptiedList[T any](l []T) []T {
	if cap(l) > 1<<13 {
		return nil
	}
	clear(l)
	return l[:0]
}

// decoder gives the state of the program in r's unit.
func (g *program) decoder(r *get.Reader) *decoder {
	u := access.Reader(r)
	if d, ok := u.State.Slot(g.slot).(*decoder); ok {
		return d
	}
	d := r.State().Activate(g.slot, func() unit.Resetter {
		return &decoder{program: g, last: make([]*Last, len(g.deltas)), refs: make([][]unsafe.Pointer, g.refs), texts: make([]symtab.Text, len(g.dicts)), asked: make([]bool, len(g.dicts))}
	}).(*decoder)
	d.r, d.u = r, u
	d.begin()
	d.beginFast()
	return d
}

// get fills the value of plan pl at p, which is zero.
func (d *decoder) get(pl *plan, p unsafe.Pointer) {
	switch pl.kind {
	case kindStruct:
		d.getStruct(pl, p)
	case kindBool:
		*(*bool)(p) = d.r.Bool()
	case kindByte:
		*(*uint8)(p) = d.r.Uint8()
	case kindInt:
		d.getInt(pl, p)
	case kindUint:
		d.getUint(pl, p)
	case kindFloat:
		if pl.size == 4 {
			*(*float32)(p) = d.r.Float32()
		} else {
			*(*float64)(p) = d.r.Float64()
		}
	case kindComplex:
		if pl.size == 8 {
			*(*complex64)(p) = d.r.Complex64()
		} else {
			*(*complex128)(p) = d.r.Complex128()
		}
	case kindString:
		*(*string)(p) = d.r.String()
	case kindIntern:
		*(*string)(p) = pl.dict.Get(d.r)
	case kindDelta:
		d.getDelta(pl, p)
	case kindText:
		d.getText(pl, p)
	case kindEnum:
		d.getEnum(pl, p)
	case kindBytes:
		*(*[]byte)(p) = d.r.Bytes()
	case kindSlice:
		d.getSlice(pl, p)
	case kindArray:
		d.getArray(pl, p)
	case kindVector:
		d.getVector(pl, p)
	case kindMap:
		d.getMap(pl, p)
	case kindPointer:
		*(*unsafe.Pointer)(p) = d.getPointer(pl)
	case kindUnion:
		d.getUnion(pl, p)
	case kindUse:
		pl.use.get(d.r, p)
	}
}

func (d *decoder) getStruct(pl *plan, p unsafe.Pointer) {
	mask := uint64(math.MaxUint64)
	if pl.sparse > 0 {
		mask = d.getMask(pl)
	}
	for i := range pl.fields {
		f := &pl.fields[i]
		if mask&f.bit == 0 {
			continue
		}
		q := unsafe.Add(p, f.offset)
		switch f.kind {
		case kindDelta:
			d.getDelta(f.plan, q)
		case kindIntern:
			*(*string)(q) = f.plan.dict.Get(d.r)
		case kindPointer:
			*(*unsafe.Pointer)(q) = d.getPointer(f.plan)
		case kindUnion:
			d.getUnion(f.plan, q)
		case kindSlice:
			d.getSlice(f.plan, q)
		default:
			d.get(f.plan, q)
		}
		if pl.sparse > 0 {
			d.present(f, q)
		}
		if d.u.Err != nil {
			d.u.At("." + f.name)
			return
		}
	}
}

// getMask gets the bits of a sparse struct's fields.
func (d *decoder) getMask(pl *plan) (mask uint64) {
	for shift := 0; shift < pl.sparse; shift += 8 {
		mask |= uint64(d.r.Uint8()) << shift
	}
	if pl.sparse < 64 && mask>>pl.sparse != 0 {
		d.u.Failf(wire.ErrCorrupt, "bits for more fields than %v has", pl.typ)
	}
	return mask
}

// present fails for a field of a sparse struct that has its bit and is zero.
func (d *decoder) present(f *field, p unsafe.Pointer) {
	if f.bit != math.MaxUint64 && d.u.Err == nil && f.plan.isZero(p) {
		d.u.Failf(wire.ErrCorrupt, "a field that is zero is present in a sparse struct")
	}
}

func (d *decoder) getInt(pl *plan, p unsafe.Pointer) { d.storeInt(pl, p, d.r.Varint()) }

func (d *decoder) storeInt(pl *plan, p unsafe.Pointer, v int64) {
	switch pl.size {
	case 8:
		*(*int64)(p) = v
		return
	case 4:
		*(*int32)(p) = int32(v)
	case 2:
		*(*int16)(p) = int16(v)
	case 1:
		*(*int8)(p) = int8(v)
	}
	if loadInt(pl.size, p) != v {
		d.u.Failf(wire.ErrCorrupt, "the integer %d overflows %v", v, pl.typ)
	}
}

func (d *decoder) getUint(pl *plan, p unsafe.Pointer) {
	v := d.r.Uvarint()
	switch pl.size {
	case 8:
		*(*uint64)(p) = v
		return
	case 4:
		*(*uint32)(p) = uint32(v)
	case 2:
		*(*uint16)(p) = uint16(v)
	case 1:
		*(*uint8)(p) = uint8(v)
	}
	if loadUint(pl.size, p) != v {
		d.u.Failf(wire.ErrCorrupt, "the integer %d overflows %v", v, pl.typ)
	}
}

// getText gets a text, or the number of one before.
func (d *decoder) getText(pl *plan, p unsafe.Pointer) {
	code := d.r.Uvarint()
	if n := code / 2; code%2 == 0 {
		*(*string)(p) = d.r.Text(n)
	} else if n < uint64(len(d.read)) {
		*(*string)(p) = d.read[n]
	} else {
		d.u.Failf(wire.ErrCorrupt, "text number %d, of %d in the unit", n, len(d.read))
	}
	if d.u.Err == nil {
		d.gotText(pl, *(*string)(p), code%2 == 0)
	}
}

// gotText notes a text: a new one for those that refer to it.
func (d *decoder) gotText(pl *plan, s string, isNew bool) {
	if isNew {
		d.read = append(d.read, s)
	}
	if pl.last != nil {
		d.lastOf(pl).Value += int64(len(s))
	}
}

// lastOf is the Last of a plan that has one.
func (d *decoder) lastOf(pl *plan) *Last {
	last := d.last[pl.delta]
	if last == nil {
		last = pl.last.Of(d.r)
		d.last[pl.delta] = last
	}
	return last
}

func (d *decoder) getDelta(pl *plan, p unsafe.Pointer) {
	c := d.r.Uvarint()
	if c == 0 {
		return
	}
	last := d.lastOf(pl)
	v := last.Value + wire.Unzigzag(c-1)
	if v == 0 { // the code of the one difference that has none of its own
		v = last.Value + math.MinInt64
	}
	last.Value = v
	if v == 0 {
		d.u.Failf(wire.ErrCorrupt, "a difference leads to zero, which has a code of its own")
		return
	}
	if last.High > last.Low && (v < last.Low || v > last.High) {
		d.u.Failf(wire.ErrCorrupt, "the %v %d is not from %d to %d", pl.typ, v, last.Low, last.High)
		return
	}
	d.storeInt(pl, p, v)
}

func (d *decoder) getEnum(pl *plan, p unsafe.Pointer) {
	n := d.r.Uvarint()
	if n >= uint64(len(pl.enum.values)) {
		d.u.Failf(wire.ErrCorrupt, "number %d of the enum %v, which has %d values", n, pl.typ, len(pl.enum.values))
		return
	}
	d.storeInt(pl, p, pl.enum.values[n])
}

func (d *decoder) getSlice(pl *plan, p unsafe.Pointer) {
	d.u.Mark("Slice")
	n := d.r.Uvarint()
	s := (*sliceHeader)(p)
	switch {
	case n == 0:
		return
	case n == 1:
		s.data = unsafe.Pointer(&none)
		return
	}
	if n--; pl.tight {
		if n++; n%2 == 0 {
			d.getTight(pl.elem, s, n/2)
			return
		}
		n /= 2
	}
	e, ok := d.u.Elements(n, pl.elem.min, pl.elem.size)
	if !ok {
		return
	}
	needed := !pl.tight // markers
	if uint64(e.First) < n {
		d.grow(pl, p, n, &e, &needed)
	} else {
		s.data = d.alloc(pl.elem, int(n))
		s.len, s.cap = int(n), int(n)
		i := 0
		for ; i < int(n) && e.Claim(d.u, i); i++ {
			q := unsafe.Add(s.data, uintptr(i)*pl.elem.size)
			if pl.tight {
				var m uint64
				*(*unsafe.Pointer)(q), m = d.getMarked(pl.elem)
				needed = needed || m != wire.MarkInline
			} else {
				d.get(pl.elem, q)
			}
		}
		if d.u.Err != nil {
			d.u.At(fmt.Sprintf("[%d]", i-1))
		}
	}
	e.End(d.u)
	if !needed && d.u.Err == nil {
		d.u.Failf(wire.ErrCorrupt, "pointers have markers that need none")
	}
	if d.u.Err != nil {
		*s = sliceHeader{}
	}
}

// getTight gets owned pointers without markers, none of them nil or deferred.
func (d *decoder) getTight(pl *plan, s *sliceHeader, n uint64) {
	e, ok := d.u.Elements(n, pl.elem.min, pl.size)
	if !ok {
		return
	}
	var list []unsafe.Pointer
	if uint64(e.First) == n {
		list = unsafe.Slice((*unsafe.Pointer)(d.alloc(pl, int(n))), n)[:0]
	}
	i := 0
	for ; uint64(i) < n && e.Claim(d.u, i); i++ {
		list = append(list, d.edge(pl, true))
	}
	if d.u.Err != nil {
		d.u.At(fmt.Sprintf("[%d]", i-1))
	}
	e.End(d.u)
	if d.u.Err == nil {
		*s = sliceHeader{unsafe.Pointer(unsafe.SliceData(list)), len(list), len(list)}
	}
}

// none is what empty slices point to, of any type, and values of no size.
var none struct{}

// grow gets the elements of a slice that is longer than the bytes at hand can pay for.
func (d *decoder) grow(pl *plan, p unsafe.Pointer, n uint64, e *unit.Elements, needed *bool) {
	s := reflect.NewAt(pl.typ, p).Elem()
	i := 0
	for ; uint64(i) < n && e.Claim(d.u, i); i++ {
		if i == s.Cap() {
			s.Grow(max(e.First, i, 4))
		}
		s.SetLen(i + 1)
		q := unsafe.Add((*sliceHeader)(p).data, uintptr(i)*pl.elem.size)
		if pl.tight {
			v, m := d.getMarked(pl.elem)
			*(*unsafe.Pointer)(q) = v
			*needed = *needed || m != wire.MarkInline
		} else {
			d.get(pl.elem, q)
		}
	}
	if d.u.Err != nil {
		d.u.At(fmt.Sprintf("[%d]", i-1))
	}
}

func (d *decoder) getArray(pl *plan, p unsafe.Pointer) {
	n := pl.typ.Len()
	if pl.elem.kind == kindByte {
		copy(unsafe.Slice((*byte)(p), n), d.u.Raw(uint64(n)))
	} else {
		d.getElements(pl.elem, p, n)
	}
}

func (d *decoder) getElements(pl *plan, p unsafe.Pointer, n int) {
	e, ok := d.u.Elements(uint64(n), 0, pl.size)
	if !ok {
		return
	}
	i := 0
	for ; i < n && e.Claim(d.u, i); i++ {
		d.get(pl, unsafe.Add(p, uintptr(i)*pl.size))
	}
	if d.u.Err != nil {
		d.u.At(fmt.Sprintf("[%d]", i-1))
	}
	e.End(d.u)
}

func (d *decoder) getPointer(pl *plan) unsafe.Pointer {
	if pl.mode == table {
		return pl.table.get(d.r)
	}
	p, _ := d.getMarked(pl)
	return p
}

// getMarked gets a pointer and gives its marker, too.
func (d *decoder) getMarked(pl *plan) (unsafe.Pointer, uint64) {
	d.u.Mark("Ptr")
	m := d.u.Marker()
	switch m {
	case wire.MarkNil:
		return nil, m
	case wire.MarkInline, wire.MarkDeferred:
		return d.edge(pl, m == wire.MarkInline), m
	}
	return d.back(pl, m-wire.MarkBack), m
}

// edge gets the pointee of a pointer, inline or later.
func (d *decoder) edge(pl *plan, inline bool) unsafe.Pointer {
	if d.u.Err != nil {
		return nil
	}
	p := d.alloc(pl.elem, 1)
	if pl.mode == share && pl.elem.size > 0 {
		d.refs[pl.refs] = append(d.refs[pl.refs], p)
	}
	outer := d.u.Inline()
	if inline {
		d.body(pl, p)
	} else {
		d.later(pl, p)
	}
	d.u.Outline(outer)
	return p
}

func (d *decoder) back(pl *plan, id uint64) unsafe.Pointer {
	if pl.mode != share {
		d.u.Failf(wire.ErrCorrupt, "a reference back, number %d, where a %v has its value", id, pl.typ)
		return nil
	}
	list := d.refs[pl.refs]
	if id >= uint64(len(list)) {
		d.u.Failf(wire.ErrCorrupt, "a reference back to %v number %d, of %d in the unit", pl.typ, id, len(list))
		return nil
	}
	return list[id]
}

func (d *decoder) body(pl *plan, p unsafe.Pointer) {
	if d.u.Enter() {
		if !d.from(pl.elem, p) {
			d.get(pl.elem, p)
		}
		d.u.Leave()
		if d.u.Err != nil {
			d.u.At("(" + pl.typ.String() + ")")
		}
	}
}

// later defers a body. The records lie in chunks.
func (d *decoder) later(pl *plan, p unsafe.Pointer) {
	if len(d.deferred) == cap(d.deferred) {
		d.deferred = make([]deferredGet, 0, min(max(2*cap(d.deferred), 1), 64))
	}
	d.deferred = append(d.deferred, deferredGet{d, pl, p})
	d.u.Defer(&d.deferred[len(d.deferred)-1])
}

type deferredGet struct {
	d    *decoder
	plan *plan
	p    unsafe.Pointer
}

func (g *deferredGet) Run() {
	p := g.p
	g.p = nil // a chunk keeps nothing
	g.d.body(g.plan, p)
}

func (d *decoder) getUnion(pl *plan, p unsafe.Pointer) {
	d.u.Mark("Union")
	tag := d.r.Uvarint()
	if tag == tagNil {
		return
	}
	i := tag - tagMember
	if tag < tagMember {
		i = d.r.Uvarint()
	}
	if i >= uint64(len(pl.members)) {
		d.u.Failf(wire.ErrCorrupt, "member %d of the union %v, which has %d", i, pl.typ, len(pl.members))
		return
	}
	m := &pl.members[i]
	v := (*iface)(p)
	if !m.pointer {
		d.getBoxed(pl, m, tag, p)
		return
	}
	mp := m.plan
	var q unsafe.Pointer
	switch {
	case tag >= tagMember && mp.mode != table && mp.kind == kindPointer:
		q = d.edge(mp, true)
	case tag == tagTypedNil:
	case mp.mode == table || mp.kind != kindPointer:
		if tag < tagMember {
			d.badTag(pl, tag)
			return
		}
		if q = d.foreign(mp); q == nil {
			d.badTag(pl, tag)
			return
		}
	case tag == tagBack:
		q = d.back(mp, d.r.Uvarint())
	default:
		q = d.edge(mp, false)
	}
	if d.u.Err == nil {
		v.tab, v.data = m.tab, q
	}
}

// foreign gets a pointer that the program does not make: of a table, of the caller's codec.
func (d *decoder) foreign(pl *plan) unsafe.Pointer {
	q := new(unsafe.Pointer)
	d.get(pl, unsafe.Pointer(q))
	return *q
}

func (d *decoder) badTag(pl *plan, tag uint64) {
	d.u.Failf(wire.ErrCorrupt, "the tag %d does not go with the member of the union %v", tag, pl.typ)
}

// getBoxed gets a member that is not a pointer.
func (d *decoder) getBoxed(pl *plan, m *member, tag uint64, p unsafe.Pointer) {
	if tag < tagMember {
		d.badTag(pl, tag)
		return
	}
	if !d.u.Enter() {
		return
	}
	box := reflect.New(m.plan.typ)
	d.get(m.plan, box.UnsafePointer())
	d.u.Leave()
	if d.u.Err != nil {
		d.u.At("(" + m.plan.typ.String() + ")")
		return
	}
	if m.boxed { // what a codec fills later is in this box
		*(*iface)(p) = iface{m.tab, box.UnsafePointer()}
	} else {
		reflect.NewAt(pl.typ, p).Elem().Set(box.Elem())
	}
}
