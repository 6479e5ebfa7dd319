package derive

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"github.com/putget/putget/internal/access"
	"github.com/putget/putget/internal/order"
	"github.com/putget/putget/internal/wire"
	"github.com/putget/putget/put"
)

// Maps have identity, like shared pointers, and the same markers. Their pairs
// go in the order of the keys.

// mapPath is a map type and how it was reached, to be checked when all plans
// are complete.
type mapPath struct {
	plan *plan
	path string
}

func (b *builder) mapOf(p *plan) (err error) {
	t := p.typ
	p.kind = kindMap
	p.refs = b.numbering(reflect.MapOf(t.Key(), t.Elem()))
	if p.key, err = b.step("[key]", t.Key()); err != nil {
		return err
	}
	b.maps = append(b.maps, mapPath{p, strings.Join(b.path, "") + "[key]"})
	p.elem, err = b.step("[]", t.Elem())
	return err
}

// checkKey refuses keys that might be equal when they come back and were not
// before, and those that might not be comparable.
func (b *builder) checkKey(p *plan, seen map[*plan]bool) error {
	if seen[p] {
		return nil
	}
	seen[p] = true
	switch p.kind {
	case kindArray:
		return b.checkKey(p.elem, seen)
	case kindStruct:
		for i := range p.typ.NumField() {
			name := p.typ.Field(i).Name
			put := slices.ContainsFunc(p.fields, func(f field) bool { return f.name == name })
			if name != "_" && !put {
				return b.fail("%v is in the key of a map, but its field %s is not put, and keys would become equal; give a codec with derive.Use", p.typ, name)
			}
		}
		for i := range p.fields {
			if err := b.checkKey(p.fields[i].plan, seen); err != nil {
				return err
			}
		}
	case kindUnion:
		for i := range p.members {
			m := p.members[i].plan
			if !m.typ.Comparable() {
				return b.fail("%v is in the key of a map, and %v, which its union has, cannot be compared; take it out of the derive.Union, or give a codec with derive.Use", p.typ, m.typ)
			}
			if err := b.checkKey(m, seen); err != nil {
				return err
			}
		}
	}
	return nil
}

func (e *encoder) putMap(pl *plan, p unsafe.Pointer) {
	e.w.Mark("Map")
	m := *(*unsafe.Pointer)(p) // a map is one pointer
	if m == nil {
		e.w.Marker(wire.MarkNil)
		return
	}
	if id, ok := e.seenMap(pl, m); ok {
		e.b.Uvarint(id + wire.MarkBack)
		return
	}
	if e.w.Err != nil {
		return
	}
	inline, outer := e.w.Inline()
	body := &deferredMapPut{e, pl, reflect.NewAt(pl.typ, p).Elem()}
	if inline {
		e.w.Marker(wire.MarkInline)
		body.Run()
	} else {
		e.w.Marker(wire.MarkDeferred)
		e.w.Defer(body, nil)
	}
	e.w.Outline(outer)
}

func (e *encoder) seenMap(pl *plan, m unsafe.Pointer) (id uint64, ok bool) {
	if e.aside != nil {
		return e.aside.seen(pl, m)
	}
	n, isNew := e.refs[pl.refs].id(m, 0)
	return uint64(n), !isNew
}

type deferredMapPut struct {
	e    *encoder
	plan *plan
	m    reflect.Value
}

func (d *deferredMapPut) Run() {
	e, pl := d.e, d.plan
	if !e.w.Enter() {
		return
	}
	n := d.m.Len()
	e.b.Uvarint(uint64(n))
	pairs := e.pairs(pl, d.m)
	if e.w.Err == nil && e.aside == nil && len(pairs) != n {
		e.w.Failf(wire.ErrValue, "a %v of %d pairs had %d a moment later: it was changed while it was put", pl.typ, n, len(pairs))
	}
	start := e.w.Offset()
	least, size := pl.key.min+pl.elem.min, pl.key.size+pl.elem.size
	for i := 0; i < len(pairs) && e.w.Err == nil && e.affordable(least, i, start, size); i++ {
		e.put(pl.key, pairs[i].key.UnsafePointer())
		e.put(pl.elem, pairs[i].value.UnsafePointer())
		if e.w.Err != nil {
			e.w.At(fmt.Sprintf("[key %d]", i))
		}
	}
	e.w.Free(n, e.w.Since(start), size)
	e.w.Leave()
}

// pair is a key and a value, each in a variable of its own, and what the key is
// ordered by.
type pair struct {
	key, value reflect.Value // pointers
	number     uint64
	text       string
	cut        bool // text is not all of it
}

