package share_test

import (
	"fmt"
	"log"

	"github.com/putget/putget/get"
	"github.com/putget/putget/put"
	"github.com/putget/putget/share"
)

// Node is in a ring.
type Node struct {
	V    int
	Next *Node
}

type ringCodec struct{}

var ringNodes = share.New[Node]("nodes", ringCodec{})

func (ringCodec) Put(b *put.Builder, n *Node) { b.Int(n.V); ringNodes.Put(b, n.Next) }
func (ringCodec) Get(r *get.Reader, n *Node)  { n.V = r.Int(); n.Next = ringNodes.Get(r) }

func Example() {
	a, b := &Node{V: 1}, &Node{V: 2}
	a.Next, b.Next = b, a
	var out put.Builder
	ringNodes.Put(&out, a)
	data, err := out.Done()
	if err != nil {
		log.Fatal(err)
	}
	var in get.Reader
	in.Reset(data, nil)
	got := ringNodes.Get(&in)
	if err := in.Done(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(got.V, got.Next.V, got.Next.Next == got)
	// Output: 1 2 true
}
