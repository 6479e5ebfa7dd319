package identity

import (
	"math/bits"
	"unsafe"
)

// Map numbers the distinct pointers it is shown: 0, 1, 2 ... in order of first
// sight. The zero value is ready. It keeps every variable it was shown alive
// until Reset.
//
// Pointers cost 8 bytes each and regions 21 to 43. A region is 64 granules, a
// granule the largest power of two that is at most the size of T and at most
// 64: for a struct of 16 to 31 bytes a region is 1 KiB. A region with more than
// one pointer has a page of 256 bytes. So one pointer in each region costs up to
// 51 bytes, two up to 160 each, the worst case; neighbours without gaps cost 8
// bytes each and 5 for each granule they span. To this comes less than a chunk
// of pages, 1 MiB, and in small Maps as much again as is in use.
//
// Pointers closer together than a granule overlap (*[4]int into one []int, say,
// or fields of T itself). One of each granule is served as fast as any, the
// others from an ordinary Go map.
type Map[T any] struct {
	// The region with a page that was used last, and that page; 0 and nil if
	// none. A page moves only when pages.add is called, which is before this
	// is set anew.
	lastRegion uintptr
	lastPage   *page

	list    chunks[*T]    // by id
	regions table[place]  // by region
	pages   chunks[page]  // in order of first use
	odd     map[*T]uint32 // pointers whose granule was taken by another, until Reset
}

const (
	pageBits  = 6 // 5 is slower in any order, 7 hardly faster, and takes twice as much when sparse
	pageSlots = 1 << pageBits
)

// A page has id+1 of the first pointer seen in each granule of a region, or 0.
type page [pageSlots]uint32

// A place says where the ids of a region are. Both zero: it was not seen yet.
type place struct {
	page uint32 // 1 + index of its page, or 0
	only uint32 // 1 + id of the pointer seen there, while there is no page
}

// MaxLen is how many pointers a Map can number.
const MaxLen = maxLen

// split returns the region of an address, which is never 0, and the slot of its
// granule within a page.
func split[T any](p *T) (region, slot uintptr) {
	var zero T
	shift := bits.Len(uint(min(unsafe.Sizeof(zero), 64))) - 1 // a constant to the compiler
	granule := uintptr(unsafe.Pointer(p)) >> (shift & 63)
	return granule>>pageBits + 1, granule % pageSlots
}

// ID returns the number of p and whether this is its first sight. Nil is a
// pointer like any other. ID panics if T has size zero, and at pointer number
// MaxLen.
func (m *Map[T]) ID(p *T) (id uint32, isNew bool) {
	region, slot := split(p)
	if region != m.lastRegion {
		if id, isNew, alone := m.turn(p, region); alone {
			return id, isNew
		}
	}
	entry := &m.lastPage[slot]
	if *entry == 0 {
		id = m.add(p)
		*entry = id + 1
		return id, true
	}
	if id = *entry - 1; *m.list.at(id) == p {
		return id, false
	}
	return m.overlapping(p)
}

// turn makes region, that of p, the last one. If p is alone there, turn returns
// its number instead: such a region needs no page.
func (m *Map[T]) turn(p *T, region uintptr) (id uint32, isNew, alone bool) {
	at := m.regions.find(region)
	if at.page == 0 {
		if at.only == 0 {
			if unsafe.Sizeof(*p) == 0 {
				panic("identity: variables of size zero have no identity")
			}
			id = m.add(p)
			at.only = id + 1
			return id, true, true
		}
		first := *m.list.at(at.only - 1)
		if first == p {
			return at.only - 1, false, true
		}
		page := m.pages.add()
		clear(page[:])
		_, slot := split(first)
		page[slot] = at.only
		at.page = uint32(m.pages.n)
	}
	m.lastRegion, m.lastPage = region, m.pages.at(at.page-1)
	return 0, false, false
}

// overlapping is ID for a pointer whose granule has another. Since slots keep
// their pointer until Reset, it is in m.odd if it was seen before.
func (m *Map[T]) overlapping(p *T) (id uint32, isNew bool) {
	if id, ok := m.odd[p]; ok {
		return id, false
	}
	if m.odd == nil {
		m.odd = make(map[*T]uint32)
	}
	id = m.add(p)
	m.odd[p] = id
	return id, true
}

func (m *Map[T]) add(p *T) (id uint32) {
	id = uint32(m.list.n)
	*m.list.add() = p
	return id
}

// Find returns the number of p if it was seen before. It numbers nothing.
func (m *Map[T]) Find(p *T) (id uint32, ok bool) {
	region, slot := split(p)
	at := m.regions.peek(region)
	switch {
	case at == nil:
		return 0, false
	case at.page == 0:
		id = at.only
	default:
		id = m.pages.at(at.page - 1)[slot]
	}
	if id == 0 {
		return 0, false
	}
	if id--; *m.list.at(id) == p {
		return id, true
	}
	id, ok = m.odd[p]
	return id, ok
}

// Len returns how many pointers were numbered since the last Reset.
func (m *Map[T]) Len() int { return m.list.n }

// At returns the pointer with number id, which must be less than Len.
func (m *Map[T]) At(id uint32) *T {
	if int64(id) >= int64(m.list.n) {
		panic("identity: no such number")
	}
	return *m.list.at(id)
}

// Reset forgets all pointers.
func (m *Map[T]) Reset() {
	m.lastRegion, m.lastPage = 0, nil
	m.list.clear()
	m.list.reset()
	m.pages.reset() // turn clears a page when it gives it to a region
	m.regions.reset()
	if len(m.odd) > 256 {
		m.odd = nil // a Go map never shrinks, and clear visits all of it
	}
	clear(m.odd)
}
