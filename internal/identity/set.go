package identity

import "unsafe"

// Set tells whether it was shown a pointer before. The zero value tells all
// pointers apart.
//
// A Set takes 21 to 43 bytes for each region of 64 granules in which it was
// shown a pointer: with Shift 4, for each KiB of variables that lie together.
//
// It holds no pointers. The caller must keep what it shows alive until Reset,
// or a new variable at an old address will seem seen.
type Set struct {
	// Shift is log2 of a granule. Pointers into the same granule are the same
	// to the Set: 4 is right for variables of at least 16 bytes, none of which
	// lies in another. Not to be changed between Resets.
	Shift uint8

	// The regions used last and their values, by the low bits of the region.
	// One is not enough as in Map: the nodes of a syntax tree have many sizes,
	// each allocated elsewhere, and three of four steps lead to another region
	// (7.3 ns a node; 3.0 with 64, 2.8 with 512).
	recent [64]struct {
		region uintptr // 0: none
		value  *uint64
	}
	regions table[uint64] // bit i: granule i of the region was seen

	escape unsafe.Pointer // always nil
}

// Add adds p to the set and returns whether it was there.
func (s *Set) Add(p unsafe.Pointer) (seen bool) {
	granule := uintptr(p) >> (s.Shift & 63)
	region := granule>>6 + 1 // never 0
	recent := &s.recent[region%uintptr(len(s.recent))]
	if recent.region != region {
		s.turn(p, region)
	}
	bit := uint64(1) << (granule & 63)
	seen = *recent.value&bit != 0
	*recent.value |= bit
	return seen
}

// turn makes region, that of p, a recent one.
func (s *Set) turn(p unsafe.Pointer, region uintptr) {
	// This makes the compiler put the caller's variable on the heap, where its
	// address cannot change. It does not keep it alive.
	s.escape = p
	s.escape = nil

	if s.regions.full() {
		clear(s.recent[:]) // find will move all values
	}
	recent := &s.recent[region%uintptr(len(s.recent))]
	recent.region, recent.value = region, s.regions.find(region)
}

// Reset empties the set.
func (s *Set) Reset() {
	clear(s.recent[:])
	s.regions.reset()
}
