package derive_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/putget/putget"
	"github.com/putget/putget/derive"
	"github.com/putget/putget/get"
	"github.com/putget/putget/graphtest"
	"github.com/putget/putget/internal/testdoc"
	"github.com/putget/putget/internal/wire"
	"github.com/putget/putget/symtab"
)

// allocated is how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// both decodes bytes by fastget.go and by get.go alone, which must agree, and
// checks that a value comes back as itself.
func both[T any](t testing.TB, c *derive.Codec[T], data []byte) {
	t.Helper()
	fast, err := decode(data, putget.Codec[T](c))
	slow, errSlow := decode(data, putget.Codec[T](derive.Slow[T]{Codec: c}))
	if (err == nil) != (errSlow == nil) {
		t.Fatalf("%x: fastget.go says %v, get.go %v", data, err, errSlow)
	}
	if err != nil {
		return
	}
	if d := graphtest.Diff(slow, fast, exact...); d != "" {
		t.Fatalf("%x: get.go and fastget.go differ: %s", data, d)
	}
	again := bare(t, c, fast)
	if slow := bare(t, derive.Slow[T]{Codec: c}, fast); !bytes.Equal(again, slow) {
		t.Fatalf("put.go and fastput.go differ: %x, %x", slow, again)
	}
	if fast, err = decode(again, putget.Codec[T](c)); err != nil {
		t.Fatalf("%x decodes, what it encodes to, %x, does not: %v", data, again, err)
	}
	if d := graphtest.Diff(slow, fast, exact...); d != "" {
		t.Fatalf("%x: what comes back is another value: %s", data, d)
	}
	if third := bare(t, c, fast); !bytes.Equal(again, third) {
		t.Fatalf("%x: bytes change: %x, then %x", data, again, third)
	}
}

// decode decodes a bare unit in place: the root's own address counts.
func decode[T any](data []byte, c putget.Codec[T]) (*T, error) {
	var r get.Reader
	r.Reset(data, nil)
	v := new(T)
	c.Get(&r, v)
	return v, r.Done()
}

// Any bit flipped, any end cut off, bytes put in the place of others: an error or
// a value, the same on every way, at a bounded cost.
func TestMutations(t *testing.T) {
	c := zooCodec(t)
	rounds := 12
	if testing.Short() {
		rounds = 2
	}
	for seed := range rounds {
		data := bare(t, c, newZoo(randomBytes(uint64(seed), 80)))
		rng := rand.New(rand.NewPCG(uint64(seed), 1))
		bound := 600*uint64(len(data)) + 4<<20 // Limits.Free, eight times
		for i := range data {
			n := allocated(func() {
				for _, mutate := range []func(p []byte) []byte{
					func(p []byte) []byte { return p[:i] },
					func(p []byte) []byte { p[i] ^= 1 << rng.IntN(8); return p },
					func(p []byte) []byte { p[i] = byte(rng.Uint32() >> rng.IntN(8)); return p },
					func(p []byte) []byte { return append(binary.AppendUvarint(p[:i:i], 1<<rng.IntN(64)-1), p[i+1:]...) },
				} {
					both(t, c, mutate(bytes.Clone(data)))
				}
			})
			if !raceEnabled && n > 40*bound {
				t.Fatalf("%d bytes allocated for variations of %d bytes", n, len(data))
			}
		}
		if _, err := get.Value(data[:len(data)-1], putget.Codec[zoo](c)); err == nil {
			t.Error("a value that is cut decodes")
		}
	}
}

