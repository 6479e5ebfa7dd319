package graphtest

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unsafe"
)

// Nothing in this file runs before a difference is found.

// report records the first difference. It returns false, for: do not go on.
func (c *comparer) report(path, format string, args ...any) bool {
	if c.difference == "" {
		c.difference = orRoot(path) + ": " + fmt.Sprintf(format, args...)
	}
	return false
}

func orRoot(path string) string {
	if path == "" {
		return "root"
	}
	return path
}

func (c *comparer) differ(w, g string) bool {
	return c.report(c.path(c.here), "want %s, got %s", w, g)
}

// differInIdentity reports a reference to two nodes that are not paired with one another.
// The ids are of the pairs they are in, or 0.
func (c *comparer) differInIdentity(wantNode, gotNode pairID) bool {
	here := c.path(c.here)
	first := func(id pairID) string { return orRoot(c.path(c.pairs.at(id).from)) }
	switch {
	case gotNode == 0:
		return c.report(here, "shared with %s in want, a separate node in got", first(wantNode))
	case wantNode == 0:
		return c.report(here, "a separate node in want, shared with %s in got", first(gotNode))
	default:
		return c.report(here, "shared with %s in want, with %s in got", first(wantNode), first(gotNode))
	}
}

// differInKeys reports a key of which there is not the same number on both sides.
func (c *comparer) differInKeys(m *mapping, w, g []int) bool {
	path := c.path(c.pairs.at(m.id).from)
	s, list := want, w
	if len(w) < len(g) {
		s, list = got, g
	}
	key := c.brief(m.plan.key.typ, m.key(s, list[0]))
	if len(w)+len(g) > 1 {
		return c.report(path, "keys like %s: want %d, got %d", key, len(w), len(g))
	}
	return c.report(path, "key %s only in %s", key, [...]string{"want", "got"}[s])
}

// differInPlain reports the field or element that differs in plain bytes.
func (c *comparer) differInPlain(w, g unsafe.Pointer, size uintptr) bool {
	offset := uintptr(0)
	for bytesAt(at(w, offset), 1) == bytesAt(at(g, offset), 1) {
		offset++
	}
	t, start := c.held, uintptr(0) // the bytes are at start in t
	if t == nil {
		value := c.pairs.at(c.here.in).plan.value()
		t, start = value.typ, value.ops[c.here.op].offset
	}
	_, leaf, leafStart := leafAt(t, start+offset, nil)
	c.offset = leafStart - start
	w, g = at(w, c.offset), at(g, c.offset)
	wText, gText := c.brief(leaf, w), c.brief(leaf, g)
	if wText == gText { // NaNs, or a String method
		wText += fmt.Sprintf(" (bytes % x)", bytesAt(w, leaf.Size()))
		gText += fmt.Sprintf(" (bytes % x)", bytesAt(g, leaf.Size()))
	}
	return c.differ(wText, gText)
}

// value is the plan of the values that a pair holds one or many of.
func (p *plan) value() *plan {
	if p.scan == scanValue {
		return p
	}
	return p.elem
}

// leafAt finds the part of t at an offset: the outermost part of type stop, or a leaf.
func leafAt(t reflect.Type, offset uintptr, stop reflect.Type) (path string, leaf reflect.Type, start uintptr) {
	for rest := offset; ; {
		if t == stop {
			return path, t, offset - rest
		}
		switch t.Kind() {
		case reflect.Struct:
			for f := range t.Fields() {
				if f.Offset <= rest && rest < f.Offset+f.Type.Size() {
					path += "." + f.Name
					t, rest = f.Type, rest-f.Offset
					break
				}
			}
		case reflect.Array:
			t = t.Elem()
			path += fmt.Sprintf("[%d]", rest/t.Size())
			rest %= t.Size()
		default:
			return path, t, offset - rest
		}
	}
}

// Longer paths are cut in the middle.
const maxSteps = 40

// path renders the way from the roots to a leaf. If the leaf is the one being compared, this
// includes the place in it.
func (c *comparer) path(p place) string {
	places := []place{p}
	for p.in != 0 {
		p = c.pairs.at(p.in).from
		places = append(places, p)
	}
	slices.Reverse(places)
	var path strings.Builder
	for i, p := range places {
		switch cut := len(places) - maxSteps; {
		case cut <= 1 || i < maxSteps/2 || i >= maxSteps/2+cut:
			path.WriteString(c.step(p))
		case i == maxSteps/2:
			fmt.Fprintf(&path, " ... %d steps ... ", cut)
		}
	}
	return path.String()
}

func (c *comparer) step(p place) string {
	in := c.pairs.at(p.in)
	if in.plan.scan == scanMap {
		key := c.brief(in.plan.key.typ, c.maps[p.in].key(want, int(p.elem)))
		if p.op == opEntryKey {
			key = "key " + key
		}
		return "[" + key + "]"
	}
	var path string
	memory := in.memory[want]
	value := in.plan.value()
	switch in.plan.scan {
	case scanElements:
		memory, _ = sliceAt(memory)
		fallthrough
	case scanArray:
		path = "[" + strconv.Itoa(int(p.elem)) + "]"
		memory = at(memory, uintptr(p.elem)*value.size)
	}
	o := &value.ops[p.op]
	offset := uintptr(0) // in the leaf
	dynamic := ""
	if p == c.here {
		offset = c.offset
	}
	if o.kind == opInterface {
		t := c.held
		if p != c.here {
			t = reflect.TypeOf(interfaceAt(o.typ, at(memory, o.offset)))
		}
		if t != nil {
			if p.in != 0 {
				dynamic = ".(" + t.String() + ")"
			}
			inside, _, _ := leafAt(t, offset, stopAt(o))
			dynamic += inside
		}
		offset = 0
	}
	field, _, _ := leafAt(value.typ, o.offset+offset, o.typ)
	return path + field + dynamic
}