// pairs gives the pairs of a map in their order. Keys go in their natural order
// if they have one, others in the order of their bytes: see aside. Where keys
// are the same even so, NaNs and pointers to equal values, their values decide.
// In a unit aside, maps for which that is not enough have no pairs: units aside
// within each other would be without number.
func (e *encoder) pairs(pl *plan, m reflect.Value) []*pair {
	list := make([]pair, 0, m.Len())
	kt, vt := pl.typ.Key(), pl.typ.Elem()
	for it := m.MapRange(); it.Next(); {
		x := pair{key: reflect.New(kt), value: reflect.New(vt)}
		x.key.Elem().SetIterKey(it)
		x.value.Elem().SetIterValue(it)
		list = append(list, x)
	}
	pairs := make([]*pair, len(list))
	for i := range list {
		pairs[i] = &list[i]
	}
	if len(pairs) < 2 {
		return pairs
	}
	var same func(x, y *pair) bool
	switch {
	case order.Scalar(kt):
		for _, x := range pairs {
			x.number, x.text = order.Key(x.key.Elem())
		}
		byText := func(x, y *pair) int {
			return cmp.Or(cmp.Compare(x.number, y.number), strings.Compare(x.text, y.text))
		}
		slices.SortFunc(pairs, byText)
		same = func(x, y *pair) bool { return byText(x, y) == 0 }
	case order.Natural(kt):
		byKey := func(x, y *pair) int { return order.Compare(x.key.Elem(), y.key.Elem()) }
		slices.SortFunc(pairs, byKey)
		same = func(x, y *pair) bool { return byKey(x, y) == 0 }
	case e.aside != nil:
		return nil
	default:
		var a aside
		if err := a.sort(e, pairs, pl.key, (*pair).keyOf, firstCut); err != nil {
			e.w.State.Fail(err)
			return nil
		}
		same = func(x, y *pair) bool { return x.text == y.text }
	}
	for group := range runs(pairs, same) {
		if len(group) == 1 {
			continue
		}
		if e.aside != nil {
			return nil
		}
		if k := group[0].key.Elem(); pl.key.kind == kindUse && kt.Kind() != reflect.Pointer && k.Equal(k) {
			e.w.Failf(wire.ErrValue, "two keys of a %v are the same bytes, %q: what their codec keeps does not tell them apart", pl.typ, group[0].text)
			return nil
		}
		var a aside
		_ = a.sort(e, group, pl.elem, (*pair).valueOf, firstCut) // values that need tables do not decide
	}
	return pairs
}

func (x *pair) keyOf() reflect.Value   { return x.key }
func (x *pair) valueOf() reflect.Value { return x.value }

// runs yields the parts of a sorted list that are the same.
func runs(list []*pair, same func(x, y *pair) bool) func(yield func([]*pair) bool) {
	return func(yield func([]*pair) bool) {
		for i := 0; i < len(list); {
			j := i + 1
			for j < len(list) && same(list[i], list[j]) {
				j++
			}
			if !yield(list[i:j:j]) {
				return
			}
			i = j
		}
	}
}

// aside puts values as units of their own, to find an order for them that
// depends on nothing but the values and what the map's unit has numbered: of
// pointers that it has, the number is put, of others the value. Strings of
// dictionaries and entries of tables are put in place.
//
// A value may lead to everything. So its unit is cut off behind some bytes, and
// longer ones are put only of values that are the same up to there.
type aside struct {
	b      put.Builder
	parent *encoder
	e      *encoder
	most   int64 // bytes before the cut
	ids    map[ownedKey]uint32
	text   []byte // what was put before the cut
}

const firstCut = 1 << 8

var errCut = errors.New("derive: enough")

// sort sorts pairs by the bytes of one of their parts.
func (a *aside) sort(e *encoder, pairs []*pair, pl *plan, part func(*pair) reflect.Value, most int64) error {
	a.parent, a.most = e, most
	for _, x := range pairs {
		if err := a.put(x, pl, part(x).UnsafePointer()); err != nil {
			return err
		}
	}
	byText := func(x, y *pair) int { return strings.Compare(x.text, y.text) }
	slices.SortFunc(pairs, byText)
	for group := range runs(pairs, func(x, y *pair) bool { return byText(x, y) == 0 }) {
		if len(group) > 1 && group[0].cut {
			if err := a.sort(e, group, pl, part, 8*most); err != nil {
				return err
			}
		}
	}
	return nil
}

