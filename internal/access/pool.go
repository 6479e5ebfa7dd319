package access

import (
	"github.com/putget/putget/get"
	"github.com/putget/putget/internal/unit"
	"github.com/putget/putget/internal/wire"
	"github.com/putget/putget/put"
)

// TakeBuilder lends a Builder, for Begin.
func TakeBuilder() *put.Builder {
	if b, ok := unit.Builders.Get().(*put.Builder); ok {
		return b
	}
	return new(put.Builder)
}

// GiveBuilder takes it back, without references.
func GiveBuilder(b *put.Builder) {
	Writer(b).Begin(nil, nil, wire.Limits{}, false, "", -1)
	unit.Builders.Put(b)
}

// TakeReader lends a Reader, for Begin.
func TakeReader() *get.Reader {
	if r, ok := unit.Readers.Get().(*get.Reader); ok {
		return r
	}
	return new(get.Reader)
}

// GiveReader takes it back, without references.
func GiveReader(r *get.Reader) {
	Reader(r).Begin(nil, nil, nil, wire.Limits{}, false, "", -1)
	unit.Readers.Put(r)
}
