package share_test

import (
	"encoding/hex"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/putget/putget/get"
	"github.com/putget/putget/graphtest"
	"github.com/putget/putget/internal/testchild"
	"github.com/putget/putget/internal/wire"
	"github.com/putget/putget/put"
	"github.com/putget/putget/share"
	"github.com/putget/putget/state"
)

// graph has edges of all kinds, under two keys.
type graph struct {
	V     uint8
	Left  *graph
	Right *graph
	Leaf  *leaf
	More  []*graph
}

type leaf struct{ In inner }
type inner struct{ A, B uint8 }

type (
	graphCodec struct{}
	leafCodec  struct{}
	innerCodec struct{}
)

var (
	graphs = share.New[graph]("graphs", graphCodec{})
	leaves = share.New[leaf]("leaves", leafCodec{})
	inners = share.New[inner]("inners", innerCodec{})
)

func (graphCodec) Put(b *put.Builder, g *graph) {
	b.Uint8(g.V)
	graphs.Put(b, g.Left)
	leaves.Put(b, g.Leaf)
	graphs.Put(b, g.Right)
	put.Slice(b, g.More, put.Func[*graph](func(b *put.Builder, p **graph) { graphs.Put(b, *p) }))
}

func (graphCodec) Get(r *get.Reader, g *graph) {
	g.V = r.Uint8()
	g.Left = graphs.Get(r)
	g.Leaf = leaves.Get(r)
	g.Right = graphs.Get(r)
	g.More = get.Slice(r, get.Func[*graph](func(r *get.Reader, p **graph) { *p = graphs.Get(r) }))
}

func (leafCodec) Put(b *put.Builder, v *leaf)   { innerCodec{}.Put(b, &v.In) }
func (leafCodec) Get(r *get.Reader, v *leaf)    { innerCodec{}.Get(r, &v.In) }
func (innerCodec) Put(b *put.Builder, v *inner) { b.Uint8(v.A); b.Uint8(v.B) }
func (innerCodec) Get(r *get.Reader, v *inner)  { v.A = r.Uint8(); v.B = r.Uint8() }

