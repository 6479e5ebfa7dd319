package graphtest

import (
	"fmt"
	"reflect"
	"unsafe"
)

// A comparer holds one comparison. Pairs are appended when found and scanned once; what is found
// in a pair is scanned right after it, so that memory is visited in a local order.
type comparer struct {
	rules
	plans   map[planKey]*plan
	unbuilt []*plan
	dynamic map[unsafe.Pointer]*plan // by typeWord

	pairs pairs
	index [2]index
	views views

	stack   []span // of pairs to scan, the last one first
	stacked pairID // pairs from here on are not yet on the stack

	maps map[pairID]*mapping
	// What to do when the stack is empty, in this order; see run.
	deferred []*mapping
	open     []*mapping
	ties     []*tie
	sketcher sketcher

	here       place   // the leaf being compared
	held       *plan   // if that is an interface and its content is compared: the content's
	offset     uintptr // into the leaf's plain bytes, once a difference is found there
	difference string
}

// A span is a range of pairs.
type span struct{ next, end pairID }

func newComparer(opts []Option) *comparer {
	c := &comparer{
		rules: rules{
			ignored: make(map[field]bool),
			opaque:  make(map[reflect.Type]func(want, got unsafe.Pointer) string),
		},
		plans:   make(map[planKey]*plan),
		dynamic: make(map[unsafe.Pointer]*plan),
		views:   views{number: make(map[view]int)},
		maps:    make(map[pairID]*mapping),
	}
	for _, s := range sides {
		c.index[s].slots = make([]pairID, 64)
	}
	for _, o := range opts {
		o(&c.rules)
	}
	return c
}

// run compares until there is a difference or nothing left. Keys with pointers wait until all else
// has been paired, and those whose pointers are still not paired until the other maps are done; last
// come choices between keys that look alike.
func (c *comparer) run(w, g *any) {
	root := c.planOf(reflect.TypeFor[any]())
	c.pairs.add(pair{plan: root, memory: [2]unsafe.Pointer{unsafe.Pointer(w), unsafe.Pointer(g)}})
	for c.difference == "" {
		if id, ok := c.next(); ok {
			c.scan(id)
		} else if len(c.deferred) > 0 {
			c.matchPaired(shift(&c.deferred))
		} else if len(c.open) > 0 {
			c.match(shift(&c.open))
		} else if len(c.ties) > 0 {
			if t := c.ties[0]; len(t.want) > 0 {
				c.choose(t)
			} else {
				shift(&c.ties)
			}
		} else {
			return
		}
	}
}

func shift[T any](list *[]T) T {
	first := (*list)[0]
	*list = (*list)[1:]
	return first
}

func (c *comparer) next() (pairID, bool) {
	if c.stacked < c.pairs.n {
		c.stack = append(c.stack, span{c.stacked, c.pairs.n})
		c.stacked = c.pairs.n
	}
	if len(c.stack) == 0 {
		return 0, false
	}
	top := &c.stack[len(c.stack)-1]
	id := top.next
	if top.next++; top.next == top.end {
		c.stack = c.stack[:len(c.stack)-1]
	}
	return id, true
}

func (c *comparer) scan(id pairID) {
	p := c.pairs.at(id)
	w, g := p.memory[want], p.memory[got]
	c.here = place{in: id}
	switch p.plan.scan {
	case scanValue:
		c.compare(p.plan.ops, w, g)
	case scanArray:
		c.elements(p.plan.elem, w, g, p.plan.typ.Len())
	case scanElements:
		wData, length := sliceAt(w)
		gData, _ := sliceAt(g)
		c.elements(p.plan.elem, wData, gData, length)
	case scanMap:
		c.scanMap(id, p)
	}
}

func (c *comparer) elements(elem *plan, w, g unsafe.Pointer, n int) {
	for i := range n {
		c.here.elem = uint32(i)
		offset := uintptr(i) * elem.size
		if !c.compare(elem.ops, at(w, offset), at(g, offset)) {
			return
		}
	}
}

