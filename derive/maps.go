package derive

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"github.com/putget/putget/internal/unit"
	"github.com/putget/putget/internal/wire"
	"github.com/putget/putget/put"
)

// Maps have identity, like shared pointers, and the same markers. Their pairs
// go in the order of the keys.

func (e *encoder) putMap(pl *plan, p unsafe.Pointer) {
	e.w.Mark("Map")
	m := reflect.NewAt(pl.typ, p).Elem()
	if m.IsNil() {
		e.w.Marker(wire.MarkNil)
		return
	}
	id, isNew := e.refs[pl.refs].id(m.UnsafePointer(), 0)
	if !isNew {
		e.b.Uvarint(uint64(id) + wire.MarkBack)
		return
	}
	inline, outer := e.w.Inline()
	body := &deferredMapPut{e, pl, m}
	if inline {
		e.w.Marker(wire.MarkInline)
		body.Run()
	} else {
		e.w.Marker(wire.MarkDeferred)
		e.w.Defer(body, nil)
	}
	e.w.Outline(outer)
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
	defer e.w.Leave()
	n := d.m.Len()
	e.b.Uvarint(uint64(n))
	pairs, err := sortedPairs(e, pl, d.m)
	if err != nil {
		e.w.State.Fail(err)
		return
	}
	if len(pairs) != n {
		e.w.Failf(wire.ErrValue, "a map of %d pairs had %d a moment later: it was changed while it was put", n, len(pairs))
		return
	}
	start := e.w.Offset()
	for i := range pairs {
		e.put(pl.key, pairs[i].key.UnsafePointer())
		e.put(pl.elem, pairs[i].value.UnsafePointer())
		if e.w.Err != nil {
			e.w.At(fmt.Sprintf("[key %d]", i))
			return
		}
	}
	e.w.Free(n, e.w.Since(start), pl.key.size+pl.elem.size)
}

// pair is a key and a value, each in a variable of its own.
type pair struct {
	key, value reflect.Value // pointers
	order      []byte        // of keys that have no natural order
}

func sortedPairs(e *encoder, pl *plan, m reflect.Value) ([]pair, error) {
	pairs := make([]pair, 0, m.Len())
	natural := ordered(pl.typ.Key())
	for it := m.MapRange(); it.Next(); {
		x := pair{key: reflect.New(pl.typ.Key()), value: reflect.New(pl.typ.Elem())}
		x.key.Elem().SetIterKey(it)
		x.value.Elem().SetIterValue(it)
		if !natural {
			var err error
			if x.order, err = orderBytes(e, pl.key, x.key.UnsafePointer()); err != nil {
				return nil, err
			}
		}
		pairs = append(pairs, x)
	}
	slices.SortStableFunc(pairs, func(x, y pair) int {
		if natural {
			return compare(x.key.Elem(), y.key.Elem())
		}
		return bytes.Compare(x.order, y.order)
	})
	return pairs, nil
}

// orderBytes is what a key without a natural order is ordered by: the number of
// a shared pointer that the unit has met, behind all others the key's bytes as
// a unit of its own.
func orderBytes(e *encoder, pl *plan, p unsafe.Pointer) ([]byte, error) {
	var b put.Builder
	b.Reset([]byte{1}, &put.Options{Limits: e.w.Limits()})
	k := e.program.encoder(&b)
	k.put(pl, p)
	return b.Done()
}

// ordered reports whether Go values of type t have a natural order.
func ordered(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr,
		reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128, reflect.String:
		return true
	case reflect.Array:
		return ordered(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if !ordered(t.Field(i).Type) {
				return false
			}
		}
		return true
	}
	return false
}

// compare orders two values of an ordered type: numbers by value and floats
// also by their bits, so that NaNs have a place; false before true; arrays and
// structs part by part.
func compare(x, y reflect.Value) int {
	switch k := x.Kind(); {
	case k == reflect.Bool:
		return cmp.Compare(btoi(x.Bool()), btoi(y.Bool()))
	case x.CanInt():
		return cmp.Compare(x.Int(), y.Int())
	case x.CanUint():
		return cmp.Compare(x.Uint(), y.Uint())
	case x.CanFloat():
		return compareFloats(x.Float(), y.Float())
	case x.CanComplex():
		c, d := x.Complex(), y.Complex()
		return cmp.Or(compareFloats(real(c), real(d)), compareFloats(imag(c), imag(d)))
	case k == reflect.String:
		return strings.Compare(x.String(), y.String())
	case k == reflect.Array:
		for i := range x.Len() {
			if c := compare(x.Index(i), y.Index(i)); c != 0 {
				return c
			}
		}
	default:
		for i := range x.NumField() {
			if c := compare(x.Field(i), y.Field(i)); c != 0 {
				return c
			}
		}
	}
	return 0
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func compareFloats(x, y float64) int {
	return cmp.Or(cmp.Compare(x, y), cmp.Compare(math.Float64bits(x), math.Float64bits(y)))
}

func (d *decoder) getMap(pl *plan, p unsafe.Pointer) {
	d.u.Mark("Map")
	switch m := d.u.Marker(); m {
	case wire.MarkNil:
	case wire.MarkInline, wire.MarkDeferred:
		v := reflect.NewAt(pl.typ, p).Elem()
		v.Set(reflect.MakeMap(pl.typ))
		d.refs[pl.refs] = append(d.refs[pl.refs], v.UnsafePointer())
		outer := d.u.Inline()
		body := &deferredMapGet{d, pl, v}
		if m == wire.MarkInline {
			body.Run()
		} else {
			body.m = reflect.New(pl.typ).Elem() // p may move on: slices grow
			body.m.Set(v)
			d.u.Defer(body)
		}
		d.u.Outline(outer)
	default:
		if id := m - wire.MarkBack; id < uint64(len(d.refs[pl.refs])) {
			*(*unsafe.Pointer)(p) = d.refs[pl.refs][id]
		} else {
			d.u.Failf(wire.ErrCorrupt, "a reference back to %v number %d, of %d in the unit", pl.typ, id, len(d.refs[pl.refs]))
		}
	}
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
	natural := ordered(pl.typ.Key())
	var before reflect.Value
	i := 0
	for ; uint64(i) < n && e.Claim(d.u, i); i++ {
		key, value := reflect.New(pl.typ.Key()).Elem(), reflect.New(pl.typ.Elem()).Elem()
		d.get(pl.key, key.Addr().UnsafePointer())
		d.get(pl.elem, value.Addr().UnsafePointer())
		if d.u.Err != nil {
			break
		}
		if natural && i > 0 && compare(before, key) >= 0 && key.Equal(key) {
			d.u.Failf(wire.ErrCorrupt, "the keys of a %v are not in order", pl.typ)
			break
		}
		before = key
		g.m.SetMapIndex(key, value)
	}
	if d.u.Err != nil {
		d.u.At(fmt.Sprintf("[key %d]", i))
	}
	e.End(d.u)
	if d.u.Err == nil && g.m.Len() != int(n) {
		d.u.Failf(wire.ErrCorrupt, "a %v has %d pairs, %d were announced: keys are doubled", pl.typ, g.m.Len(), n)
	}
}

var _ unit.Body = (*deferredMapGet)(nil)