// putAll puts with fn into a unit.
func putAll(t testing.TB, fn func(*put.Builder)) []byte {
	t.Helper()
	var b put.Builder
	fn(&b)
	data, err := b.Done()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// getAll gets with fn from a unit.
func getAll(data []byte, fn func(*get.Reader)) error {
	var r get.Reader
	r.Reset(data, nil)
	fn(&r)
	return r.Done()
}

func roundTrip(t testing.TB, g *graph) *graph {
	t.Helper()
	var got *graph
	if err := getAll(putAll(t, func(b *put.Builder) { graphs.Put(b, g) }), func(r *get.Reader) { got = graphs.Get(r) }); err != nil {
		t.Fatal(err)
	}
	return got
}

func TestShapes(t *testing.T) {
	self := &graph{V: 1}
	self.Left = self
	a, b := &graph{V: 1}, &graph{V: 2}
	a.Left, b.Left = b, a
	double := &graph{}
	for p, i := double, 0; i < 1000; i++ {
		next := &graph{V: uint8(i), Right: p}
		p.Left = next
		p = next
	}
	shared := &leaf{inner{3, 4}}
	equal := &graph{Left: &graph{Leaf: &leaf{}}, Right: &graph{Leaf: &leaf{}}}
	cycle := &graph{}
	cycle.More = []*graph{cycle, nil, cycle}
	diamonds := &graph{}
	for range 100 {
		diamonds = &graph{Left: diamonds, Right: diamonds}
	}
	for name, g := range map[string]*graph{
		"nil":        nil,
		"self":       self,
		"two":        a,
		"double":     double,
		"shared":     {Leaf: shared, Left: &graph{Leaf: shared}},
		"equal":      equal,
		"slice":      cycle,
		"empty":      {More: []*graph{}},
		"diamonds":   diamonds,
		"chain":      chain(5000),
		"slices":     nested(3000),
		"everything": {Left: self, Right: a, Leaf: shared, More: []*graph{cycle, diamonds, equal, nil}},
	} {
		t.Run(name, func(t *testing.T) {
			if d := graphtest.Diff(g, roundTrip(t, g)); d != "" {
				t.Error(d)
			}
		})
	}
	if n := len(putAll(t, func(b *put.Builder) { graphs.Put(b, diamonds) })); n > 101*8 {
		t.Errorf("100 diamonds take %d bytes", n)
	}
}

func chain(n int) (g *graph) {
	for i := range n {
		g = &graph{V: uint8(i), Left: g}
	}
	return g
}

func nested(n int) (g *graph) {
	for i := range n {
		g = &graph{V: uint8(i), More: []*graph{g}}
	}
	return g
}

// The address of a struct is that of its first field: types keep them apart.
func TestInterior(t *testing.T) {
	l := &leaf{inner{1, 2}}
	for _, order := range []string{"in", "out"} {
		var gotL *leaf
		var gotI [2]*inner
		data := putAll(t, func(b *put.Builder) {
			if order == "out" {
				leaves.Put(b, l)
			}
			inners.Put(b, &l.In)
			inners.Put(b, &l.In)
			if order == "in" {
				leaves.Put(b, l)
			}
		})
		err := getAll(data, func(r *get.Reader) {
			if order == "out" {
				gotL = leaves.Get(r)
			}
			gotI[0] = inners.Get(r)
			gotI[1] = inners.Get(r)
			if order == "in" {
				gotL = leaves.Get(r)
			}
		})
		if err != nil || *gotL != *l || *gotI[0] != l.In || gotI[0] != gotI[1] {
			t.Errorf("%s first: %v %v %v %v", order, gotL, gotI[0], gotI[1], err)
		}
	}
}

func TestElements(t *testing.T) {
	list := []inner{{1, 2}, {3, 4}}
	array := &[2]inner{{5, 6}, {7, 8}}
	ptrs := []*inner{&list[1], &list[0], &array[0], &array[1], &list[1]}
	data := putAll(t, func(b *put.Builder) {
		for _, p := range ptrs {
			inners.Put(b, p)
		}
	})
	var got []*inner
	if err := getAll(data, func(r *get.Reader) {
		for range ptrs {
			got = append(got, inners.Get(r))
		}
	}); err != nil {
		t.Fatal(err)
	}
	if d := graphtest.Diff(ptrs, got); d != "" {
		t.Error(d)
	}
}

type nothingCodec struct{}

func (nothingCodec) Put(*put.Builder, *struct{}) {}
func (nothingCodec) Get(*get.Reader, *struct{})  {}

func TestZeroSize(t *testing.T) {
	nothings := share.New[struct{}]("nothings", nothingCodec{})
	data := putAll(t, func(b *put.Builder) {
		nothings.Put(b, new(struct{}))
		nothings.Put(b, nil)
		nothings.Put(b, new(struct{}))
	})
	if err := getAll(data, func(r *get.Reader) {
		if nothings.Get(r) == nil || nothings.Get(r) != nil || nothings.Get(r) == nil {
			t.Error("nil and not nil are mixed up")
		}
	}); err != nil {
		t.Error(err)
	}
}

// The format, in both directions.
func TestFormat(t *testing.T) {
	if wire.InlineDepth == 0 {
		t.Skip("every body is deferred")
	}
	one := &inner{1, 2}
	for _, test := range []struct {
		name string
		ptrs []*inner
		hex  string
	}{
		{"nil", []*inner{nil}, "00"},
		{"one", []*inner{one}, "010102"},
		{"again", []*inner{one, one, {3, 4}, one, nil}, "010102" + "03" + "010304" + "03" + "00"},
	} {
		data := putAll(t, func(b *put.Builder) {
			for _, p := range test.ptrs {
				inners.Put(b, p)
			}
		})
		if got := hex.EncodeToString(data); got != test.hex {
			t.Errorf("%s: got %s, want %s", test.name, got, test.hex)
		}
		var got []*inner
		if err := getAll(data, func(r *get.Reader) {
			for range test.ptrs {
				got = append(got, inners.Get(r))
			}
		}); err != nil {
			t.Error(err)
		} else if d := graphtest.Diff(test.ptrs, got); d != "" {
			t.Errorf("%s: %s", test.name, d)
		}
	}
}

// What the writer defers depends on a build tag; readers take both.
func TestDeferredForms(t *testing.T) {
	for _, form := range []string{"010102", "020102", "0101020203", "02010204"} {
		data, _ := hex.DecodeString(form)
		err := getAll(data, func(r *get.Reader) { inners.Get(r) })
		if ok := len(form) == 6; ok != (err == nil) {
			t.Errorf("%s: %v", form, err)
		}
	}
}

func TestCorrupt(t *testing.T) {
	for _, test := range []struct {
		hex   string
		class error
	}{
		{"", wire.ErrTruncated},
		{"03", wire.ErrCorrupt},                     // nothing came before
		{"01010204", wire.ErrCorrupt},               // left over
		{"ffffffffffffffffff01", wire.ErrCorrupt},   // the last id
		{"8000", wire.ErrCorrupt},                   // not minimal
		{"ffffffffffffffffffff01", wire.ErrCorrupt}, // too long
		{"0101", wire.ErrTruncated},
		{"02", wire.ErrTruncated},
	} {
		data, err := hex.DecodeString(test.hex)
		if err != nil {
			t.Fatal(err)
		}
		err = getAll(data, func(r *get.Reader) {
			if p := inners.Get(r); p != nil && r.Err() != nil {
				t.Errorf("%s: a value came with an error", test.hex)
			}
		})
		if !errors.Is(err, test.class) {
			t.Errorf("%s: got %v, want %v", test.hex, err, test.class)
		}
	}
}

func TestTruncated(t *testing.T) {
	g := &graph{Left: &graph{V: 1}, Leaf: &leaf{}, More: []*graph{{}, nil}}
	g.Right = g
	data := putAll(t, func(b *put.Builder) { graphs.Put(b, g) })
	for n := range data {
		err := getAll(data[:n], func(r *get.Reader) { graphs.Get(r) })
		if !errors.Is(err, wire.ErrTruncated) || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("cut at %d: %v", n, err)
		}
	}
}

