package identity

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"testing"
	"time"
	"unsafe"
)

type node struct {
	Next *node
	V    int
}

// ring returns a ring of n nodes of their own, linked in order of allocation or
// shuffled.
func ring(n int, shuffle bool) *node {
	nodes := make([]*node, n)
	for i := range nodes {
		nodes[i] = &node{V: i}
	}
	if shuffle {
		rand.New(rand.NewPCG(1, 2)).Shuffle(n, func(i, j int) { nodes[i], nodes[j] = nodes[j], nodes[i] })
	}
	for i := range nodes {
		nodes[i].Next = nodes[(i+1)%n]
	}
	return nodes[0]
}

func walk(head *node) (n int) {
	for p := head.Next; p != head; p = p.Next {
		n++
	}
	return n
}

// number shows m the ring once, and its head twice.
func number(m *Map[node], head *node) {
	for p := head; ; p = p.Next {
		if _, isNew := m.ID(p); !isNew {
			return
		}
	}
}

// again shows m a ring it has seen.
func again(m *Map[node], head *node) (sum uint32) {
	for p := head.Next; p != head; p = p.Next {
		id, _ := m.ID(p)
		sum += id
	}
	return sum
}

var sink int

// BenchmarkMap takes turns within one iteration, so that a busy machine slows
// what is compared alike; the ratios are medians over the iterations.
func BenchmarkMap(b *testing.B) {
	for _, n := range []int{1000, 1_000_000} {
		for _, order := range []string{"in order", "shuffled"} {
			b.Run(fmt.Sprintf("%d %s", n, order), func(b *testing.B) {
				head := ring(n, order == "shuffled")
				rounds := 1_000_000 / n
				runtime.GC()
				var m Map[node]
				number(&m, head)
				var walks, news, olds []float64
				for b.Loop() {
					t0 := time.Now()
					for range rounds {
						sink += walk(head)
					}
					t1 := time.Now()
					for range rounds {
						m.Reset()
						number(&m, head)
					}
					t2 := time.Now()
					for range rounds {
						sink += int(again(&m, head))
					}
					t3 := time.Now()
					walks = append(walks, float64(t1.Sub(t0)))
					news = append(news, float64(t2.Sub(t1)))
					olds = append(olds, float64(t3.Sub(t2)))
				}
				report(b, n*rounds, walks, news, olds)
			})
		}
	}
}

func report(b *testing.B, n int, walks, news, olds []float64) {
	ratio := make([]float64, len(walks))
	for i := range ratio {
		ratio[i] = news[i] / walks[i]
	}
	b.ReportMetric(0, "ns/op") // not shown
	b.ReportMetric(median(walks)/float64(n), "walk-ns/ptr")
	b.ReportMetric(median(news)/float64(n), "new-ns/ptr")
	b.ReportMetric(median(olds)/float64(n), "old-ns/ptr")
	b.ReportMetric(median(ratio), "new/walk")
}

func median(x []float64) float64 {
	x = slices.Clone(x)
	slices.Sort(x)
	return x[len(x)/2]
}

// BenchmarkMapGrow numbers fresh rings with a fresh Map: with first touches of
// all memory, and the garbage collector at work.
func BenchmarkMapGrow(b *testing.B) {
	for _, n := range []int{10, 1000, 100_000, 1_000_000, 10_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			head := ring(n, false)
			b.ReportAllocs()
			var m Map[node]
			for b.Loop() {
				m = Map[node]{}
				number(&m, head)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/ptr")
			b.ReportMetric(float64(m.bytes())/float64(n), "B/ptr")
		})
	}
}

// BenchmarkMapSparse has k pointers every 8 KiB.
func BenchmarkMapSparse(b *testing.B) {
	const areas = 20_000
	for _, k := range []int{1, 2, 3, 4, 8, 16, 64} {
		b.Run(fmt.Sprint(k), func(b *testing.B) {
			var nodes []*node
			for range areas {
				area := new([512]node)
				for i := range k {
					nodes = append(nodes, &area[i*len(area)/k])
				}
			}
			var m Map[node]
			for b.Loop() {
				m.Reset()
				for _, p := range nodes {
					m.ID(p)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(nodes)), "ns/ptr")
			b.ReportMetric(float64(m.bytes())/float64(len(nodes)), "B/ptr")
		})
	}
}

// tree returns the nodes of a package of the standard library, in the order of
// a walk.
func tree(tb testing.TB) (nodes []unsafe.Pointer) {
	files, err := filepath.Glob(filepath.Join(runtime.GOROOT(), "src/go/types/*.go"))
	if err != nil || len(files) == 0 {
		tb.Skip("no source of the standard library")
	}
	fset := token.NewFileSet()
	for _, name := range files {
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			tb.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if n != nil {
				nodes = append(nodes, reflect.ValueOf(n).UnsafePointer())
			}
			return true
		})
	}
	return nodes
}

func BenchmarkSetTree(b *testing.B) {
	nodes := tree(b)
	s := Set{Shift: uint8(treeShift)}
	for b.Loop() {
		s.Reset()
		for _, p := range nodes {
			s.Add(p)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(nodes)), "ns/ptr")
	b.ReportMetric(float64(len(s.regions.entries)*16)/float64(len(nodes)), "B/ptr")
}

func BenchmarkSetRing(b *testing.B) {
	head := ring(1_000_000, false)
	s := Set{Shift: 4}
	for b.Loop() {
		s.Reset()
		for p := head; !s.Add(unsafe.Pointer(p)); p = p.Next {
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1e6, "ns/ptr")
}