// compare compares a value of each side, leaf by leaf, and reports whether to go on.
func (c *comparer) compare(ops []op, w, g unsafe.Pointer) bool {
	for i := range ops {
		o := &ops[i]
		c.here.op = uint32(i)
		if !c.leaf(o, at(w, o.offset), at(g, o.offset)) {
			return false
		}
	}
	return true
}

func (c *comparer) leaf(o *op, w, g unsafe.Pointer) bool {
	switch o.kind {
	case opPlain:
		return bytesAt(w, o.size) == bytesAt(g, o.size) || c.differInPlain(w, g, o.size)
	case opString:
		ws, gs := *(*string)(w), *(*string)(g)
		return ws == gs || c.differ(excerpts(ws, gs))
	case opPointer, opMap:
		return c.reference(o, word(w), word(g))
	case opSlice:
		return c.slice(o, w, g)
	case opArray:
		c.add(o.body, w, g, false)
		return true
	case opInterface:
		return c.dynamicValue(o, w, g)
	case opWord:
		return word(w) == word(g) || c.differ(c.brief(o.typ, w), "another one: "+c.brief(o.typ, g))
	default:
		text := o.compare(w, g)
		return text == "" || c.report(c.herePath(), "%s", text)
	}
}

func (c *comparer) add(body *plan, w, g unsafe.Pointer, node bool) pairID {
	return c.pairs.add(pair{memory: [2]unsafe.Pointer{w, g}, plan: body, from: c.here, node: node})
}

// reference compares two pointers or maps, and pairs what they refer to.
func (c *comparer) reference(o *op, w, g unsafe.Pointer) bool {
	if w == nil || g == nil {
		return w == g || c.differ(nilOr(w, o.typ), nilOr(g, o.typ))
	}
	if o.body.size == 0 {
		return true
	}
	// Most nodes are new, or known and paired rightly: one look at want's index and, for new
	// ones, one at got's.
	known := c.find(want, o.body, w)
	if known != 0 && c.pairs.at(known).memory[got] == g {
		return true
	}
	if other := c.find(got, o.body, g); known != 0 || other != 0 {
		return c.differInIdentity(known, other)
	}
	c.insert(c.add(o.body, w, g, true))
	return true
}

// Slices shorter than this, in a node, are compared without remembering: that is cheaper.
const longSlice = 64

func (c *comparer) slice(o *op, w, g unsafe.Pointer) bool {
	wData, n := sliceAt(w)
	gData, m := sliceAt(g)
	if (wData == nil) != (gData == nil) {
		return c.differ(nilOr(wData, o.typ), nilOr(gData, o.typ))
	}
	if n != m {
		return c.differ(fmt.Sprintf("length %d", n), fmt.Sprint(m))
	}
	elem := o.body.elem
	if n == 0 || elem.size == 0 {
		return true
	}
	if n >= longSlice || !c.pairs.at(c.here.in).node {
		if !c.views.join(o.body, wData, gData, n) {
			return true
		}
	}
	size := uintptr(n) * elem.size
	if elem.plain && bytesAt(wData, size) == bytesAt(gData, size) {
		return true
	}
	c.add(o.body, w, g, false)
	return true
}

// dynamicValue compares two interfaces.
func (c *comparer) dynamicValue(o *op, w, g unsafe.Pointer) bool {
	wValue, gValue := interfaceAt(o.typ, w), interfaceAt(o.typ, g)
	key := typeWord(wValue)
	if key != typeWord(gValue) {
		return c.differ(typeName(wValue), typeName(gValue))
	}
	if key == nil {
		return true
	}
	dynamic := c.dynamicPlan(key, wValue)
	w, g = inInterface(w, dynamic, wValue), inInterface(g, dynamic, gValue)
	if o := dynamic.leaf(); o != nil {
		c.held = dynamic
		ok := c.leaf(o, w, g) // not an interface again: no dynamic type is one
		c.held = nil
		return ok
	}
	if dynamic.size > 0 && c.views.join(dynamic, w, g, 1) {
		c.add(dynamic, w, g, false)
	}
	return true
}

func (c *comparer) dynamicPlan(key unsafe.Pointer, v any) *plan {
	p := c.dynamic[key]
	if p == nil {
		p = c.planOf(reflect.TypeOf(v))
		c.dynamic[key] = p
	}
	return p
}