// The same for documents, whose checksums are made right again, with tables and
// a census.
func TestMutatedDocuments(t *testing.T) {
	c := codecFor[pair](t, derive.Table[node]("nodes"))
	n := ring(5)
	for _, v := range []*pair{{n, n.Next}, {}} {
		doc, err := putget.Append(nil, v, c, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 8 * len(doc) {
			bad := bytes.Clone(doc)
			bad[i/8] ^= 1 << (i % 8)
			if _, err := putget.Decode(bad, c, nil); err == nil {
				t.Fatalf("bit %d flipped, and no error", i)
			}
			if !testdoc.Reseal(bad) {
				continue
			}
			if got, err := putget.Decode(bad, c, nil); err == nil {
				again, err := putget.Append(nil, got, c, nil)
				if err != nil {
					t.Fatal(err)
				}
				back, err := putget.Decode(again, c, nil)
				if err != nil || !graphtest.Equal(got, back) {
					t.Fatalf("bit %d: %v, or another value", i, err)
				}
			}
		}
		for i := range doc {
			if _, err := putget.Decode(doc[:i], c, nil); err == nil {
				t.Fatalf("cut at %d, and no error", i)
			}
		}
	}
}

// ident is what most of a syntax tree consists of.
type ident struct {
	Pos  offset
	Name name
}

type phrase struct {
	Pos    offset
	Idents []*ident
	One    *ident
	Parts  []*phrase
	Next   *phrase
	Any    []any
}

func phrases(depth int) *phrase {
	if depth == 0 {
		return nil
	}
	x := func(n int) *ident { return &ident{offset(100*depth + n), name("name" + string(rune('a'+n)))} }
	return &phrase{offset(depth), []*ident{x(1), x(2), {}}, x(3), []*phrase{{Pos: 7}, phrases(depth - 2 + depth%2)}[:depth%2+1],
		phrases(depth - 1), []any{x(4), nil, &phrase{Pos: 90000}, x(5)}}
}

// reserving is a codec that makes ready for the whole document.
type reserving[T any] struct{ *derive.Codec[T] }

func (c reserving[T]) Get(r *get.Reader, v *T) {
	c.Reserve(r)
	c.Codec.Get(r, v)
}

// Dictionaries and positions, in documents that fastget.go and get.go must
// decode alike, whatever bits are flipped and whatever the limit of depth.
func TestFastDocuments(t *testing.T) {
	c := codecFor[*phrase](t, derive.Own[phrase](), derive.Own[ident](), derive.Delta[offset](zooPos),
		derive.Intern[name](symtab.NewStrings("names", "namea")), derive.Union[any]((*ident)(nil), (*phrase)(nil)))
	v := phrases(6)
	roundTrip(t, true, c, &v)
	doc, err := putget.Append(nil, &v, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	agree := func(doc []byte, o *putget.Options, what string, i int) bool {
		slow, errSlow := putget.Decode(doc, derive.Slow[*phrase]{Codec: c}, o)
		for _, codec := range []putget.Codec[*phrase]{c, reserving[*phrase]{c}} {
			fast, err := putget.Decode(doc, codec, o)
			if (err == nil) != (errSlow == nil) {
				t.Fatalf("%s %d: fastget.go says %v, get.go %v", what, i, err, errSlow)
			}
			if err == nil && !graphtest.Equal(slow, fast) {
				t.Fatalf("%s %d: fastget.go and get.go differ: %s", what, i, graphtest.Diff(slow, fast))
			}
		}
		return errSlow == nil
	}
	step := 1
	if testing.Short() {
		step = 29
	}
	for i := 16 * 8; i < len(doc)*8; i += step {
		bad := bytes.Clone(doc)
		bad[i/8] ^= 1 << (i % 8)
		if testdoc.Reseal(bad) {
			agree(bad, nil, "bit", i)
		}
	}
	deep := 0
	for depth := 1; depth < 40; depth++ {
		o := &putget.Options{Limits: putget.Limits{Depth: depth}}
		if !agree(doc, o, "depth", depth) {
			deep = depth
		}
		_, err := putget.Append(nil, &v, c, o)
		_, errSlow := putget.Append(nil, &v, derive.Slow[*phrase]{Codec: c}, o)
		if (err == nil) != (depth > deep) || (errSlow == nil) != (err == nil) {
			t.Errorf("depth %d: fastput.go says %v, put.go %v, the reader's limit is %d", depth, err, errSlow, deep)
		}
	}
	if deep == 0 {
		t.Error("nothing was too deep")
	}
}

// Owned pointers refer back to nothing.
func TestBackToOwned(t *testing.T) {
	c := codecFor[*tree](t, derive.Own[tree]())
	_, err := get.Value([]byte{3}, c)
	wantError(t, err, putget.ErrCorrupt, "derive_test.tree")
	_, err = get.Value([]byte{3}, codecFor[any](t, derive.Own[tree](), derive.Union[any]((*tree)(nil)))) // the tag for it
	wantError(t, err, putget.ErrTruncated)
	_, err = get.Value([]byte{3, 0, 0}, codecFor[any](t, derive.Own[tree](), derive.Union[any]((*tree)(nil))))
	wantError(t, err, putget.ErrCorrupt)
}

// A slice of owned pointers has one form.
func TestTight(t *testing.T) {
	type leaf struct{ B bool }
	c := codecFor[[]*leaf](t, derive.Own[leaf]())
	for data, good := range map[string]bool{
		"\x04\x00\x01":         true,  // two, without markers
		"\x05\x01\x00\x01\x01": false, // the same with markers
		"\x05\x01\x00\x00":     true,  // a leaf and nil
		"\x05\x01\x00\x02":     false, // a body that is missing
		"\x05\x01\x00\x02\x00": true,  // a body that comes later, when it might be here
		"\x00":                 true,
		"\x01":                 true,
		"\x02":                 false,
	} {
		both(t, c, []byte(data))
		if _, err := get.Value([]byte(data), c); (err == nil) != good {
			t.Errorf("%q: %v", data, err)
		}
	}
}

// census finds the census of a document: its two entries lie back to back.
func census[T any](t *testing.T, doc []byte, c *derive.Codec[T]) []byte {
	t.Helper()
	d, err := putget.Open(doc, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range d.Sections() {
		if s.Name == c.CensusName() {
			return doc[s.Offset:][:s.Size:s.Size]
		}
	}
	t.Fatal("the document has no census")
	return nil
}

// A census that lies costs nothing much and changes nothing.
func TestHostileCensus(t *testing.T) {
	c := codecFor[*tree](t, derive.Own[tree]())
	v := aTree(7)
	doc, err := putget.Append(nil, &v, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	honest := allocated(func() { putget.Decode(doc, c, nil) })
	numbers := census(t, doc, c)
	for _, x := range []byte{0, 1, 0x7f, 0x80, 0xff} {
		for i := range numbers {
			bad := bytes.Clone(doc)
			for j, y := range census(t, bad, c)[i:] {
				if j == 0 || x == 0xff {
					census(t, bad, c)[i+j] = x
				}
				_ = y
			}
			testdoc.Reseal(bad)
			n := allocated(func() {
				got, err := putget.Decode(bad, c, nil)
				if err == nil && !graphtest.Equal(&v, got) {
					t.Errorf("a census with %#x in place %d changes the value", x, i)
				}
			})
			if !raceEnabled && n > honest+100*uint64(len(doc)) {
				t.Errorf("a census with %#x in place %d makes Decode allocate %d bytes, not %d", x, i, n, honest)
			}
		}
	}
	// Too large, but of the right form.
	renamed := bytes.Clone(doc)
	dir := bytes.Index(renamed, []byte(c.CensusName()))
	renamed[dir] = 'C' // unknown tables are skipped
	testdoc.Reseal(renamed)
	if got, err := putget.Decode(renamed, c, nil); err != nil || !graphtest.Equal(&v, got) {
		t.Error("without a census the document does not decode: ", err)
	}
}

// A document with a census is decoded with one allocation a slab.
func TestAllocations(t *testing.T) {
	if raceEnabled || wire.InlineDepth == 0 {
		t.Skip("the race detector and deferred bodies allocate")
	}
	c := codecFor[*tree](t, derive.Own[tree]())
	v := aTree(10)
	strip := func(x *tree) {}
	strip = func(x *tree) { // names are allocations of their own
		if x != nil {
			x.Name = ""
			strip(x.Left)
			for _, y := range x.List {
				strip(y)
			}
		}
	}
	strip(v)
	doc, err := putget.Append(nil, &v, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	n := testing.AllocsPerRun(20, func() {
		if _, err := putget.Decode(doc, c, nil); err != nil {
			t.Fatal(err)
		}
	})
	const container = 16 // opening the document
	if n > float64(c.Slabs()+container) {
		t.Errorf("%v allocations for %d slabs", n, c.Slabs())
	}
	// And what they allocate is what the values take.
	size := allocated(func() { putget.Decode(doc, c, nil) })
	if want := uint64(1<<12) * (64 + 8 + 8); size > 2*want+1<<14 {
		t.Errorf("%d bytes for %d", size, want)
	}
}

// Slices in slices that are too deep are refused on both sides.
func TestDeepSlices(t *testing.T) {
	c := codecFor[listType](t)
	v := listType{}
	for range 100_000 {
		v = listType{v}
	}
	wantError(t, putError(c, &v), putget.ErrLimit, "10000 levels", "Limits.Depth")
	data := append(bytes.Repeat([]byte{2}, 100_000), 1)
	both(t, c, data)
	_, err := get.Value(data, c)
	wantError(t, err, putget.ErrLimit, "10000 levels")

	ca := codecFor[any](t, derive.Union[any]([]any(nil), map[string]any(nil), cons{}))
	s := make([]any, 1)
	s[0] = s
	var a any = s
	wantError(t, putError(ca, &a), putget.ErrLimit)
	a = cons{}
	for range 20_000 {
		a = cons{a}
	}
	wantError(t, putError(ca, &a), putget.ErrLimit)
	_, err = get.Value(append(bytes.Repeat([]byte{4}, 100_000), 1), ca)
	wantError(t, err, nil)

	// Up to the limit both sides work.
	v = listType{}
	for range 10_000 {
		v = listType{v}
	}
	if _, err := get.Value(bare(t, c, &v), c); err != nil {
		t.Error(err)
	}
	if err := putError(c, &listType{v}); err == nil {
		t.Error("the writer goes deeper than the reader")
	}
}

type cons struct{ Cdr any }

// Bytes that announce much more than they have cost nothing.
func TestHostileCounts(t *testing.T) {
	for name, decode := range map[string]func([]byte) error{
		"structs":  func(p []byte) error { _, err := get.Value(p, codecFor[[]node](t)); return err },
		"pointers": func(p []byte) error { _, err := get.Value(p, codecFor[[]*node](t)); return err },
		"owned":    func(p []byte) error { _, err := get.Value(p, codecFor[[]*node](t, derive.Own[node]())); return err },
		"strings":  func(p []byte) error { _, err := get.Value(p, codecFor[[]string](t)); return err },
		"string":   func(p []byte) error { _, err := get.Value(p, codecFor[string](t)); return err },
		"bytes":    func(p []byte) error { _, err := get.Value(p, codecFor[[]byte](t)); return err },
		"vector":   func(p []byte) error { _, err := get.Value(p, codecFor[[]int64](t)); return err },
		"complex":  func(p []byte) error { _, err := get.Value(p, codecFor[[]complex128](t)); return err },
		"map": func(p []byte) error {
			_, err := get.Value(append([]byte{1}, p...), codecFor[map[int]int](t))
			return err
		},
		"nothing": func(p []byte) error { _, err := get.Value(p, codecFor[[]struct{}](t)); return err },
		"union":   func(p []byte) error { _, err := get.Value(p, codecFor[[]any](t, derive.Union[any](0))); return err },
	} {
		for shift := 20; shift <= 64; shift++ {
			for _, less := range []uint64{0, 1, 2, 3} {
				p := binary.AppendUvarint(nil, uint64(1)<<shift-less)
				p = append(p, strings.Repeat("\x01", 20)...)
				var err error
				n := allocated(func() { err = decode(p) })
				if err == nil {
					t.Errorf("%s: 1<<%d - %d elements in 20 bytes", name, shift, less)
				}
				if !raceEnabled && n > 1<<20 {
					t.Errorf("%s: 1<<%d - %d elements in 20 bytes allocate %d bytes", name, shift, less, n)
				}
			}
		}
	}
}
