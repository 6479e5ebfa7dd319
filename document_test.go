package putget_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/putget/putget/internal/testdoc"

	"github.com/putget/putget"
	"github.com/putget/putget/get"
	"github.com/putget/putget/put"
)

func TestDocumentRoundTrip(t *testing.T) {
	for _, s := range subjects() {
		t.Run(s.name, func(t *testing.T) {
			doc := s.document(t)
			again, err := s.recode(doc)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(again, doc) {
				t.Errorf("encoded to\n%x\ndecoded and encoded to\n%x", doc, again)
			}
			prefix := []byte("prefix")
			after, err := s.append(prefix, s.o)
			if err != nil || !bytes.Equal(after, append(prefix, doc...)) {
				t.Errorf("Append after a prefix made other bytes: %v", err)
			}
			sealed := bytes.Clone(doc)
			if !testdoc.Reseal(sealed) || !bytes.Equal(sealed, doc) {
				t.Error("the checksums are not as documented")
			}
		})
	}
}

func TestDocumentProperties(t *testing.T) {
	o := &putget.Options{Schema: "records 1", Producer: "test 3", ContentHash: true,
		Sections: []putget.Section{{Name: "b", Data: []byte("bb")}, {Name: "a", Data: nil}}}
	doc, err := putget.Append(nil, &aRecord, recordCodec{}, o)
	if err != nil {
		t.Fatal(err)
	}
	d, err := putget.Open(doc, nil)
	if err != nil {
		t.Fatal(err)
	}
	if d.Schema() != "records 1" || d.Producer() != "test 3" || d.Size() != int64(len(doc)) {
		t.Error(d.Schema(), d.Producer(), d.Size())
	}
	if p, err := d.Section("b"); err != nil || string(p) != "bb" {
		t.Errorf("%q %v", p, err)
	}
	if p, err := d.Section("a"); err != nil || len(p) != 0 {
		t.Errorf("%q %v", p, err)
	}
	if _, err := d.Section("c"); !errors.Is(err, putget.ErrNotFound) {
		t.Error(err)
	}
	root := int64(0)
	for _, s := range d.Sections() {
		root += s.Size
	}
	root -= 2
	want := []putget.SectionInfo{
		{Kind: "root", Offset: 16, Size: root},
		{Kind: "user", Name: "b", Offset: 16 + root, Size: 2},
		{Kind: "user", Name: "a", Offset: 18 + root},
	}
	if diff := cmp.Diff(want, d.Sections()); diff != "" {
		t.Error(diff)
	}
	hash, ok := d.ContentHash()
	if !ok {
		t.Fatal("no content hash")
	}
	o.Producer, o.Schema = "another", "another"
	doc, err = putget.Append(nil, &aRecord, recordCodec{}, o)
	if err != nil {
		t.Fatal(err)
	}
	d, err = putget.Open(doc, nil)
	if err != nil {
		t.Fatal(err)
	}
	if same, _ := d.ContentHash(); same != hash {
		t.Error("the content hash depends on the producer or the schema")
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	o.Sections = append(o.Sections, putget.Section{Name: "b"})
	if _, err := putget.Append(nil, &aRecord, recordCodec{}, o); !errors.Is(err, putget.ErrValue) {
		t.Errorf("two sections of one name: %v", err)
	}
}

// Cut anywhere, a document is truncated and says so.
func TestDocumentCut(t *testing.T) {
	for _, s := range append(subjects(), bigSubjects()...) {
		doc := s.document(t)
		for n := range doc {
			if n > 300 && n < len(doc)-300 && n%61 != 0 {
				continue
			}
			_, err := putget.Open(doc[:n], nil)
			if !errors.Is(err, putget.ErrTruncated) || !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Fatalf("%s, cut at %d of %d: %v", s.name, n, len(doc), err)
			}
			_, err = openReader(t, doc[:n])
			if !errors.Is(err, putget.ErrTruncated) {
				t.Fatalf("%s, file cut at %d of %d: %v", s.name, n, len(doc), err)
			}
		}
	}
}

