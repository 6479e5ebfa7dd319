package identity

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"unsafe"
)

func TestSet(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	near := make([]byte, 10_000)
	far := make([][]byte, 3000)
	for i := range far {
		far[i] = make([]byte, 1024)
	}
	picks := []func() unsafe.Pointer{
		func() unsafe.Pointer { return unsafe.Pointer(&near[rnd.IntN(len(near))]) },
		func() unsafe.Pointer { return unsafe.Pointer(&far[rnd.IntN(len(far))][rnd.IntN(1024)]) },
		func() unsafe.Pointer { return unsafe.Pointer(&globals[rnd.IntN(3)]) },
		func() unsafe.Pointer { return nil },
	}
	for _, shift := range []uint8{0, 1, 3, 4, 6, 12} {
		s := Set{Shift: shift}
		for _, n := range []int{0, 1, 30_000, 5, 1000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5000} {
			want := make(map[uintptr]bool)
			for i := range n {
				p := picks[rnd.IntN(len(picks))]()
				granule := uintptr(p) >> shift
				if seen := s.Add(p); seen != want[granule] {
					t.Fatalf("shift %d, run of %d, call %d: Add(%p) = %v", shift, n, i, p, seen)
				}
				want[granule] = true
				if i%10_000 == 9999 {
					runtime.GC()
				}
			}
			s.Reset()
		}
		for range 100 {
			s.Reset()
		}
		if n := len(s.regions.entries); n > minTable {
			t.Errorf("shift %d: still %d entries after many empty runs", shift, n)
		}
	}
	runtime.KeepAlive(near)
	runtime.KeepAlive(far)
}

// treeShift suits the nodes of tree: none is smaller than two words.
const treeShift = 3 + unsafe.Sizeof(uintptr(0))/8

// Add makes variables escape, and allocates nothing itself when it is warm.
func TestSetAllocs(t *testing.T) {
	s := Set{Shift: uint8(treeShift)}
	if allocs := testing.AllocsPerRun(100, func() {
		var local node
		s.Add(unsafe.Pointer(&local))
		s.Reset()
	}); allocs != 1 {
		t.Errorf("%v allocations, want 1: that of the variable", allocs)
	}
	nodes := tree(t)
	for _, p := range nodes {
		s.Add(p)
	}
	if allocs := testing.AllocsPerRun(5, func() {
		s.Reset()
		for _, p := range nodes {
			s.Add(p)
		}
	}); allocs != 0 {
		t.Errorf("%v allocations a run", allocs)
	}
}

// A tree has no node twice: a Set and a Go map agree.
func TestSetTree(t *testing.T) {
	s := Set{Shift: uint8(treeShift)}
	seen := make(map[unsafe.Pointer]bool)
	for i, p := range tree(t) {
		if got := s.Add(p); got != seen[p] {
			t.Fatalf("node %d: Add(%p) = %v, want %v", i, p, got, seen[p])
		}
		seen[p] = true
	}
}
