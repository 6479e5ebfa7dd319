package symtab

import (
	"encoding/binary"

	"github.com/putget/putget/get"
	"github.com/putget/putget/internal/access"
	"github.com/putget/putget/internal/unit"
	"github.com/putget/putget/internal/wire"
	"github.com/putget/putget/put"
)

// ValueCodec puts and gets values that cannot be allocated first and filled
// later: those that constructors make, or that are compared.
type ValueCodec[V any] interface {
	Put(b *put.Builder, v V)
	Get(r *get.Reader) V
}

// Built puts values of type V so that within a document or stream each is put
// once, as an entry of its own. V is usually a pointer or an interface that
// holds one: values that are equal with == are one value. The zero value of V
// is put as such and takes no entry.
//
// An entry is put when its value is first seen, what it refers to before it, so
// that a Get finds the values it asks for complete, as far as their own Get
// went. What cannot be had that way, because it leads back to the value, is
// left for later with [put.Builder.Rest].
//
// Built is a key: immutable, and safe for concurrent use.
type Built[V comparable] struct {
	key
	codec ValueCodec[V]
	cons  bool
	index indexBuilder[V]
}

// NewBuilt makes a key, for a package-level variable: it takes a few bytes in
// every run for as long as the program runs. The name is the table's name in
// the document, where it must be the only one.
func NewBuilt[V comparable](name string, c ValueCodec[V]) *Built[V] {
	return &Built[V]{key: newKey(name, "Built"), codec: c}
}

// maxNesting is how many entries may wait for another one to be put. A reader
// has no such limit.
const maxNesting = 1000

// inProgress stands for the id of a value that is being put.
const inProgress = 1<<32 - 1

// builtWriting is a table in a run.
//
// Invariant: entries, then waiting, are the entries in the order of their ids.
type builtWriting[V comparable] struct {
	k       *Built[V]
	run     *unit.Run
	ids     map[V]uint32
	bytes   map[string]uint32 // of Cons: the entries
	values  []V               // by id, where there is an index
	n       uint32
	waiting []waiting
	raw     []byte      // what waiting has so far
	rests   []unit.Rest // what it lacks
	buffers [][]byte    // not in use
	entries unit.Entries
}

// waiting is an entry whose rests were not put: where it ends in raw and rests.
type waiting struct{ raw, rests int }

func (t *builtWriting[V]) Name() string           { return t.k.name }
func (t *builtWriting[V]) Entries() *unit.Entries { return &t.entries }

// Put puts a reference to the entry of v, and the entry before, if it is the
// first. Where v is being put already, further up, the error matches
// putget.ErrCycle; where a thousand others are, putget.ErrLimit.
func (k *Built[V]) Put(b *put.Builder, v V) {
	w := access.Writer(b)
	if w.Err != nil {
		return
	}
	t, ok := k.written(w).(*builtWriting[V])
	if !ok {
		t = &builtWriting[V]{k: k, run: w.Run, ids: map[V]uint32{}}
		if k.cons {
			t.bytes = map[string]uint32{}
		}
		if !k.write(w, t) {
			return
		}
	}
	if w.Marked() {
		w.Mark(k.mark)
	}
	if v == *new(V) {
		w.Uvarint(0)
		return
	}
	id, ok := t.ids[v]
	switch {
	case !ok:
		if id, ok = t.add(w, v); !ok {
			return
		}
	case id == inProgress:
		w.Failf(wire.ErrCycle, "a value of table %q leads back to itself, of type %T; leave the part that does for later with Rest", k.name, v)
		return
	}
	w.Uvarint(uint64(id) + 1)
}

// add makes the entry of v, which w refers to.
func (t *builtWriting[V]) add(w *unit.Writer, v V) (id uint32, ok bool) {
	if t.run.Nested >= maxNesting {
		w.Failf(wire.ErrLimit, "entries of tables nest %d levels deep; leave a part for later with Rest, or put long chains through a symtab.Table", maxNesting)
		return 0, false
	}
	if t.n >= maxEntries {
		w.Failf(wire.ErrLimit, "table %q has too many entries", t.k.name)
		return 0, false
	}
	t.ids[v] = inProgress
	t.run.Nested++
	b := access.TakeBuilder()
	inner := access.Writer(b)
	inner.Nest(w, t.takeBuffer(), t.k.name)
	rests := t.allowRests(inner)
	t.k.codec.Put(b, v)
	data, err := inner.Done()
	if err != nil {
		w.Fail(err)
		w.At("(" + t.k.name + ")")
		return 0, false
	}
	id = t.keep(v, data, rests)
	t.buffers = append(t.buffers, data)
	access.GiveBuilder(b)
	t.run.Nested--
	t.ids[v] = id
	return id, true
}