// bigSubjects are of several blocks.
func bigSubjects() []subject {
	return []subject{
		newSubject("blob", nil, true, aBlob(10000), blobCodec{}),
		newSubject("whole blocks", nil, true, aBlob(2*4096-16-2), blobCodec{}),
	}
}

// Every bit matters: verified as a whole, a damaged document is an error.
// Used without, it is an error or the right value.
func TestDocumentFlip(t *testing.T) {
	for _, s := range append(subjects(), bigSubjects()...) {
		doc := s.document(t)
		d, err := putget.Open(doc, nil)
		if err != nil {
			t.Fatal(err)
		}
		want, err := s.open(d)
		if err != nil {
			t.Fatal(err)
		}
		step := s.step()
		if len(doc) > 5000 {
			step = 37
		}
		for bit := 0; bit < 8*len(doc); bit += step {
			bad := bytes.Clone(doc)
			bad[bit/8] ^= 1 << (bit % 8)
			d, err := putget.Open(bad, nil)
			if err == nil {
				if got, err := s.open(d); err == nil {
					if diff := cmp.Diff(want, got); diff != "" {
						t.Fatalf("%s, bit %d flipped, read without error: %s", s.name, bit, diff)
					}
				}
				err = d.Verify()
			}
			if err == nil || !known(err) {
				t.Fatalf("%s, bit %d of %d flipped: %v", s.name, bit, 8*len(doc), err)
			}
		}
	}
}

// With checksums that are right, what decodes is a value of its own.
func TestDocumentFlipResealed(t *testing.T) {
	for _, s := range subjects() {
		doc := s.document(t)
		for bit := 0; bit < 8*len(doc); bit += s.step() {
			bad := bytes.Clone(doc)
			bad[bit/8] ^= 1 << (bit % 8)
			if testdoc.Reseal(bad) {
				checkRecoded(t, s, bad)
			}
		}
	}
}

// checkRecoded decodes a document of any content: an error of a known class, or
// a value that encodes to the same bytes. Where a reader accepts more than one
// encoding the value must survive being encoded and decoded.
func checkRecoded(t testing.TB, s subject, doc []byte) {
	t.Helper()
	again, err := s.recode(doc)
	if err != nil {
		if reencode := (reencodeError{}); errors.As(err, &reencode) || !known(err) {
			t.Fatalf("%s: %v\n%x", s.name, err, doc)
		}
		return
	}
	if d, _ := putget.Open(doc, nil); !writable(d) {
		return
	}
	if !s.canonical && !bytes.Equal(again, doc) {
		doc = again
		if again, err = s.recode(doc); err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
	}
	if !bytes.Equal(again, doc) {
		t.Fatalf("%s: decoded\n%x\nencoded to\n%x", s.name, doc, again)
	}
}

// writable reports whether a document has nothing that only another version
// writes: sections of unknown kinds, user's sections before tables.
func writable(d *putget.Document) bool {
	last := "root"
	for _, s := range d.Sections() {
		if s.Kind == "unknown" || s.Kind < last {
			return false
		}
		last = s.Kind
	}
	return true
}

