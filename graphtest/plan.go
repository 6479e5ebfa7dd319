package graphtest

import (
	"reflect"
	"unsafe"
)

// A plan is what has to be done to compare two pieces of memory, worked out once for each type.
type plan struct {
	scan   scan
	typ    reflect.Type
	size   uintptr
	number uint64 // dense, for hashing

	ops   []op // scanValue: of typ. The leaves of structs, in the order of their offsets
	plain bool // scanValue: equal if and only if all bytes are

	key, elem *plan // scanElements, scanArray: elem; scanMap: both
}

// A scan says how the memory of a pair is laid out.
type scan uint8

const (
	scanValue    scan = iota // one value of typ
	scanElements             // the header of a slice of type typ, whose elements are meant
	scanArray                // an array of type typ, whose elements are meant
	scanMap                  // a map of type typ: what the map's pointer points to
)

// An op compares one leaf of a value: something that is neither a struct nor a small array.
type op struct {
	kind    opKind
	offset  uintptr
	size    uintptr
	typ     reflect.Type // of the leaf; nil for opPlain, which may span several fields
	body    *plan        // opPointer, opMap, opSlice, opArray: what it refers to
	compare func(want, got unsafe.Pointer) string
}

type opKind uint8

const (
	opPlain opKind = iota // bytes without pointers or padding
	opString
	opPointer
	opMap
	opSlice
	opArray // of elements that are not plain
	opInterface
	opWord // func, chan, unsafe.Pointer
	opOpaque
)

type planKey struct {
	scan scan
	typ  reflect.Type
}

// planOf returns the plan for a value of type t.
func (c *comparer) planOf(t reflect.Type) *plan {
	p := c.declare(scanValue, t)
	// Types refer to one another in cycles, so plans are declared first and built afterwards.
	for len(c.unbuilt) > 0 {
		last := len(c.unbuilt) - 1
		q := c.unbuilt[last]
		c.unbuilt = c.unbuilt[:last]
		c.build(q)
	}
	return p
}

func (c *comparer) declare(s scan, t reflect.Type) *plan {
	p := c.plans[planKey{s, t}]
	if p == nil {
		p = &plan{scan: s, typ: t, size: t.Size(), number: uint64(len(c.plans))}
		c.plans[planKey{s, t}] = p
		c.unbuilt = append(c.unbuilt, p)
	}
	return p
}

func (c *comparer) build(p *plan) {
	switch p.scan {
	case scanMap:
		p.key = c.declare(scanValue, p.typ.Key())
		p.elem = c.declare(scanValue, p.typ.Elem())
	case scanElements, scanArray:
		p.elem = c.declare(scanValue, p.typ.Elem())
	default:
		p.ops = c.appendOps(nil, p.typ, 0)
		p.plain = isPlain(p.ops, p.size)
	}
}

func isPlain(ops []op, size uintptr) bool {
	return len(ops) == 1 && ops[0].kind == opPlain && ops[0].size == size
}

// appendOps recurses into types that are part of t, never through what t refers to.
func (c *comparer) appendOps(ops []op, t reflect.Type, offset uintptr) []op {
	o := op{offset: offset, size: t.Size(), typ: t}
	if o.compare = c.opaque[t]; o.compare != nil {
		o.kind = opOpaque
		return append(ops, o)
	}
	switch t.Kind() {
	case reflect.Struct:
		for f := range t.Fields() {
			if f.Name != "_" && !c.ignored[field{t, f.Name}] {
				ops = c.appendOps(ops, f.Type, offset+f.Offset)
			}
		}
		return ops
	case reflect.Array:
		elem := t.Elem()
		if t.Size() == 0 {
			return ops
		}
		if isPlain(c.appendOps(nil, elem, 0), elem.Size()) {
			return appendPlain(ops, offset, t.Size())
		}
		o.kind, o.body = opArray, c.declare(scanArray, t)
	case reflect.String:
		o.kind = opString
	case reflect.Pointer:
		o.kind, o.body = opPointer, c.declare(scanValue, t.Elem())
	case reflect.Map:
		// One map may be held as different named types: they all get the plan of the unnamed one.
		o.kind, o.body = opMap, c.declare(scanMap, reflect.MapOf(t.Key(), t.Elem()))
	case reflect.Slice:
		o.kind, o.body = opSlice, c.declare(scanElements, t)
	case reflect.Interface:
		o.kind = opInterface
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		o.kind = opWord
	default:
		return appendPlain(ops, offset, t.Size())
	}
	return append(ops, o)
}

// appendPlain joins neighbours; fields with padding between them are not.
func appendPlain(ops []op, offset, size uintptr) []op {
	if n := len(ops); n > 0 {
		if last := &ops[n-1]; last.kind == opPlain && last.offset+last.size == offset {
			last.size += size
			return ops
		}
	}
	return append(ops, op{kind: opPlain, offset: offset, size: size})
}

// leaf returns the op of a type that is one leaf, but not of arrays, whose elements come later.
func (p *plan) leaf() *op {
	if len(p.ops) == 1 && p.ops[0].kind != opArray && (p.plain || p.ops[0].typ == p.typ) {
		return &p.ops[0]
	}
	return nil
}

// exact reports whether values of p are told apart by their bytes and strings alone.
func (p *plan) exact() bool {
	for i := range p.ops {
		switch o := &p.ops[i]; o.kind {
		case opPlain, opString:
		case opArray:
			if !o.body.elem.exact() {
				return false
			}
		default:
			return false
		}
	}
	return true
}