// takeBuffer is an empty buffer, one that was used where there is one.
func (t *builtWriting[V]) takeBuffer() []byte {
	n := len(t.buffers)
	if n == 0 {
		return nil
	}
	buf := t.buffers[n-1][:0]
	t.buffers = t.buffers[:n-1]
	return buf
}

func (t *builtWriting[V]) allowRests(w *unit.Writer) *unit.Rests {
	if t.k.cons {
		return nil
	}
	return w.Activate(unit.RestSlot, func() unit.Resetter { return new(unit.Rests) }).(*unit.Rests)
}

// keep gives the entry its id: the next, or that of an equal one.
func (t *builtWriting[V]) keep(v V, data []byte, rests *unit.Rests) uint32 {
	if t.k.cons {
		if id, ok := t.bytes[string(data)]; ok {
			return id
		}
		t.bytes[string(data)] = t.n
	}
	t.raw = append(t.raw, data...)
	if rests != nil {
		t.rests = append(t.rests, rests.List...)
	}
	t.waiting = append(t.waiting, waiting{len(t.raw), len(t.rests)})
	if t.k.index != nil {
		t.values = append(t.values, v)
	}
	t.n++
	return t.n - 1
}

// Drain puts the rests that wait, which may bring new entries.
func (t *builtWriting[V]) Drain() (bool, error) {
	if len(t.waiting) == 0 {
		return false, nil
	}
	b := access.TakeBuilder()
	var from waiting
	for i := 0; i < len(t.waiting); i++ {
		to := t.waiting[i]
		if err := t.assemble(b, from, to); err != nil {
			return false, err
		}
		from = to
	}
	access.GiveBuilder(b)
	clear(t.rests)
	t.waiting, t.raw, t.rests = t.waiting[:0], t.raw[:0], t.rests[:0]
	return true, nil
}

// assemble finishes the entry between from and to, the next one.
func (t *builtWriting[V]) assemble(b *put.Builder, from, to waiting) error {
	at := from.raw
	for _, rest := range t.rests[from.rests:to.rests] {
		place := from.raw + int(rest.At)
		t.entries.Blob = append(t.entries.Blob, t.raw[at:place]...)
		at = place
		w := access.Writer(b)
		w.Begin(t.run, t.takeBuffer(), t.run.Limits, t.run.Marks, t.k.name, t.entries.Len())
		rest.Put.(func(*put.Builder))(b)
		data, err := w.Done()
		if err != nil {
			return err
		}
		t.entries.Blob = binary.AppendUvarint(t.entries.Blob, uint64(len(data)))
		t.entries.Blob = append(t.entries.Blob, data...)
		t.buffers = append(t.buffers, data)
	}
	t.entries.Blob = append(t.entries.Blob, t.raw[at:to.raw]...)
	t.entries.End()
	return nil
}

// Close makes the table's index.
func (t *builtWriting[V]) Close() error {
	if t.k.index == nil {
		return nil
	}
	return t.k.index(t.run, len(t.values), func(id ID) V { return t.values[id] })
}

// builtReading is a table in a source.
type builtReading[V comparable] struct {
	k     *Built[V]
	src   *unit.Source
	sec   unit.Section
	pages pages[V]
	low   ID           // all entries before it are present
	errs  map[ID]error // of entries that are corrupt

	// The entry being decoded that began last, and the session's barrier then.
	// Entries from it on come after it.
	current ID
	barrier int // -1: none is
}

// A chain of entries that wait for each other is decoded by recursion only so
// far; beyond it, all that come before are decoded first, in order.
const (
	mostNested = 16
	mostDepth  = 256
)

// Get gets a value that Put put.
func (k *Built[V]) Get(r *get.Reader) (v V) {
	u := access.Reader(r)
	id := k.reference(u)
	if id == 0 {
		return v
	}
	id--
	t, ok := k.read(u).(*builtReading[V])
	if ok {
		if pg := t.pages.find(id); pg != nil && pg.state[id%pageLen] == present {
			return pg.values[id%pageLen]
		}
	} else if t = k.openIn(u); t == nil {
		return v
	}
	if !k.inRange(u, id, t.sec) {
		return v
	}
	v, err := t.need(u.Session, u, ID(id))
	u.Fail(err)
	return v
}

