package derive

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/putget/putget/internal/unit"
	"github.com/putget/putget/internal/wire"
)

// This file decodes what most of a syntax tree consists of, structs and slices
// of pointers, strings and positions, with the reader's offset in a register.
// It does what get.go does, for units that are in memory as a whole and have no
// marks: everything unusual, errors included, it leaves to get.go. Loading Go's
// standard library takes half the time of get.go alone. A test decodes by both.

// In all functions off is the reader's offset, end the offset at which the bytes
// begin that enclosing slices claim for elements to come, and depth the depth;
// the result is the offset behind the value, or failed. Where a function may
// leave everything as it was for another to get the value, the result is unusual.
const (
	failed  = -1
	unusual = -2
)

// beginFast makes ready for units that this file is for.
func (d *decoder) beginFast() {
	d.buf = nil
	if !d.u.Streaming() && !d.u.Marked() {
		d.buf = d.u.Buf
		d.most = d.u.Limits().Depth
	}
}

// from gets one value from the reader's state; false if it is for get.go.
func (d *decoder) from(pl *plan, p unsafe.Pointer) bool {
	if d.buf == nil || pl.kind != kindStruct && pl.kind != kindSlice {
		return false
	}
	off := d.u.Off
	if pl.kind == kindStruct {
		off = d.structFast(pl, p, off, d.u.Unclaimed(), d.u.Depth())
	} else {
		if off = d.sliceTry(pl, p, off, d.u.Unclaimed(), d.u.Depth()); off == unusual {
			return false
		}
	}
	if off != failed {
		d.u.Off = off
	}
	return true
}

// outermost gets the pointee of an owned pointer, a struct, that no pointer encloses.
func (d *decoder) outermost(pl *plan, p unsafe.Pointer, off, end, depth int) int {
	outer := d.u.Inline()
	if off = d.structFast(pl, p, off, end, depth); off == failed {
		d.u.Outline(outer)
		return failed
	}
	claimed, before := d.u.TakeAt(off, end, depth-1)
	d.u.Outline(outer)
	d.u.HandBack(claimed, before)
	if d.u.Err != nil {
		return failed
	}
	return d.u.Off
}

// leafFast gets a leaf: one of two shapes of structs, an identifier's (position,
// string) and a literal's (two positions, a number from a list, string), which
// are more than half of the nodes of a syntax tree.
func (d *decoder) leafFast(pl *plan, p unsafe.Pointer, off, depth int) int {
	buf := d.buf
	if uint(off+7) >= uint(len(buf)) || depth >= d.most {
		return unusual
	}
	fields := pl.fields
	last := d.last[fields[0].delta]
	if last == nil {
		return unusual
	}
	was := last.Value
	if off = d.position(last, unsafe.Add(p, fields[0].offset), off); off == unusual {
		return unusual
	}
	if len(fields) == 4 {
		if off = d.position(last, unsafe.Add(p, fields[1].offset), off); off == unusual || buf[off] >= 0x80 || int(buf[off]) >= len(fields[2].plan.enum.values) {
			last.Value = was
			return unusual
		}
		*(*int64)(unsafe.Add(p, fields[2].offset)) = fields[2].plan.enum.values[buf[off]]
		off++
		fields = fields[2:]
	}
	id := uint64(buf[off])
	if off++; id >= 0x80 {
		b := buf[off]
		if b >= 0x80 || b == 0 {
			last.Value = was
			return unusual
		}
		id = id&0x7f | uint64(b)<<7
		off++
	}
	s, ok := d.texts[fields[1].delta].At(id)
	if !ok {
		last.Value = was
		return unusual
	}
	*(*string)(unsafe.Add(p, fields[1].offset)) = s
	return off
}

// position gets a difference of one or two bytes, which are there.
func (d *decoder) position(last *Last, p unsafe.Pointer, off int) int {
	c := uint64(d.buf[off])
	if off++; c >= 0x80 {
		b := d.buf[off]
		if b >= 0x80 || b == 0 {
			return unusual
		}
		c = c&0x7f | uint64(b)<<7
		off++
	}
	v := last.Value + wire.Unzigzag(c-1)
	if c == 0 || v == 0 || v < last.Low {
		return unusual
	}
	last.Value = v
	*(*int64)(p) = v
	return off
}

