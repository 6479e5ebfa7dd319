// Package share keeps the identity of pointers inside one unit: a value that
// several pointers lead to is put once, and cycles come back as cycles.
//
//	var nodes = share.New[Node]("nodes", nodeCodec{})
//
//	func (nodeCodec) Put(b *put.Builder, n *Node) { b.Int(n.V); nodes.Put(b, n.Next) }
//	func (nodeCodec) Get(r *get.Reader, n *Node)  { n.V = r.Int(); n.Next = nodes.Get(r) }
//
// A [Refs] is for graphs that are decoded as a whole. Where each pointer is the
// only one, an edge of a tree, put.Ptr is smaller and faster. Values that
// several units refer to, or that are to be loaded alone, belong in a
// symtab.Table.
//
//   - Identity is the key, the type and the address. A struct and its first
//     field have one address and two types: put under two keys, both come back
//     complete, as separate copies. The same goes for pointers into the middle
//     of a value.
//   - A root that the graph leads back to is put through its key as well: by a
//     codec of *T whose Put is nodes.Put(b, *p). Put by its own codec, nodeCodec,
//     it would come back as a copy.
//   - Equal values are never merged. Values of size zero have no identity in Go:
//     each is put afresh.
//   - Values must not change while their unit is being put.
//   - Any depth takes no stack: beyond a constant depth bodies are deferred.
//   - Memory: the values of a unit are allocated a few at a time, 64 or 8 KiB at
//     most, so keeping one node keeps its chunk. A codec with a method
//     New(*get.Reader) *T makes them itself.
//   - Unlike a put.Builder or get.Reader, a key is safe for concurrent use.
//
// # Format
//
// A pointer is one unsigned varint:
//
//	0      nil
//	1      a value not seen before in the unit; its body follows
//	2      the same; its body follows when the outermost pointer is done
//	3 + i  the i-th value of this key in the unit, counted from 0 in the
//	       order of the 1s and 2s
//
// Bodies that wait follow in the order of the tree: those that one body announces
// in the order of their 2s, and behind each of them, before the next, those that
// it announces itself; see docs/format.md. A reference to a value that was not
// announced is corrupt.
//
// # Cost
//
// AMD EPYC (Zen 5) virtual machine, go1.26.8, a ring of one million nodes of 16
// bytes, reused Builder and Reader, go test -bench Ring, the least of ten runs:
//
//	       in allocation order   in random order
//	walk                1 ns             14 ns, 100 where memory is busy
//	put                36 ns             84 ns, 170
//	get                41 ns             40 ns
//
// Each value takes one more byte than its own, each reference to it 1 to 5.
package share
