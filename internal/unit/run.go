package unit

import (
	"slices"

	"github.com/putget/putget/internal/wire"
)

// Run is what the units of one document or stream being written share.
type Run struct {
	Env    []any
	Limits wire.Limits
	Marks  bool
	Spent  int // of Limits.Free; a stream starts anew with each root
	Nested int // units that wait for another one to be put

	tables []Table // by key index, nil before the first use
	order  []Table // in order of first use
	slots  []any   // by session key index
}

// Table is a table being written.
type Table interface {
	Name() string
	// Drain writes the bodies of entries that wait, and reports whether there were any.
	Drain() (bool, error)
	// Entries are the finished entries.
	Entries() *Entries
}

// Table is the table of key i, nil before its first use.
func (r *Run) Table(i int) Table {
	if i < len(r.tables) {
		return r.tables[i]
	}
	return nil
}

// AddTable makes t the table of key i. Two keys of one name are an error.
func (r *Run) AddTable(i int, t Table) error {
	if slices.ContainsFunc(r.order, func(o Table) bool { return o.Name() == t.Name() }) {
		return &wire.Error{Class: wire.ErrValue, Msg: "two tables are named " + t.Name() + "; names are the keys of a document"}
	}
	if n := Tables.Len(); len(r.tables) <= i {
		r.tables = slices.Grow(r.tables, n-len(r.tables))[:n]
	}
	r.tables[i] = t
	r.order = append(r.order, t)
	return nil
}

// A Releaser is a table, or what a slot holds, whose memory serves again when
// the run is over. It must then hold no references to values.
type Releaser interface{ Release() }

// Reset ends the run for good and drops everything in it; r is as new, but for
// some of its memory.
func (r *Run) Reset() {
	for _, t := range r.order {
		if t, ok := t.(Releaser); ok {
			t.Release()
		}
	}
	for _, s := range r.slots {
		if s, ok := s.(Releaser); ok {
			s.Release()
		}
	}
	clear(r.tables)
	clear(r.order)
	clear(r.slots)
	*r = Run{tables: r.tables, order: r.order[:0], slots: r.slots}
}

// Order lists the tables in order of first use.
func (r *Run) Order() []Table { return r.order }

// Drain writes all bodies that wait, until none does.
func (r *Run) Drain() error {
	for again := true; again; {
		again = false
		for i := 0; i < len(r.order); i++ { // a body may bring a new table
			more, err := r.order[i].Drain()
			if err != nil {
				return err
			}
			again = again || more
		}
	}
	return nil
}

// A Closer is a table that is made of other tables when these are complete: an index.
type Closer interface{ Close() error }

// Finish ends the run of a document: all bodies are written, then the tables
// that are made of others. The run of a stream ends with Drain.
func (r *Run) Finish() error {
	if err := r.Drain(); err != nil {
		return err
	}
	for i := 0; i < len(r.order); i++ {
		if c, ok := r.order[i].(Closer); ok {
			if err := c.Close(); err != nil {
				return err
			}
		}
	}
	return nil
}

// Entries is the content of a table: units back to back, and where each ends.
//
// Invariant: ends ascends, and its last is len(Blob) where every entry is finished.
type Entries struct {
	Blob []byte
	Ends []uint64
	sent int // entries that a stream has sent: Blob and Ends begin after them
}

// Len is the number of entries, with those that were sent.
func (e *Entries) Len() int { return e.sent + len(e.Ends) }

// Sent drops the bytes of all entries, and keeps their number: a stream has
// sent them.
func (e *Entries) Sent() {
	e.sent += len(e.Ends)
	e.Blob, e.Ends = e.Blob[:0], e.Ends[:0]
}

// Reset makes e empty and keeps its memory.
func (e *Entries) Reset() { e.Blob, e.Ends, e.sent = e.Blob[:0], e.Ends[:0], 0 }

// End finishes the entry whose bytes were appended to Blob.
func (e *Entries) End() { e.Ends = append(e.Ends, uint64(len(e.Blob))) }

// Entry is the bytes of entry id, which is finished and was not sent. With Len and Packed it
// makes Entries a Section, for tests and for streams.
func (e *Entries) Entry(id int) ([]byte, error) {
	id -= e.sent
	var start uint64
	if id > 0 {
		start = e.Ends[id-1]
	}
	return e.Blob[start:e.Ends[id]:e.Ends[id]], nil
}

// Packed reports that the entries have no packed form in memory.
func (e *Entries) Packed() (Packed, bool, error) { return Packed{}, false, nil }

// Slot is the run's own state of session key i, made on its first use.
func (r *Run) Slot(i int, make func() any) any {
	if n := Sessions.Len(); len(r.slots) <= i {
		r.slots = slices.Grow(r.slots, n-len(r.slots))[:n]
	}
	if r.slots[i] == nil {
		r.slots[i] = make()
	}
	return r.slots[i]
}
