package putget_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/putget/putget"
	"github.com/putget/putget/get"
	"github.com/putget/putget/lazy"
	"github.com/putget/putget/put"
	"github.com/putget/putget/share"
	"github.com/putget/putget/symtab"
)

// A module is a small compiler's: functions with types, which are shared and
// lead back to themselves.
type module struct {
	Name  string
	Types []*typ
	Funcs []function
}

type typ struct {
	Name   string
	Elem   *typ
	Fields []field
}

type field struct {
	Name string
	Type *typ
}

type function struct {
	Name string
	Type *typ
	Body *stmt
}

type stmt struct {
	Op   string
	Next *stmt
	Jump *stmt // any statement of the function
}

var (
	names = symtab.NewStrings("names")
	types = symtab.NewTable[typ]("types", typCodec{})
	stmts = share.New[stmt]("stmts", stmtCodec{})
)

type typCodec struct{}

func (typCodec) Put(b *put.Builder, v *typ) {
	names.Put(b, v.Name)
	types.Put(b, v.Elem)
	put.Slice(b, v.Fields, fieldCodec{})
}

func (typCodec) Get(r *get.Reader, v *typ) {
	v.Name = names.Get(r)
	v.Elem = types.Get(r)
	v.Fields = get.Slice(r, fieldCodec{})
}

type fieldCodec struct{}

func (fieldCodec) Put(b *put.Builder, v *field) { names.Put(b, v.Name); types.Put(b, v.Type) }
func (fieldCodec) Get(r *get.Reader, v *field)  { v.Name = names.Get(r); v.Type = types.Get(r) }

type stmtCodec struct{}

func (stmtCodec) Put(b *put.Builder, v *stmt) {
	names.Put(b, v.Op)
	stmts.Put(b, v.Next)
	stmts.Put(b, v.Jump)
}

func (stmtCodec) Get(r *get.Reader, v *stmt) {
	v.Op = names.Get(r)
	v.Next = stmts.Get(r)
	v.Jump = stmts.Get(r)
}

type functionCodec struct{}

func (functionCodec) Put(b *put.Builder, v *function) {
	names.Put(b, v.Name)
	types.Put(b, v.Type)
	stmts.Put(b, v.Body)
}

func (functionCodec) Get(r *get.Reader, v *function) {
	v.Name = names.Get(r)
	v.Type = types.Get(r)
	v.Body = stmts.Get(r)
}

type moduleCodec struct{}

func (moduleCodec) Put(b *put.Builder, v *module) {
	names.Put(b, v.Name)
	put.Slice(b, v.Types, put.Func[*typ](func(b *put.Builder, t **typ) { types.Put(b, *t) }))
	put.Slice(b, v.Funcs, functionCodec{})
}

func (moduleCodec) Get(r *get.Reader, v *module) {
	v.Name = names.Get(r)
	v.Types = get.Slice(r, get.Func[*typ](func(r *get.Reader, t **typ) { *t = types.Get(r) }))
	v.Funcs = get.Slice(r, functionCodec{})
}

// aModule has n types and n functions, the same at each call.
func aModule(n int) *module {
	rnd := rand.New(rand.NewPCG(1, 2))
	m := &module{Name: "m"}
	for i := range n {
		m.Types = append(m.Types, &typ{Name: fmt.Sprint("type", i)})
	}
	for _, t := range m.Types {
		t.Elem = m.Types[rnd.IntN(n)]
		for i := range rnd.IntN(5) {
			t.Fields = append(t.Fields, field{fmt.Sprint("field", i), m.Types[rnd.IntN(n)]})
		}
	}
	for i := range n {
		f := function{Name: fmt.Sprint("f", i), Type: m.Types[rnd.IntN(n)]}
		var body []*stmt
		for range 1 + rnd.IntN(6) {
			body = append(body, &stmt{Op: fmt.Sprint("op", rnd.IntN(9))})
		}
		for i, s := range body {
			if i+1 < len(body) {
				s.Next = body[i+1]
			}
			if rnd.IntN(2) == 0 {
				s.Jump = body[rnd.IntN(len(body))]
			}
		}
		f.Body = body[0]
		m.Funcs = append(m.Funcs, f)
	}
	return m
}

