package get

import "github.com/putget/putget/internal/wire"

// Codec gets values of type T; see putget.Codec.
type Codec[T any] interface {
	// Get fills *v, which is zero.
	Get(r *Reader, v *T)
}

// Func is a function as a Codec, for one-off elements.
type Func[T any] func(r *Reader, v *T)

// Get calls f.
func (f Func[T]) Get(r *Reader, v *T) { f(r, v) }

// Limits bounds what decoding may cost; see its fields.
type Limits = wire.Limits

// Maybe gets a value that may be absent.
func Maybe[T any, C Codec[T]](r *Reader, c C) (m wire.Maybe[T]) {
	r.u().Mark("Maybe")
	if m.OK = r.Bool(); m.OK {
		c.Get(r, &m.Value)
	}
	if r.rest.Err != nil {
		return wire.Maybe[T]{}
	}
	return m
}

// Value gets one value from a bare unit, which holds nothing else: the whole
// of what a Reader does, with one of its own.
func Value[T any, C Codec[T]](data []byte, c C) (v T, err error) {
	var r Reader
	r.Reset(data, nil)
	c.Get(&r, &v)
	if err := r.Done(); err != nil {
		return *new(T), err
	}
	return v, nil
}

// Later runs fn when the bytes that are being decoded, and all that they
// refer to, have been decoded, the lower phases first and those of one phase
// in order. What needs finished neighbours waits for it: a map keyed by
// content, completing an interface. An error of fn fails the whole decoding.
//
// fn must not use r, which may serve another unit by then: it keeps what it needs,
// or bytes are left for it with Rest.
func (r *Reader) Later(phase int, fn func() error) {
	r.u().Begun()
	if r.rest.Err == nil {
		r.rest.Session.Phase(phase, fn)
	}
}