// What was put as Refs and got as Ptr is found out with marks, and shows
// without them.
func TestMixedUp(t *testing.T) {
	a, c := &inner{1, 2}, &inner{3, 4}
	for _, marks := range []bool{true, false} {
		var b put.Builder
		b.Reset(nil, &put.Options{Marks: marks})
		inners.Put(&b, a)
		inners.Put(&b, c)
		inners.Put(&b, a)
		data, err := b.Done()
		if err != nil {
			t.Fatal(err)
		}
		var r get.Reader
		r.Reset(data, &get.Options{Marks: marks})
		get.Ptr(&r, innerCodec{})
		inners.Get(&r)
		p := inners.Get(&r)
		err = r.Done()
		if marks && (!errors.Is(err, wire.ErrMismatch) || !strings.Contains(err.Error(), "inners.Refs")) {
			t.Errorf("with marks: %v", err)
		}
		if !marks && (err != nil || *p != *c) {
			t.Errorf("without: %v, %v", p, err) // silently wrong, as documented
		}
	}
}

// An error has the way to it.
func TestErrorPath(t *testing.T) {
	boom := errors.New("boom")
	var failing *share.Refs[graph]
	codec := both[graph]{
		func(b *put.Builder, g *graph) {
			if g.V == 9 {
				b.Fail(boom)
			}
			b.Uint8(g.V)
			failing.Put(b, g.Left)
		},
		func(r *get.Reader, g *graph) {
			if g.V = r.Uint8(); g.V == 8 {
				r.Fail(boom)
			}
			g.Left = failing.Get(r)
		},
	}
	failing = share.New[graph]("failing", codec)
	path := "(failing.Refs)(failing.Refs)"
	if wire.InlineDepth == 0 {
		path = "(failing.Refs)" // what is deferred has lost its way
	}
	var b put.Builder
	failing.Put(&b, &graph{Left: &graph{V: 9, Left: &graph{}}})
	if _, err := b.Done(); !errors.Is(err, boom) || !strings.Contains(err.Error(), path) {
		t.Errorf("put: %v", err)
	}
	b.Reset(nil, nil)
	failing.Put(&b, &graph{Left: &graph{V: 8}})
	data, err := b.Done()
	if err != nil {
		t.Fatal("after a failure and Reset:", err)
	}
	var r get.Reader
	r.Reset(data, nil)
	if p := failing.Get(&r); p != nil {
		t.Error("a value came with an error")
	}
	if err := r.Done(); !errors.Is(err, boom) || !strings.Contains(err.Error(), path) {
		t.Errorf("get: %v", err)
	}
	r.Reset(putAll(t, func(b *put.Builder) { failing.Put(b, &graph{V: 1}) }), nil)
	if p := failing.Get(&r); r.Done() != nil || p.V != 1 {
		t.Error("after a failure and Reset:", r.Err())
	}
}

