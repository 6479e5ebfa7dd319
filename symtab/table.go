package symtab

import (
	"errors"
	"sync"
	"unsafe"

	"github.com/putget/putget/get"
	"github.com/putget/putget/internal/access"
	"github.com/putget/putget/internal/identity"
	"github.com/putget/putget/internal/slab"
	"github.com/putget/putget/internal/unit"
	"github.com/putget/putget/internal/wire"
	"github.com/putget/putget/put"
)

// Table puts pointers to values of type T so that within a document or stream
// each value is put once, as an entry of its own, and its pointers lead to one
// value again. Entries are decoded when they are first referred to, or alone.
// It is a key: immutable, and safe for concurrent use.
type Table[T any] struct {
	key
	codec Codec[T]
	make  func(*get.Reader) *T // nil: from a slab
	index indexBuilder[*T]
	spare sync.Pool // of *tableWriting[T]
}

// NewTable makes a key, for a package-level variable: it takes a few bytes in
// every run for as long as the program runs. The name is the table's name in
// the document, where it must be the only one.
//
// NewTable panics for a type of size zero: values of no size have no identity.
func NewTable[T any](name string, c Codec[T]) *Table[T] {
	if unsafe.Sizeof(*new(T)) == 0 {
		panic("symtab: table " + name + ": values of size zero have no identity")
	}
	k := &Table[T]{key: newKey(name, "Table"), codec: c}
	if m, ok := c.(maker[T]); ok {
		k.make = m.New
	}
	return k
}

// tableWriting is a table in a run. Invariant: entries has the bodies of the
// first done values.
type tableWriting[T any] struct {
	k       *Table[T]
	run     *unit.Run
	ids     identity.Map[T]
	done    int
	entries unit.Entries
}

func (t *tableWriting[T]) Name() string           { return t.k.name }
func (t *tableWriting[T]) Entries() *unit.Entries { return &t.entries }

// Put puts a reference to the entry of *p. The entry itself is put later: no
// chain of entries takes stack, and cycles are fine.
func (k *Table[T]) Put(b *put.Builder, p *T) {
	w := access.Writer(b)
	if w.Err != nil {
		return
	}
	t, ok := k.written(w).(*tableWriting[T])
	if !ok {
		if t, ok = k.spare.Get().(*tableWriting[T]); !ok {
			t = &tableWriting[T]{k: k}
		}
		t.run = w.Run
		if !k.write(w, t) {
			return
		}
	}
	if w.Marked() {
		w.Mark(k.mark)
	}
	if p == nil {
		w.Uvarint(0)
		return
	}
	id, _ := t.ids.ID(p)
	if id >= maxEntries {
		w.Failf(wire.ErrLimit, "table %q has too many entries", k.name)
		return
	}
	w.Uvarint(uint64(id) + 1)
}

// Release keeps the memory of a table that was not large.
func (t *tableWriting[T]) Release() {
	if cap(t.entries.Blob) > 1<<20 || cap(t.entries.Ends) > 1<<14 {
		return
	}
	t.ids.Reset()
	t.entries.Reset()
	t.run, t.done = nil, 0
	t.k.spare.Put(t)
}

// Drain puts the bodies that wait.
func (t *tableWriting[T]) Drain() (bool, error) {
	if t.done == t.ids.Len() {
		return false, nil
	}
	b := access.TakeBuilder()
	w := access.Writer(b)
	for ; t.done < t.ids.Len(); t.done++ {
		w.Begin(t.run, t.entries.Blob, t.run.Limits, t.run.Marks, t.k.name, t.done)
		t.k.codec.Put(b, t.ids.At(uint32(t.done)))
		blob, err := w.Done()
		t.entries.Blob = blob
		if err != nil {
			return false, err
		}
		t.entries.End()
	}
	access.GiveBuilder(b)
	return true, nil
}

// Close makes the table's index.
func (t *tableWriting[T]) Close() error {
	if t.k.index == nil {
		return nil
	}
	return t.k.index(t.run, t.ids.Len(), func(id ID) *T { return t.ids.At(uint32(id)) })
}

// tableReading is a table in a source. Invariant: of pages.fresh, the first
// filled have their bodies; the others are stubs.
type tableReading[T any] struct {
	k      *Table[T]
	src    *unit.Source
	sec    unit.Section
	pages  pages[*T]
	filled int
	slab   slab.Slab[T]
	maker  *get.Reader  // what the codec's New gets; in an empty unit of this session
	errs   map[ID]error // of entries that are corrupt
}

// Get gets a pointer that Put put. What it leads to may be filled only later:
// a Get never looks inside it; see [get.Reader.Later].
func (k *Table[T]) Get(r *get.Reader) *T {
	u := access.Reader(r)
	id := k.reference(u)
	if id == 0 {
		return nil
	}
	id--
	t, ok := k.read(u).(*tableReading[T])
	if ok {
		if pg := t.pages.find(id); pg != nil && pg.state[id%pageLen] == present {
			return pg.values[id%pageLen]
		}
	} else if t = k.openIn(u); t == nil {
		return nil
	}
	if !k.inRange(u, id, t.sec) {
		return nil
	}
	p, err := t.stub(u.Session, ID(id))
	if err != nil {
		u.Fail(err)
	}
	return p
}

// inRange fails u, which refers to entry id, if there is none.
func (k *key) inRange(u *unit.Reader, id uint64, sec unit.Section) bool {
	if n := sec.Len(); id >= uint64(n) {
		u.Failf(wire.ErrCorrupt, "a reference to entry %d of table %q, which has %d", id, k.name, n)
		return false
	}
	return true
}

