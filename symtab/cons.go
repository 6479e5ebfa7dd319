package symtab

import (
	"github.com/putget/putget/get"
	"github.com/putget/putget/put"
)

// Cons puts values of type V so that within a document or stream equal ones are
// put once: values whose bytes are the same, and so all that they refer to. It
// is for values that are immutable and acyclic, such as types without names.
//
// Values that are equal with == are looked at once, so that a graph with many
// ways through it costs no more than its values. The zero value of V is put as
// such and takes no entry.
//
// Finding equal values costs a map of all entries; cheap values are better put
// in place. Cons is a key: immutable, and safe for concurrent use.
type Cons[V comparable] struct{ b Built[V] }

// NewCons makes a key, for a package-level variable; see NewBuilt. A Put of the
// codec leaves no rests.
func NewCons[V comparable](name string, c ValueCodec[V]) *Cons[V] {
	return &Cons[V]{Built[V]{key: newKey(name, "Cons"), codec: c, cons: true}}
}

// Put puts a reference to the entry of v, and the entry before, if it is the
// first of its bytes. Errors are those of Built.Put.
func (k *Cons[V]) Put(b *put.Builder, v V) { k.b.Put(b, v) }

// Get gets a value that Put put: for equal ones the same.
func (k *Cons[V]) Get(r *get.Reader) V { return k.b.Get(r) }

// ID gets a reference that Put put without decoding the entry; see Built.ID.
func (k *Cons[V]) ID(r *get.Reader) (id ID, ok bool) { return k.b.ID(r) }

// Len is the number of entries that a document has.
func (k *Cons[V]) Len(d Document) (int, error) { return k.b.Len(d) }

// Load decodes entry id of a document; see Built.Load.
func (k *Cons[V]) Load(d Document, id ID) (V, error) { return k.b.Load(d, id) }
