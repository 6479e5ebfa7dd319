package graphtest

import (
	"math/bits"
	"unsafe"
)

// A side is one of the two graphs.
type side int

const (
	want side = iota
	got
)

var sides = [2]side{want, got}

// A pair is a piece of memory of each side that has to be equal.
type pair struct {
	memory [2]unsafe.Pointer
	plan   *plan
	from   place // where it was found
	node   bool  // has identity, and is in the index
}

// A pairID is a position in pairs. 0 is the pair of the roots, which nothing refers to.
type pairID uint32

// A place is a leaf in a pair.
type place struct {
	in   pairID
	elem uint32 // of a slice, array or map; only shown in paths, so it may overflow
	op   uint32 // or one of the following for maps
}

const (
	opEntryKey   = 0
	opEntryValue = 1
)

const chunk = 256

// pairs is a list that grows without copying.
type pairs struct {
	chunks [][]pair
	n      pairID
}

func (l *pairs) at(id pairID) *pair { return &l.chunks[id/chunk][id%chunk] }

func (l *pairs) add(p pair) pairID {
	if l.n%chunk == 0 {
		l.chunks = append(l.chunks, make([]pair, chunk))
	}
	id := l.n
	l.n++
	*l.at(id) = p
	return id
}

// An index finds nodes of one side by plan and address: a hash table with linear probing, at most
// half full. It only holds ids, since the keys are in the pairs.
type index struct {
	slots []pairID // 0: free. The length is a power of two
	used  int
}

// home spreads pages but keeps neighbours in a page together: graphs are mostly walked in the
// order in which they were allocated.
func (x *index) home(p unsafe.Pointer) int {
	a := uint64(uintptr(p))
	page := a >> 12 * 0x9e3779b97f4a7c15 >> (64 - bits.Len(uint(len(x.slots)-1)))
	return int(page+a>>3&511) & (len(x.slots) - 1)
}

func (c *comparer) find(s side, body *plan, p unsafe.Pointer) pairID {
	x := &c.index[s]
	for i := x.home(p); ; i = (i + 1) & (len(x.slots) - 1) {
		id := x.slots[i]
		if id == 0 {
			return 0
		}
		if r := c.pairs.at(id); r.memory[s] == p && r.plan == body {
			return id
		}
	}
}

// insert adds the last pair to both indexes.
func (c *comparer) insert(id pairID) {
	for _, s := range sides {
		x := &c.index[s]
		if x.used++; x.used <= len(x.slots)/2 {
			c.occupy(x, s, id)
			continue
		}
		x.slots = make([]pairID, 2*len(x.slots))
		for id := range c.pairs.n { // in this order memory is local
			if c.pairs.at(id).node {
				c.occupy(x, s, id)
			}
		}
	}
}

func (c *comparer) occupy(x *index, s side, id pairID) {
	i := x.home(c.pairs.at(id).memory[s])
	for x.slots[i] != 0 {
		i = (i + 1) & (len(x.slots) - 1)
	}
	x.slots[i] = id
}

// A view is memory without identity that can still be met on many ways, or inside itself:
// elements of a slice, or a value in an interface.
type view struct {
	side   side
	plan   *plan
	data   unsafe.Pointer
	length int
}

// views are classes of views known, or about to be found, equal (union-find). Equality is transitive,
// so comparing only what is in different classes bounds the comparisons by the number of views, while
// remembering pairs would bound them by its square.
type views struct {
	number map[view]int
	parent []int
}

// join puts two views into one class and reports whether they were in different ones.
func (v *views) join(plan *plan, w, g unsafe.Pointer, length int) bool {
	i := v.class(view{want, plan, w, length})
	j := v.class(view{got, plan, g, length})
	v.parent[i] = j
	return i != j
}

func (v *views) class(x view) int {
	i, ok := v.number[x]
	if !ok {
		i = len(v.parent)
		v.number[x] = i
		v.parent = append(v.parent, i)
	}
	for v.parent[i] != i {
		v.parent[i] = v.parent[v.parent[i]]
		i = v.parent[i]
	}
	return i
}
