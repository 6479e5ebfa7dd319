package symtab_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/putget/putget"
	"github.com/putget/putget/get"
	"github.com/putget/putget/internal/wire"
	"github.com/putget/putget/put"
	"github.com/putget/putget/symtab"
)

var (
	words = symtab.NewStrings("words")
	known = symtab.NewStrings("words", "break", "", "case") // the same table, by another key
)

type list []string

type listCodec struct{ k *symtab.Strings }

func (c listCodec) Put(b *put.Builder, v *list) {
	put.Slice(b, *v, put.Func[string](func(b *put.Builder, s *string) { c.k.Put(b, *s) }))
}

func (c listCodec) Get(r *get.Reader, v *list) {
	*v = get.Slice(r, get.Func[string](func(r *get.Reader, s *string) { *s = c.k.Get(r) }))
}

// manyStrings is 70,000 distinct strings, all there are of length 0 and 1 and
// some of each length to 4, then repeats of them, some by another pointer.
func manyStrings() list {
	l := list{""}
	for i := range 256 {
		l = append(l, string([]byte{byte(i)}))
	}
	for i := 0; len(l) < 70_000; i++ {
		l = append(l, fmt.Sprintf("%03x", i))
	}
	for i := range 70_000 {
		if i%3 == 0 {
			l = append(l, strings.Clone(l[i]))
		} else {
			l = append(l, l[i])
		}
	}
	return l
}

func same(t *testing.T, got, want list) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d strings, want %d", len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("string %d is %q, want %q", i, got[i], want[i])
		}
	}
}

func TestStrings(t *testing.T) {
	want := manyStrings()
	for _, k := range []*symtab.Strings{words, known} {
		for _, packed := range []bool{true, false} {
			f, err := encode(func(b *put.Builder) { listCodec{k}.Put(b, &want) })
			if err != nil {
				t.Fatal(err)
			}
			if n := f.tables["words"].Len(); n < 69_990 || n > 70_000 {
				t.Errorf("%d entries", n)
			}
			f.packed = packed
			d := f.open(nil)
			var got list
			if err := d.read(func(r *get.Reader) { listCodec{k}.Get(r, &got) }); err != nil {
				t.Fatal(err)
			}
			same(t, got, want)
			if err := k.Verify(d); err != nil {
				t.Error(err)
			}
			if n := d.sections["words"].reads; packed && n > 140_000 {
				t.Errorf("%d entries were read on their own", n)
			}
		}
	}
}

