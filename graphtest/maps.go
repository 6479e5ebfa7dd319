package graphtest

import (
	"maps"
	"reflect"
	"slices"
	"unsafe"
)

// A mapping holds the entries of a pair of maps, in slices, as entries of maps have no address.
type mapping struct {
	id           pairID
	plan         *plan
	keys, values [2]reflect.Value
}

func (c *comparer) scanMap(id pairID, p *pair) {
	m := &mapping{id: id, plan: p.plan}
	for _, s := range sides {
		m.keys[s], m.values[s] = entries(mapAt(p.plan.typ, p.memory[s]))
	}
	c.maps[id] = m
	if p.plan.key.exact() {
		c.match(m)
	} else if n, l := m.keys[want].Len(), m.keys[got].Len(); n != l {
		c.report(c.path(p.from), "want %d entries, got %d", n, l)
	} else {
		c.deferred = append(c.deferred, m)
	}
}

func entries(m reflect.Value) (keys, values reflect.Value) {
	n := m.Len()
	keys = reflect.MakeSlice(reflect.SliceOf(m.Type().Key()), n, n)
	values = reflect.MakeSlice(reflect.SliceOf(m.Type().Elem()), n, n)
	iter := m.MapRange()
	for i := range n {
		iter.Next()
		keys.Index(i).SetIterKey(iter)
		values.Index(i).SetIterValue(iter)
	}
	return keys, values
}

func (m *mapping) key(s side, i int) unsafe.Pointer {
	return at(m.keys[s].UnsafePointer(), uintptr(i)*m.plan.key.size)
}

func (m *mapping) value(s side, i int) unsafe.Pointer {
	return at(m.values[s].UnsafePointer(), uintptr(i)*m.plan.elem.size)
}

func (c *comparer) sketchKey(m *mapping, s side, i int) (sum uint64, open bool) {
	return c.sketch(s, region{m.plan.key, m.key(s, i)})
}

func (c *comparer) sketchEntry(m *mapping, s side, i int) uint64 {
	sum, _ := c.sketch(s, region{m.plan.key, m.key(s, i)}, region{m.plan.elem, m.value(s, i)})
	return sum
}

// matchPaired matches the entries if all nodes in the keys are paired, and else leaves it for later.
func (c *comparer) matchPaired(m *mapping) {
	for _, s := range sides {
		for i := range m.keys[s].Len() {
			if _, open := c.sketchKey(m, s, i); open {
				c.open = append(c.open, m)
				return
			}
		}
	}
	c.match(m)
}

// match pairs entries whose keys are unlike all others, and makes ties of the rest.
func (c *comparer) match(m *mapping) {
	alike := make(map[uint64]*[2][]int)
	for _, s := range sides {
		for i := range m.keys[s].Len() {
			sum, _ := c.sketchKey(m, s, i)
			if alike[sum] == nil {
				alike[sum] = new([2][]int)
			}
			alike[sum][s] = append(alike[sum][s], i)
		}
	}
	for _, sum := range slices.Sorted(maps.Keys(alike)) {
		w, g := alike[sum][want], alike[sum][got]
		switch {
		case len(w) != len(g):
			c.differInKeys(m, w, g)
			return
		case len(w) == 1:
			c.enter(m, w[0], g[0])
		default:
			c.ties = append(c.ties, &tie{mapping: m, want: w, got: map[uint64][]int{0: g}})
		}
	}
}

// enter pairs an entry of want with one of got.
func (c *comparer) enter(m *mapping, w, g int) {
	c.here = place{in: m.id, elem: uint32(w), op: opEntryKey}
	c.add(m.plan.key, m.key(want, w), m.key(got, g), false)
	c.here.op = opEntryValue
	c.add(m.plan.elem, m.value(want, w), m.value(got, g), false)
}

// A tie is a set of entries with keys that look alike. They are matched one by one; run follows all
// that results from a choice before the next.
type tie struct {
	mapping *mapping
	want    []int
	got     map[uint64][]int // by a sketch of key and value, possibly an outdated one
}

func (c *comparer) choose(t *tie) {
	w := shift(&t.want)
	sum := c.sketchEntry(t.mapping, want, w)
	g, ok := c.take(t, sum)
	if !ok {
		c.refresh(t)
		if g, ok = c.take(t, sum); !ok {
			// Nothing fits, so any choice leads to a difference.
			sum = slices.Min(slices.Collect(maps.Keys(t.got)))
			g = t.remove(sum)
		}
	}
	c.enter(t.mapping, w, g)
}

// take removes an entry with the given sketch.
func (c *comparer) take(t *tie, sum uint64) (g int, ok bool) {
	list := t.got[sum]
	if len(list) == 0 || c.sketchEntry(t.mapping, got, list[len(list)-1]) != sum {
		return 0, false
	}
	return t.remove(sum), true
}

func (t *tie) remove(sum uint64) int {
	list := t.got[sum]
	last := len(list) - 1
	if t.got[sum] = list[:last]; last == 0 {
		delete(t.got, sum)
	}
	return list[last]
}

func (c *comparer) refresh(t *tie) {
	fresh := make(map[uint64][]int)
	for _, list := range t.got {
		for _, g := range list {
			sum := c.sketchEntry(t.mapping, got, g)
			fresh[sum] = append(fresh[sum], g)
		}
	}
	t.got = fresh
}
