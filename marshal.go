package putget

import (
	"fmt"
	"reflect"
	"sync"

	"github.com/putget/putget/derive"
	"github.com/putget/putget/get"
)

// Marshal makes a document of *v with a codec that package derive makes from
// the type T: pointers and maps keep their identity, so what is shared comes
// back shared, and cycles come back as cycles, those through v included.
//
// T says what can be put; see package derive. What it leads to must have no
// interfaces: these need derive.For, with a Union, as do other policies; its
// codecs are for Append. The error names the field.
//
// The codec of a type is made once, in some microseconds, and kept.
func Marshal[T any](v *T) ([]byte, error) {
	c, err := codecOf[T]()
	if err != nil {
		return nil, err
	}
	if v == nil {
		return nil, errNilValue("Marshal")
	}
	return Append(nil, v, c, &Options{Schema: c.Schema()})
}

// Unmarshal sets *v to the value that Marshal put. The type T may have another
// name by now, but must have the same structure, else the error matches
// ErrSchema; see derive.Codec.Schema. Nothing of what *v was before is kept,
// not even maps or the elements of slices; after an error it is unchanged.
func Unmarshal[T any](data []byte, v *T) error {
	c, err := codecOf[T]()
	if err != nil {
		return err
	}
	if v == nil {
		return errNilValue("Unmarshal")
	}
	// The value is decoded in its place, so that it may lead back to itself.
	old, ok := *v, false
	*v = *new(T)
	defer func() {
		if !ok {
			*v = old
		}
	}()
	_, err = Decode(data, inPlace[T]{c, v}, &Options{Schema: c.Schema()})
	ok = err == nil
	return err
}

// inPlace gets a value to where the caller has it.
type inPlace[T any] struct {
	c *derive.Codec[T]
	v *T
}

func (p inPlace[T]) Get(r *get.Reader, _ *struct{}) { p.c.Get(r, p.v) }

// codecs is the derived codecs and their errors by type: values of
// func() (*derive.Codec[T], error).
var codecs sync.Map

func codecOf[T any]() (*derive.Codec[T], error) {
	t := reflect.TypeFor[T]()
	f, ok := codecs.Load(t)
	if !ok {
		f, _ = codecs.LoadOrStore(t, sync.OnceValues(func() (*derive.Codec[T], error) {
			c, err := derive.For[T]()
			if err != nil {
				return nil, &Error{Class: ErrValue, Unit: "Marshal", Err: fmt.Errorf("%w (Marshal takes no policies: use derive.For with Append and Decode)", err)}
			}
			return c, nil
		}))
	}
	return f.(func() (*derive.Codec[T], error))()
}
