package symtab_test

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/putget/putget"
	"github.com/putget/putget/get"
	"github.com/putget/putget/internal/wire"
	"github.com/putget/putget/put"
	"github.com/putget/putget/symtab"
)

// symbol is a named entry; those without a name are not to be found.
type symbol struct {
	name string
	kind uint8
	v    int
}

type symbolCodec struct{}

var (
	symbolNames = symtab.NewStrings("symbolNames", "main", "init")
	symbols     = symtab.NewTable[symbol]("symbols", symbolCodec{})
	symbolIndex = symtab.NewIndex(symbols, symbolNames, func(s *symbol) (string, uint8, bool) { return s.name, s.kind, s.v >= 0 })
)

func (symbolCodec) Put(b *put.Builder, s *symbol) {
	symbolNames.Put(b, s.name)
	b.Uint8(s.kind)
	b.Int(s.v)
}

func (symbolCodec) Get(r *get.Reader, s *symbol) {
	s.name, s.kind, s.v = symbolNames.Get(r), r.Uint8(), r.Int()
}

func encodeSymbols(t testing.TB, list []*symbol) []byte {
	t.Helper()
	doc, err := putget.Append(nil, &list, put.Func[[]*symbol](func(b *put.Builder, l *[]*symbol) {
		for _, s := range *l {
			symbols.Put(b, s)
		}
	}), nil)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func openSymbols(t testing.TB, doc []byte) *putget.Document {
	t.Helper()
	d, err := putget.Open(doc, nil)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// The index finds what a sorted list has, at all sizes of its tree.
func TestIndex(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, 127, 128, 129, 1000, 128 * 128, 128*128 + 1, 20_000, 40_000} {
		if testing.Short() && n > 1000 {
			continue
		}
		var list []*symbol
		for i := range n {
			s := &symbol{name: fmt.Sprintf("s%d", rnd.IntN(n)), kind: uint8(rnd.IntN(3)), v: i}
			switch rnd.IntN(20) {
			case 0:
				s.v = -1 // not to be found
			case 1:
				s.name = strings.Repeat("long", rnd.IntN(50)) // from "" on
			case 2:
				s.name = "main"
			case 3:
				s.name = string([]byte{byte(rnd.Uint32()), byte(rnd.Uint32())})
			}
			list = append(list, s)
		}
		d := openSymbols(t, encodeSymbols(t, list))
		var want []symtab.Hit
		for id, s := range list {
			if s.v >= 0 {
				want = append(want, symtab.Hit{Name: s.name, Kind: s.kind, ID: symtab.ID(id)})
			}
		}
		slices.SortFunc(want, func(a, b symtab.Hit) int {
			return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.ID, b.ID))
		})
		var all []symtab.Hit
		for hit, err := range symbolIndex.All(d) {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, hit)
		}
		if !slices.Equal(all, want) {
			t.Errorf("%d symbols: in order: got %.200v, want %.200v", n, all, want)
		}
		for i := 0; i < len(want); {
			j := i + 1
			for j < len(want) && want[j].Name == want[i].Name {
				j++
			}
			hits, err := symbolIndex.Find(d, want[i].Name)
			if err != nil || !slices.Equal(hits, want[i:j]) {
				t.Fatalf("%d symbols: %q: got %v, %v; want %v", n, want[i].Name, hits, err, want[i:j])
			}
			i = j
		}
		for _, absent := range []string{"\x00\x00\x00", "s", "s-1", "zzz", "longlon", "init"} {
			if hits, err := symbolIndex.Find(d, absent); err != nil || len(hits) > 0 {
				t.Errorf("%d symbols: %q: got %v, %v", n, absent, hits, err)
			}
		}
		if n > 1000 {
			continue // Verify asks for all again
		}
		if err := symbolIndex.Verify(d); err != nil {
			t.Errorf("%d symbols: %v", n, err)
		}
	}
}

// One name a thousand times, over several leaves.
func TestIndexDuplicates(t *testing.T) {
	var list []*symbol
	for i := range 1000 {
		list = append(list, &symbol{"b", 0, i})
	}
	list = append(list, &symbol{"a", 0, 0}, &symbol{"c", 0, 0})
	d := openSymbols(t, encodeSymbols(t, list))
	for name, want := range map[string]int{"": 0, "a": 1, "b": 1000, "bb": 0, "c": 1} {
		if hits, err := symbolIndex.Find(d, name); err != nil || len(hits) != want {
			t.Errorf("%q: %d hits, %v; want %d", name, len(hits), err, want)
		}
	}
}

