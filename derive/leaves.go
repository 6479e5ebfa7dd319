package derive

import (
	"encoding"
	"reflect"
	"unsafe"

	"github.com/putget/putget/get"
	"github.com/putget/putget/put"
)

// marshaler puts a type by its own MarshalBinary and UnmarshalBinary.
type marshaler struct{ t reflect.Type }

func (m *marshaler) put(b *put.Builder, p unsafe.Pointer) {
	data, err := reflect.NewAt(m.t, p).Interface().(encoding.BinaryMarshaler).MarshalBinary()
	if err != nil {
		b.Fail(err)
		return
	}
	b.Uvarint(uint64(len(data)))
	b.Raw(data)
}

func (m *marshaler) get(r *get.Reader, p unsafe.Pointer) {
	data := r.Bytes()
	if r.Err() != nil {
		return
	}
	if err := reflect.NewAt(m.t, p).Interface().(encoding.BinaryUnmarshaler).UnmarshalBinary(data); err != nil {
		r.Fail(err)
	}
}

var leaves []knownLeaf
