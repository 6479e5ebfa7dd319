package symtab_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/putget/putget"
	"github.com/putget/putget/get"
	"github.com/putget/putget/internal/testchild"
	"github.com/putget/putget/internal/unit"
	"github.com/putget/putget/internal/wire"
	"github.com/putget/putget/put"
	"github.com/putget/putget/state"
	"github.com/putget/putget/symtab"
)

type node struct {
	Name string
	Next *node
	V    int
}

type nodeCodec struct{}

var (
	names = symtab.NewStrings("names", "known", "")
	nodes = symtab.NewTable[node]("nodes", nodeCodec{})
)

func (nodeCodec) Put(b *put.Builder, n *node) { names.Put(b, n.Name); nodes.Put(b, n.Next); b.Int(n.V) }
func (nodeCodec) Get(r *get.Reader, n *node) {
	n.Name = names.Get(r)
	n.Next = nodes.Get(r)
	n.V = r.Int()
}

func TestRing(t *testing.T) {
	const n = 10_000
	list := make([]node, n)
	for i := range list {
		list[i] = node{string(rune('a' + i%26)), &list[(i+1)%n], i}
	}
	f, err := encode(func(b *put.Builder) { nodes.Put(b, &list[0]); nodes.Put(b, nil) })
	if err != nil {
		t.Fatal(err)
	}
	for _, packed := range []bool{true, false} {
		f.packed = packed
		d := f.open(nil)
		var head, null *node
		if err := d.read(func(r *get.Reader) { head = nodes.Get(r); null = nodes.Get(r) }); err != nil {
			t.Fatal(err)
		}
		if null != nil {
			t.Error("nil came back as a value")
		}
		p := head
		for i := range n {
			if p.V != i || p.Name != list[i].Name {
				t.Fatalf("node %d is %+v", i, p)
			}
			p = p.Next
		}
		if p != head {
			t.Error("the ring is open")
		}
		again, err := nodes.Load(d, 0)
		if err != nil || again != head {
			t.Errorf("loaded %p, %v; want %p", again, err, head)
		}
	}
}

// pair has pointers into two tables, which refer to each other.
type pair struct {
	ID uint8
	A  *pair // in table a
	B  *pair // in table b
}

type pairCodec struct{}

var (
	tableA = symtab.NewTable[pair]("a", pairCodec{})
	tableB = symtab.NewTable[pair]("b", pairCodec{})

	// What the codec does when it gets the pair with this ID.
	trouble = map[uint8]func(*get.Reader){}
)

func (pairCodec) Put(b *put.Builder, p *pair) {
	b.Uint8(p.ID)
	tableA.Put(b, p.A)
	tableB.Put(b, p.B)
}

func (pairCodec) Get(r *get.Reader, p *pair) {
	p.ID = r.Uint8()
	if fn := trouble[p.ID]; fn != nil {
		fn(r)
	}
	p.A = tableA.Get(r)
	p.B = tableB.Get(r)
}