func TestStringsInFiles(t *testing.T) {
	want := manyStrings()
	doc, err := putget.Append(nil, &want, listCodec{known}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := putget.Decode(doc, listCodec{known}, nil)
	if err != nil {
		t.Fatal(err)
	}
	same(t, *got, want)

	var buf bytes.Buffer
	e := putget.NewEncoder(&buf, nil)
	for i := 0; i < len(want); i += 10_000 {
		part := want[i:min(i+10_000, len(want))]
		if err := putget.EncodeTo(e, &part, listCodec{known}); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	var all list
	d := putget.NewDecoder(&buf, nil)
	for {
		part, err := putget.DecodeFrom(d, listCodec{known})
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, *part...)
	}
	same(t, all, want)
}

// The numbers grow through the lengths of a varint without a cliff.
func TestStringsBoundaries(t *testing.T) {
	for _, n := range []int{127, 128, 129, 16383, 16384, 16385, 65535, 65536, 65537} {
		var l list
		for i := range n {
			l = append(l, fmt.Sprint(i))
		}
		l = append(l, l[0], l[n-1])
		f, err := encode(func(b *put.Builder) { listCodec{words}.Put(b, &l) })
		if err != nil {
			t.Fatal(err)
		}
		var got list
		if err := f.open(nil).read(func(r *get.Reader) { listCodec{words}.Get(r, &got) }); err != nil {
			t.Fatal(err)
		}
		same(t, got, l)
	}
}

// Identifiers made to collide under a known hash are like any other.
func TestStringsFlooding(t *testing.T) {
	data, err := os.ReadFile("testdata/colliding.txt")
	if err != nil {
		t.Fatal(err)
	}
	l := list(strings.Fields(string(data)))
	for i := range 2048 {
		l = append(l, strings.Repeat("k", 60)+fmt.Sprintf("%04x", i))
	}
	for i := range 2048 { // the same at both ends: one hash in this package
		l = append(l, strings.Repeat("k", 28)+fmt.Sprintf("%08x", i)+strings.Repeat("k", 28))
	}
	for i := range 6144 {
		l = append(l, strings.Clone(l[i]))
	}
	f, err := encode(func(b *put.Builder) { listCodec{words}.Put(b, &l) })
	if err != nil {
		t.Fatal(err)
	}
	if n := f.tables["words"].Len(); n != 6144 {
		t.Errorf("%d entries, want 6144", n)
	}
	var got list
	if err := f.open(nil).read(func(r *get.Reader) { listCodec{words}.Get(r, &got) }); err != nil {
		t.Fatal(err)
	}
	same(t, got, l)
}

// A string is known by its bytes, not by where they are.
func TestStringsSubstrings(t *testing.T) {
	text := "aaaa"
	l := list{text, text[:1], text[1:2], text[:2], text[2:], text[:0], text[4:], "", text}
	f, err := encode(func(b *put.Builder) { listCodec{words}.Put(b, &l) })
	if err != nil {
		t.Fatal(err)
	}
	if n := f.tables["words"].Len(); n != 4 {
		t.Errorf("%d entries, want 4", n)
	}
	var got list
	if err := f.open(nil).read(func(r *get.Reader) { listCodec{words}.Get(r, &got) }); err != nil {
		t.Fatal(err)
	}
	same(t, got, l)
}

// Known strings take no entry, and no table.
func TestKnown(t *testing.T) {
	l := list{"break", "", "case", "break"}
	f, err := encode(func(b *put.Builder) { listCodec{known}.Put(b, &l) })
	if err != nil {
		t.Fatal(err)
	}
	if n := f.tables["words"].Len(); n != 0 {
		t.Errorf("%d entries", n)
	}
	delete(f.tables, "words")
	var got list
	if err := f.open(nil).read(func(r *get.Reader) { listCodec{known}.Get(r, &got) }); err != nil {
		t.Fatal(err)
	}
	same(t, got, l)
	defer func() {
		if recover() == nil {
			t.Error("a known string twice")
		}
	}()
	symtab.NewStrings("twice", "a", "b", "a")
}

// A few strings of a large table are read alone; many make it be read whole.
func TestStringsFew(t *testing.T) {
	l := manyStrings()[:70_000]
	f, err := encode(func(b *put.Builder) { listCodec{words}.Put(b, &l) })
	if err != nil {
		t.Fatal(err)
	}
	d := f.open(nil)
	u := func(n uint64) []byte { return put2(n) }
	for i := range uint64(20) {
		id := i * 3000
		for range 2 {
			d.root = u(id)
			if err := d.read(func(r *get.Reader) {
				if got := words.Get(r); got != l[id] {
					t.Errorf("string %d is %q, want %q", id, got, l[id])
				}
			}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := d.sections["words"].reads; n != 20 {
		t.Errorf("20 strings took %d reads", n)
	}
}

// put2 is a bare unit with a number.
func put2(n uint64) []byte {
	var b put.Builder
	b.Uvarint(n)
	data, _ := b.Done()
	return data
}

func TestStringsCorrupt(t *testing.T) {
	l := list{"a", "b"}
	for _, packed := range []bool{true, false} {
		f, err := encode(func(b *put.Builder) { listCodec{known}.Put(b, &l) })
		if err != nil {
			t.Fatal(err)
		}
		f.packed = packed
		for number, ok := range map[uint64]bool{0: true, 2: true, 3: true, 4: true, 5: false, 1 << 31: false, 1 << 32: false, 1<<64 - 1: false} {
			f.root = put2(number)
			err := f.open(nil).read(func(r *get.Reader) { known.Get(r) })
			if ok && err != nil || !ok && !errors.Is(err, wire.ErrCorrupt) {
				t.Errorf("string %d: %v", number, err)
			}
		}
		f.root = put2(3)
		delete(f.tables, "words")
		if err := f.open(nil).read(func(r *get.Reader) { known.Get(r) }); !errors.Is(err, wire.ErrCorrupt) || !strings.Contains(err.Error(), "words") {
			t.Errorf("without the table: %v", err)
		}
	}
	// Duplicates decode, and are found by Verify.
	for _, dup := range []list{{"a", "b", "a"}, {"a", "case"}} {
		f, err := encode(func(b *put.Builder) { listCodec{words}.Put(b, &list{"x"}) })
		if err != nil {
			t.Fatal(err)
		}
		e := f.tables["words"]
		e.Blob, e.Ends = nil, nil
		for _, s := range dup {
			e.Blob = append(e.Blob, s...)
			e.End()
		}
		if err := known.Verify(f.open(nil)); !errors.Is(err, wire.ErrCorrupt) {
			t.Errorf("%q: %v", dup, err)
		}
	}
}

func TestBareUnits(t *testing.T) {
	var b put.Builder
	words.Put(&b, "a")
	if _, err := b.Done(); !errors.Is(err, wire.ErrValue) || !strings.Contains(err.Error(), `"words"`) {
		t.Errorf("put: %v", err)
	}
	b.Reset(nil, nil)
	nodes.Put(&b, nil)
	if _, err := b.Done(); !errors.Is(err, wire.ErrValue) || !strings.Contains(err.Error(), `"nodes"`) {
		t.Errorf("put: %v", err)
	}
	for _, fn := range []func(*get.Reader){
		func(r *get.Reader) { words.Get(r) },
		func(r *get.Reader) { nodes.Get(r) },
		func(r *get.Reader) { nodes.ID(r) },
	} {
		var r get.Reader
		r.Reset([]byte{1}, nil)
		fn(&r)
		if err := r.Done(); !errors.Is(err, wire.ErrNotFound) {
			t.Errorf("get: %v", err)
		}
	}
}
