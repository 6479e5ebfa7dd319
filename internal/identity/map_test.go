package identity

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"unsafe"
)

// bytes returns the memory m holds, without m.odd.
func (m *Map[T]) bytes() (n int) {
	for _, c := range m.list.chunks {
		n += len(c) * int(unsafe.Sizeof(c[0]))
	}
	for _, c := range m.pages.chunks {
		n += len(c) * int(unsafe.Sizeof(c[0]))
	}
	n += 24 * (cap(m.list.chunks) + cap(m.pages.chunks))
	return n + len(m.regions.entries)*int(unsafe.Sizeof(entry[place]{}))
}

// A model is what a Map should be.
type model[T any] struct {
	ids  map[*T]uint32
	list []*T
}

func (o *model[T]) ID(p *T) (uint32, bool) {
	if id, ok := o.ids[p]; ok {
		return id, false
	}
	if o.ids == nil {
		o.ids = make(map[*T]uint32)
	}
	id := uint32(len(o.list))
	o.ids[p] = id
	o.list = append(o.list, p)
	return id, true
}

// compare shows pick's pointers to a Map and the model, over several runs of
// several sizes, with garbage collections in between.
func compare[T any](t *testing.T, rnd *rand.Rand, pick func() *T) {
	t.Helper()
	var m Map[T]
	for _, n := range []int{0, 1, 100, 20_000, 3, 0, 1000, 5000, 10} {
		var want model[T]
		for i := range n {
			var p *T
			if k := len(want.list); k > 0 && rnd.IntN(3) == 0 {
				p = want.list[rnd.IntN(k)]
			} else {
				p = pick()
			}
			wantID, wantNew := want.ID(p)
			if id, isNew := m.ID(p); id != wantID || isNew != wantNew {
				t.Fatalf("%T, run of %d, call %d: ID(%p) = %d, %v, want %d, %v", m, n, i, p, id, isNew, wantID, wantNew)
			}
			if i%5000 == 4999 {
				runtime.GC()
			}
		}
		if m.Len() != len(want.list) {
			t.Fatalf("%T: Len() = %d, want %d", m, m.Len(), len(want.list))
		}
		for id, p := range want.list {
			if got := m.At(uint32(id)); got != p {
				t.Fatalf("%T: At(%d) = %p, want %p", m, id, got, p)
			}
		}
		m.Reset()
		if m.Len() != 0 {
			t.Fatalf("%T: Len() = %d after Reset", m, m.Len())
		}
	}
}

type empty struct{}

func TestMap(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))

	// Variables of their own, of many sizes, in garbage.
	compare(t, rnd, func() *node { return &node{V: rnd.Int()} })
	compare(t, rnd, func() *byte { return new(byte) })
	compare(t, rnd, func() *[3]byte { return new([3]byte) })
	compare(t, rnd, func() *string { return new(string) })
	compare(t, rnd, func() *[25]int { return new([25]int) })
	compare(t, rnd, func() **node { return &new(node).Next })
	compare(t, rnd, func() *int { return &new(node).V })
	compare(t, rnd, func() *[5000]byte { return new([5000]byte) })

	// Elements of one array, packed.
	nodes := make([]node, 3000)
	compare(t, rnd, func() *node { return &nodes[rnd.IntN(len(nodes))] })
	flags := make([]bool, 3000)
	compare(t, rnd, func() *bool { return &flags[rnd.IntN(len(flags))] })
	triples := make([][3]byte, 3000)
	compare(t, rnd, func() *[3]byte { return &triples[rnd.IntN(len(triples))] })

	// Far apart.
	areas := make([][512]node, 1000)
	compare(t, rnd, func() *node { return &areas[rnd.IntN(len(areas))][0] })
	compare(t, rnd, func() *node { return &areas[rnd.IntN(len(areas))][rnd.IntN(2)*rnd.IntN(512)] })

	// Overlapping.
	ints := make([]int, 3000)
	compare(t, rnd, func() *[4]int { return (*[4]int)(ints[rnd.IntN(len(ints)-3):]) })
	compare(t, rnd, func() *[1000]int { return (*[1000]int)(ints[rnd.IntN(len(ints)-999):]) })
	bytes := make([]byte, 3000)
	compare(t, rnd, func() *[17]byte { return (*[17]byte)(bytes[rnd.IntN(len(bytes)-16):]) })

	// Globals and nil.
	compare(t, rnd, func() *node { return []*node{nil, &globals[0], &globals[1], &globals[2]}[rnd.IntN(4)] })
}