// pairs makes n pairs, in table a, each of which leads to all after it through
// table b and back.
func pairs(t testing.TB, n int) *file {
	list := make([]pair, 2*n)
	for i := range list {
		list[i].ID = uint8(i)
		if i%2 == 0 {
			list[i].B = &list[i+1]
		} else {
			list[i].A = &list[(i+1)%len(list)]
		}
	}
	f, err := encode(func(b *put.Builder) { tableA.Put(b, &list[0]) })
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// What fails takes back all it touched; what is tried again then works.
func TestRollback(t *testing.T) {
	boom := errors.New("boom")
	f := pairs(t, 100)
	d := f.open(nil)
	for _, id := range []uint8{0, 1, 77, 199} {
		for name, fn := range map[string]func(*get.Reader){
			"fail":  func(r *get.Reader) { r.Fail(boom) },
			"later": func(r *get.Reader) { r.Later(0, func() error { return boom }) },
			"panic": func(*get.Reader) { panic(boom) },
		} {
			trouble[id] = fn
			func() {
				defer func() {
					if p := recover(); (p != nil) != (name == "panic") {
						t.Errorf("%s at %d: panic %v", name, id, p)
					}
				}()
				p, err := tableA.Load(d, 0)
				if p != nil || !errors.Is(err, boom) {
					t.Errorf("%s at %d: got %v, %v", name, id, p, err)
				}
			}()
			delete(trouble, id)
		}
	}
	p, err := tableA.Load(d, 0)
	if err != nil {
		t.Fatal(err)
	}
	q := p
	for i := range 200 {
		if q.ID != uint8(i) {
			t.Fatalf("pair %d is %d", i, q.ID)
		}
		if q.A != nil {
			q = q.A
		} else {
			q = q.B
		}
	}
	if q != p {
		t.Error("the ring is open")
	}
	// Those that fail later leave alone what was there before.
	trouble[3] = func(r *get.Reader) { r.Fail(boom) }
	defer delete(trouble, 3)
	if again, err := tableB.Load(d, 0); err != nil || again != p.B {
		t.Errorf("got %p, %v; want %p", again, err, p.B)
	}
}

// The error of a corrupt entry is the same however it is come to.
func TestRememberedError(t *testing.T) {
	f := pairs(t, 10)
	e := f.tables["b"]
	start := e.Ends[4]
	e.Blob = slices.Clone(e.Blob)
	e.Blob[start+2] = 99 // entry 5 of b refers to none of a
	d := f.open(nil)
	var first error
	for _, id := range []symtab.ID{0, 5, 9, 0} {
		_, err := tableA.Load(d, id)
		if !errors.Is(err, wire.ErrCorrupt) || !strings.Contains(err.Error(), "b#5") {
			t.Fatalf("entry %d: %v", id, err)
		}
		if first == nil {
			first = err
		}
		if err != first {
			t.Errorf("entry %d: %v, before: %v", id, err, first)
		}
	}
	if _, err := tableB.Load(d, 5); err != first {
		t.Errorf("the entry itself: %v, before: %v", err, first)
	}
}

// A limit is not remembered: it may depend on who asked.
func TestLimitForgotten(t *testing.T) {
	f := pairs(t, 2)
	d := f.open(nil)
	trouble[1] = func(r *get.Reader) {
		r.Fail(&wire.Error{Class: wire.ErrLimit, Unit: "b#0"})
	}
	if _, err := tableA.Load(d, 0); !errors.Is(err, wire.ErrLimit) {
		t.Fatal(err)
	}
	delete(trouble, 1)
	if _, err := tableA.Load(d, 0); err != nil {
		t.Error(err)
	}
}

func TestReferences(t *testing.T) {
	f := pairs(t, 2) // two entries
	for number, want := range map[uint64]error{0: nil, 1: nil, 2: nil, 3: wire.ErrCorrupt, 1 << 32: wire.ErrCorrupt, 1<<64 - 1: wire.ErrCorrupt} {
		f.root = put2(number)
		for name, fn := range map[string]func(*get.Reader){
			"Get": func(r *get.Reader) { tableA.Get(r) },
			"ID":  func(r *get.Reader) { tableA.ID(r) },
		} {
			if err := f.open(nil).read(fn); !errors.Is(err, want) {
				t.Errorf("%s of %d: %v", name, number, err)
			}
		}
	}
	d := f.open(nil)
	for _, id := range []symtab.ID{2, 1<<32 - 1} {
		if _, err := tableA.Load(d, id); !errors.Is(err, wire.ErrNotFound) {
			t.Errorf("Load of %d: %v", id, err)
		}
	}
	if n, err := tableA.Len(d); n != 2 || err != nil {
		t.Errorf("%d entries, %v", n, err)
	}
	delete(f.tables, "a")
	f.root = put2(1)
	d = f.open(nil)
	if err := d.read(func(r *get.Reader) { tableA.Get(r) }); !errors.Is(err, wire.ErrCorrupt) || !strings.Contains(err.Error(), "a") {
		t.Errorf("without the table: %v", err)
	}
	if _, err := tableA.Load(d, 0); !errors.Is(err, wire.ErrNotFound) {
		t.Errorf("without the table: %v", err)
	}
	// An entry with bytes left over, and one cut.
	for _, change := range []int{-1, 1} {
		f := pairs(t, 1)
		e := f.tables["b"]
		e.Blob = append(slices.Clone(e.Blob), 0)
		e.Ends[len(e.Ends)-1] += uint64(change)
		_, err := tableA.Load(f.open(nil), 0)
		if want := map[int]error{-1: wire.ErrTruncated, 1: wire.ErrCorrupt}[change]; !errors.Is(err, want) {
			t.Errorf("an entry longer by %d: %v", change, err)
		}
	}
}

func TestTwoTablesOfOneName(t *testing.T) {
	other := symtab.NewTable[node]("nodes", nodeCodec{})
	_, err := encode(func(b *put.Builder) { nodes.Put(b, &node{}); other.Put(b, &node{}) })
	if !errors.Is(err, wire.ErrValue) || !strings.Contains(err.Error(), "nodes") {
		t.Error(err)
	}
	defer func() {
		if recover() == nil {
			t.Error("a table of nothing")
		}
	}()
	symtab.NewTable[struct{}]("nothings", nil)
}

// A struct and its first field have one address and are two values.
func TestInterior(t *testing.T) {
	type inner struct{ A, B uint8 }
	type outer struct{ In inner }
	inners := symtab.NewTable[inner]("inners", funcs[inner]{
		func(b *put.Builder, v *inner) { b.Uint8(v.A); b.Uint8(v.B) },
		func(r *get.Reader, v *inner) { v.A, v.B = r.Uint8(), r.Uint8() },
	})
	outers := symtab.NewTable[outer]("outers", funcs[outer]{
		func(b *put.Builder, v *outer) { b.Uint8(v.In.A); b.Uint8(v.In.B) },
		func(r *get.Reader, v *outer) { v.In.A, v.In.B = r.Uint8(), r.Uint8() },
	})
	o := &outer{inner{1, 2}}
	f, err := encode(func(b *put.Builder) { inners.Put(b, &o.In); outers.Put(b, o); inners.Put(b, &o.In) })
	if err != nil {
		t.Fatal(err)
	}
	if err := f.open(nil).read(func(r *get.Reader) {
		i, o, i2 := inners.Get(r), outers.Get(r), inners.Get(r)
		if i != i2 {
			t.Error("one value became two")
		}
		r.Later(0, func() error {
			if *i != (inner{1, 2}) || o.In != *i {
				t.Errorf("got %v and %v", *i, *o)
			}
			return nil
		})
	}); err != nil {
		t.Error(err)
	}
}

type funcs[T any] struct {
	put func(*put.Builder, *T)
	get func(*get.Reader, *T)
}

func (c funcs[T]) Put(b *put.Builder, v *T) { c.put(b, v) }
func (c funcs[T]) Get(r *get.Reader, v *T)  { c.get(r, v) }

// An entry is a unit: its Locals are fresh and no Scope encloses it, whoever
// refers to it first.
func TestFreshState(t *testing.T) {
	count := state.NewLocal[int]("count")
	level := state.NewScope[int]("level")
	check := func(u state.Unit, want int) {
		if *count.Of(u) != 0 || level.Of(u) != 0 {
			t.Errorf("count %d, level %d in a fresh unit", *count.Of(u), level.Of(u))
		}
		*count.Of(u) = want
	}
	k := symtab.NewTable[uint8]("fresh", funcs[uint8]{
		func(b *put.Builder, v *uint8) { check(b, 5); b.Uint8(*v) },
		func(r *get.Reader, v *uint8) { check(r, 6); *v = r.Uint8() },
	})
	one, two := uint8(1), uint8(2)
	f, err := encode(func(b *put.Builder) {
		*count.Of(b) = 3
		level.With(b, 1, func() { k.Put(b, &one) })
		k.Put(b, &two)
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.open(nil).read(func(r *get.Reader) {
		*count.Of(r) = 4
		level.With(r, 1, func() { k.Get(r) })
		k.Get(r)
	}); err != nil {
		t.Fatal(err)
	}
}

// making is a codec that makes its values.
type making struct {
	nodeCodec
	made int
}

func (m *making) New(*get.Reader) *node { m.made++; return &node{V: -1} }

func TestNew(t *testing.T) {
	c := &making{}
	k := symtab.NewTable[node]("made", c)
	f, err := encode(func(b *put.Builder) {
		n := &node{V: 7}
		k.Put(b, n)
		k.Put(b, &node{V: 8})
		k.Put(b, n)
	})
	if err != nil {
		t.Fatal(err)
	}
	var a, b2, a2 *node
	if err := f.open(nil).read(func(r *get.Reader) { a, b2, a2 = k.Get(r), k.Get(r), k.Get(r) }); err != nil {
		t.Fatal(err)
	}
	if c.made != 2 || a != a2 || a.V != 7 || b2.V != 8 {
		t.Errorf("made %d: %v %v %v", c.made, a, b2, a2)
	}
}

// Phases run when all is decoded, in order, over all units of the session.
func TestPhases(t *testing.T) {
	f := pairs(t, 5)
	d := f.open(nil)
	var order []int
	for id := range uint8(10) {
		trouble[id] = func(r *get.Reader) {
			r.Later(int(id)%3-1, func() error { order = append(order, int(id)); return nil })
		}
		defer delete(trouble, id)
	}
	if _, err := tableA.Load(d, 0); err != nil {
		t.Fatal(err)
	}
	for i := 1; i < len(order); i++ {
		if a, b := order[i-1]%3, order[i]%3; a > b {
			t.Errorf("phases ran in the order of %v", order)
		}
	}
	if len(order) != 10 {
		t.Errorf("%d ran", len(order))
	}
}

// Readers of one document, in any order, see the same values, decoded once.
func TestConcurrent(t *testing.T) {
	const n = 500
	f := pairs(t, n)
	for range 3 {
		d := f.open(nil)
		var decoded atomic.Int32
		trouble[7] = func(*get.Reader) { decoded.Add(1) }
		var got [64][]*pair
		var wait sync.WaitGroup
		for g := range got {
			wait.Go(func() {
				rnd := rand.New(rand.NewPCG(uint64(g), 1))
				got[g] = make([]*pair, n)
				for _, i := range rnd.Perm(n) {
					k := tableA
					if g%2 == 1 { // the other way round
						k = tableB
					}
					p, err := k.Load(d, symtab.ID(i))
					if err != nil {
						t.Error(err)
						return
					}
					if p.ID != uint8(2*i+g%2) || (p.A == nil) == (p.B == nil) {
						t.Errorf("pair %d is %+v", i, p)
					}
					got[g][i] = p
				}
			})
		}
		wait.Wait()
		delete(trouble, 7)
		for g := range got {
			if !slices.Equal(got[g], got[g%2]) {
				t.Errorf("goroutine %d has other values", g)
			}
		}
		if want := int32((2*n + 255 - 7) / 256); decoded.Load() != want {
			t.Errorf("entries were decoded %d times, want %d", decoded.Load(), want)
		}
	}
}

// Documents of one domain refer to each other, both ways, at once.
func TestDomain(t *testing.T) {
	domain := putget.NewDomain()
	var docs [2]*putget.Document
	far := symtab.NewTable[node]("far", funcs[node]{
		func(b *put.Builder, n *node) { b.Int(n.V); nodes.Put(b, n.Next) },
		func(r *get.Reader, n *node) {
			n.V = r.Int()
			n.Next = nodes.Get(r)
			other := docs[1-n.V]
			putget.In(r, other, func(r *get.Reader) {
				p, err := nodes.Load(r, 0)
				if err != nil {
					r.Fail(err)
				}
				if n.Next == p {
					t.Error("two documents gave one value")
				}
			})
		},
	})
	for i := range docs {
		doc, err := putget.Append(nil, &node{V: i}, put.Func[node](func(b *put.Builder, n *node) {
			far.Put(b, n)
			far.Put(b, &node{V: i, Next: &node{Name: "x", V: 10 + i}})
		}), nil)
		if err != nil {
			t.Fatal(err)
		}
		if docs[i], err = putget.Open(doc, &putget.Options{Domain: domain}); err != nil {
			t.Fatal(err)
		}
	}
	var wait sync.WaitGroup
	for i := range 32 {
		wait.Go(func() {
			p, err := far.Load(docs[i%2], 1)
			if err != nil || p.Next.V != 10+i%2 {
				t.Errorf("%+v, %v", p, err)
			}
		})
	}
	wait.Wait()
}

// A codec may write a separate document in the middle of its own.
func TestNestedDocument(t *testing.T) {
	inner := &node{Name: "inner", V: 1}
	inner.Next = inner
	var k *symtab.Table[node]
	k = symtab.NewTable[node]("outer", funcs[node]{
		func(b *put.Builder, n *node) {
			doc, err := putget.Append(nil, inner, put.Func[node](func(b *put.Builder, n *node) { nodes.Put(b, n) }), nil)
			b.Fail(err)
			b.Bytes(doc)
			k.Put(b, n.Next)
			names.Put(b, n.Name)
		},
		func(r *get.Reader, n *node) {
			doc := r.Bytes()
			got, err := putget.Decode(doc, get.Func[node](func(r *get.Reader, n *node) { *n = *nodes.Get(r) }), nil)
			if r.Fail(err); err == nil && got.Name != "" {
				t.Error("the value was filled too early")
			}
			n.Next = k.Get(r)
			n.Name = names.Get(r)
		},
	})
	a, b2 := &node{Name: "a"}, &node{Name: "b"}
	a.Next, b2.Next = b2, a
	doc, err := putget.Append(nil, a, put.Func[node](func(b *put.Builder, n *node) { k.Put(b, n) }), nil)
	if err != nil {
		t.Fatal(err)
	}
	var got *node
	if _, err := putget.Decode(doc, get.Func[node](func(r *get.Reader, _ *node) { got = k.Get(r) }), nil); err != nil {
		t.Fatal(err)
	}
	if got.Name != "a" || got.Next.Name != "b" || got.Next.Next != got {
		t.Errorf("got %+v", got)
	}
}

// A stream's tables grow from value to value.
func TestStreamTables(t *testing.T) {
	list := make([]node, 1000)
	for i := range list {
		list[i] = node{Name: string(rune('a' + i%26)), V: i, Next: &list[max(i-1, 0)]}
	}
	var buf bytes.Buffer
	e := putget.NewEncoder(&buf, nil)
	one := funcs[*node]{
		func(b *put.Builder, n **node) { nodes.Put(b, *n) },
		func(r *get.Reader, n **node) { *n = nodes.Get(r) },
	}
	for i := range list {
		p := &list[i]
		if err := putget.EncodeTo(e, &p, one); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	d := putget.NewDecoder(&buf, nil)
	var last *node
	for i := range list {
		p, err := putget.DecodeFrom(d, one)
		if err != nil {
			t.Fatal(err)
		}
		if n := *p; n.V != i || n.Name != list[i].Name || (i > 0 && n.Next != last) {
			t.Fatalf("value %d is %+v", i, n)
		}
		last = *p
	}
}

// Debug marks go through all units.
func TestMarks(t *testing.T) {
	f, err := encodeWith(&file{marks: true, packed: true}, func(b *put.Builder) { nodes.Put(b, &node{Name: "x", V: 3}) })
	if err != nil {
		t.Fatal(err)
	}
	if err := f.open(nil).read(func(r *get.Reader) { nodes.Get(r) }); err != nil {
		t.Error(err)
	}
	if err := f.open(nil).read(func(r *get.Reader) { tableA.Get(r) }); !errors.Is(err, wire.ErrMismatch) {
		t.Errorf("another table: %v", err)
	}
}

// Chains of ten million entries take no stack, and memory in proportion: in a
// child process, since Go cannot recover from running out of it.
func TestDeep(t *testing.T) {
	const child = "PUTGET_DEEP"
	if os.Getenv(child) == "" {
		if testing.Short() {
			t.Skip("takes seconds")
		}
		testchild.Need(t)
		cmd := exec.Command(os.Args[0], "-test.run=^TestDeep$", "-test.v")
		cmd.Env = append(os.Environ(), child+"=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%.2000s", err, out)
		}
		return
	}
	debug.SetMaxStack(64 << 20)
	const n = 10_000_000
	slab := make([]node, n)
	for i := range slab {
		slab[i] = node{"", &slab[(i+1)%n], i}
	}
	f, err := encode(func(b *put.Builder) { nodes.Put(b, &slab[0]) })
	if err != nil {
		t.Fatal(err)
	}
	head, err := nodes.Load(f.open(nil), 0)
	if err != nil {
		t.Fatal(err)
	}
	p := head
	for i := range n {
		if p.V != i {
			t.Fatalf("node %d has %d", i, p.V)
		}
		p = p.Next
	}
	if p != head {
		t.Error("the ring is open")
	}
}

// A million names leave nothing behind.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("a million names")
	}
	heap := func() uint64 {
		var m runtime.MemStats
		for range 3 {
			runtime.GC()
		}
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	func() {
		l := make(list, 1_000_000)
		for i := range l {
			l[i] = fmt.Sprint("name", i)
		}
		doc, err := putget.Append(nil, &l, listCodec{words}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := putget.Decode(doc, listCodec{words}, nil); err != nil {
			t.Fatal(err)
		}
	}()
	if after := heap(); after > before+4<<20 {
		t.Errorf("the heap grew from %d to %d", before, after)
	}
}

// Any bytes are tables, whose entries load or are errors of a class.
func FuzzTables(f *testing.F) {
	add := func(file *file) {
		e := file.tables["nodes"]
		f.Add(e.Blob, uint8(e.Len()), []byte("a\x00b"))
	}
	for n := range 4 {
		list := make([]node, n+1)
		for i := range list {
			list[i] = node{"a", &list[(i+1)%len(list)], i}
		}
		file, err := encode(func(b *put.Builder) { nodes.Put(b, &list[0]) })
		if err != nil {
			f.Fatal(err)
		}
		add(file)
	}
	f.Fuzz(func(t *testing.T, blob []byte, n uint8, text []byte) {
		file := &file{tables: map[string]*unit.Entries{}, packed: n%2 == 0}
		nodeEntries := &unit.Entries{Blob: blob}
		for i := range int(n) {
			nodeEntries.Ends = append(nodeEntries.Ends, uint64(len(blob)*(i+1)/int(n)))
		}
		nameEntries := &unit.Entries{}
		for s := range bytes.SplitSeq(text, []byte{0}) {
			nameEntries.Blob = append(nameEntries.Blob, s...)
			nameEntries.End()
		}
		file.tables["nodes"], file.tables["names"] = nodeEntries, nameEntries
		d := file.open(nil)
		for range 2 {
			for id := range symtab.ID(n) {
				p, err := nodes.Load(d, id)
				if (p == nil) == (err == nil) {
					t.Errorf("%v, %v", p, err)
				}
				if err != nil && !errors.Is(err, wire.ErrCorrupt) && !errors.Is(err, wire.ErrTruncated) {
					t.Errorf("an error of no class: %v", err)
				}
			}
		}
	})
}

// A Reader is a Document, if it has one; its errors are those of its unit.
func TestReaderAsDocument(t *testing.T) {
	for name, fn := range map[string]func(r *get.Reader) error{
		"Load": func(r *get.Reader) error { _, err := nodes.Load(r, 0); return err },
		"Len":  func(r *get.Reader) error { _, err := nodes.Len(r); return err },
		"Find": func(r *get.Reader) error { _, err := symbolIndex.Find(r, "x"); return err },
		"All": func(r *get.Reader) error {
			for _, err := range symbolIndex.All(r) {
				return err
			}
			return nil
		},
		"Verify": func(r *get.Reader) error { return names.Verify(r) },
		"Built":  func(r *get.Reader) error { _, err := typs.Load(r, 0); return err },
	} {
		var r get.Reader
		if err := fn(&r); !errors.Is(err, wire.ErrNotFound) || r.Done() == nil {
			t.Errorf("%s: %v, %v", name, err, r.Err())
		}
	}
	f := pairs(t, 3)
	d := f.open(nil)
	f.root = nil
	if err := d.read(func(r *get.Reader) {
		r.Uvarint()
		p, err := tableA.Load(r, 2)
		if err != nil || p.ID != 0 {
			t.Errorf("a stub is %+v, %v", p, err)
		}
		r.Later(0, func() error {
			if p.ID != 4 {
				t.Errorf("the value is %+v", p)
			}
			return nil
		})
	}); err != nil {
		t.Error(err)
	}
	if err := d.read(func(r *get.Reader) {
		r.Uvarint()
		tableA.Load(r, 99) // nobody looks at the error
	}); !errors.Is(err, wire.ErrNotFound) {
		t.Error(err)
	}
}
