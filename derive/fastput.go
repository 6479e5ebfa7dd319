package derive

import (
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/putget/putget/internal/wire"
)

// This file is to put.go what fastget.go is to get.go: it puts structs, slices
// and unions of owned pointers, strings and positions, with the unit's bytes in
// registers, for units that are not cut into blocks and have no marks. The rest
// it leaves to put.go.

// In all functions buf is the unit's bytes so far and depth the depth; the
// result is the bytes with the value appended, nil after a failure.

// beginFast makes ready for units that this file is for.
func (e *encoder) beginFast() {
	e.fast = e.w.Full == math.MaxInt
	e.most = e.w.Limits().Depth
}

// from puts one value from the writer's state; false if it is for put.go.
func (e *encoder) from(pl *plan, p unsafe.Pointer) bool {
	if !e.fast || pl.kind != kindStruct && pl.kind != kindSlice {
		return false
	}
	buf := e.w.Buf
	if pl.kind == kindStruct {
		buf = e.structFast(buf, pl, p, e.w.Depth(), e.w.Edges())
	} else {
		var ok bool
		if buf, ok = e.sliceTry(buf, pl, p, e.w.Depth(), e.w.Edges()); !ok {
			return false
		}
	}
	if buf != nil {
		e.w.Buf = buf
	}
	return true
}

// inside puts the pointee of an owned pointer, a struct, inline.
func (e *encoder) inside(buf []byte, pl *plan, p unsafe.Pointer, depth, edges int) []byte {
	e.counts[pl.slab]++
	if edges > 0 {
		return e.structFast(buf, pl, p, depth, edges+1)
	}
	_, outer := e.w.Inline()
	if buf = e.structFast(buf, pl, p, depth, 1); buf == nil {
		e.w.Outline(outer)
		return nil
	}
	d, n := e.w.TakeAt(buf, depth-1, 1)
	e.w.Outline(outer)
	e.w.HandBack(d, n-1)
	if e.w.Err != nil {
		return nil
	}
	return e.w.Buf
}

// slow puts one value by put.go.
func (e *encoder) slow(buf []byte, pl *plan, p unsafe.Pointer, depth, edges int) []byte {
	d, n := e.w.TakeAt(buf, depth, edges)
	e.put(pl, p)
	e.w.HandBack(d, n)
	if e.w.Err != nil {
		return nil
	}
	return e.w.Buf
}

func (e *encoder) structFast(buf []byte, pl *plan, p unsafe.Pointer, depth, edges int) []byte {
	if depth > e.most {
		e.w.TakeAt(buf, e.most, edges)
		e.w.Enter()
		return nil
	}
	mask := uint64(math.MaxUint64)
	if pl.sparse > 0 {
		mask = e.mask(pl, p)
		for shift := 0; shift < pl.sparse; shift += 8 {
			buf = append(buf, byte(mask>>shift))
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
			last := e.last[f.delta]
			if f.size != 8 || last == nil {
				break
			}
			v := *(*int64)(q)
			if v == 0 {
				buf = append(buf, 0)
				continue
			}
			if last.Outside != nil && (v < last.Low || v > last.High) {
				break
			}
			d := wire.Zigzag(v - last.Value)
			if d >= 1<<14-1 {
				break
			}
			last.Value = v
			if d++; d < 0x80 {
				buf = append(buf, byte(d))
			} else {
				buf = append(buf, byte(d)|0x80, byte(d>>7))
			}
			continue
		case kindIntern:
			id, ok := e.number(f.delta, *(*string)(q))
			if !ok {
				break
			}
			buf = appendNumber(buf, id)
			continue
		case kindText:
			s := *(*string)(q)
			code, again := e.textCode(s)
			if buf = appendNumber(buf, code); !again {
				buf = append(buf, s...)
			}
			if f.plan.last != nil {
				e.lastOf(f.plan).Value += int64(len(s))
			}
			continue
		case kindUnion:
			if buf = e.unionFast(buf, f.plan, q, depth, edges); buf == nil {
				e.w.At("." + f.name)
				return nil
			}
			continue
		case kindSlice:
			if buf = e.sliceFast(buf, f.plan, q, depth, edges); buf == nil {
				e.w.At("." + f.name)
				return nil
			}
			continue
		case kindPointer:
			v := *(*unsafe.Pointer)(q)
			if v == nil && f.plan.mode != table {
				buf = append(buf, wire.MarkNil)
				continue
			}
			if f.plan.quick && edges < wire.InlineDepth && !e.dup(f.plan, v) {
				if buf = e.inside(append(buf, wire.MarkInline), f.plan.elem, v, depth+1, edges); buf == nil {
					e.w.At("." + f.name)
					return nil
				}
				continue
			}
		case kindEnum:
			if f.size == 8 {
				if n := f.plan.enum.number(*(*int64)(q)); uint(n) < 0x80 {
					buf = append(buf, byte(n))
					continue
				}
			}
		case kindBool:
			x := byte(0)
			if *(*bool)(q) {
				x = 1
			}
			buf = append(buf, x)
			continue
		}
		if buf = e.slow(buf, f.plan, q, depth, edges); buf == nil {
			e.w.At("." + f.name)
			return nil
		}
	}
	return buf
}