// put makes the pair's text the bytes of the value at p.
func (a *aside) put(x *pair, pl *plan, p unsafe.Pointer) error {
	w := access.Writer(&a.b)
	w.BeginAside(a.parent.w)
	a.e = a.parent.program.encoder(&a.b)
	a.e.aside, a.e.fast, a.e.begun = a, false, true
	clear(a.ids)
	a.e.put(pl, p)
	data, err := a.b.Done()
	if x.cut = errors.Is(err, errCut); x.cut {
		data, err = a.text, nil
	}
	x.text = string(data)
	return err
}

// seen is what a pointer or map is put as: an even number if the map's unit has
// numbered it, an odd one if this unit has.
func (a *aside) seen(pl *plan, p unsafe.Pointer) (id uint64, ok bool) {
	if a.e.w.Offset() >= a.most {
		a.text = append(a.text[:0], a.e.w.Buf...)
		a.e.w.State.Fail(errCut)
		return 0, false
	}
	k := ownedKey{pl.elem, p}
	if pl.kind == kindMap {
		k.plan = pl
	} else if pl.elem.size == 0 {
		return 0, false
	}
	if id, ok := a.parent.find(pl, p); ok {
		return 2 * id, true
	}
	n, ok := a.ids[k]
	if !ok {
		if a.ids == nil {
			a.ids = map[ownedKey]uint32{}
		}
		n = uint32(len(a.ids))
		a.ids[k] = n
	}
	return 2*uint64(n) + 1, ok
}

// find is the number that the unit has given a shared pointer or map, if it has.
func (e *encoder) find(pl *plan, p unsafe.Pointer) (id uint64, ok bool) {
	var n uint32
	switch {
	case pl.mode != share:
		return 0, false
	case pl.kind == kindPointer && pl.elem.size >= 16:
		n, ok = e.refs[pl.refs].large.Find((*[2]uint64)(p))
	default:
		n, ok = e.refs[pl.refs].small[p]
	}
	return uint64(n), ok
}

func (d *decoder) getMap(pl *plan, p unsafe.Pointer) {
	d.u.Mark("Map")
	m := d.u.Marker()
	switch {
	case m == wire.MarkNil || d.u.Err != nil:
		return
	case m >= wire.MarkBack:
		*(*unsafe.Pointer)(p) = d.back(pl, m-wire.MarkBack)
		return
	}
	v := reflect.MakeMap(pl.typ)
	*(*unsafe.Pointer)(p) = v.UnsafePointer()
	d.refs[pl.refs] = append(d.refs[pl.refs], v.UnsafePointer())
	outer := d.u.Inline()
	body := &deferredMapGet{d, pl, v}
	if m == wire.MarkInline {
		body.Run()
	} else {
		d.u.Defer(body)
	}
	d.u.Outline(outer)
}

type deferredMapGet struct {
	d    *decoder
	plan *plan
	m    reflect.Value
}

func (g *deferredMapGet) Run() {
	d, pl := g.d, g.plan
	n := d.r.Uvarint()
	e, ok := d.u.Elements(n, pl.key.min+pl.elem.min, pl.key.size+pl.elem.size)
	if !ok {
		return
	}
	if n == 0 {
		e.End(d.u)
		return // before keys and values are allocated, which may be large
	}
	kt := pl.typ.Key()
	natural := order.Natural(kt)
	key, before, value := reflect.New(kt).Elem(), reflect.New(kt).Elem(), reflect.New(pl.typ.Elem()).Elem()
	i := 0
	for ; uint64(i) < n && e.Claim(d.u, i); i++ {
		key, before = before, key
		key.SetZero()
		value.SetZero()
		d.get(pl.key, key.Addr().UnsafePointer())
		d.get(pl.elem, value.Addr().UnsafePointer())
		switch {
		case d.u.Err != nil:
		case !natural && !key.Comparable():
			d.u.Failf(wire.ErrCorrupt, "a key of a %v cannot be compared", pl.typ)
		case natural && i > 0 && !ascending(before, key):
			d.u.Failf(wire.ErrCorrupt, "the keys of a %v are not in order", pl.typ)
		}
		if d.u.Err != nil {
			d.u.At(fmt.Sprintf("[key %d]", i))
			break
		}
		g.m.SetMapIndex(key, value)
	}
	e.End(d.u)
	if d.u.Err == nil && uint64(g.m.Len()) != n {
		d.u.Failf(wire.ErrCorrupt, "a %v has %d pairs, %d were announced: keys are doubled", pl.typ, g.m.Len(), n)
	}
}

// ascending reports whether key may follow before: only NaNs may come twice.
func ascending(before, key reflect.Value) bool {
	c := order.Compare(before, key)
	return c < 0 || c == 0 && !key.Equal(key)
}
