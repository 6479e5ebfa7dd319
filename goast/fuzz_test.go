package goast_test

import (
	"encoding/binary"
	"go/token"
	"math/bits"
	"testing"

	"github.com/putget/putget"
	"github.com/putget/putget/goast"
	"github.com/putget/putget/internal/testdoc"
)

// parts are what a document of this package consists of.
type parts struct {
	schema string
	root   []byte
	tables map[string]table // without the counts of nodes, which readers do not need
}

// table is the bytes of a table's section, and how many entries it has.
type table struct {
	data  []byte
	count int
}

var tableNames = []string{"names", "strays", "bodies"}

// take takes a document apart.
func take(t testing.TB, doc []byte) parts {
	t.Helper()
	d, err := putget.Open(doc, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := parts{schema: d.Schema(), tables: map[string]table{}}
	for _, s := range d.Sections() {
		data := doc[s.Offset : s.Offset+s.Size]
		if s.Kind == "root" {
			p.root = data
		} else {
			p.tables[s.Name] = table{data, s.Entries}
		}
	}
	return p
}

// assemble makes the document, as docs/format.md describes it. It reports
// whether there is one: tables may be too short for their entries.
func (p parts) assemble() (doc []byte, ok bool) {
	text := func(b []byte, s string) []byte { return append(binary.AppendUvarint(b, uint64(len(s))), s...) }
	var list []byte
	n := uint64(1)
	doc = append([]byte("putgetD"), 1)
	doc = append(append(doc, make([]byte, 8)...), p.root...)
	list = binary.AppendUvarint(append(list, 0, 0), uint64(len(p.root)))
	for _, name := range tableNames {
		t, ok := p.tables[name]
		if !ok || t.count == 0 {
			continue
		}
		width := 1
		for ; width < 8; width++ {
			if blob := len(t.data) - t.count*width; blob < 0 || max((bits.Len(uint(blob))+7)/8, 1) == width {
				break
			}
		}
		if len(t.data) < t.count*width {
			return nil, false
		}
		list = text(append(list, 1), name)
		list = binary.AppendUvarint(list, uint64(len(t.data)))
		list = append(binary.AppendUvarint(list, uint64(t.count)), byte(width))
		doc = append(doc, t.data...)
		n++
	}
	dir := append(text([]byte{0}, p.schema), 0)
	dir = append(binary.AppendUvarint(dir, n), list...)
	doc = append(doc, make([]byte, (len(doc)+4095)/4096*8)...)
	doc = append(doc, dir...)
	doc = binary.LittleEndian.AppendUint32(doc, uint32(len(dir)))
	doc = append(doc, make([]byte, 8)...)
	binary.LittleEndian.PutUint64(doc[8:], uint64(len(doc)))
	return doc, testdoc.Reseal(doc)
}

// TestParts: what the fuzzing starts from are documents that decode.
func TestParts(t *testing.T) {
	for _, d := range smallDocuments(t) {
		doc, ok := take(t, d.doc).assemble()
		if !ok {
			t.Fatal("no document")
		}
		wantSame(t, decode(t, token.NewFileSet(), d.doc), decode(t, token.NewFileSet(), doc))
	}
}

// FuzzDecode: a document of any sections, with checksums and a directory that
// are right, decodes to trees that can be encoded, or to an error of a known
// class.
func FuzzDecode(f *testing.F) {
	var schema string
	add := func(doc []byte) {
		p := take(f, doc)
		schema = p.schema
		names, strays, bodies := p.tables["names"], p.tables["strays"], p.tables["bodies"]
		f.Add(p.root, names.data, uint8(names.count), strays.data, uint8(strays.count), bodies.data, uint8(bodies.count))
	}
	for _, d := range smallDocuments(f) {
		add(d.doc)
	}
	for _, s := range sources {
		if len(s.src) > 1000 {
			continue
		}
		fset := token.NewFileSet()
		file := parse(f, fset, "x.go", []byte(s.src), withObjects)
		add(encode(f, fset, []*goast.File{file}, nil))
		add(encode(f, fset, []*goast.File{file}, &goast.Options{Objects: true}))
	}
	f.Fuzz(func(t *testing.T, root, names []byte, nNames uint8, strays []byte, nStrays uint8, bodies []byte, nBodies uint8) {
		p := parts{schema, root, map[string]table{
			"names": {names, int(nNames)}, "strays": {strays, int(nStrays)}, "bodies": {bodies, int(nBodies)},
		}}
		if doc, ok := p.assemble(); ok {
			checkAny(t, doc)
		}
	})
}

// FuzzSource: whatever a source parses to comes back.
func FuzzSource(f *testing.F) {
	for _, s := range sources {
		if len(s.src) < 2000 {
			f.Add([]byte(s.src))
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) > 1<<16 {
			return
		}
		fset := token.NewFileSet()
		files := []*goast.File{parse(t, fset, "x.go", src, withObjects)}
		roundTrip(t, fset, files, files, &goast.Options{Objects: true})
		roundTrip(t, fset, files, files, nil, ignoreObjects...)
	})
}
