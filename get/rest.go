package get

import (
	"bytes"
	"sync"

	"github.com/putget/putget/internal/unit"
)

// Source is where the keys of package symtab find their tables, nil in a bare
// unit. Codecs have no use for it.
func (r *Reader) Source() *unit.Source { return r.u().Source }

// Rest gets what put.Builder.Rest left for later: fn decodes it, from a Reader
// of its own, in the given phase; see Later.
func (r *Reader) Rest(phase int, fn func(*Reader)) *Pending {
	r.u().Mark("Rest")
	data := r.u().Part()
	if r.u().Err != nil {
		return &Pending{state: failed}
	}
	if r.u().Streaming() {
		data = bytes.Clone(data)
	}
	p := &Pending{src: r.u().Source, session: r.u().Session, serial: r.u().Session.Serial, data: data, limits: r.u().Limits(), marks: r.u().Marked(), fn: fn}
	p.table, p.id = r.u().Unit()
	r.u().Session.Phase(phase, p.run)
	return p
}

// Pending is a rest that waits for its phase, or was decoded.
type Pending struct {
	src     *unit.Source
	session *unit.Session
	serial  uint64
	data    []byte
	limits  Limits
	marks   bool
	table   string
	id      int
	fn      func(*Reader)
	state   pendingState
}

type pendingState uint8

const (
	waiting pendingState = iota
	running
	done
	failed
)

// Now decodes the rest at once, before its phase, where r's codec needs what
// it brings. It reports whether the rest is decoded: false after an error, and
// where it is being decoded further up, which is a cycle.
func (p *Pending) Now(r *Reader) bool {
	s := r.u().Session
	if p.state != waiting || p.session != s || p.serial != s.Serial {
		return p.state == done
	}
	if !r.u().Suspend() {
		return false
	}
	s.Barrier++
	err := p.run()
	s.Barrier--
	r.u().Resume()
	r.Fail(err)
	return err == nil
}

var readers = sync.Pool{New: func() any { return new(Reader) }}

func (p *Pending) run() error {
	if p.state != waiting {
		return nil
	}
	p.state = running
	r := readers.Get().(*Reader) // a panic of fn keeps it from being reused
	r.u().Begin(p.src, p.session, p.data, p.limits, p.marks, p.table, p.id)
	p.fn(r)
	err := r.u().Done()
	r.u().Begin(nil, nil, nil, Limits{}, false, "", -1) // drops all references
	readers.Put(r)
	p.state, p.data, p.fn = done, nil, nil
	if err != nil {
		p.state = failed
	}
	return err
}