// slow gets one value by get.go.
func (d *decoder) slow(pl *plan, p unsafe.Pointer, off, end, depth int) int {
	claimed, before := d.u.TakeAt(off, end, depth)
	d.get(pl, p)
	d.u.HandBack(claimed, before)
	if d.u.Err != nil {
		return failed
	}
	return d.u.Off
}

func (d *decoder) structFast(pl *plan, p unsafe.Pointer, off, end, depth int) int {
	buf := d.buf
	if depth > d.most {
		d.slowLimit(off)
		return failed
	}
	mask := uint64(math.MaxUint64)
	if pl.sparse > 0 {
		if pl.sparse > 8 || uint(off) >= uint(len(buf)) || buf[off]>>pl.sparse != 0 {
			return d.slow(pl, p, off, end, depth)
		}
		mask = uint64(buf[off])
		off++
	}
	for i := range pl.fields {
		f := &pl.fields[i]
		if mask&f.bit == 0 {
			continue
		}
		q := unsafe.Add(p, f.offset)
		if uint(off) >= uint(len(buf)) {
			if off = d.slowField(pl, f, q, off, end, depth); off == failed {
				d.u.At("." + f.name)
				return failed
			}
			continue
		}
		c := uint64(buf[off])
		switch f.kind {
		case kindDelta:
			n := off + 1
			if c >= 0x80 {
				if uint(n) >= uint(len(buf)) || buf[n] >= 0x80 || buf[n] == 0 || f.size != 8 {
					break
				}
				c = c&0x7f | uint64(buf[n])<<7
				n++
			}
			if c == 0 {
				if pl.sparse > 0 {
					break
				}
				off = n
				continue
			}
			last := d.last[f.delta]
			if last == nil || f.size != 8 {
				break
			}
			v := last.Value + wire.Unzigzag(c-1)
			if v == 0 || v < last.Low {
				break
			}
			last.Value = v
			*(*int64)(q) = v
			off = n
			continue
		case kindIntern:
			n := off + 1
			if c >= 0x80 {
				if uint(n) >= uint(len(buf)) || buf[n] >= 0x80 || buf[n] == 0 {
					break
				}
				c = c&0x7f | uint64(buf[n])<<7
				n++
			}
			s, ok := d.text(f.delta, c)
			if !ok || len(s) == 0 && pl.sparse > 0 {
				break
			}
			*(*string)(q) = s
			off = n
			continue
		case kindText:
			n := off + 1
			if c >= 0x80 {
				if uint(n) >= uint(len(buf)) || buf[n] >= 0x80 || buf[n] == 0 {
					break
				}
				c = c&0x7f | uint64(buf[n])<<7
				n++
			}
			if size := int(c / 2); c%2 == 0 && size > 0 && size <= len(buf)-n {
				s := d.u.TextAt(n, size)
				*(*string)(q) = s
				d.gotText(f.plan, s, true)
				off = n + size
				continue
			}
		case kindUnion:
			if c == tagNil && pl.sparse > 0 {
				break
			}
			if off = d.unionFast(f.plan, q, off, end, depth); off == failed {
				d.u.At("." + f.name)
				return failed
			}
			continue
		case kindPointer:
			if c == wire.MarkNil && f.plan.mode != table && pl.sparse == 0 {
				off++
				continue
			}
			if c == wire.MarkInline && f.plan.quick {
				e := f.plan.elem
				v := d.one(e)
				*(*unsafe.Pointer)(q) = v
				off++
				if e.leaf {
					if n := d.leafFast(e, v, off, depth); n != unusual {
						off = n
						continue
					}
				}
				if d.u.Edges() > 0 {
					off = d.structFast(e, v, off, end, depth+1)
				} else {
					off = d.outermost(e, v, off, end, depth+1)
				}
				if off == failed {
					d.u.At("." + f.name)
					return failed
				}
				continue
			}
		case kindSlice:
			if c == 0 && pl.sparse > 0 {
				break
			}
			if off = d.sliceFast(f.plan, q, off, end, depth); off == failed {
				d.u.At("." + f.name)
				return failed
			}
			continue
		case kindEnum:
			if c < 0x80 && c < uint64(len(f.plan.enum.values)) && f.size == 8 && pl.sparse == 0 {
				*(*int64)(q) = f.plan.enum.values[c]
				off++
				continue
			}
		case kindBool:
			if c <= 1 && (c == 1 || pl.sparse == 0) {
				*(*bool)(q) = c == 1
				off++
				continue
			}
		}
		if off = d.slowField(pl, f, q, off, end, depth); off == failed {
			d.u.At("." + f.name)
			return failed
		}
	}
	return off
}