// ID gets a reference that Put put without decoding the entry, which Load can do
// later; ok is false where the zero value was put.
func (k *Built[V]) ID(r *get.Reader) (id ID, ok bool) {
	u := access.Reader(r)
	n := k.reference(u)
	if n == 0 {
		return 0, false
	}
	t, isOpen := k.read(u).(*builtReading[V])
	if !isOpen {
		if t = k.openIn(u); t == nil {
			return 0, false
		}
	}
	return ID(n - 1), k.inRange(u, n-1, t.sec)
}

// Len is the number of entries that a document has.
func (k *Built[V]) Len(d Document) (int, error) { return k.len(d) }

// Load decodes entry id of a document, with all that it refers to, or returns
// what was decoded before. d may be the Reader of a Get: the rests of the entry
// then wait for their phase, as they do after Built.Get.
func (k *Built[V]) Load(d Document, id ID) (v V, err error) {
	src := d.Source()
	if t, ok := src.Table(k.slot).(*builtReading[V]); ok {
		if v, ok := t.pages.peek(id); ok {
			return v, nil
		}
	}
	err = k.demand(d, func(s *unit.Session, u *unit.Reader) error {
		t, ok := src.Table(k.slot).(*builtReading[V])
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
		v, err = t.need(s, u, id)
		return err
	})
	if err != nil {
		return *new(V), err
	}
	return v, nil
}

func (k *Built[V]) openIn(u *unit.Reader) *builtReading[V] {
	sec := k.open(u)
	if sec == nil {
		return nil
	}
	return k.opened(u.Source, sec)
}

func (k *Built[V]) opened(src *unit.Source, sec unit.Section) *builtReading[V] {
	t := &builtReading[V]{k: k, src: src, sec: sec, barrier: -1}
	src.SetTable(k.slot, t)
	return t
}

// need decodes entry id, which is in range, if it was not; u, if not nil, waits for it.
func (t *builtReading[V]) need(s *unit.Session, u *unit.Reader, id ID) (v V, err error) {
	t.pages.grow(t.sec.Len())
	pg := t.pages.at(id)
	switch {
	case pg.state[id%pageLen] == present:
		return pg.values[id%pageLen], nil
	case pg.state[id%pageLen] == building, t.barrier == s.Barrier && id >= t.current:
		return v, &wire.Error{Class: wire.ErrCorrupt, Unit: unit.UnitName(t.k.name, int(id)), Msg: "the entry is needed by one that comes before it"}
	}
	first := id
	// Not where a Rest is run early: what comes before may need what waits for it.
	if s.Barrier == 0 && (s.Nested >= mostNested || (u != nil && u.Depth() > mostDepth)) {
		first = t.low
	}
	if u != nil {
		if !u.Suspend() {
			return v, u.Err
		}
		defer u.Resume()
	}
	for i := first; i <= id; i++ {
		if t.pages.state(i) != absent {
			continue
		}
		if err := t.build(s, i); err != nil {
			return v, err
		}
	}
	if first == t.low {
		t.low = id + 1
	}
	return pg.values[id%pageLen], nil
}

// build decodes entry id.
func (t *builtReading[V]) build(s *unit.Session, id ID) error {
	if err := t.errs[id]; err != nil {
		return err
	}
	data, err := t.sec.Entry(int(id))
	if err != nil {
		return err
	}
	if len(t.pages.fresh) == 0 {
		s.Touch(t)
	}
	pg := t.pages.begin(id)
	current, barrier := t.current, t.barrier
	t.current, t.barrier = id, s.Barrier
	r := access.TakeReader()
	u := access.Reader(r)
	u.Begin(t.src, s, data, t.src.Limits, t.src.Marks, t.k.name, int(id))
	v := t.k.codec.Get(r)
	if err := u.Done(); err != nil {
		if permanent(err, t.k.name, id) {
			if t.errs == nil {
				t.errs = map[ID]error{}
			}
			t.errs[id] = err
		}
		return err
	}
	access.GiveReader(r)
	t.current, t.barrier = current, barrier
	pg.values[id%pageLen], pg.state[id%pageLen] = v, present
	return nil
}

// Fill has nothing to do: entries are complete when they are there.
func (t *builtReading[V]) Fill(*unit.Session) error { return nil }

func (t *builtReading[V]) Publish() { t.pages.publish() }

func (t *builtReading[V]) Rollback() {
	t.pages.rollback()
	t.low, t.barrier = 0, -1
}