type both[T any] struct {
	put func(*put.Builder, *T)
	get func(*get.Reader, *T)
}

func (c both[T]) Put(b *put.Builder, v *T) { c.put(b, v) }
func (c both[T]) Get(r *get.Reader, v *T)  { c.get(r, v) }

// A panic of a codec passes through; Reset makes all good again.
func TestPanic(t *testing.T) {
	bad := true
	codec := both[graph]{
		func(b *put.Builder, g *graph) { graphCodec{}.Put(b, g) },
		func(r *get.Reader, g *graph) {
			if bad {
				panic("boom")
			}
			graphCodec{}.Get(r, g)
		},
	}
	k := share.New[graph]("panicking", codec)
	data := putAll(t, func(b *put.Builder) { k.Put(b, chain(100)) })
	var r get.Reader
	func() {
		defer func() {
			if recover() != "boom" {
				t.Error("no panic")
			}
		}()
		r.Reset(data, nil)
		k.Get(&r)
	}()
	bad = false
	r.Reset(data, nil)
	got := k.Get(&r)
	if err := r.Done(); err != nil {
		t.Fatal(err)
	}
	if d := graphtest.Diff(chain(100), got); d != "" {
		t.Error(d)
	}
}

// A codec may make its values.
func TestNew(t *testing.T) {
	c := &making{}
	k := share.New[inner]("made", c)
	a := &inner{1, 2}
	data := putAll(t, func(b *put.Builder) { k.Put(b, a); k.Put(b, &inner{3, 4}); k.Put(b, a) })
	if err := getAll(data, func(r *get.Reader) {
		p, q, p2 := k.Get(r), k.Get(r), k.Get(r)
		if p != &c.pool[0] || q != &c.pool[1] || p2 != p || p.A != 1 || q.A != 3 {
			t.Error("not the values of the codec")
		}
	}); err != nil {
		t.Error(err)
	}
}

type making struct {
	innerCodec
	pool [2]inner
	used int
}

func (c *making) New(*get.Reader) *inner {
	c.used++
	return &c.pool[c.used-1]
}

// A Scope is right at any depth; a Local flows with the bytes.
func TestScopeAndLocal(t *testing.T) {
	level := state.NewScope[int]("level")
	count := state.NewLocal[int]("count")
	var k *share.Refs[graph]
	check := func(u state.Unit) {
		*count.Of(u)++
		if got := level.Of(u); got != *count.Of(u)-1 {
			t.Fatalf("level %d at node %d", got, *count.Of(u))
		}
	}
	k = share.New[graph]("scoped", both[graph]{
		func(b *put.Builder, g *graph) {
			check(b)
			level.With(b, level.Of(b)+1, func() { k.Put(b, g.Left) })
		},
		func(r *get.Reader, g *graph) {
			check(r)
			level.With(r, level.Of(r)+1, func() { g.Left = k.Get(r) })
		},
	})
	n := 100_000
	if testing.Short() {
		n = 1000
	}
	data := putAll(t, func(b *put.Builder) { k.Put(b, chain(n)) })
	if err := getAll(data, func(r *get.Reader) { k.Get(r) }); err != nil {
		t.Error(err)
	}
}