// A search decodes no entry, and an entry found decodes itself.
func TestIndexLookup(t *testing.T) {
	d := openSymbols(t, encodeSymbols(t, []*symbol{{"x", 1, 10}, {"y", 2, 20}}))
	hits, err := symbolIndex.Find(d, "y")
	if err != nil || len(hits) != 1 {
		t.Fatal(hits, err)
	}
	s, err := symbols.Load(d, hits[0].ID)
	if err != nil || *s != (symbol{"y", 2, 20}) {
		t.Errorf("got %v, %v", s, err)
	}
	// A document without the table has no entries.
	d = openSymbols(t, encodeSymbols(t, nil))
	if hits, err := symbolIndex.Find(d, "y"); err != nil || hits != nil {
		t.Errorf("without the table: %v, %v", hits, err)
	}
	for range symbolIndex.All(d) {
		t.Error("an entry without a table")
	}
	defer func() {
		if recover() == nil {
			t.Error("two indexes of one table")
		}
	}()
	symtab.NewIndex(symbols, symbolNames, func(s *symbol) (string, uint8, bool) { return "", 0, true })
}

// Indexes of values, by both kinds of table.
func TestIndexOfValues(t *testing.T) {
	built := symtab.NewBuilt[*named]("b", valueFuncs[*named]{
		func(b *put.Builder, n *named) { b.String(n.name) },
		func(r *get.Reader) *named { return &named{name: r.String()} },
	})
	cons := symtab.NewCons[*tree]("c", valueFuncs[*tree]{
		func(b *put.Builder, n *tree) { b.String(n.name) },
		func(r *get.Reader) *tree { return &tree{name: r.String()} },
	})
	bi := symtab.NewIndex(built, symbolNames, func(n *named) (string, uint8, bool) { return n.name, 1, true })
	ci := symtab.NewIndex(cons, symbolNames, func(n *tree) (string, uint8, bool) { return n.name, 2, true })
	f, err := encode(func(b *put.Builder) {
		built.Put(b, &named{name: "x"})
		built.Put(b, &named{name: "y"})
		cons.Put(b, &tree{name: "y"})
		cons.Put(b, &tree{name: "y"})
	})
	if err != nil {
		t.Fatal(err)
	}
	d := f.open(nil)
	if hits, err := bi.Find(d, "y"); err != nil || !slices.Equal(hits, []symtab.Hit{{Name: "y", Kind: 1, ID: 1}}) {
		t.Error(hits, err)
	}
	if hits, err := ci.Find(d, "y"); err != nil || !slices.Equal(hits, []symtab.Hit{{Name: "y", Kind: 2, ID: 0}}) {
		t.Error(hits, err)
	}
	if n, err := cons.Load(d, 0); err != nil || n.name != "y" {
		t.Error(n, err)
	}
}

// Any change of the index is an error or an answer, and at most a wrong one:
// the names in it are the names of the strings.
func TestIndexHostile(t *testing.T) {
	var list []*symbol
	for i := range 300 {
		list = append(list, &symbol{fmt.Sprintf("name%d", i), 0, i})
	}
	f, err := encode(func(b *put.Builder) {
		for _, s := range list {
			symbols.Put(b, s)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	e := f.tables["symbols.index"]
	d := f.open(nil)
	try := func() {
		for _, name := range []string{"name0", "name150", "name99", "nobody"} {
			hits, err := symbolIndex.Find(d, name)
			if err != nil && !errors.Is(err, wire.ErrCorrupt) {
				t.Errorf("an error of no class: %v", err)
			}
			for _, hit := range hits {
				if hit.Name != name {
					t.Errorf("asked for %q, got %v", name, hit)
				}
			}
		}
		if err := symbolIndex.Verify(d); err != nil && !errors.Is(err, wire.ErrCorrupt) {
			t.Errorf("an error of no class: %v", err)
		}
	}
	for i := range e.Blob {
		if testing.Short() && i%17 != 0 {
			continue
		}
		old := e.Blob[i]
		for _, change := range []byte{1, 0x80, 0xff} {
			e.Blob[i] = old ^ change
			try()
		}
		e.Blob[i] = old
	}
	for n := range len(e.Ends) {
		ends := slices.Clone(e.Ends)
		e.Ends = e.Ends[:n]
		try()
		e.Ends = ends
		e.Ends[n] /= 2
		if n == 0 || e.Ends[n] >= e.Ends[n-1] {
			try()
		}
		copy(e.Ends, ends)
		e.Ends[n] = ends[n] * 2
	}
}