var globals [3]node

func TestMapPanics(t *testing.T) {
	mustPanic := func(name string, f func()) {
		t.Helper()
		defer func() {
			if recover() == nil {
				t.Errorf("%s: no panic", name)
			}
		}()
		f()
	}
	mustPanic("size zero", func() { new(Map[empty]).ID(new(empty)) })
	mustPanic("At(0) of nothing", func() { new(Map[node]).At(0) })
	mustPanic("At after Reset", func() {
		var m Map[node]
		m.ID(new(node))
		m.Reset()
		m.At(0)
	})
	if unsafe.Sizeof(0) == 8 {
		mustPanic("MaxLen", func() {
			n := uint64(MaxLen)
			m := Map[node]{list: chunks[*node]{n: int(n)}}
			m.ID(new(node))
		})
	}
}

// A Map keeps what it was shown alive until Reset, and not longer.
func TestMapKeepsAlive(t *testing.T) {
	const n = 10_000
	var freed int
	collect := func() {
		for range 3 {
			runtime.GC()
		}
	}
	done := make(chan bool, 2*n)
	drain := func() {
		for {
			select {
			case <-done:
				freed++
			default:
				return
			}
		}
	}
	var m Map[[4]int]
	for range n {
		p := new([4]int)
		runtime.AddCleanup(p, func(struct{}) { done <- true }, struct{}{})
		m.ID(p)
		m.ID((*[4]int)(unsafe.Slice(&p[0], 4)))
	}
	collect()
	drain()
	if freed != 0 || m.Len() != n {
		t.Fatalf("%d of %d pointers freed before Reset", freed, m.Len())
	}
	m.Reset()
	for range 100 {
		collect()
		if drain(); freed == n {
			return
		}
	}
	t.Errorf("only %d of %d variables freed after Reset", freed, n)
}

func TestMapMemory(t *testing.T) {
	const n = 300_000
	head := ring(n, false)
	var m Map[node]
	number(&m, head)
	if per := m.bytes() / n; unsafe.Sizeof(head) == 8 && per > 16 {
		t.Errorf("%d bytes a pointer", per)
	}

	// Runs of one size allocate nothing.
	if allocs := testing.AllocsPerRun(5, func() { m.Reset(); number(&m, head) }); allocs != 0 {
		t.Errorf("%v allocations a run", allocs)
	}

	// Runs over ever new variables do not make it grow.
	before := m.bytes()
	for range 20 {
		head = ring(n, false)
		m.Reset()
		number(&m, head)
	}
	if after := m.bytes(); after > before*5/4 {
		t.Errorf("grew from %d to %d bytes", before, after)
	}

	// A small run leaves most of the memory for the next, many leave none.
	m.Reset()
	m.ID(head)
	m.Reset()
	if after := m.bytes(); after < before/3 {
		t.Errorf("one small run took away %d of %d bytes", before-after, before)
	}
	for range 100 {
		m.ID(head)
		m.Reset()
	}
	if after := m.bytes(); after > 4<<10 {
		t.Errorf("still %d bytes after many small runs", after)
	}
	number(&m, head)
	if m.Len() != n {
		t.Errorf("Len() = %d, want %d", m.Len(), n)
	}
}

// The worst cases that the comment on Map names.
func TestMapSparse(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		t.Skip("a region is smaller")
	}
	const areas = 12_200 // nearly three chunks of pages
	for k, most := range map[int]int{1: 51 + 4, 2: 160 + 4} {
		var m Map[node]
		for range areas {
			area := new([128]node)
			for i := range k {
				m.ID(&area[i])
			}
		}
		if per := m.bytes() / (k * areas); per > most {
			t.Errorf("%d in a region: %d bytes a pointer, want at most %d", k, per, most)
		}
	}
}