// reference gets id+1, or 0 for nil and after an error.
func (k *key) reference(u *unit.Reader) uint64 {
	if u.Err != nil {
		return 0
	}
	if u.Marked() {
		u.Mark(k.mark)
	}
	return u.Uvarint(wire.Uvarint)
}

// ID gets a pointer that Put put without decoding the entry, which Load can do
// later; ok is false where nil was put.
func (k *Table[T]) ID(r *get.Reader) (id ID, ok bool) {
	u := access.Reader(r)
	n := k.reference(u)
	if n == 0 {
		return 0, false
	}
	t, isOpen := k.read(u).(*tableReading[T])
	if !isOpen {
		if t = k.openIn(u); t == nil {
			return 0, false
		}
	}
	return ID(n - 1), k.inRange(u, n-1, t.sec)
}

// Len is the number of entries that a document has.
func (k *Table[T]) Len(d Document) (int, error) { return k.len(d) }

func (k *key) len(d Document) (n int, err error) {
	err = k.demand(d, func(*unit.Session, *unit.Reader) error {
		sec, err := d.Source().Section(k.name)
		if sec != nil {
			n = sec.Len()
		}
		return err
	})
	return n, err
}

// Load decodes entry id of a document, with all that it refers to, or returns
// what was decoded before: of one entry always the same pointer. Within a Get,
// whose Reader is then d, it is a stub like what Table.Get returns.
func (k *Table[T]) Load(d Document, id ID) (p *T, err error) {
	src := d.Source()
	if t, ok := src.Table(k.slot).(*tableReading[T]); ok {
		if p, ok := t.pages.peek(id); ok {
			return p, nil
		}
	}
	err = k.demand(d, func(s *unit.Session, _ *unit.Reader) error {
		t, ok := src.Table(k.slot).(*tableReading[T])
		if !ok {
			sec, err := k.section(src, wire.ErrNotFound)
			if err != nil {
				return err
			}
			t = k.opened(src, sec)
		}
		if n := t.sec.Len(); int64(id) >= int64(n) {
			return noEntry(k.name, id, n)
		}
		p, err = t.stub(s, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

func (k *Table[T]) openIn(u *unit.Reader) *tableReading[T] {
	sec := k.open(u)
	if sec == nil {
		return nil
	}
	return k.opened(u.Source, sec)
}

func (k *Table[T]) opened(src *unit.Source, sec unit.Section) *tableReading[T] {
	t := &tableReading[T]{k: k, src: src, sec: sec}
	t.pages.grow(sec.Len())
	src.SetTable(k.slot, t)
	return t
}

// stub is entry id, whose body may be decoded only later in the session.
func (t *tableReading[T]) stub(s *unit.Session, id ID) (*T, error) {
	t.pages.grow(t.sec.Len())
	if pg := t.pages.at(id); pg.state[id%pageLen] == present {
		return pg.values[id%pageLen], nil
	}
	if len(t.pages.fresh) == 0 {
		s.Touch(t)
		t.idle(s)
	}
	p, err := t.new()
	if err != nil {
		return nil, err
	}
	if len(t.pages.fresh) == t.filled {
		s.Wait(t)
	}
	t.pages.set(id, p)
	return p, nil
}

func (t *tableReading[T]) new() (*T, error) {
	if t.k.make == nil {
		return t.slab.New(), nil
	}
	p := t.k.make(t.maker)
	return p, t.maker.Err()
}

// idle begins an empty unit for the codec's New, in a session; in none it gives
// the Reader back.
func (t *tableReading[T]) idle(s *unit.Session) {
	switch {
	case t.k.make == nil:
	case s != nil:
		t.maker = access.TakeReader()
		access.Reader(t.maker).Begin(t.src, s, nil, t.src.Limits, false, t.k.name, 0)
	case t.maker != nil:
		access.GiveReader(t.maker)
		t.maker = nil
	}
}

// Fill decodes the bodies of the stubs, and of those that come up on the way.
func (t *tableReading[T]) Fill(s *unit.Session) error {
	r := access.TakeReader()
	for t.filled < len(t.pages.fresh) {
		id := t.pages.fresh[t.filled]
		if err := t.fill(s, r, id); err != nil {
			return err
		}
		t.filled++
	}
	access.GiveReader(r)
	return nil
}

func (t *tableReading[T]) fill(s *unit.Session, r *get.Reader, id ID) error {
	if err := t.errs[id]; err != nil {
		return err
	}
	data, err := t.sec.Entry(int(id))
	if err == nil {
		u := access.Reader(r)
		u.Begin(t.src, s, data, t.src.Limits, t.src.Marks, t.k.name, int(id))
		t.k.codec.Get(r, t.pages.at(id).values[id%pageLen])
		err = u.Done()
	}
	if err != nil && permanent(err, t.k.name, id) {
		if t.errs == nil {
			t.errs = map[ID]error{}
		}
		t.errs[id] = err
	}
	return err
}

func (t *tableReading[T]) Publish() {
	t.pages.publish()
	t.filled = 0
	t.idle(nil)
}

func (t *tableReading[T]) Rollback() {
	t.pages.rollback()
	t.filled = 0
	t.idle(nil)
}

// permanent reports whether err is a fault in the bytes of entry id itself: it
// will be the same whoever asks. A limit may depend on that, and what failed
// in another entry is remembered there.
func permanent(err error, table string, id ID) bool {
	e, ok := errors.AsType[*wire.Error](err)
	if !ok || (e.Class != wire.ErrCorrupt && e.Class != wire.ErrTruncated && e.Class != wire.ErrMismatch) {
		return false
	}
	return e.Unit == unit.UnitName(table, int(id))
}
