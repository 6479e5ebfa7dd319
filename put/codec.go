package put

import "github.com/putget/putget/internal/wire"

// Codec puts values of type T. The codecs of a program usually have a Get
// method, too, so that both directions of a type stand together; see
// putget.Codec.
type Codec[T any] interface {
	// Put puts *v, which it must not change.
	Put(b *Builder, v *T)
}

// Func is a function as a Codec, for one-off elements.
type Func[T any] func(b *Builder, v *T)

// Put calls f.
func (f Func[T]) Put(b *Builder, v *T) { f(b, v) }

// Limits bounds what decoding may cost; see its fields.
type Limits = wire.Limits

// Maybe puts a value that may be absent. Where OK is false Value is not put.
//
// Bytes: 0, or 1 and the value.
func Maybe[T any, C Codec[T]](b *Builder, m *wire.Maybe[T], c C) {
	b.u().Mark("Maybe")
	b.Bool(m.OK)
	if m.OK {
		c.Put(b, &m.Value)
	}
}

// Append appends v as a bare unit to buf: the whole of what a Builder does,
// with one of its own. On an error buf is returned as it was.
func Append[T any, C Codec[T]](buf []byte, v *T, c C) ([]byte, error) {
	var b Builder
	b.Reset(buf, nil)
	c.Put(&b, v)
	return b.Done()
}
