package symtab

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"iter"
	"slices"
	"sort"
	"strings"

	"github.com/putget/putget/internal/unit"
	"github.com/putget/putget/internal/wire"
)

// Index finds entries of a table by name, in a document, without decoding any:
// a search reads a few kilobytes. It is a key: immutable, and safe for
// concurrent use. Streams have no indexes.
type Index struct {
	key
	names *Strings
}

// Hit is what an Index knows of an entry.
type Hit struct {
	Name string
	Kind uint8
	ID   ID
}

// Indexed is a Table[T], with V = *T, a Built[V] or a Cons[V].
type Indexed[V any] interface {
	// setIndex makes the table call build when a document is complete.
	setIndex(build indexBuilder[V]) (table string)
}

type indexBuilder[V any] func(run *unit.Run, n int, value func(ID) V) error

// NewIndex makes a key for the index of a table, at package level, next to the
// table. A table has one index at most; its name is the table's with ".index"
// behind it. It is written with every document that has the table.
//
// The function tells an entry's name and kind, any number of the caller's own;
// ok is false for an entry that is not to be found. Names need not be distinct.
// They are put into names, of which the index has the numbers.
func NewIndex[V any](table Indexed[V], names *Strings, name func(V) (name string, kind uint8, ok bool)) *Index {
	k := &Index{names: names}
	k.key = newKey(table.setIndex(func(run *unit.Run, n int, value func(ID) V) error {
		var list []record
		for id := range n {
			if name, kind, ok := name(value(ID(id))); ok {
				list = append(list, record{name, kind, ID(id), 0})
			}
		}
		return k.build(run, list)
	})+".index", "Index")
	return k
}

func (k *Table[T]) setIndex(build indexBuilder[*T]) string { return setIndex(&k.key, &k.index, build) }
func (k *Built[V]) setIndex(build indexBuilder[V]) string  { return setIndex(&k.key, &k.index, build) }
func (k *Cons[V]) setIndex(build indexBuilder[V]) string   { return k.b.setIndex(build) }

func setIndex[V any](k *key, field *indexBuilder[V], build indexBuilder[V]) string {
	if *field != nil {
		panic("symtab: table " + k.name + " has an index already")
	}
	*field = build
	return k.name
}

// The index is a tree of the kind that databases have (a B-tree that is made at
// once), each node an entry. First come the leaves: records of up to leafLen
// entries, by name, then kind, then id. Then come the nodes whose children are
// up to fanOut leaves each, then those whose children are these, and so on up to
// one node, the last entry. A node tells its children apart by the shortest
// strings that do. So a search touches one leaf, the few nodes above it, and one
// string; each lies in one or two blocks of the document.
const (
	leafLen = 128
	fanOut  = 128
)

// levels gives the number of nodes on each level, leaves first, of n entries.
func levels(leaves int) (sizes []int, sum int) {
	for {
		sizes = append(sizes, leaves)
		sum += leaves
		if leaves <= 1 {
			return sizes, sum
		}
		leaves = (leaves + fanOut - 1) / fanOut
	}
}

// record is an entry's line in a leaf.
type record struct {
	name   string
	kind   uint8
	id     ID
	number uint32 // of name
}

// indexWriting is an index in a run.
type indexWriting struct {
	k       *Index
	entries unit.Entries
}

func (t *indexWriting) Name() string           { return t.k.name }
func (t *indexWriting) Entries() *unit.Entries { return &t.entries }
func (t *indexWriting) Drain() (bool, error)   { return false, nil }

// build makes the index of what list names.
func (k *Index) build(run *unit.Run, list []record) error {
	names, err := k.names.in(run)
	if err != nil {
		return err
	}
	for i := range list {
		number, ok := names.number(list[i].name)
		if !ok {
			return &wire.Error{Class: wire.ErrLimit, Unit: k.names.name, Msg: "the table has too many entries"}
		}
		list[i].number = number
	}
	slices.SortFunc(list, func(a, b record) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.kind, b.kind), cmp.Compare(a.id, b.id))
	})
	t := &indexWriting{k: k}
	if err := run.AddTable(k.slot, t); err != nil || len(list) == 0 {
		return err
	}
	var fences []string // before each leaf but the first, ascending
	for i := 0; i < len(list); i += leafLen {
		if i > 0 {
			fences = append(fences, fence(list[i-1].name, list[i].name))
		}
		t.leaf(list[i:min(i+leafLen, len(list))])
	}
	sizes, _ := levels(len(fences) + 1)
	for step, level := 1, 1; level < len(sizes); step, level = step*fanOut, level+1 {
		for i := range sizes[level] {
			var between []string // its children, each of step leaves
			for j := i*fanOut + 1; j < min((i+1)*fanOut, sizes[level-1]); j++ {
				between = append(between, fences[j*step-1])
			}
			t.node(between)
		}
	}
	return nil
}

