package symtab_test

import (
	"testing"

	"github.com/putget/putget/get"
	"github.com/putget/putget/put"
	"github.com/putget/putget/symtab"
)

type node struct {
	Name string
	Next *node
	V    int
}

type nodeCodec struct{}

var (
	names = symtab.NewStrings("names", "known", "")
	nodes = symtab.NewTable[node]("nodes", nodeCodec{})
)

func (nodeCodec) Put(b *put.Builder, n *node) { names.Put(b, n.Name); nodes.Put(b, n.Next); b.Int(n.V) }
func (nodeCodec) Get(r *get.Reader, n *node) {
	n.Name = names.Get(r)
	n.Next = nodes.Get(r)
	n.V = r.Int()
}

func TestRing(t *testing.T) {
	const n = 10_000
	list := make([]node, n)
	for i := range list {
		list[i] = node{string(rune('a' + i%26)), &list[(i+1)%n], i}
	}
	f, err := encode(func(b *put.Builder) { nodes.Put(b, &list[0]); nodes.Put(b, nil) })
	if err != nil {
		t.Fatal(err)
	}
	for _, packed := range []bool{true, false} {
		f.packed = packed
		d := f.open(nil)
		var head, null *node
		if err := d.read(func(r *get.Reader) { head = nodes.Get(r); null = nodes.Get(r) }); err != nil {
			t.Fatal(err)
		}
		if null != nil {
			t.Error("nil came back as a value")
		}
		p := head
		for i := range n {
			if p.V != i || p.Name != list[i].Name {
				t.Fatalf("node %d is %+v", i, p)
			}
			p = p.Next
		}
		if p != head {
			t.Error("the ring is open")
		}
		again, err := nodes.Load(d, 0)
		if err != nil || again != head {
			t.Errorf("loaded %p, %v; want %p", again, err, head)
		}
	}
}