// What is not as the directory says, or says it twice, is refused.
func TestDirectoryRefused(t *testing.T) {
	root := rawSection{kind: 0, data: []byte("root")}
	user := rawSection{kind: 2, name: "u", data: []byte("user")}
	names := rawSection{kind: 1, name: "names", count: 2, width: 1, data: []byte("\x01\x03abc")}
	good := document("", []rawSection{root, names, user})
	open := func(doc []byte) error {
		d, err := putget.Open(doc, nil)
		if err == nil {
			err = d.Verify()
		}
		return err
	}
	if err := open(good); err != nil {
		t.Fatal(err)
	}
	with := func(change func(*rawSection)) []rawSection {
		n := names
		change(&n)
		return []rawSection{root, n}
	}
	for name, sections := range map[string][]rawSection{
		"no section":           nil,
		"no root":              {names},
		"root twice":           {root, root},
		"root not first":       {user, root},
		"root with a name":     {{kind: 0, name: "r", data: []byte("root")}},
		"user section twice":   {root, user, user},
		"table twice":          {root, names, names},
		"count too small":      with(func(s *rawSection) { s.count = 1 }),
		"count too large":      with(func(s *rawSection) { s.count = 3 }),
		"count huge":           with(func(s *rawSection) { s.count = 1<<64 - 1 }),
		"count 0":              with(func(s *rawSection) { s.count = 0 }),
		"width 0":              with(func(s *rawSection) { s.width = 0 }),
		"width 9":              with(func(s *rawSection) { s.width = 9 }),
		"width not minimal":    with(func(s *rawSection) { s.width, s.data = 2, []byte("\x01\x00\x03\x00abc") }),
		"ends descend":         with(func(s *rawSection) { s.data = []byte("\x04\x03abc") }),
		"last end short":       with(func(s *rawSection) { s.data = []byte("\x01\x02abc") }),
		"last end past":        with(func(s *rawSection) { s.data = []byte("\x01\x04abc") }),
		"count times width":    with(func(s *rawSection) { s.width, s.count = 8, 1<<61+1 }),
		"entries of no blob":   with(func(s *rawSection) { s.data = nil }),
		"blob without entries": with(func(s *rawSection) { s.count, s.data = 0, []byte("abc") }),
	} {
		if err := open(document("", sections)); !errors.Is(err, putget.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}

	bodyEnd, dir := testdoc.Layout(good)
	body, list := good[:bodyEnd], good[dir:len(good)-12]
	for name, change := range map[string]func() []byte{
		"flag":             func() []byte { d := bytes.Clone(list); d[0] = 4; return d },
		"long varint":      func() []byte { return append([]byte{0x80, 0}, list[1:]...) },
		"directory longer": func() []byte { return append(bytes.Clone(list), 0) },
		"directory cut":    func() []byte { return list[:len(list)-1] },
		"no directory":     func() []byte { return nil },
		"sections huge": func() []byte {
			return append(bytes.Clone(list[:3]), 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1)
		},
		"length huge": func() []byte {
			return append(bytes.Clone(list[:3]), 1, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1)
		},
		"schema huge": func() []byte { return []byte{0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1} },
	} {
		if err := open(assemble(bytes.Clone(body), change())); !errors.Is(err, putget.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := open(assemble(append(bytes.Clone(body), 'x'), list)); !errors.Is(err, putget.ErrCorrupt) {
		t.Errorf("a byte that no section has: %v", err)
	}
	if err := open(assemble(bytes.Clone(body[:len(body)-1]), list)); !errors.Is(err, putget.ErrCorrupt) {
		t.Errorf("a byte too few: %v", err)
	}

	// Tools may add what this version does not know.
	unknown := document("", []rawSection{root, {kind: 77, name: "later", data: []byte("later")}, user})
	if err := open(unknown); err != nil {
		t.Error(err)
	}
}

// Blocks of another place, or of the same place in another document, do not fit.
func TestBlocksMoved(t *testing.T) {
	v := &blob{make([]byte, 5*4096)}
	doc, err := putget.Append(nil, v, blobCodec{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	bodyEnd, _ := testdoc.Layout(doc)
	swapped := bytes.Clone(doc)
	swap := func(at, other, n int) {
		copy(swapped[at:at+n], doc[other:])
		copy(swapped[other:other+n], doc[at:])
	}
	swap(4096, 2*4096, 4096)
	swap(bodyEnd+8, bodyEnd+16, 8)
	if err := verify(swapped); !errors.Is(err, putget.ErrCorrupt) {
		t.Errorf("two blocks and their sums swapped: %v", err)
	}

	other, err := putget.Append(nil, v, blobCodec{}, &putget.Options{Producer: "another"})
	if err != nil {
		t.Fatal(err)
	}
	spliced := bytes.Clone(doc)
	copy(spliced[4096:2*4096], other[4096:])
	copy(spliced[bodyEnd+8:bodyEnd+16], other[bodyEnd+8:])
	if err := verify(spliced); !errors.Is(err, putget.ErrCorrupt) {
		t.Errorf("a block and its sum of another document: %v", err)
	}
}

func verify(doc []byte) error {
	d, err := putget.Open(doc, nil)
	if err != nil {
		return err
	}
	return d.Verify()
}

func TestNotADocument(t *testing.T) {
	doc := newSubject("", nil, true, &aRecord, recordCodec{}).document(t)
	other := func(at int, b byte) []byte { d := bytes.Clone(doc); d[at] = b; return d }
	for _, test := range []struct {
		name string
		data []byte
		want error
		text string
	}{
		{"nothing", nil, putget.ErrTruncated, "empty"},
		{"zeros", make([]byte, 100), putget.ErrCorrupt, "not a putget document"},
		{"text", []byte("package main\n"), putget.ErrCorrupt, "not a putget document"},
		{"newer", other(7, 2), putget.ErrVersion, "format version 2, newer than version 1"},
		{"older", other(7, 0), putget.ErrVersion, "format version 0, older than version 1"},
		{"kind", other(6, 'X'), putget.ErrCorrupt, "not a putget document"},
		{"stream", other(6, 'S'), putget.ErrCorrupt, "NewDecoder"},
		{"longer", append(bytes.Clone(doc), 0), putget.ErrCorrupt, "something was added"},
		{"joined", append(bytes.Clone(doc), doc...), putget.ErrCorrupt, "something was added"},
		{"CRLF", bytes.ReplaceAll(doc, []byte("n"), []byte("\r\n")), putget.ErrCorrupt, ""},
	} {
		for _, open := range []func([]byte) (*putget.Document, error){
			func(p []byte) (*putget.Document, error) { return putget.Open(p, nil) },
			func(p []byte) (*putget.Document, error) { return openReader(t, p) },
		} {
			if _, err := open(test.data); !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.text) {
				t.Errorf("%s: %v", test.name, err)
			}
		}
	}
}

func TestSchema(t *testing.T) {
	doc, err := putget.Append(nil, &aRecord, recordCodec{}, &putget.Options{Schema: "mine 1"})
	if err != nil {
		t.Fatal(err)
	}
	for schema, ok := range map[string]bool{"": true, "mine 1": true, "mine 2": false} {
		_, err := putget.Decode(doc, recordCodec{}, &putget.Options{Schema: schema})
		if ok != (err == nil) || !ok && !errors.Is(err, putget.ErrSchema) {
			t.Errorf("%q: %v", schema, err)
		}
		if !ok && (!strings.Contains(err.Error(), "mine 1") || !strings.Contains(err.Error(), "mine 2")) {
			t.Errorf("the error does not name both sides: %v", err)
		}
	}
}

// What a root leaves over, or wants too much of, is an error.
func TestRootMismatch(t *testing.T) {
	doc := document("", []rawSection{{data: []byte{3, 'a', 'b'}}})
	if _, err := putget.Decode(doc, blobCodec{}, nil); err != nil {
		t.Error(err)
	}
	doc = document("", []rawSection{{data: []byte{3, 'a', 'b', 'c'}}})
	if v, err := putget.Decode(doc, blobCodec{}, nil); !errors.Is(err, putget.ErrCorrupt) || v != nil {
		t.Error(v, err)
	}
	doc = document("", []rawSection{{data: []byte{4, 'a', 'b'}}})
	if v, err := putget.Decode(doc, blobCodec{}, nil); !errors.Is(err, putget.ErrTruncated) || v != nil {
		t.Error(v, err)
	}
}

// Hostile counts cost nothing.
func TestHostileCounts(t *testing.T) {
	for _, n := range []uint64{3, 1 << 31, 1<<31 - 1, 1<<32 - 1, 1 << 32, 1<<63 - 1, 1 << 63, 1<<64 - 1} {
		var unit []byte
		for v := n; ; v >>= 7 {
			if v < 0x80 {
				unit = append(unit, byte(v))
				break
			}
			unit = append(unit, byte(v)|0x80)
		}
		unit = append(unit, 'a')
		doc := document("", []rawSection{{data: unit}})
		str := stream([]frame{{0, []byte{0, 0}}, {5, unit}, {6, nil}})
		var err error
		cost := testing.Benchmark(func(b *testing.B) {
			b.ReportAllocs()
			for range min(b.N, 100) {
				if _, err = putget.Decode(doc, blobCodec{}, nil); err == nil {
					return
				}
				if _, err = putget.DecodeFrom(putget.NewDecoder(bytes.NewReader(str), nil), blobCodec{}); err == nil {
					return
				}
			}
		})
		if err == nil || !known(err) || cost.AllocedBytesPerOp() > 1<<16 {
			t.Errorf("%d bytes announced: %v, %d bytes allocated", n, err, cost.AllocedBytesPerOp())
		}
	}
}

// failing is a codec that fails, or panics, after some bytes.
type failing struct{ panics bool }

var errFailing = errors.New("the codec cannot")

func (c failing) Put(b *put.Builder, v *record) {
	b.String("something")
	if c.panics {
		panic(errFailing)
	}
	b.Fail(errFailing)
}

func (c failing) Get(r *get.Reader, v *record) {
	r.Uint8()
	if c.panics {
		panic(errFailing)
	}
	r.Fail(errFailing)
}

// A failure leaves nothing behind.
func TestCodecFails(t *testing.T) {
	doc := newSubject("", nil, true, &aRecord, recordCodec{}).document(t)
	d, err := putget.Open(doc, nil)
	if err != nil {
		t.Fatal(err)
	}
	recovered := func(f func()) (v any) {
		defer func() { v = recover() }()
		f()
		return nil
	}
	for range 20 {
		dst := []byte("dst")
		got, err := putget.Append(dst, &aRecord, failing{}, nil)
		if !errors.Is(err, errFailing) || string(got) != "dst" {
			t.Fatalf("%q %v", got, err)
		}
		if v := recovered(func() { putget.Append(nil, &aRecord, failing{true}, nil) }); v != errFailing {
			t.Fatal(v)
		}
		if v, err := putget.Root(d, failing{}); !errors.Is(err, errFailing) || v != nil {
			t.Fatal(v, err)
		}
		if v := recovered(func() { putget.Root(d, failing{true}) }); v != errFailing {
			t.Fatal(v)
		}
		again, err := putget.Append(nil, &aRecord, recordCodec{}, nil)
		if err != nil || !bytes.Equal(again, doc) {
			t.Fatalf("after failures: %v", err)
		}
		v, err := putget.Root(d, recordCodec{})
		if err != nil || cmp.Diff(&aRecord, v) != "" {
			t.Fatalf("after failures: %v", err)
		}
	}
}

// nested holds a document of its own.
type nested struct {
	Before int
	Inner  *nested
	After  int
}

type nestedCodec struct{}

func (c nestedCodec) Put(b *put.Builder, v *nested) {
	b.Int(v.Before)
	b.Bool(v.Inner != nil)
	if v.Inner != nil {
		doc, err := putget.Append(nil, v.Inner, c, nil)
		b.Fail(err)
		b.Bytes(doc)
	}
	b.Int(v.After)
}

func (c nestedCodec) Get(r *get.Reader, v *nested) {
	v.Before = r.Int()
	if r.Bool() {
		var err error
		v.Inner, err = putget.Decode(r.Bytes(), c, nil)
		r.Fail(err)
	}
	v.After = r.Int()
}

func TestNestedDocuments(t *testing.T) {
	v := &nested{1, &nested{2, &nested{3, nil, 4}, 5}, 6}
	doc, err := putget.Append(nil, v, nestedCodec{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := putget.Decode(doc, nestedCodec{}, nil)
	if diff := cmp.Diff(v, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
	doc[20] ^= 1
	testdoc.Reseal(doc)
	if _, err := putget.Decode(doc, nestedCodec{}, nil); err == nil {
		t.Error("damage in the inner document was not found")
	}
}

// limitedWriter takes n bytes; then it fails, or takes less than it was given.
type limitedWriter struct {
	n     int
	short bool
	got   []byte
}

var errFull = errors.New("full")

func (w *limitedWriter) Write(p []byte) (int, error) {
	if w.n >= len(p) {
		w.n -= len(p)
		w.got = append(w.got, p...)
		return len(p), nil
	}
	n := w.n
	w.got = append(w.got, p[:n]...)
	w.n = 0
	if w.short {
		return n, nil
	}
	return n, errFull
}

func TestEncodeWriterFails(t *testing.T) {
	doc := newSubject("", nil, true, &aRecord, recordCodec{}).document(t)
	for n := range len(doc) + 1 {
		for _, short := range []bool{false, true} {
			w := &limitedWriter{n: n, short: short}
			err := putget.Encode(w, &aRecord, recordCodec{}, nil)
			want := errFull
			if short {
				want = io.ErrShortWrite
			}
			if n == len(doc) {
				if err != nil || !bytes.Equal(w.got, doc) {
					t.Error(err)
				}
			} else if !errors.Is(err, want) {
				t.Errorf("at %d: %v", n, err)
			}
		}
	}
}

func TestEncodeIsDeterministic(t *testing.T) {
	for _, s := range subjects() {
		doc, str := s.document(t), s.stream(t, 3)
		for range 100 {
			if !bytes.Equal(s.document(t), doc) || !bytes.Equal(s.stream(t, 3), str) {
				t.Fatal(s.name)
			}
		}
	}
}

func TestDocumentAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector empties pools")
	}
	v := aBlob(10000)
	doc, err := putget.Append(nil, v, blobCodec{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if over := len(doc) - 10002; over > 150 {
		t.Errorf("a document takes %d bytes beyond its value", over)
	}
	buf := make([]byte, 0, 2*len(doc))
	for name, test := range map[string]struct {
		most float64
		do   func() error
	}{
		"append": {1, func() error { _, err := putget.Append(buf, v, blobCodec{}, nil); return err }},
		"encode": {1, func() error { return putget.Encode(io.Discard, v, blobCodec{}, nil) }},
		"open": {8, func() error {
			d, err := putget.Open(doc, nil)
			if err == nil {
				_, err = putget.Root(d, blobCodec{})
			}
			return err
		}},
	} {
		if n := testing.AllocsPerRun(100, func() {
			if err := test.do(); err != nil {
				t.Fatal(err)
			}
		}); n > test.most {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func BenchmarkDocument(b *testing.B) {
	for _, size := range []int{100, 10_000, 1_000_000} {
		v := aBlob(size)
		doc, err := putget.Append(nil, v, blobCodec{}, nil)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprint("append/", size), func(b *testing.B) {
			b.SetBytes(int64(len(doc)))
			b.ReportAllocs()
			for b.Loop() {
				putget.Append(doc[:0], v, blobCodec{}, nil)
			}
		})
		b.Run(fmt.Sprint("open and root/", size), func(b *testing.B) {
			b.SetBytes(int64(len(doc)))
			b.ReportAllocs()
			for b.Loop() {
				d, err := putget.Open(doc, nil)
				if err != nil {
					b.Fatal(err)
				}
				putget.Root(d, blobCodec{})
			}
		})
	}
}
