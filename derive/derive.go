package derive

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/putget/putget/get"
	"github.com/putget/putget/put"
)

// Codec is a codec derived from a Go type: immutable, safe for concurrent use,
// and a codec like one written by hand. Make it with For.
type Codec[T any] struct {
	program *program
	plan    *plan
}

// For makes a codec for T and all types that it leads to, under the policies.
// What it cannot do it says at once, with the path of the field and the ways
// out. Cost: some microseconds a type, once; keep the codec in a package-level
// variable.
func For[T any](policies ...Policy) (*Codec[T], error) {
	b := newBuilder()
	for _, p := range policies {
		if err := p.apply(b); err != nil {
			return nil, err
		}
	}
	if err := b.build(reflect.TypeFor[T]()); err != nil {
		return nil, err
	}
	return &Codec[T]{b.program, b.program.root}, nil
}

// Must is For's result where it is known to be without error: it panics if not.
//
//	var moduleCodec = derive.Must(derive.For[Module](derive.Own[Stmt]()))
func Must[T any](c *Codec[T], err error) *Codec[T] {
	if err != nil {
		panic(err)
	}
	return c
}

// Part gives the codec of a type that c's leads to, of the same program: where
// both are used in a document, they share what they know of it.
func Part[U, T any](c *Codec[T]) (*Codec[U], error) {
	t := reflect.TypeFor[U]()
	for _, p := range c.program.plans {
		if p.typ == t {
			return &Codec[U]{c.program, p}, nil
		}
	}
	return nil, fmt.Errorf("derive: %v does not lead to %v", reflect.TypeFor[T](), t)
}

// Put puts *v.
func (c *Codec[T]) Put(b *put.Builder, v *T) {
	if b.Err() == nil {
		c.program.encoder(b).putFirst(c.plan, unsafe.Pointer(v))
	}
}

// Get fills *v, which is zero.
func (c *Codec[T]) Get(r *get.Reader, v *T) {
	if r.Err() == nil {
		c.program.decoder(r).getFirst(c.plan, unsafe.Pointer(v))
	}
}

// New gives a zero value from the slabs of the run: what tables and Refs hand
// out as a stub.
func (c *Codec[T]) New(r *get.Reader) *T {
	if c.plan.slab < 0 {
		return new(T)
	}
	return (*T)(c.program.decoder(r).alloc(c.plan, 1))
}

// Reserve makes ready for all values of the document, where a root is about to
// be read with every table entry that it leads to. Without it memory for the
// entries is taken a little at a time.
func (c *Codec[T]) Reserve(r *get.Reader) {
	if r.Err() == nil {
		d := c.program.decoder(r)
		d.reserve(true)
		for i, dict := range d.program.dicts {
			d.texts[i] = dict.Text(r, true)
		}
	}
}

// Claim notes that *v, which the caller is about to put, is owned: by what is
// not of the codec's program, such as a table. It fails the unit if pointers to
// T have the policy Own and one leads to *v already, or *v was claimed before.
func (c *Codec[T]) Claim(b *put.Builder, v *T) {
	if b.Err() != nil {
		return
	}
	for _, p := range c.program.plans {
		if p.kind == kindPointer && p.mode == own && p.elem == c.plan {
			c.program.encoder(b).seen(p, unsafe.Pointer(v))
			return
		}
	}
}

// Schema identifies what the codec writes: the types by structure, the names of
// fields and union members, the policies. Codecs of one schema read each other's
// bytes.
func (c *Codec[T]) Schema() string { return c.program.schema }