// fence is the shortest string that is greater than a and not than b; b where
// the two are equal.
func fence(a, b string) string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return b[:min(n+1, len(b))]
}

// leaf appends a leaf: a byte with the widths of the numbers (its low half) and
// of the ids; then a column each of check bytes, kinds, numbers and ids.
func (t *indexWriting) leaf(list []record) {
	var number, id uint32
	for _, r := range list {
		number, id = max(number, r.number), max(id, uint32(r.id))
	}
	wn, wi := width(uint64(number)), width(uint64(id))
	p := append(t.entries.Blob, byte(wn|wi<<4))
	for _, r := range list {
		p = append(p, check(r.name))
	}
	for _, r := range list {
		p = append(p, r.kind)
	}
	for _, r := range list {
		p = appendWide(p, uint64(r.number), wn)
	}
	for _, r := range list {
		p = appendWide(p, uint64(r.id), wi)
	}
	t.entries.Blob = p
	t.entries.End()
}

// node appends a node: a byte with the width of the ends; the ends of the
// fences in what follows; the fences.
func (t *indexWriting) node(fences []string) {
	size := 0
	for _, f := range fences {
		size += len(f)
	}
	w := width(uint64(size))
	p := append(t.entries.Blob, byte(w))
	end := 0
	for _, f := range fences {
		end += len(f)
		p = appendWide(p, uint64(end), w)
	}
	for _, f := range fences {
		p = append(p, f...)
	}
	t.entries.Blob = p
	t.entries.End()
}

// width is the number of bytes, at least 1, that v takes.
func width(v uint64) (n int) {
	for n = 1; v > 0xff; n++ {
		v >>= 8
	}
	return n
}

func appendWide(p []byte, v uint64, width int) []byte {
	n := len(p)
	return binary.LittleEndian.AppendUint64(p, v)[:n+width]
}

// check is a byte of a name's hash, FNV-1a, that spares a search most of the
// strings that are not it.
func check(name string) byte {
	h := uint32(2166136261)
	for i := range len(name) {
		h = (h ^ uint32(name[i])) * 16777619
	}
	return byte(h ^ h>>8 ^ h>>16 ^ h>>24)
}

// indexReading is an index and its strings in a document.
type indexReading struct {
	k     *Index
	sec   unit.Section
	names unit.Section // nil where all names are known strings
	sizes []int        // of the levels
}

// open finds the index; it has no sizes where the document has none.
func (k *Index) open(d Document) (x indexReading, err error) {
	src := d.Source()
	x.k = k
	if x.sec, err = src.Section(k.name); err != nil || x.sec == nil || x.sec.Len() == 0 {
		return x, err
	}
	if x.names, err = src.Section(k.names.name); err != nil {
		return x, err
	}
	n := x.sec.Len()
	var sum int
	x.sizes, sum = levels(sort.Search(n, func(leaves int) bool { _, sum := levels(leaves); return sum >= n }))
	if sum != n {
		return x, x.corrupt(n-1, "no tree has %d nodes", n)
	}
	return x, nil
}

func (x *indexReading) corrupt(id int, format string, args ...any) error {
	return corruptEntry(x.k.name, id, format, args...)
}

// Find gives the entries with a name, by kind and id: none if there are none.
// It decodes no entry. d may be the Reader of a Get.
func (k *Index) Find(d Document, name string) (hits []Hit, err error) {
	err = k.demand(d, func(*unit.Session, *unit.Reader) error {
		hits, err = k.find(d, name)
		return err
	})
	return hits, err
}

func (k *Index) find(d Document, name string) ([]Hit, error) {
	x, err := k.open(d)
	if err != nil || x.sizes == nil {
		return nil, err
	}
	first, err := x.descend(name, false)
	if err != nil {
		return nil, err
	}
	last, err := x.descend(name, true)
	if err != nil {
		return nil, err
	}
	var hits []Hit
	for i := first; i <= last; i++ {
		l, err := x.leaf(i)
		if err != nil {
			return nil, err
		}
		if hits, err = x.scan(l, name, hits); err != nil {
			return nil, err
		}
	}
	return hits, nil
}

// descend finds the first leaf, or the last, that may have name.
func (x *indexReading) descend(name string, last bool) (leaf int, err error) {
	id := x.sec.Len() - 1 // of the level's first node
	for level := len(x.sizes) - 1; level > 0; level-- {
		at := id + leaf // of the node
		data, err := x.sec.Entry(at)
		if err != nil {
			return 0, err
		}
		n := min(fanOut, x.sizes[level-1]-leaf*fanOut) - 1 // fences
		f, ok := parseNode(data, n)
		if !ok {
			return 0, x.corrupt(at, "%d bytes do not hold %d fences", len(data), n)
		}
		bad := false
		leaf = leaf*fanOut + sort.Search(n, func(i int) bool {
			text, ok := f.at(i)
			bad = bad || !ok
			c := strings.Compare(string(text), name)
			return c > 0 || c == 0 && !last
		})
		if bad {
			return 0, x.corrupt(at, "the ends of the fences do not ascend")
		}
		id -= x.sizes[level-1]
	}
	return leaf, nil
}

