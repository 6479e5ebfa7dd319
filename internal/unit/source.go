package unit

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/putget/putget/internal/wire"
)

// Source is a document or stream being read: what its units share.
type Source struct {
	Env    []any
	Limits wire.Limits
	Marks  bool
	Domain *Domain
	Size   int64 // bytes of the document; 0 for a stream

	// Section finds the bytes of the table of a name; nil where there are none.
	Section func(name string) (Section, error)

	tables atomic.Pointer[[]atomic.Value] // by key index
}

// Section is the bytes of one table. It is used under the domain's lock.
type Section interface {
	// Len is the number of entries.
	Len() int
	// Entry gives the bytes of entry id, checked against their checksum. 0 <= id < Len.
	Entry(id int) ([]byte, error)
	// Packed gives the whole table, checked; ok is false where it is not in one piece.
	Packed() (p Packed, ok bool, err error)
}

// Packed is a whole table: where each entry ends, Width bytes each,
// little-endian, ascending, the last at the end of the blob; and the entries
// back to back.
type Packed struct {
	Ends  []byte
	Width int
	Blob  []byte
}

// Table is the reading state of table key i, nil before its first use. It
// takes no lock. A bare unit has no source and no tables.
func (s *Source) Table(i int) any {
	if s == nil {
		return nil
	}
	if t := s.tables.Load(); t != nil && i < len(*t) {
		return (*t)[i].Load()
	}
	return nil
}

// SetTable makes t the reading state of table key i, for good. The domain's
// lock is held.
func (s *Source) SetTable(i int, t any) {
	tables := s.tables.Load()
	if tables == nil || i >= len(*tables) {
		larger := make([]atomic.Value, Tables.Len())
		if tables != nil {
			for j := range *tables {
				if v := (*tables)[j].Load(); v != nil {
					larger[j].Store(v)
				}
			}
		}
		tables = &larger
		s.tables.Store(tables)
	}
	(*tables)[i].Store(t)
}

// Domain is what documents that refer to each other share: one lock, held for
// the time of a session.
type Domain struct {
	mu      sync.Mutex
	session Session
}

// Do runs a session: fn makes the demand; then what waits is filled, the phases
// run, and everything is published. An error or a panic takes all of it back.
//
// fn and the codecs it calls must not call Do of the same domain: it would wait
// for itself.
func (d *Domain) Do(fn func(*Session) error) (err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := &d.session
	ok := false
	defer func() { s.end(ok) }()
	if err = fn(s); err == nil {
		err = s.Finish()
	}
	ok = err == nil
	return err
}

// Session is one demand from outside: a root, a lookup, a cell that is forced.
//
// Invariant: between sessions everything is empty but slots.
type Session struct {
	slots   []Resetter // by key index, like a unit's
	touched []Filler   // in order of first touch
	waiting []Filler   // those that have bodies to decode
	phases  []phase    // ascending

	// Spent is what the session has spent of Limits.Free.
	Spent int
	// Serial tells the sessions of a domain apart.
	Serial uint64
	// Nested is how many units wait for another one to be decoded, and Depth
	// the sum of their depths, each counted as one more; see Reader.Suspend.
	Nested, Depth int
	// Barrier is how many of them wait for a Rest that is run early: what
	// that needs does not come before the entries that wait.
	Barrier int
}

// Filler is a table being read, as a session sees it. It keeps the ids of the
// entries that the session has made: Touch is for the first of them only.
type Filler interface {
	Fill(s *Session) error // decode the bodies of all stubs
	Publish()              // everyone may see what the session made
	Rollback()             // nobody ever saw it
}

type phase struct {
	number int
	queue  []func() error
	done   int
}

// Slot is the session's own state of key i, made on its first use and reset
// after the session.
func (s *Session) Slot(i int, make func() Resetter) Resetter {
	if n := Sessions.Len(); len(s.slots) <= i {
		s.slots = slices.Grow(s.slots, n-len(s.slots))[:n]
	}
	if s.slots[i] == nil {
		s.slots[i] = make()
	}
	return s.slots[i]
}

// Touch notes that the session has made entries of t, which it publishes or
// takes back. Once a session and table.
func (s *Session) Touch(t Filler) { s.touched = append(s.touched, t) }

// Wait notes that t has bodies to decode. Once until it is filled.
func (s *Session) Wait(t Filler) { s.waiting = append(s.waiting, t) }

// Phase queues fn for a phase.
func (s *Session) Phase(number int, fn func() error) {
	i, ok := slices.BinarySearchFunc(s.phases, number, func(p phase, n int) int { return cmp.Compare(p.number, n) })
	if !ok {
		s.phases = slices.Insert(s.phases, i, phase{number: number})
	}
	p := &s.phases[i]
	p.queue = append(p.queue, fn)
}

// Finish fills what waits and runs the phases, the lowest that is not done
// first, until nothing is left.
func (s *Session) Finish() error {
	for {
		for len(s.waiting) > 0 {
			n := len(s.waiting) - 1
			t := s.waiting[n]
			s.waiting = s.waiting[:n]
			if err := t.Fill(s); err != nil {
				return err
			}
		}
		fn := s.nextPhase()
		if fn == nil {
			return nil
		}
		if err := fn(); err != nil {
			return err
		}
	}
}

func (s *Session) nextPhase() func() error {
	for i := range s.phases {
		if p := &s.phases[i]; p.done < len(p.queue) {
			fn := p.queue[p.done]
			p.queue[p.done] = nil
			if p.done++; p.done == len(p.queue) {
				p.queue, p.done = p.queue[:0], 0
			}
			return fn
		}
	}
	return nil
}

// end publishes what the session made, or takes it back, and drops the rest.
func (s *Session) end(ok bool) {
	for _, t := range s.touched {
		if ok {
			t.Publish()
		} else {
			t.Rollback()
		}
	}
	s.reset()
}

func (s *Session) reset() {
	clear(s.touched)
	clear(s.waiting)
	s.touched, s.waiting, s.phases = s.touched[:0], s.waiting[:0], nil
	s.Serial++
	s.Nested, s.Depth, s.Barrier, s.Spent = 0, 0, 0, 0
	for _, c := range s.slots {
		if c != nil {
			c.Reset()
		}
	}
}
