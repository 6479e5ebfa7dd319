package symtab

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"sync"

	"github.com/putget/putget/get"
	"github.com/putget/putget/internal/access"
	"github.com/putget/putget/internal/unit"
	"github.com/putget/putget/internal/wire"
	"github.com/putget/putget/put"
)

// Strings puts strings so that within a document or stream each is put once,
// and after that by its number. It is a key: immutable, and safe for
// concurrent use.
type Strings struct {
	key
	spare sync.Pool // of *stringsWriting
	known []string
	fresh numbers // of the known strings
}

// NewStrings makes a key, for a package-level variable: it takes a few bytes in
// every run for as long as the program runs. The name is the table's name in
// the document, where it must be the only one.
//
// The known strings are part of what writer and reader agree on, like the
// codec itself: they have the first numbers and take no space in the document.
// NewStrings panics if they are not distinct. The list may grow at its end
// without a change of meaning only if nothing but known strings was ever put.
func NewStrings(name string, known ...string) *Strings {
	k := &Strings{key: newKey(name, "Strings"), known: known}
	k.fresh.size(minSlots)
	for _, s := range known {
		if _, ok := k.fresh.find(s); ok {
			panic("symtab: strings " + name + ": known string " + s + " is listed twice")
		}
		k.fresh.insert(s)
	}
	return k
}

// Schema describes what writer and reader must agree on, the name and the known
// strings, for a hash that becomes part of putget.Options.Schema.
func (k *Strings) Schema() string { return fmt.Sprintf("%q %q", k.name, k.known) }

// stringsWriting is a table of strings in a run.
type stringsWriting struct {
	k *Strings
	numbers
	entries unit.Entries
}

// numbers gives strings their numbers. Invariant: each of list is found from the
// slot on that its hash names, before an empty one, or where there is none
// within the first few, in more.
type numbers struct {
	list  []string
	slots []slot // probes-1 more than a power of two, of which half are used at most
	shift uint8  // 64 - log2 of that
	more  map[string]uint32
}

// slot is 1 + the number of a string, 0 where there is none, and some more
// bits of its hash.
type slot struct{ after, bits uint32 }

const (
	minSlots = 1 << 8
	// probes bounds the search for a string. Those of a flood, which all have
	// one hash, end up in a Go map, whose hash nobody knows.
	probes = 8
)

func (t *stringsWriting) Name() string           { return t.k.name }
func (t *stringsWriting) Entries() *unit.Entries { return &t.entries }
func (t *stringsWriting) Drain() (bool, error)   { return false, nil }

// Put puts the number of s.
func (k *Strings) Put(b *put.Builder, s string) {
	w := access.Writer(b)
	if w.Err != nil {
		return
	}
	t, ok := k.written(w).(*stringsWriting)
	if !ok {
		t = k.newWriting()
		if !k.write(w, t) {
			return
		}
	}
	if w.Marked() {
		w.Mark(k.mark)
	}
	id, ok := t.number(s)
	if !ok {
		w.Failf(wire.ErrLimit, "table %q has too many entries", k.name)
		return
	}
	w.Uvarint(uint64(id))
}

// number is the number of s, a new one if it was not put before; false where
// there are no more.
func (t *stringsWriting) number(s string) (uint32, bool) {
	n, ok := t.find(s)
	if !ok {
		if n = uint32(len(t.list)); n >= maxEntries {
			return 0, false
		}
		t.insert(s)
		t.entries.Blob = append(t.entries.Blob, s...)
		t.entries.End()
	}
	return n, true
}

// find is the number of s, if it has one.
func (t *numbers) find(s string) (uint32, bool) {
	h := hash(s)
	i := h >> (t.shift & 63)
	for _, at := range t.slots[i : i+probes] {
		if at.after == 0 {
			return 0, false
		}
		if at.bits == uint32(h) && t.list[at.after-1] == s {
			return at.after - 1, true
		}
	}
	n, ok := t.more[s]
	return n, ok
}

// insert gives s, which has none, the next number.
func (t *numbers) insert(s string) {
	t.list = append(t.list, s)
	if 2*len(t.list) <= len(t.slots) {
		t.place(uint32(len(t.list)))
		return
	}
	t.size(4 * (len(t.slots) - probes + 1))
	for i := range t.list {
		t.place(uint32(i + 1))
	}
}

// size makes n slots, all empty.
func (t *numbers) size(n int) {
	t.slots = slices.Grow(t.slots[:0], n+probes-1)[:n+probes-1]
	clear(t.slots)
	clear(t.more)
	t.shift = uint8(64 - bits.TrailingZeros(uint(n)))
}

// place makes a string of list found.
func (t *numbers) place(after uint32) {
	s := t.list[after-1]
	h := hash(s)
	i := h >> (t.shift & 63)
	slots := t.slots[i : i+probes]
	for j := range slots {
		if slots[j].after == 0 {
			slots[j] = slot{after, uint32(h)}
			return
		}
	}
	if t.more == nil {
		t.more = map[string]uint32{}
	}
	t.more[s] = after - 1
}

