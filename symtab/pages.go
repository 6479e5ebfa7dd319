package symtab

import "sync/atomic"

// pages holds what was decoded of a table, by id, in pages that are made when
// they are first needed, so that opening costs nothing for each entry.
//
// Everything but peek happens under the domain's lock. Invariant: an entry is
// published after it is complete, and neither changes nor goes from then on.
type pages[V any] struct {
	list   []atomic.Pointer[page[V]]
	shared atomic.Pointer[[]atomic.Pointer[page[V]]] // list, for peek
	fresh  []ID                                      // made in this session, in order
}

const pageLen = 256 // a page of pointers is 2.3 KiB

type page[V any] struct {
	published [pageLen / 64]atomic.Uint64 // a bit an entry
	state     [pageLen]state
	values    [pageLen]V
}

type state uint8

const (
	absent state = iota
	building
	present // made in this session or published
)

// grow makes room for n entries: the tables of a stream grow.
func (p *pages[V]) grow(n int) {
	for need := (n + pageLen - 1) / pageLen; len(p.list) < need; {
		list := make([]atomic.Pointer[page[V]], max(need, 2*len(p.list)))
		for i := range p.list {
			list[i].Store(p.list[i].Load())
		}
		p.list = list
		p.shared.Store(&list)
	}
}

// peek is entry id if it is published. It takes no lock.
func (p *pages[V]) peek(id ID) (v V, ok bool) {
	list := p.shared.Load()
	if i := int(id / pageLen); list != nil && i < len(*list) {
		if pg := (*list)[i].Load(); pg != nil && pg.published[id%pageLen/64].Load()>>(id%64)&1 != 0 {
			return pg.values[id%pageLen], true
		}
	}
	return v, false
}

// find is the page of entry id, nil if it was not made or the id is out of range.
func (p *pages[V]) find(id uint64) *page[V] {
	if i := id / pageLen; i < uint64(len(p.list)) {
		return p.list[i].Load()
	}
	return nil
}

// at is the page of entry id, which is in range.
func (p *pages[V]) at(id ID) *page[V] {
	slot := &p.list[id/pageLen]
	pg := slot.Load()
	if pg == nil {
		pg = new(page[V])
		slot.Store(pg)
	}
	return pg
}

func (p *pages[V]) state(id ID) state {
	if pg := p.find(uint64(id)); pg != nil {
		return pg.state[id%pageLen]
	}
	return absent
}

// set makes entry id present.
func (p *pages[V]) set(id ID, v V) {
	if p.fresh == nil {
		p.fresh = make([]ID, 0, 64)
	}
	pg := p.at(id)
	pg.values[id%pageLen] = v
	pg.state[id%pageLen] = present
	p.fresh = append(p.fresh, id)
}

// begin marks entry id as being made.
func (p *pages[V]) begin(id ID) *page[V] {
	pg := p.at(id)
	pg.state[id%pageLen] = building
	p.fresh = append(p.fresh, id)
	return pg
}

// publish shows everyone what the session made.
func (p *pages[V]) publish() {
	for i := 0; i < len(p.fresh); {
		id := p.fresh[i]
		pg := p.at(id)
		word := id % pageLen / 64
		var bits uint64
		for ; i < len(p.fresh) && p.fresh[i]/64 == id/64; i++ {
			bits |= 1 << (p.fresh[i] % 64)
		}
		pg.published[word].Or(bits)
	}
	p.forget()
}

// rollback takes back what the session made.
func (p *pages[V]) rollback() {
	for _, id := range p.fresh {
		pg := p.at(id)
		pg.values[id%pageLen] = *new(V)
		pg.state[id%pageLen] = absent
	}
	p.forget()
}

// forget keeps no large list: a session of ten million entries is no reason to.
func (p *pages[V]) forget() {
	if p.fresh = p.fresh[:0]; cap(p.fresh) > 1<<12 {
		p.fresh = nil
	}
}