func (e *encoder) unionFast(buf []byte, pl *plan, p unsafe.Pointer, depth, edges int) []byte {
	v := (*iface)(p)
	if v.tab == nil {
		return append(buf, tagNil)
	}
	if i := int(pl.tags.slots[pl.tags.hash(v.tab)]) - 1; uint(i) < 0x80-tagMember && edges < wire.InlineDepth {
		m := &pl.members[i]
		if m.tab == v.tab && m.elem != nil && v.data != nil && !e.dup(m.plan, v.data) {
			if buf = e.inside(append(buf, byte(i+tagMember)), m.elem, v.data, depth+1, edges); buf == nil {
				e.w.At("(" + m.plan.typ.String() + ")")
			}
			return buf
		}
	}
	return e.slow(buf, pl, p, depth, edges)
}

func (e *encoder) sliceFast(buf []byte, pl *plan, p unsafe.Pointer, depth, edges int) []byte {
	if out, ok := e.sliceTry(buf, pl, p, depth, edges); ok {
		return out
	}
	return e.slow(buf, pl, p, depth, edges)
}

// sliceTry is false, and has done nothing, where the slice is for put.go.
func (e *encoder) sliceTry(buf []byte, pl *plan, p unsafe.Pointer, depth, edges int) ([]byte, bool) {
	s := *(*sliceHeader)(p) // once: a codec may change it, though it must not
	if s.data == nil {
		return append(buf, 0), true
	}
	el := pl.elem
	if s.len == 0 || depth >= e.most {
		return buf, false
	}
	switch {
	case el.kind == kindUnion:
		e.counts[el.slab] += uint64(s.len)
		buf = appendNumber(buf, uint64(s.len)+1)
		for i := range s.len {
			if buf = e.unionFast(buf, el, unsafe.Add(s.data, uintptr(i)*el.size), depth+1, edges); buf == nil {
				e.w.At(fmt.Sprintf("[%d]", i))
				return nil, true
			}
		}
	case pl.tight && el.quick && edges < wire.InlineDepth && !slices.Contains(unsafe.Slice((*unsafe.Pointer)(s.data), s.len), nil):
		e.counts[el.slab] += uint64(s.len)
		buf = appendNumber(buf, 2*uint64(s.len))
		for i, v := range unsafe.Slice((*unsafe.Pointer)(s.data), s.len) {
			if e.dup(el, v) {
				e.w.TakeAt(buf, depth, edges)
				e.seen(el, v) // fails
				buf = nil
			} else {
				buf = e.inside(buf, el.elem, v, depth+2, edges)
			}
			if buf == nil {
				e.w.At(fmt.Sprintf("[%d]", i))
				return nil, true
			}
		}
	default:
		return buf, false
	}
	return buf, true
}

// dup notes an owned pointer and reports whether it was noted before: then
// put.go, which notes it again, fails.
func (e *encoder) dup(pl *plan, p unsafe.Pointer) bool {
	return pl.mode == own && e.run.owned(pl, p)
}

// number is the number of s in dictionary number dict; false where put.go must put it.
func (e *encoder) number(dict int16, s string) (uint64, bool) {
	x := &e.numbers[dict]
	if !x.Has() {
		if *x = e.program.dicts[dict].Numbers(e.b); !x.Has() {
			return 0, false
		}
	}
	return x.Of(s)
}

func appendNumber(buf []byte, v uint64) []byte {
	for v >= 0x80 {
		buf = append(buf, byte(v)|0x80)
		v >>= 7
	}
	return append(buf, byte(v))
}