// A Builder keeps its values alive, so no address is used twice, and lets go
// of them with Reset.
func TestReferences(t *testing.T) {
	var b put.Builder
	for i := range 1000 {
		inners.Put(&b, &inner{uint8(i), 1})
		if i%100 == 0 {
			runtime.GC()
		}
	}
	data, err := b.Done()
	if err != nil {
		t.Fatal(err)
	}
	if len(data) != 3*1000 {
		t.Errorf("%d bytes: some address was used twice", len(data))
	}
	big := &graph{}
	gone := make(chan bool, 1)
	runtime.AddCleanup(big, func(int) { gone <- true }, 0)
	b.Reset(nil, nil)
	graphs.Put(&b, big)
	big = nil
	b.Reset(nil, nil)
	for range 10 {
		runtime.GC()
		select {
		case <-gone:
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
	t.Error("Reset keeps a value")
	runtime.KeepAlive(&b)
}

// The memory of a reused Builder and Reader stays flat.
func TestReuse(t *testing.T) {
	var b put.Builder
	var r get.Reader
	g := chain(10)
	g.Right = g
	var buf []byte
	step := func() {
		b.Reset(buf[:0], nil)
		graphs.Put(&b, g)
		data, err := b.Done()
		if err != nil {
			t.Fatal(err)
		}
		buf = data
	}
	step()
	if n := testing.AllocsPerRun(100, step); n > 0 && wire.InlineDepth > 0 {
		t.Errorf("%v allocations for a Put", n)
	}
	n := testing.AllocsPerRun(100, func() {
		r.Reset(buf, nil)
		graphs.Get(&r)
		if err := r.Done(); err != nil {
			t.Fatal(err)
		}
	})
	if n > 5 && wire.InlineDepth > 0 { // chunks of 1, 2, 4 and 8
		t.Errorf("%v allocations for a Get of 10 values", n)
	}
}

// Chains of ten million take no stack: in a child process, since Go cannot
// recover from running out of it.
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
		slab[i] = node{&slab[(i+1)%n], i}
	}
	var head *node
	if err := getAll(putAll(t, func(b *put.Builder) { nodes.Put(b, &slab[0]) }), func(r *get.Reader) { head = nodes.Get(r) }); err != nil {
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

// random makes a graph of n nodes with random edges.
func random(rnd *rand.Rand, n int) *graph {
	list := make([]*graph, n)
	for i := range list {
		list[i] = &graph{V: uint8(i)}
	}
	leaves := []*leaf{nil, {}, {inner{1, 2}}}
	pick := func() *graph {
		if rnd.IntN(4) == 0 {
			return nil
		}
		return list[rnd.IntN(n)]
	}
	for _, g := range list {
		g.Left, g.Right, g.Leaf = pick(), pick(), leaves[rnd.IntN(3)]
		switch k := rnd.IntN(5); k {
		case 0:
		case 1:
			g.More = []*graph{}
		default:
			for range k {
				g.More = append(g.More, pick())
			}
		}
	}
	return list[0]
}

func FuzzGraphs(f *testing.F) {
	for n := range uint64(10) {
		f.Add(n, uint16(1<<n))
	}
	f.Fuzz(func(t *testing.T, seed uint64, n uint16) {
		g := random(rand.New(rand.NewPCG(seed, 1)), int(n%2000)+1)
		if d := graphtest.Diff(g, roundTrip(t, g)); d != "" {
			t.Error(d)
		}
	})
}

// Any bytes are a graph, which comes back when it is put and got again, or an
// error of a class.
func FuzzBytes(f *testing.F) {
	for n := range uint64(5) {
		g := random(rand.New(rand.NewPCG(n, 1)), 1<<n)
		f.Add(putAll(f, func(b *put.Builder) { graphs.Put(b, g) }))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var g *graph
		if err := getAll(data, func(r *get.Reader) { g = graphs.Get(r) }); err != nil {
			if !errors.Is(err, wire.ErrTruncated) && !errors.Is(err, wire.ErrCorrupt) && !errors.Is(err, wire.ErrLimit) {
				t.Errorf("an error of no class: %v", err)
			}
			return
		}
		if d := graphtest.Diff(g, roundTrip(t, g)); d != "" {
			t.Error(d)
		}
	})
}
