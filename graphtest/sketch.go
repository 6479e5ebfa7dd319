package graphtest

import (
	"encoding/binary"
	"reflect"
	"unsafe"
)

// A sketch hashes what is first found from some memory, such that equal graphs have equal sketches on
// both sides. It finds candidates, which are compared in full: it may be imprecise, never unfair.

// sketchLimit bounds the values that go into a sketch. Inside graphs of look-alikes, all sketches cost
// this much.
const sketchLimit = 256

type region struct {
	plan   *plan
	memory unsafe.Pointer
}

type sketcher struct {
	side    side
	sum     uint64
	queue   []region
	numbers map[region]uint64 // nodes met in this sketch, in order
	budget  int               // values left
	open    bool              // met a node that is not paired
	flat    bool              // inside a map, whose order is random: no queue, no numbers
}

func (c *comparer) sketch(s side, from ...region) (sum uint64, open bool) {
	k := &c.sketcher
	*k = sketcher{side: s, queue: append(k.queue[:0], from...), numbers: k.numbers, budget: sketchLimit}
	clear(k.numbers)
	for i := 0; i < len(k.queue) && k.budget > 0; i++ {
		c.sketchRegion(k, k.queue[i])
	}
	return k.sum, k.open
}

func (k *sketcher) word(x uint64) {
	x = (x ^ k.sum) * 0x9e3779b97f4a7c15
	k.sum = x ^ x>>32
}

func (k *sketcher) string(s string) {
	k.word(uint64(len(s)))
	for ; len(s) >= 8; s = s[8:] {
		k.word(binary.LittleEndian.Uint64([]byte(s[:8])))
	}
	var rest [8]byte
	copy(rest[:], s)
	k.word(binary.LittleEndian.Uint64(rest[:]))
}

func (c *comparer) sketchRegion(k *sketcher, r region) {
	switch p := r.plan; p.scan {
	case scanValue:
		k.budget--
		c.sketchValue(k, p.ops, r.memory)
	case scanArray:
		c.sketchElements(k, p.elem, r.memory, p.typ.Len())
	case scanElements:
		data, n := sliceAt(r.memory)
		c.sketchElements(k, p.elem, data, n)
	case scanMap:
		c.sketchMap(k, p, mapAt(p.typ, r.memory))
	}
}

func (c *comparer) sketchElements(k *sketcher, elem *plan, data unsafe.Pointer, n int) {
	for i := 0; i < n && k.budget > 0; i++ {
		k.budget--
		c.sketchValue(k, elem.ops, at(data, uintptr(i)*elem.size))
	}
}

// sketchMap adds up the sketches of all entries, or of none if there are too many.
func (c *comparer) sketchMap(k *sketcher, p *plan, m reflect.Value) {
	n := m.Len()
	k.word(uint64(n))
	if n > k.budget {
		return
	}
	k.budget -= n
	before, total := k.sum, uint64(0)
	k.flat = true
	keys, values := entries(m)
	for i := range n {
		k.sum = 0
		c.sketchValue(k, p.key.ops, at(keys.UnsafePointer(), uintptr(i)*p.key.size))
		c.sketchValue(k, p.elem.ops, at(values.UnsafePointer(), uintptr(i)*p.elem.size))
		total += k.sum
	}
	k.flat = false
	k.sum = before
	k.word(total)
}

func (c *comparer) sketchValue(k *sketcher, ops []op, p unsafe.Pointer) {
	for i := range ops {
		c.sketchLeaf(k, &ops[i], at(p, ops[i].offset))
	}
}

func (c *comparer) sketchLeaf(k *sketcher, o *op, p unsafe.Pointer) {
	switch o.kind {
	case opPlain:
		k.string(bytesAt(p, o.size))
	case opString:
		k.string(*(*string)(p))
	case opPointer, opMap:
		c.sketchNode(k, region{o.body, word(p)})
	case opSlice:
		data, n := sliceAt(p)
		if data == nil {
			n = -1
		}
		k.word(uint64(n))
		k.push(region{o.body, p})
	case opArray:
		k.push(region{o.body, p})
	case opInterface:
		v := interfaceAt(o.typ, p)
		key := typeWord(v)
		if key == nil {
			k.word(0)
			return
		}
		dynamic := c.dynamicPlan(key, v)
		k.word(dynamic.number + 1)
		p = inInterface(p, dynamic, v)
		if leaf := dynamic.leaf(); leaf != nil {
			c.sketchLeaf(k, leaf, p)
		} else if dynamic.size > 0 {
			k.push(region{dynamic, p})
		}
	case opWord:
		k.word(uint64(uintptr(word(p))))
	}
}

func (k *sketcher) push(r region) {
	if !k.flat && len(k.queue) < sketchLimit {
		k.queue = append(k.queue, r)
	}
}

const (
	sketchNil = iota
	sketchSizeless
	sketchNew
	sketchSeen
	sketchPaired
)

func (c *comparer) sketchNode(k *sketcher, r region) {
	switch {
	case r.memory == nil:
		k.word(sketchNil)
		return
	case r.plan.size == 0:
		k.word(sketchSizeless)
		return
	}
	if id := c.find(k.side, r.plan, r.memory); id != 0 {
		k.word(sketchPaired)
		k.word(uint64(id))
		return
	}
	k.open = true
	if n, ok := k.numbers[r]; ok {
		k.word(sketchSeen)
		k.word(n)
		return
	}
	k.word(sketchNew)
	if !k.flat {
		if k.numbers == nil {
			k.numbers = make(map[region]uint64)
		}
		k.numbers[r] = uint64(len(k.numbers))
		k.push(r)
	}
}