// One entry of a large file costs the blocks it lies in, and nothing else.
func TestLookupTouchesLittle(t *testing.T) {
	m := aModule(50_000)
	doc, err := putget.Append(nil, m, moduleCodec{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	path := writeFile(t, doc)
	for _, open := range []func() (*putget.Document, error){
		func() (*putget.Document, error) { return putget.Open(doc, nil) },
		func() (*putget.Document, error) { return putget.OpenFile(path, nil) },
	} {
		d, err := open()
		if err != nil {
			t.Fatal(err)
		}
		if n := d.Touched(); n != 0 {
			t.Errorf("opening touched %d blocks", n)
		}
		leaf := symtab.ID(31_000)
		data, err := leafEntry(d, leaf)
		if err != nil {
			t.Fatal(err)
		}
		// The ends and the bytes, each of which may lie across two blocks.
		if n := d.Touched(); n > 4 || len(data) == 0 {
			t.Errorf("an entry touched %d of %d blocks", n, len(doc)/4096)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

func leafEntry(d *putget.Document, id symtab.ID) ([]byte, error) {
	s, err := d.Source().Section("types")
	if err != nil {
		return nil, err
	}
	return s.Entry(int(id))
}

// Damage in one entry is an error of what needs it, each time the same one.
func TestDamagedEntry(t *testing.T) {
	doc := newSubject("", nil, false, aModule(5000), moduleCodec{}).document(t)
	d, err := putget.Open(doc, nil)
	if err != nil {
		t.Fatal(err)
	}
	var table putget.SectionInfo
	for _, s := range d.Sections() {
		if s.Name == "types" {
			table = s
		}
	}
	bad := bytes.Clone(doc)
	bad[table.Offset+table.Size/2] ^= 1
	if d, err = putget.Open(bad, nil); err != nil {
		t.Fatal(err)
	}
	_, err1 := putget.Root(d, moduleCodec{})
	_, err2 := putget.Root(d, moduleCodec{})
	if !errors.Is(err1, putget.ErrCorrupt) || err1.Error() != err2.Error() {
		t.Errorf("%v, then %v", err1, err2)
	}
}

// Many goroutines, one document: each entry is decoded once.
func TestTablesConcurrently(t *testing.T) {
	m := aModule(1000)
	doc, err := putget.Append(nil, m, moduleCodec{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := putget.Open(doc, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := make([]*typ, 64)
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() {
			if i%2 == 0 {
				v, err := putget.Root(d, moduleCodec{})
				if err != nil {
					t.Error(err)
					return
				}
				got[i] = v.Types[77]
				return
			}
			var err error
			if got[i], err = types.Load(d, 77); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, p := range got {
		if p != got[0] || p == nil || p.Name != "type77" {
			t.Fatal("an entry was decoded more than once")
		}
	}
}

// The values of a stream share what tables hold, wherever it was put first.
func TestStreamShares(t *testing.T) {
	m := aModule(100)
	var out bytes.Buffer
	e := putget.NewEncoder(&out, nil)
	var sizes []int
	for i := range m.Types {
		if err := putget.EncodeTo(e, &function{"f", m.Types[i], nil}, functionCodec{}); err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, out.Len())
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if first, last := sizes[0], sizes[99]-sizes[98]; last > 15 || first < 10*last {
		t.Errorf("the first value takes %d bytes, the last %d", first, last)
	}
	d := putget.NewDecoder(&out, nil)
	if err := d.Skip(); err != nil { // a reference goes back to what it brought
		t.Fatal(err)
	}
	byName := map[string]*typ{}
	for i := 1; ; i++ {
		f, err := putget.DecodeFrom(d, functionCodec{})
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if f.Type.Name != m.Types[i].Name {
			t.Fatalf("%s is %s", m.Types[i].Name, f.Type.Name)
		}
		if old, ok := byName[f.Type.Elem.Name]; ok && old != f.Type.Elem {
			t.Fatal("one type came twice")
		}
		byName[f.Type.Elem.Name] = f.Type.Elem
	}
}

// Tables larger than blocks, and entries larger than blocks.
func TestStreamLargeTables(t *testing.T) {
	m := aModule(3000)
	for i, size := range []int{65535, 65536, 65537, 131072, 200_000} {
		m.Types[i].Name += strings.Repeat("x", size)
		m.Funcs[i].Name += strings.Repeat("y", size)
	}
	for i := range 100_000 {
		m.Types[7].Fields = append(m.Types[7].Fields, field{"field", m.Types[i%3000]})
	}
	s := newSubject("", nil, false, m, moduleCodec{})
	str := s.stream(t, 2)
	again, err := s.resend(str)
	if err != nil || !bytes.Equal(again, str) {
		t.Fatalf("%v: %d bytes came back as %d", err, len(str), len(again))
	}
	list, _ := frames(str)
	for i, f := range list {
		if len(f.payload) > 1<<16+32 {
			t.Errorf("block %d of kind %d has %d bytes", i, f.kind, len(f.payload))
		}
	}
}

// A reference to an entry that has not come is an error.
func TestStreamForwardReference(t *testing.T) {
	s := newSubject("", nil, false, aModule(20), moduleCodec{})
	list, _ := frames(s.stream(t, 1))
	for i, f := range list {
		if f.kind != 2 {
			continue
		}
		without := append(append([]frame{}, list[:i]...), list[i+1:]...)
		d := putget.NewDecoder(bytes.NewReader(stream(without)), nil)
		if _, err := s.receive(d); !errors.Is(err, putget.ErrCorrupt) {
			t.Errorf("without block %d: %v", i, err)
		}
	}
}

// A domain's documents can go on in each other.
func TestIn(t *testing.T) {
	lib, err := putget.Append(nil, aModule(5), moduleCodec{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	domain := putget.NewDomain()
	d1, err := putget.Open(lib, &putget.Options{Domain: domain})
	if err != nil {
		t.Fatal(err)
	}
	alone, err := putget.Open(lib, nil)
	if err != nil {
		t.Fatal(err)
	}
	main, err := putget.Append(nil, &aRecord, recordCodec{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	d2, err := putget.Open(main, &putget.Options{Domain: domain})
	if err != nil {
		t.Fatal(err)
	}
	var found *typ
	use := func(other *putget.Document, id symtab.ID) get.Codec[record] {
		return get.Func[record](func(r *get.Reader, v *record) {
			recordCodec{}.Get(r, v)
			putget.In(r, other, func(r *get.Reader) {
				var err error
				found, err = types.Load(r, id)
				r.Fail(err)
			})
		})
	}
	if _, err := putget.Root(d2, use(d1, 3)); err != nil {
		t.Fatal(err)
	}
	if p, err := types.Load(d1, 3); err != nil || p != found || p.Name == "" {
		t.Error(p, err)
	}
	if _, err := putget.Root(d2, use(d1, 300)); err == nil || !known(err) {
		t.Error(err)
	}
	if _, err := putget.Root(d2, use(alone, 3)); !errors.Is(err, putget.ErrValue) {
		t.Error(err)
	}
}

// The bytes are the same in every process.
func TestOtherProcess(t *testing.T) {
	s := newSubject("", nil, false, aModule(300), moduleCodec{})
	if os.Getenv(childVar) != "" {
		doc, err := s.append(nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		os.Stdout.Write(append(doc, s.stream(t, 2)...))
		os.Exit(0)
	}
	want := append(s.document(t), s.stream(t, 2)...)
	for range 2 {
		c, says := child(t, "TestOtherProcess", "encode")
		got, err := c.Output()
		if errors.Is(err, syscall.ENOEXEC) {
			t.Skip("running under an emulator: ", err)
		}
		if err != nil {
			t.Fatal(err, says)
		}
		if !bytes.Equal(got, want) {
			t.Fatal("another process makes other bytes")
		}
	}
}

// symbol is an entry that is found by name.
type symbol struct {
	Name string
	Line int
}

type symbolCodec struct{}

func (symbolCodec) Put(b *put.Builder, v *symbol) { symbolNames.Put(b, v.Name); b.Int(v.Line) }
func (symbolCodec) Get(r *get.Reader, v *symbol)  { v.Name = symbolNames.Get(r); v.Line = r.Int() }

var (
	symbolNames = symtab.NewStrings("symbol names")
	symbols     = symtab.NewTable[symbol]("symbols", symbolCodec{})
	symbolIndex = symtab.NewIndex(symbols, symbolNames, func(v *symbol) (string, uint8, bool) { return v.Name, 0, true })
)

type symbolsCodec struct{}

func (symbolsCodec) Put(b *put.Builder, v *[]*symbol) {
	put.Slice(b, *v, put.Func[*symbol](func(b *put.Builder, s **symbol) { symbols.Put(b, *s) }))
}

func (symbolsCodec) Get(r *get.Reader, v *[]*symbol) {
	*v = get.Slice(r, get.Func[*symbol](func(r *get.Reader, s **symbol) { *s = symbols.Get(r) }))
}

// symbolFile is a document with n symbols.
func symbolFile(t testing.TB, n int) (doc []byte, path string) {
	var list []*symbol
	for i := range n {
		list = append(list, &symbol{fmt.Sprintf("a.rather/long.Symbol%d", i), i})
	}
	doc, err := putget.Append(nil, &list, symbolsCodec{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return doc, writeFile(t, doc)
}

func findSymbol(d *putget.Document, name string) (*symbol, error) {
	hits, err := symbolIndex.Find(d, name)
	if err != nil || len(hits) != 1 {
		return nil, fmt.Errorf("%d hits, %w", len(hits), err)
	}
	return symbols.Load(d, hits[0].ID)
}

// One of 100,000 names is found by reading a few blocks.
func TestFindTouchesLittle(t *testing.T) {
	const n = 100_000
	doc, path := symbolFile(t, n)
	m, err := putget.Open(doc, nil)
	if err != nil {
		t.Fatal(err)
	}
	f, err := putget.OpenFile(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, d := range []*putget.Document{m, f} {
		s, err := findSymbol(d, "a.rather/long.Symbol77777")
		if err != nil || s.Line != 77777 {
			t.Fatal(s, err)
		}
		// Ends and bytes of two nodes, a leaf, a name to compare, one to
		// decode, and the entry: each in one block or across two.
		if n := d.Touched(); n > 24 {
			t.Errorf("finding a name touched %d of %d blocks", n, len(doc)/4096)
		} else {
			t.Logf("%d of %d blocks", n, len(doc)/4096)
		}
	}
}

// Opening a file, finding one name, decoding what it names, and closing.
func BenchmarkFileLookup(b *testing.B) {
	doc, path := symbolFile(b, 100_000)
	b.Logf("%d bytes", len(doc))
	b.ReportAllocs()
	for b.Loop() {
		d, err := putget.OpenFile(path, nil)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := findSymbol(d, "a.rather/long.Symbol77777"); err != nil {
			b.Fatal(err)
		}
		if err := d.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// Small documents with tables, one after the other.
func BenchmarkModule(b *testing.B) {
	m := aModule(150)
	doc, err := putget.Append(nil, m, moduleCodec{}, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("append", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(doc)))
		for b.Loop() {
			putget.Append(doc[:0], m, moduleCodec{}, nil)
		}
	})
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(doc)))
		for b.Loop() {
			putget.Decode(doc, moduleCodec{}, nil)
		}
	})
}

// Cells that came from a stream are decoded while the stream goes on.
func TestStreamCells(t *testing.T) {
	m := aModule(400)
	var out bytes.Buffer
	e := putget.NewEncoder(&out, nil)
	for i := range m.Types {
		c := lazy.Of(m.Types[i])
		if err := putget.EncodeTo(e, &c, cellsCodec[typ]{cells}); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	d := putget.NewDecoder(&out, nil)
	var wg sync.WaitGroup
	for i := range m.Types {
		c, err := putget.DecodeFrom(d, cellsCodec[typ]{cells})
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			if v, err := c.Get(); err != nil || v.Name != m.Types[i].Name {
				t.Error(v, err)
			}
		})
	}
	wg.Wait()
}

var cells = lazy.New[typ]("cells", typCodec{})

// nest is slices within slices.
type nest struct{ In []nest }

type nestCodec struct{}

func (c nestCodec) Put(b *put.Builder, v *nest) { put.Slice(b, v.In, c) }
func (c nestCodec) Get(r *get.Reader, v *nest)  { v.In = get.Slice(r, c) }

func aNest(depth int) *nest {
	v := &nest{In: []nest{}}
	for range depth - 1 {
		v = &nest{In: []nest{*v}}
	}
	return v
}

// free is a slice of elements that take no bytes.
type free struct{ N []struct{} }

type freeCodec struct{}

func (freeCodec) Put(b *put.Builder, v *free) { put.Slice(b, v.N, emptyCodec{}) }
func (freeCodec) Get(r *get.Reader, v *free)  { v.N = get.Slice(r, emptyCodec{}) }

var (
	nestCells = lazy.New[nest]("nest cells", nestCodec{})
	freeCells = lazy.New[free]("free cells", freeCodec{})
)

// Limits are the same on each way in and out, and trip exactly.
func TestLimits(t *testing.T) {
	deep := func(n int) *putget.Options { return &putget.Options{Limits: putget.Limits{Depth: n}} }
	limit(t, "depth", aNest(20), nestCodec{}, nestCells, deep(20), deep(19))
	free20 := func(n int) *putget.Options { return &putget.Options{Limits: putget.Limits{Free: n}} }
	limit(t, "free", &free{make([]struct{}, 20)}, freeCodec{}, freeCells, free20(20), free20(19))
}

func limit[T any](t *testing.T, name string, v *T, c putget.Codec[T], cells *lazy.Cells[T], enough, less *putget.Options) {
	inCell := cellsCodec[T]{cells}
	cell := lazy.Of(v)
	for way, test := range map[string]struct {
		write func(o *putget.Options) ([]byte, error)
		read  func(data []byte, o *putget.Options) error
	}{
		"document": {
			func(o *putget.Options) ([]byte, error) { return putget.Append(nil, v, c, o) },
			func(data []byte, o *putget.Options) error { _, err := putget.Decode(data, c, o); return err },
		},
		"stream": {
			func(o *putget.Options) ([]byte, error) {
				var out bytes.Buffer
				e := putget.NewEncoder(&out, o)
				if err := putget.EncodeTo(e, v, c); err != nil {
					return nil, err
				}
				err := e.Close()
				return out.Bytes(), err
			},
			func(data []byte, o *putget.Options) error {
				_, err := putget.DecodeFrom(putget.NewDecoder(bytes.NewReader(data), o), c)
				return err
			},
		},
		"lazy": {
			func(o *putget.Options) ([]byte, error) { return putget.Append(nil, &cell, inCell, o) },
			func(data []byte, o *putget.Options) error {
				got, err := putget.Decode(data, inCell, o)
				if err == nil {
					_, err = got.Get()
				}
				return err
			},
		},
	} {
		if _, err := test.write(less); !errors.Is(err, putget.ErrLimit) {
			t.Errorf("%s, %s: written past the limit: %v", name, way, err)
		}
		data, err := test.write(enough)
		if err != nil {
			t.Errorf("%s, %s: written at the limit: %v", name, way, err)
			continue
		}
		if err := test.read(data, enough); err != nil {
			t.Errorf("%s, %s: read at the limit: %v", name, way, err)
		}
		if err := test.read(data, less); !errors.Is(err, putget.ErrLimit) {
			t.Errorf("%s, %s: read past the limit: %v", name, way, err)
		}
	}
}

type cellsCodec[T any] struct{ cells *lazy.Cells[T] }

func (c cellsCodec[T]) Put(b *put.Builder, v *lazy.Cell[T]) { c.cells.Put(b, v) }
func (c cellsCodec[T]) Get(r *get.Reader, v *lazy.Cell[T])  { *v = c.cells.Get(r) }

// What no reader takes is not written.
func TestStreamLongNames(t *testing.T) {
	e := putget.NewEncoder(io.Discard, &putget.Options{Schema: strings.Repeat("x", 200_000)})
	if err := putget.EncodeTo(e, &aRecord, recordCodec{}); !errors.Is(err, putget.ErrLimit) {
		t.Error(err)
	}
}
