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
	return c.report(c.herePath(), "want %s, got %s", w, g)
}

// differInIdentity reports a reference to two nodes that are not paired with one another.
// The ids are of the pairs they are in, or 0.
func (c *comparer) differInIdentity(wantNode, gotNode pairID) bool {
	here := c.herePath()
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
	in, start := c.held, uintptr(0) // the bytes are at start in in.typ
	if in == nil {
		in = c.pairs.at(c.here.in).plan.value()
		start = in.ops[c.here.op].offset
	}
	_, leaf, leafStart := leafAt(in.typ, start+offset, nil)
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

// path renders the way from the roots to a leaf, and to what is in it if that is an interface.
func (c *comparer) path(p place) string { return c.render(p, c.step(p, 0, c.dynamicTypeAt(p))) }

// herePath renders the way to what is being compared.
func (c *comparer) herePath() string { return c.render(c.here, c.step(c.here, c.offset, c.held)) }

func (c *comparer) render(p place, last string) string {
	var places []place
	for p.in != 0 {
		p = c.pairs.at(p.in).from
		places = append(places, p)
	}
	slices.Reverse(places)
	var path strings.Builder
	cut := len(places) - maxSteps
	for i, p := range places {
		switch {
		case cut <= 1 || i < maxSteps/2 || i >= maxSteps/2+cut:
			path.WriteString(c.step(p, 0, c.dynamicTypeAt(p)))
		case i == maxSteps/2:
			fmt.Fprintf(&path, " ... %d steps ... ", cut)
		}
	}
	return path.String() + last
}

// step renders one part of a path: in a pair, to a leaf and, if that is an interface, on to the
// dynamic value in it. The offset is into the plain bytes there.
func (c *comparer) step(p place, offset uintptr, dynamic *plan) string {
	in := c.pairs.at(p.in).plan
	element := ""
	switch in.scan {
	case scanMap:
		key := c.brief(in.key.typ, c.maps[p.in].key(want, int(p.elem)))
		if p.op == opEntryKey {
			key = "key " + key
		}
		return "[" + key + "]"
	case scanElements, scanArray:
		element = fmt.Sprintf("[%d]", p.elem)
	}
	o := &in.value().ops[p.op]
	if o.kind != opInterface {
		field, _, _ := leafAt(in.value().typ, o.offset+offset, o.typ)
		return element + field
	}
	field, _, _ := leafAt(in.value().typ, o.offset, o.typ)
	if dynamic == nil {
		return element + field
	}
	inside := ""
	if leaf := dynamic.leaf(); leaf != nil {
		inside, _, _ = leafAt(dynamic.typ, offset, leaf.typ)
	}
	if p.in == 0 {
		return inside
	}
	return element + field + ".(" + dynamic.typ.String() + ")" + inside
}

// dynamicTypeAt is the plan of what an interface holds, nil for other leaves.
func (c *comparer) dynamicTypeAt(p place) *plan {
	in := c.pairs.at(p.in)
	if in.plan.scan == scanMap {
		return nil
	}
	o := &in.plan.value().ops[p.op]
	if o.kind != opInterface {
		return nil
	}
	memory := in.memory[want]
	if in.plan.scan == scanElements {
		memory, _ = sliceAt(memory)
	}
	memory = at(memory, uintptr(p.elem)*in.plan.value().size+o.offset)
	v := interfaceAt(o.typ, memory)
	if v == nil {
		return nil
	}
	return c.dynamicPlan(typeWord(v), v)
}

// brief shows a value in a line, or only its type where that might be long.
func (c *comparer) brief(t reflect.Type, p unsafe.Pointer) string {
	v := valueAt(t, p)
	if t.Kind() == reflect.Interface {
		if v.IsNil() {
			return "nil"
		}
		held := reflect.New(v.Elem().Type())
		held.Elem().Set(v.Elem())
		return c.brief(v.Elem().Type(), held.UnsafePointer())
	}
	switch {
	case t.Kind() == reflect.String:
		return strconv.Quote(clip(v.String(), 0))
	case c.planOf(t).exact():
		return clip(fmt.Sprintf("%+v", v.Interface()), 0)
	case isNilable(t) && v.IsNil():
		return "nil"
	}
	return t.String()
}

func isNilable(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return true
	}
	return false
}

func nilOr(p unsafe.Pointer, t reflect.Type) string {
	if p == nil {
		return "nil"
	}
	return t.String()
}

func typeName(v any) string {
	if v == nil {
		return "nil"
	}
	return "type " + reflect.TypeOf(v).String()
}

// excerpts quotes two strings around where they begin to differ.
func excerpts(w, g string) (string, string) {
	common := 0
	for common < len(w) && common < len(g) && w[common] == g[common] {
		common++
	}
	start := max(0, common-20)
	return strconv.Quote(clip(w, start)), strconv.Quote(clip(g, start))
}

func clip(s string, start int) string {
	const length = 60
	prefix, suffix := "", ""
	if start > 0 {
		prefix = "..."
	}
	if len(s)-start > length {
		s, suffix = s[:start+length], "..."
	}
	return prefix + s[start:] + suffix
}
