package unit

import (
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

	// Section finds the bytes of the table of a name; nil where there are none.
	Section func(name string) (Section, error)

	tables atomic.Pointer[[]any] // by key index; replaced, never changed, under the domain's lock
}

// Section is the bytes of one table.
type Section interface {
	// Len is the number of entries.
	Len() int
	// Entry gives the bytes of entry id, checked against their checksum. 0 <= id < Len.
	Entry(id int) ([]byte, error)
	// Packed gives the whole table, checked; ok is false where it is not in one piece.
	Packed() (p Packed, ok bool, err error)
}

// Packed is a whole table: where each entry ends, Width bytes each,
// little-endian, and the entries back to back.
type Packed struct {
	Ends  []byte
	Width int
	Blob  []byte
}

// Table is the reading state of table key i, nil before its first use. It
// takes no lock.
func (s *Source) Table(i int) any {
	if t := s.tables.Load(); t != nil && i < len(*t) {
		return (*t)[i]
	}
	return nil
}

// SetTable makes t the reading state of table key i. The domain's lock is held.
func (s *Source) SetTable(i int, t any) {
	var tables []any
	if old := s.tables.Load(); old != nil {
		tables = slices.Clone(*old)
	}
	for len(tables) <= i {
		tables = append(tables, nil)
	}
	tables[i] = t
	s.tables.Store(&tables)
}

// Domain is what documents that refer to each other share: one lock, held for
// the time of a session.
type Domain struct {
	mu      sync.Mutex
	session Session
}

// Do runs a session: fn makes the demand; then what waits is filled, the phases
// run, and everything is published. An error or a panic takes all of it back.
func (d *Domain) Do(fn func(*Session) error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := &d.session
	s.reset()
	defer s.rollback() // nothing to take back after publish
	if err := fn(s); err != nil {
		return err
	}
	if err := s.Finish(); err != nil {
		return err
	}
	s.publish()
	s.reset()
	return nil
}

// Session is one demand from outside: a root, a lookup, a cell that is forced.
type Session struct {
	// Spare keeps readers for reuse; package get knows their type.
	Spare []any

	slots   []Resetter // by key index, like a unit's
	work    []task
	done    int // tasks before it are done
	phases  []phase
	touched []touch
}

// Filler is a table being read, as a session sees it.
type Filler interface {
	Fill(s *Session, id uint32) error // decode the body of a stub
	Publish(id uint32)                // everyone may see the entry
	Rollback(id uint32)               // nobody ever saw it
}

type task struct {
	table Filler
	id    uint32
}

type touch = task

type phase struct {
	number int
	queue  []func() error
	done   int
}

// Slot is the session's own state of key i, made on its first use and reset
// after the session.
func (s *Session) Slot(i int, make func() Resetter) Resetter {
	for len(s.slots) <= i {
		s.slots = append(s.slots, nil)
	}
	if s.slots[i] == nil {
		s.slots[i] = make()
	}
	return s.slots[i]
}

// Touch notes that the session has made entry id, so that it is published or taken back.
func (s *Session) Touch(t Filler, id uint32) { s.touched = append(s.touched, touch{t, id}) }

// Later queues the filling of entry id, and notes it as Touch does.
func (s *Session) Later(t Filler, id uint32) {
	s.touched = append(s.touched, touch{t, id})
	s.work = append(s.work, task{t, id})
}

// Phase queues fn for a phase.
func (s *Session) Phase(number int, fn func() error) {
	i, ok := slices.BinarySearchFunc(s.phases, number, func(p phase, n int) int { return p.number - n })
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
		if err := s.fill(); err != nil {
			return err
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

func (s *Session) fill() error {
	for s.done < len(s.work) {
		t := s.work[s.done]
		if s.done++; s.done == len(s.work) {
			s.work, s.done = s.work[:0], 0
		}
		if err := t.table.Fill(s, t.id); err != nil {
			return err
		}
	}
	return nil
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

func (s *Session) publish() {
	for _, t := range s.touched {
		t.table.Publish(t.id)
	}
	s.touched = s.touched[:0]
}

func (s *Session) rollback() {
	for _, t := range s.touched {
		t.table.Rollback(t.id)
	}
	s.reset()
}

// reset drops what a session before left. Large lists go: a session of ten
// million entries is no reason to keep their memory.
func (s *Session) reset() {
	const keep = 1 << 12
	s.work, s.done = s.work[:0], 0
	s.touched = s.touched[:0]
	if cap(s.work) > keep {
		s.work = nil
	}
	if cap(s.touched) > keep {
		s.touched = nil
	}
	s.phases = nil
	for _, c := range s.slots {
		if c != nil {
			c.Reset()
		}
	}
}
