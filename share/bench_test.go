package share_test

import (
	"math/rand/v2"
	"testing"

	"github.com/putget/putget/get"
	"github.com/putget/putget/put"
	"github.com/putget/putget/share"
)

type node struct {
	Next *node
	V    int
}

type nodeCodec struct{}

var nodes = share.New[node]("nodes", nodeCodec{})

func (nodeCodec) Put(b *put.Builder, n *node) { b.Int(n.V); nodes.Put(b, n.Next) }
func (nodeCodec) Get(r *get.Reader, n *node)  { n.V = r.Int(); n.Next = nodes.Get(r) }

// ring makes a ring of nodes in the order of their addresses, or shuffled.
func ring(n int, shuffled bool) *node {
	list := make([]*node, n)
	for i := range list {
		list[i] = &node{V: i}
	}
	if shuffled {
		rand.New(rand.NewPCG(1, 2)).Shuffle(n, func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
	for i, p := range list {
		p.Next = list[(i+1)%n]
	}
	return list[0]
}

func BenchmarkRing(b *testing.B) {
	const n = 1_000_000
	perNode := func(b *testing.B) { b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/node") }
	for _, order := range []string{"ordered", "shuffled"} {
		head := ring(n, order == "shuffled")
		b.Run("walk/"+order, func(b *testing.B) {
			for b.Loop() {
				for p := head.Next; p != head; p = p.Next {
				}
			}
			perNode(b)
		})
		var bd put.Builder
		var buf []byte
		b.Run("put/"+order, func(b *testing.B) {
			for b.Loop() {
				bd.Reset(buf[:0], nil)
				nodes.Put(&bd, head)
				data, err := bd.Done()
				if err != nil {
					b.Fatal(err)
				}
				buf = data
			}
			perNode(b)
		})
		var r get.Reader
		b.Run("get/"+order, func(b *testing.B) {
			for b.Loop() {
				r.Reset(buf, nil)
				nodes.Get(&r)
				if err := r.Done(); err != nil {
					b.Fatal(err)
				}
			}
			perNode(b)
		})
	}
}