// fences are those of a node.
type fences struct {
	ends  []byte
	width int
	text  []byte
}

func parseNode(data []byte, n int) (f fences, ok bool) {
	if len(data) == 0 || data[0] < 1 || data[0] > 8 || len(data)-1 < n*int(data[0]) {
		return f, false
	}
	w := int(data[0])
	return fences{data[1 : 1+n*w], w, data[1+n*w:]}, true
}

func (f *fences) at(i int) (text []byte, ok bool) {
	var start uint64
	if i > 0 {
		start = littleEndian(f.ends[(i-1)*f.width : i*f.width])
	}
	end := littleEndian(f.ends[i*f.width : (i+1)*f.width])
	if start > end || end > uint64(len(f.text)) {
		return nil, false
	}
	return f.text[start:end], true
}

// leaf is the columns of a leaf.
type leaf struct {
	checks, kinds, numbers, ids []byte
	wn, wi                      int
}

func (x *indexReading) leaf(i int) (l leaf, err error) {
	data, err := x.sec.Entry(i)
	if err != nil {
		return l, err
	}
	if len(data) > 0 {
		l.wn, l.wi = int(data[0]&15), int(data[0]>>4)
		if l.wn >= 1 && l.wn <= 4 && l.wi >= 1 && l.wi <= 4 {
			size := 2 + l.wn + l.wi
			data = data[1:]
			if n := len(data) / size; n > 0 && n <= leafLen && n*size == len(data) {
				l.checks, l.kinds, l.numbers, l.ids = data[:n], data[n:2*n], data[2*n:(2+l.wn)*n], data[(2+l.wn)*n:]
				return l, nil
			}
		}
	}
	return l, x.corrupt(i, "%d bytes are not a leaf", len(data))
}

func (l *leaf) hit(i int, name string) Hit {
	return Hit{name, l.kinds[i], ID(littleEndian(l.ids[i*l.wi : (i+1)*l.wi]))}
}

// scan adds the records with a name.
func (x *indexReading) scan(l leaf, name string, hits []Hit) ([]Hit, error) {
	c := check(name)
	for i := 0; ; i++ {
		n := bytes.IndexByte(l.checks[i:], c)
		if n < 0 {
			return hits, nil
		}
		i += n
		text, err := x.name(l, i)
		if err != nil {
			return nil, err
		}
		if string(text) == name {
			hits = append(hits, l.hit(i, name))
		}
	}
}

// name is the name of record i, not to be changed.
func (x *indexReading) name(l leaf, i int) ([]byte, error) {
	number := littleEndian(l.numbers[i*l.wn : (i+1)*l.wn])
	known := x.k.names.known
	if number < uint64(len(known)) {
		return []byte(known[number]), nil
	}
	number -= uint64(len(known))
	if x.names == nil || number >= uint64(x.names.Len()) {
		return nil, x.corrupt(-1, "a name has number %d, which table %q does not have", number, x.k.names.name)
	}
	return x.names.Entry(int(number))
}

// All gives all entries that have a name, by name, kind and id. An error ends
// it. It decodes no entry. d may be the Reader of a Get.
func (k *Index) All(d Document) iter.Seq2[Hit, error] {
	return func(yield func(Hit, error) bool) {
		for i, more := 0, true; more; i++ {
			var hits []Hit
			err := k.demand(d, func(*unit.Session, *unit.Reader) (err error) {
				hits, more, err = k.hits(d, i)
				return err
			})
			for _, hit := range hits {
				if !yield(hit, nil) {
					return
				}
			}
			if err != nil {
				yield(Hit{}, err)
				return
			}
		}
	}
}

// hits are those of leaf i, and whether there are more leaves.
func (k *Index) hits(d Document, i int) (hits []Hit, more bool, err error) {
	x, err := k.open(d)
	if err != nil || x.sizes == nil {
		return nil, false, err
	}
	l, err := x.leaf(i)
	if err != nil {
		return nil, false, err
	}
	for j := range l.checks {
		name, err := x.name(l, j)
		if err != nil {
			return hits, false, err
		}
		if n := len(hits); n > 0 && hits[n-1].Name == string(name) { // one string for all
			hits = append(hits, l.hit(j, hits[n-1].Name))
		} else {
			hits = append(hits, l.hit(j, string(name)))
		}
	}
	return hits, i+1 < x.sizes[0], nil
}
