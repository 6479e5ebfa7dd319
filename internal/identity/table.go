package identity

import "math/bits"

// A table maps keys, which are never 0, to values by open addressing with
// linear probing. It is at most three quarters full.
type table[V any] struct {
	entries []entry[V] // none, or a power of two of them
	used    int        // how many have a key
	limit   int        // find makes the table grow when used has reached this
	shift   uint8      // 64 - log2(len(entries))
}

type entry[V any] struct {
	key   uintptr // 0: free
	value V
}

const minTable = 16

// full tells whether the next find will move the values.
func (t *table[V]) full() bool { return t.used >= t.limit }

// find returns the value of key, a new zero one if it had none. The pointer is
// good until a find on a full table or a reset.
func (t *table[V]) find(key uintptr) *V {
	if t.full() {
		t.resize(max(minTable, 2*len(t.entries)))
	}
	entries := t.entries
	mask := uint64(len(entries) - 1)
	// Fibonacci hashing (Knuth 6.4): consecutive keys, the usual case, land
	// further apart than a random function would put them.
	for i := uint64(key) * 0x9e3779b97f4a7c15 >> (t.shift & 63); ; i++ {
		e := &entries[i&mask]
		if e.key == key {
			return &e.value
		}
		if e.key == 0 {
			e.key = key
			t.used++
			return &e.value
		}
	}
}

// peek returns the value of key, nil if it has none. The pointer is good until a
// find on a full table or a reset.
func (t *table[V]) peek(key uintptr) *V {
	if t.used == 0 {
		return nil
	}
	mask := uint64(len(t.entries) - 1)
	for i := uint64(key) * 0x9e3779b97f4a7c15 >> (t.shift & 63); ; i++ {
		switch e := &t.entries[i&mask]; e.key {
		case key:
			return &e.value
		case 0:
			return nil
		}
	}
}

// resize moves what the table holds into n fresh entries.
func (t *table[V]) resize(n int) {
	old := t.entries
	t.entries = make([]entry[V], n)
	t.used = 0
	t.limit = n - n/4
	t.shift = uint8(64 - bits.TrailingZeros(uint(n)))
	for i := range old {
		if e := &old[i]; e.key != 0 {
			*t.find(e.key) = e.value
		}
	}
}

// reset empties the table: one that was used for an eighth or more is cleared,
// another gives way to a new one of half the size. The first is paid for by
// this run, all of the second together by the run that made the table grow.
func (t *table[V]) reset() {
	if n := len(t.entries); n > minTable && t.used < n/8 {
		t.entries = nil
		t.resize(n / 2)
		return
	}
	clear(t.entries)
	t.used = 0
}