// slowField gets one field by get.go.
func (d *decoder) slowField(pl *plan, f *field, p unsafe.Pointer, off, end, depth int) int {
	if off = d.slow(f.plan, p, off, end, depth); off != failed && pl.sparse > 0 {
		if d.present(f, p); d.u.Err != nil {
			return failed
		}
	}
	return off
}

func (d *decoder) unionFast(pl *plan, p unsafe.Pointer, off, end, depth int) int {
	if uint(off) < uint(len(d.buf)) {
		c := int(d.buf[off])
		if c == tagNil {
			return off + 1
		}
		if i := c - tagMember; c < 0x80 && uint(i) < uint(len(pl.members)) {
			m := &pl.members[i]
			if e := m.elem; e != nil {
				var v unsafe.Pointer
				if s := &d.slabs[e.slab]; s.size-s.used >= e.size { // d.one, which is not inlined
					v = unsafe.Add(s.base, s.used)
					s.used += e.size
				} else {
					v = d.alloc(e, 1)
				}
				*(*iface)(p) = iface{m.tab, v}
				off++
				if e.leaf {
					if n := d.leafFast(e, v, off, depth); n != unusual {
						return n
					}
				}
				if d.u.Edges() > 0 {
					off = d.structFast(e, v, off, end, depth+1)
				} else {
					off = d.outermost(e, v, off, end, depth+1)
				}
				if off == failed {
					d.u.At("(" + m.plan.typ.String() + ")")
				}
				return off
			}
		}
	}
	return d.slow(pl, p, off, end, depth)
}

func (d *decoder) sliceFast(pl *plan, p unsafe.Pointer, off, end, depth int) int {
	if n := d.sliceTry(pl, p, off, end, depth); n != unusual {
		return n
	}
	return d.slow(pl, p, off, end, depth)
}

func (d *decoder) sliceTry(pl *plan, p unsafe.Pointer, off, end, depth int) int {
	buf := d.buf
	if uint(off) >= uint(len(buf)) {
		return unusual
	}
	c := int(buf[off])
	if c == 0 {
		return off + 1
	}
	if c >= 0x80 {
		v, n := unit.Uvarint(buf[off:])
		if n <= 0 || v > uint64(len(buf))*2 {
			return unusual
		}
		c = int(v)
		off += n - 1
	}
	e := pl.elem
	n, tight := c-1, false
	if pl.tight {
		n, tight = c/2, c%2 == 0
	}
	if c == 1 || e.min == 0 || uint64(n)*uint64(e.min) > uint64(max(end-off-1, 0)) || depth >= d.most || pl.tight && !(tight && e.quick) {
		return unusual
	}
	off++
	base := d.alloc(e, n)
	*(*sliceHeader)(p) = sliceHeader{base, n, n}
	end -= n * e.min
	for i := range n {
		end += e.min
		q := unsafe.Add(base, uintptr(i)*e.size)
		switch {
		case e.kind == kindUnion:
			off = d.unionFast(e, q, off, end, depth+1)
		case tight:
			v := d.one(e.elem)
			*(*unsafe.Pointer)(q) = v
			if e.elem.leaf {
				if n := d.leafFast(e.elem, v, off, depth+1); n != unusual {
					off = n
					continue
				}
			}
			if d.u.Edges() > 0 {
				off = d.structFast(e.elem, v, off, end, depth+2)
			} else {
				off = d.outermost(e.elem, v, off, end, depth+2)
			}
		default:
			off = d.slow(e, q, off, end, depth+1)
		}
		if off == failed {
			d.u.At(fmt.Sprintf("[%d]", i))
			return failed
		}
	}
	return off
}

// slowLimit fails for composites that nest too deep.
func (d *decoder) slowLimit(off int) {
	d.u.TakeAt(off, off, d.most)
	d.u.Enter()
}

// text is string number id of a dictionary; false where it is for get.go to
// find, or to miss.
func (d *decoder) text(dict int16, id uint64) (string, bool) {
	x := &d.texts[dict]
	if !x.Has() {
		if d.asked[dict] { // once a unit: asking may cost as much as the table is long
			return "", false
		}
		d.asked[dict] = true
		if *x = d.program.dicts[dict].Text(d.r, d.u.Root()); !x.Has() {
			return "", false
		}
	}
	return x.At(id)
}
