package derive

import (
	"encoding"
	"fmt"
	"math/big"
	"reflect"
	"time"
	"unsafe"

	"github.com/putget/putget/get"
	"github.com/putget/putget/internal/access"
	"github.com/putget/putget/internal/wire"
	"github.com/putget/putget/put"
)

// leaves are the types whose values packages put and get know how to code.
var leaves = map[reflect.Type]*user{
	reflect.TypeFor[time.Time](): newLeaf[time.Time]("time.Time", 3, timeLeaf{}),
	reflect.TypeFor[big.Int]():   newLeaf[big.Int]("big.Int", 1, bigLeaf[big.Int]{put.BigInt, get.BigInt}),
	reflect.TypeFor[big.Rat]():   newLeaf[big.Rat]("big.Rat", 2, bigLeaf[big.Rat]{put.BigRat, get.BigRat}),
	reflect.TypeFor[big.Float](): newLeaf[big.Float]("big.Float", 2, bigLeaf[big.Float]{put.BigFloat, get.BigFloat}),
}

func newLeaf[T any](name string, least int, c Both[T]) *user {
	return &user{name: name, min: least, c: &foreign[T]{c}}
}

// leaf is the codec of a type that codes itself, nil for others.
func leaf(t reflect.Type) (*user, error) {
	if u := leaves[t]; u != nil || t.Kind() == reflect.Interface || t.Kind() == reflect.Pointer {
		return u, nil
	}
	if !marshals(t) || !reflect.PointerTo(t).Implements(unmarshaler) {
		return nil, nil
	}
	if f := promoting(t); f != "" {
		return nil, fmt.Errorf("%v may have its MarshalBinary from the embedded field %s, which would leave its other fields out; give a codec with derive.Use, or do not embed the field", t, f)
	}
	return &user{name: "encoding.BinaryMarshaler", min: 1, c: &marshaler{t}}, nil
}

var unmarshaler = reflect.TypeFor[encoding.BinaryUnmarshaler]()

func marshals(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[encoding.BinaryMarshaler]()) || p.Implements(reflect.TypeFor[encoding.BinaryAppender]())
}

// promoting is the embedded field of a struct that its methods may come from,
// "" if there is none, or nothing else that they would leave out.
func promoting(t reflect.Type) string {
	if t.Kind() != reflect.Struct {
		return ""
	}
	for f := range t.Fields() {
		if f.Anonymous && (marshals(f.Type) || f.Type.Implements(unmarshaler) || reflect.PointerTo(f.Type).Implements(unmarshaler) ||
			f.Type.Implements(reflect.TypeFor[encoding.BinaryMarshaler]())) && (t.NumField() > 1 || f.Type.Kind() != reflect.Struct) {
			return f.Name
		}
	}
	return ""
}

// marshaler puts a type by its own MarshalBinary, or AppendBinary, and
// UnmarshalBinary.
type marshaler struct{ t reflect.Type }

func (m *marshaler) put(b *put.Builder, p unsafe.Pointer) {
	switch v := reflect.NewAt(m.t, p).Interface().(type) {
	case encoding.BinaryAppender:
		put.Appender(b, v)
	case encoding.BinaryMarshaler:
		put.Binary(b, v)
	}
}

func (m *marshaler) get(r *get.Reader, p unsafe.Pointer) {
	get.Binary(r, reflect.NewAt(m.t, p).Interface().(encoding.BinaryUnmarshaler))
}

type timeLeaf struct{}

func (timeLeaf) Put(b *put.Builder, t *time.Time) { put.Time(b, *t) }
func (timeLeaf) Get(r *get.Reader, t *time.Time)  { *t = get.Time(r) }

// bigLeaf is for the types of package math/big, which put and get take by pointer.
type bigLeaf[T any] struct {
	put func(*put.Builder, *T)
	get func(*get.Reader) *T
}

func (c bigLeaf[T]) Put(b *put.Builder, x *T) { c.put(b, x) }

func (c bigLeaf[T]) Get(r *get.Reader, x *T) {
	v := c.get(r)
	if v == nil {
		if r.Err() == nil {
			access.Reader(r).Failf(wire.ErrCorrupt, "a %T is nil where the value itself stands", v)
		}
		return
	}
	*x = *v // v is new, and nobody else's
}
