package symtab

import (
	"fmt"

	"github.com/putget/putget/get"
	"github.com/putget/putget/internal/unit"
	"github.com/putget/putget/internal/wire"
	"github.com/putget/putget/share"
)

// ID is the number of an entry in its table, from 0.
type ID uint32

const maxEntries = 1<<32 - 1<<16

// Codec puts and gets values of type T; see share.Codec.
type Codec[T any] = share.Codec[T]

// maker is the optional method of a Codec.
type maker[T any] interface{ New(*get.Reader) *T }

// Document is a *putget.Document, or, inside a Get, the *get.Reader. Package lazy
// has one of its own.
type Document interface {
	// Source is where keys find their tables. Codecs have no use for it.
	Source() *unit.Source
}

// key is what all keys of this package are made of.
type key struct {
	name string
	mark string
	slot int
}

func newKey(name, kind string) key {
	return key{name, name + "." + kind, unit.Tables.Next()}
}

// written is the state of the key's table in the run of w, nil before its
// first use there and in a bare unit.
func (k *key) written(w *unit.Writer) unit.Table {
	if w.Run == nil {
		return nil
	}
	return w.Run.Table(k.slot)
}

// write makes t the key's table in the run of w.
func (k *key) write(w *unit.Writer, t unit.Table) bool {
	if w.Run == nil {
		w.Begun()
		w.Failf(wire.ErrValue, "table %q: a bare unit has no tables; put into a document or stream, with putget.Encode or an Encoder", k.name)
		return false
	}
	if err := w.Run.AddTable(k.slot, t); err != nil {
		w.Fail(err)
		return false
	}
	return true
}

// read is the state of the key's table in the source of u, nil before its
// first use there and in a bare unit.
func (k *key) read(u *unit.Reader) any { return u.Source.Table(k.slot) }

// section finds the table's bytes.
func (k *key) section(src *unit.Source, class error) (unit.Section, error) {
	sec, err := src.Section(k.name)
	if err != nil {
		return nil, err
	}
	if sec == nil {
		return nil, &wire.Error{Class: class, Unit: k.name, Msg: "there is no table of this name, or none that was used when this was written"}
	}
	return sec, nil
}

// open finds the table's bytes for u, which refers to an entry.
func (k *key) open(u *unit.Reader) unit.Section {
	u.Begun()
	if u.Source == nil {
		u.Fail(k.bare())
		return nil
	}
	sec, err := k.section(u.Source, wire.ErrCorrupt)
	if err != nil {
		u.Fail(err)
		return nil
	}
	return sec
}

func (k *key) bare() error {
	return &wire.Error{Class: wire.ErrNotFound, Unit: k.name, Msg: "a bare unit has no tables; read a document or stream"}
}

func noEntry(table string, id ID, n int) error {
	return &wire.Error{Class: wire.ErrNotFound, Unit: table, Msg: fmt.Sprintf("there is no entry %d of %d", id, n)}
}