// hash mixes the length and the first and last bytes of s (Knuth 6.4).
func hash(s string) uint64 {
	var h uint64
	switch n := len(s); {
	case n >= 8:
		h = load64(s) ^ bits.RotateLeft64(load64(s[n-8:]), 23)
	case n >= 4:
		h = uint64(load32(s)) | uint64(load32(s[n-4:]))<<32
	case n > 0:
		h = uint64(s[0]) | uint64(s[n/2])<<8 | uint64(s[n-1])<<16
	}
	return (h ^ uint64(len(s))<<56) * golden
}

func load32(s string) uint32 {
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

func load64(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// newWriting is a table with the known strings.
func (k *Strings) newWriting() *stringsWriting {
	t, ok := k.spare.Get().(*stringsWriting)
	if !ok {
		t = &stringsWriting{k: k}
	}
	t.list = append(t.list, k.fresh.list...)
	t.slots = append(t.slots, k.fresh.slots...)
	t.shift = k.fresh.shift
	for s, n := range k.fresh.more {
		if t.more == nil {
			t.more = map[string]uint32{}
		}
		t.more[s] = n
	}
	return t
}

// Release keeps the memory of a table that was not large.
func (t *stringsWriting) Release() {
	const most = 1 << 12 // strings
	if len(t.list) > most || cap(t.entries.Blob) > 64*most {
		return
	}
	clear(t.list)
	clear(t.more)
	t.list, t.slots = t.list[:0], t.slots[:0]
	t.entries.Reset()
	t.k.spare.Put(t)
}

// in is the table in a run.
func (k *Strings) in(run *unit.Run) (*stringsWriting, error) {
	if t, ok := run.Table(k.slot).(*stringsWriting); ok {
		return t, nil
	}
	t := k.newWriting()
	return t, run.AddTable(k.slot, t)
}

const golden = 0x9e3779b97f4a7c15

// stringsReading is a table of strings in a source. Strings are decoded one by
// one, each once, until so many were that all of them together would have cost
// less: then text is a copy of the whole table, and strings are parts of it.
// So at no time has it cost more than twice the cheaper way.
type stringsReading struct {
	strs []string // of all numbers, for Text
	k    *Strings
	sec  unit.Section
	text string
	n    uint64 // strings in text; 0 before there is text
	ends []byte // 0, then the end of each in text, wide bytes each, then padding
	wide uint64

	pages  pages[string]
	single int  // strings in pages
	size   int  // and their bytes
	apart  bool // there is no text to be had
}

// Get gets a string that Put put. Where a good part of a document's strings is
// used, all are parts of one copy of the table, which keeping one of them keeps.
func (k *Strings) Get(r *get.Reader) string {
	u := access.Reader(r)
	id := k.reference(u)
	if id < uint64(len(k.known)) {
		if u.Err != nil {
			return ""
		}
		return k.known[id]
	}
	if u.Err != nil {
		return ""
	}
	t, ok := k.read(u).(*stringsReading)
	if !ok {
		sec := k.open(u)
		if sec == nil {
			return ""
		}
		t = &stringsReading{k: k, sec: sec}
		u.Source.SetTable(k.slot, t)
	}
	id -= uint64(len(k.known))
	if s, ok := t.part(id); ok {
		return s
	} else if pg := t.pages.find(id); pg != nil && pg.state[id%pageLen] == present {
		return pg.values[id%pageLen]
	}
	if !k.inRange(u, id, t.sec) {
		return ""
	}
	s, err := t.decode(ID(id))
	u.Fail(err)
	return s
}

// part is string id of the text; false if there is none.
func (t *stringsReading) part(id uint64) (string, bool) {
	if id >= t.n {
		return "", false
	}
	at := id * t.wide
	start := binary.LittleEndian.Uint64(t.ends[at:])
	if shift := 8 * t.wide; shift <= 32 {
		mask := uint64(1)<<shift - 1
		return t.text[start&mask : start>>shift&mask], true
	}
	mask := ^uint64(0) >> (64 - 8*t.wide)
	end := binary.LittleEndian.Uint64(t.ends[at+t.wide:])
	return t.text[start&mask : end&mask], true
}

func littleEndian(p []byte) (v uint64) {
	for i, b := range p {
		v |= uint64(b) << (8 * i)
	}
	return v
}

// decode is string id, which is in range and was not decoded before.
func (t *stringsReading) decode(id ID) (string, error) {
	if t.apart || !t.worthwhile() {
		return t.alone(id)
	}
	if err := t.whole(); err != nil || t.apart { // one entry may be good where not all are
		return t.alone(id)
	}
	s, _ := t.part(uint64(id))
	return s, nil
}

// worthwhile reports whether all strings cost no more than those decoded so
// far: one alone costs about as much as 512 bytes of the whole. The size of the
// whole is a guess from what is known. The head start of 8 is for small tables.
func (t *stringsReading) worthwhile() bool {
	n := int64(t.single) + 8
	return n*512 >= int64(t.sec.Len())*(int64(t.size)+8*8)/n
}

// alone decodes string id without the others.
func (t *stringsReading) alone(id ID) (string, error) {
	data, err := t.sec.Entry(int(id))
	if err != nil {
		return "", err
	}
	s := string(data)
	t.single++
	t.size += len(s)
	t.pages.grow(t.sec.Len())
	pg := t.pages.at(id)
	pg.values[id%pageLen], pg.state[id%pageLen] = s, present
	return s, nil
}
