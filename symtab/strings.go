package symtab

import (
	"math"
	"unsafe"

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
	known []string
	ids   map[string]uint32 // of known
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
	k := &Strings{key: newKey(name, "Strings"), known: known, ids: map[string]uint32{}}
	for i, s := range known {
		if _, ok := k.ids[s]; ok {
			panic("symtab: strings " + name + ": known string " + s + " is listed twice")
		}
		k.ids[s] = uint32(i)
	}
	return k
}

// stringsWriting is a table of strings in a run.
type stringsWriting struct {
	k       *Strings
	cache   []cached          // a power of two of them
	shift   uint8             // 64 - log2(len(cache))
	ids     map[string]uint32 // without the known
	entries unit.Entries
}

// cached is a string that was put before. Programs that intern their names, as
// compilers do, put the same strings, not just equal ones, again and again.
type cached struct {
	data *byte
	size uint32 // length+1; 0 where there is none
	id   uint32
}

const (
	minCache = 1 << 8
	maxCache = 1 << 16
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
		t = &stringsWriting{k: k, ids: map[string]uint32{}}
		if !k.write(w, t) {
			return
		}
		t.resize(minCache)
	}
	if w.Marked() {
		w.Mark(k.mark)
	}
	data := unsafe.StringData(s)
	c := &t.cache[uint64(uintptr(unsafe.Pointer(data)))*golden>>(t.shift&63)]
	if c.data != data || c.size != uint32(len(s))+1 || uint64(len(s)) >= math.MaxUint32 {
		id, ok := t.id(s)
		if !ok {
			w.Failf(wire.ErrLimit, "table %q has too many entries", k.name)
			return
		}
		if uint64(len(s)) >= math.MaxUint32 {
			c = new(cached)
		}
		*c = cached{data, uint32(len(s)) + 1, id}
	}
	w.Uvarint(uint64(c.id))
}

// golden spreads addresses over the cache (Knuth 6.4).
const golden = 0x9e3779b97f4a7c15

// id looks s up by its bytes, or gives it the next number.
func (t *stringsWriting) id(s string) (id uint32, ok bool) {
	if id, ok := t.k.ids[s]; ok {
		return id, true
	}
	if id, ok := t.ids[s]; ok {
		return id, true
	}
	n := len(t.k.known) + len(t.ids)
	if n >= maxEntries {
		return 0, false
	}
	if n > len(t.cache)/2 && n < maxCache {
		t.resize(4 * len(t.cache))
	}
	t.ids[s] = uint32(n)
	t.entries.Blob = append(t.entries.Blob, s...)
	t.entries.End()
	return uint32(n), true
}

// resize makes an empty cache of n strings.
func (t *stringsWriting) resize(n int) {
	t.cache = make([]cached, n)
	t.shift = 64
	for ; n > 1; n /= 2 {
		t.shift--
	}
}

// stringsReading is a table of strings in a source. Strings are decoded one by
// one, each once, until so many were that all of them together would have cost
// less: then text is a copy of the whole table, and strings are parts of it.
// So at no time has it cost more than twice the cheaper way.
type stringsReading struct {
	k    *Strings
	sec  unit.Section
	text string
	ends []byte // of each string in text, width bytes each; nil before there is text
	wide int

	pages  pages[string]
	single int  // strings in pages
	size   int  // and their bytes
	apart  bool // there is no text to be had
}

// Get gets a string that Put put.
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
		u.Source.SetTable(k.index, t)
	}
	id -= uint64(len(k.known))
	if t.ends != nil {
		if s, ok := t.part(id); ok {
			return s
		}
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
	wide := uint64(t.wide)
	if id >= uint64(len(t.ends))/wide {
		return "", false
	}
	var start, end uint64
	switch at := id * wide; {
	case wide == 2 && id > 0:
		p := t.ends[at-2 : at+2]
		start, end = uint64(p[0])|uint64(p[1])<<8, uint64(p[2])|uint64(p[3])<<8
	case wide == 3 && id > 0:
		p := t.ends[at-3 : at+3]
		start, end = uint64(p[0])|uint64(p[1])<<8|uint64(p[2])<<16, uint64(p[3])|uint64(p[4])<<8|uint64(p[5])<<16
	default:
		if id > 0 {
			start = littleEndian(t.ends[at-wide : at])
		}
		end = littleEndian(t.ends[at : at+wide])
	}
	return t.text[start:end], true
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
	if err := t.whole(); err != nil {
		return "", err
	}
	if t.apart {
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
