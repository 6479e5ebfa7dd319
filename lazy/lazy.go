package lazy

import (
	"github.com/putget/putget/get"
	"github.com/putget/putget/internal/unit"
	"github.com/putget/putget/put"
	"github.com/putget/putget/symtab"
)

// Cell is a value that is decoded when it is first asked for. Copies of a Cell
// are the same cell. The zero Cell holds nil. A Cell is safe for concurrent
// use, like a pointer to something that does not change.
type Cell[T any] struct {
	value *T // or it is an entry:
	table *symtab.Table[T]
	doc   *source
	id    symtab.ID
}

// source makes a unit.Source a symtab.Document.
type source unit.Source

func (s *source) Source() *unit.Source { return (*unit.Source)(s) }

// Of is a cell that holds v, which may be nil.
func Of[T any](v *T) Cell[T] { return Cell[T]{value: v} }

// Get gives the value. The first Get of a cell that was read decodes it with
// all that it refers to, but for other cells; every Get of it or a copy gives
// the same pointer, or the same error where its bytes are corrupt.
//
// Decoding takes the lock of the document's domain, so a codec must not call
// Get while it decodes. The document keeps what was decoded; the cell keeps the
// document.
func (c Cell[T]) Get() (*T, error) {
	if c.table == nil {
		return c.value, nil
	}
	return c.table.Load(c.doc, c.id)
}

// Cells puts and gets cells of values of type T, each as an entry of a table.
// It is a key: immutable, and safe for concurrent use.
type Cells[T any] struct{ table *symtab.Table[T] }

// New makes a key, for a package-level variable. The name is that of the table;
// see symtab.NewTable.
func New[T any](name string, c symtab.Codec[T]) *Cells[T] {
	return &Cells[T]{symtab.NewTable(name, c)}
}

// Put puts a reference to the entry of the cell's value; the entry itself
// follows later. Cells of one pointer are one entry. A cell that was read and
// not asked for yet is decoded, as by Get; if that fails, so does the unit.
func (k *Cells[T]) Put(b *put.Builder, c *Cell[T]) {
	if b.Err() != nil {
		return
	}
	v, err := c.Get()
	b.Fail(err)
	k.table.Put(b, v)
}

// Get gets a cell and decodes nothing.
func (k *Cells[T]) Get(r *get.Reader) Cell[T] {
	id, ok := k.table.ID(r)
	if !ok {
		return Cell[T]{}
	}
	return Cell[T]{table: k.table, doc: (*source)(r.Source()), id: id}
}
