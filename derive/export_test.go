package derive

import (
	"reflect"
	"unsafe"

	"github.com/putget/putget/get"
	"github.com/putget/putget/put"
)

// Slow is a codec that does without fastput.go and fastget.go.
type Slow[T any] struct{ *Codec[T] }

func (c Slow[T]) Put(b *put.Builder, v *T) {
	if b.Err() == nil {
		c.program.encoder(b).fast = false
		c.Codec.Put(b, v)
	}
}

func (c Slow[T]) Get(r *get.Reader, v *T) {
	if r.Err() == nil {
		c.program.decoder(r).buf = nil
		c.Codec.Get(r, v)
	}
}

// CensusName is the name of the table with the numbers of values.
func (c *Codec[T]) CensusName() string { return c.program.censusName }

// Slabs is how many slabs there are.
func (c *Codec[T]) Slabs() int { return len(c.program.slabs) }

// SameLayout reports whether values of the types may share a slab.
func SameLayout(a, b reflect.Type) bool { return layoutOf(a) == layoutOf(b) }

// Words are the two words of an interface as iface.go sees them.
func Words[I any](i *I) (tab, data unsafe.Pointer) {
	v := (*iface)(unsafe.Pointer(i))
	return v.tab, v.data
}
