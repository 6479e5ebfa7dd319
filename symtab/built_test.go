package symtab_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"github.com/putget/putget/get"
	"github.com/putget/putget/internal/testchild"
	"github.com/putget/putget/internal/unit"
	"github.com/putget/putget/internal/wire"
	"github.com/putget/putget/put"
	"github.com/putget/putget/symtab"
)

// typ is like a types.Type: made by constructors, what it needs first.
type typ interface{ String() string }

type (
	basic   string
	pointer struct{ elem typ }
	named   struct {
		name       string
		underlying typ   // set later
		methods    []typ // set last
	}
)

func (b basic) String() string    { return string(b) }
func (p *pointer) String() string { return "*" + p.elem.String() }
func (n *named) String() string   { return n.name }

type typCodec struct{}

var typs = symtab.NewBuilt[typ]("typs", typCodec{})

const (
	phaseUnderlying = iota
	phaseMethods
)

func (typCodec) Put(b *put.Builder, t typ) {
	switch t := t.(type) {
	case basic:
		b.Uint8(0)
		b.String(string(t))
	case *pointer:
		b.Uint8(1)
		typs.Put(b, t.elem)
	case *named:
		b.Uint8(2)
		b.String(t.name)
		b.Rest(func(b *put.Builder) { typs.Put(b, t.underlying) })
		b.Rest(func(b *put.Builder) {
			put.Slice(b, t.methods, put.Func[typ](func(b *put.Builder, m *typ) { typs.Put(b, *m) }))
		})
		b.Uint8(9)
	}
}

func (typCodec) Get(r *get.Reader) typ {
	switch r.Uint8() {
	case 0:
		return basic(r.String())
	case 1:
		elem := typs.Get(r)
		if r.Err() == nil && elem == nil {
			r.Fail(errors.New("a pointer to nothing"))
		}
		return &pointer{elem}
	case 2:
		t := &named{name: r.String()}
		r.Rest(phaseUnderlying, func(r *get.Reader) { t.underlying = typs.Get(r) })
		r.Rest(phaseMethods, func(r *get.Reader) {
			if t.underlying == nil {
				r.Fail(errors.New("methods before underlying"))
			}
			t.methods = get.Slice(r, get.Func[typ](func(r *get.Reader, m *typ) { *m = typs.Get(r) }))
		})
		if r.Uint8() != 9 {
			r.Fail(errors.New("no 9"))
		}
		return t
	}
	r.Fail(errors.New("no such type"))
	return nil
}

func encodeTyps(t testing.TB, list ...typ) *file {
	t.Helper()
	f, err := encode(func(b *put.Builder) {
		for _, x := range list {
			typs.Put(b, x)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestBuilt(t *testing.T) {
	a, b := &named{name: "A"}, &named{name: "B"}
	pa := &pointer{a}
	a.underlying = &pointer{b}
	b.underlying = pa
	b.methods = []typ{a, pa, basic("int"), nil}
	for _, marks := range []bool{false, true} {
		f, err := encodeWith(&file{marks: marks}, func(bd *put.Builder) {
			for _, x := range []typ{pa, b, a, nil, pa} {
				typs.Put(bd, x)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		checkTyps(t, f.open(nil))
	}
}

func checkTyps(t *testing.T, d *document) {
	var got [5]typ
	if err := d.read(func(r *get.Reader) {
		for i := range got {
			got[i] = typs.Get(r)
		}
		if got[0].(*pointer).elem == nil {
			t.Error("what an entry needs is not there")
		}
	}); err != nil {
		t.Fatal(err)
	}
	gpa, gb, ga := got[0].(*pointer), got[1].(*named), got[2].(*named)
	if gpa.elem != ga || got[3] != nil || got[4] != gpa {
		t.Errorf("got %v", got)
	}
	if ga.name != "A" || gb.underlying != gpa || ga.underlying.(*pointer).elem != gb {
		t.Errorf("A is %+v, B %+v", ga, gb)
	}
	if m := gb.methods; len(m) != 4 || m[0] != ga || m[1] != gpa || m[2] != basic("int") || m[3] != nil || ga.methods != nil {
		t.Errorf("methods: %v, %v", m, ga.methods)
	}
	n, err := typs.Len(d)
	if n != 5 || err != nil {
		t.Errorf("%d entries, %v", n, err)
	}
	for id := range symtab.ID(n) {
		if x, err := typs.Load(d, id); err != nil || x == nil {
			t.Errorf("entry %d: %v, %v", id, x, err)
		}
	}
	if _, err := typs.Load(d, symtab.ID(n)); !errors.Is(err, wire.ErrNotFound) {
		t.Errorf("entry %d: %v", n, err)
	}
}

// A rest is its length and its unit, at the place of the call.
func TestRestFormat(t *testing.T) {
	x := &named{name: "x", methods: []typ{}}
	x.underlying = x
	f := encodeTyps(t, x)
	if got, want := hex.EncodeToString(f.tables["typs"].Blob), "02"+"0178"+"01"+"01"+"01"+"01"+"09"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestRestElsewhere(t *testing.T) {
	nothing := func(*put.Builder) {}
	conses := symtab.NewCons[typ]("conses", typCodec{})
	twice := symtab.NewBuilt[*named]("twice", valueFuncs[*named]{
		func(b *put.Builder, _ *named) { b.Rest(func(b *put.Builder) { b.Rest(nothing) }) },
		nil,
	})
	for name, fn := range map[string]func(*put.Builder){
		"root":  func(b *put.Builder) { b.Rest(nothing) },
		"cons":  func(b *put.Builder) { conses.Put(b, &named{}) },
		"twice": func(b *put.Builder) { twice.Put(b, &named{}) },
	} {
		if _, err := encode(fn); !errors.Is(err, wire.ErrValue) || !strings.Contains(err.Error(), "Rest") && !strings.Contains(err.Error(), "rest") {
			t.Errorf("%s: %v", name, err)
		}
	}
	var b put.Builder
	b.Rest(nothing)
	if _, err := b.Done(); !errors.Is(err, wire.ErrValue) {
		t.Errorf("bare: %v", err)
	}
}

// Cyclic values, and ones that nest too deep, are refused where they are put.
func TestBuiltCycle(t *testing.T) {
	p := &pointer{}
	p.elem = &pointer{p}
	_, err := encode(func(b *put.Builder) { typs.Put(b, p) })
	if !errors.Is(err, wire.ErrCycle) || !strings.Contains(err.Error(), `"typs"`) || !strings.Contains(err.Error(), "(typs)(typs)") {
		t.Error(err)
	}
	deep := func(n int) typ {
		x := typ(basic("int"))
		for range n - 1 {
			x = &pointer{x}
		}
		return x
	}
	encodeTyps(t, deep(1000))
	if _, err := encode(func(b *put.Builder) { typs.Put(b, deep(1001)) }); !errors.Is(err, wire.ErrLimit) {
		t.Error(err)
	}
}

// A chain that is deeper than any nesting comes back without recursion.
func TestBuiltDeep(t *testing.T) {
	const child = "PUTGET_BUILT_DEEP"
	n := 1_000_000
	if testing.Short() {
		n = 10_000
	} else if os.Getenv(child) == "" {
		testchild.Need(t)
		cmd := exec.Command(os.Args[0], "-test.run=^TestBuiltDeep$", "-test.v")
		cmd.Env = append(os.Environ(), child+"=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%.2000s", err, out)
		}
		return
	}
	debug.SetMaxStack(64 << 20)
	x := typ(basic("int"))
	f, err := encode(func(b *put.Builder) {
		for range n {
			x = &pointer{x}
			typs.Put(b, x) // the writer sees it from its end
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	d := f.open(nil)
	got, err := typs.Load(d, symtab.ID(n))
	if err != nil {
		t.Fatal(err)
	}
	for range n {
		got = got.(*pointer).elem
	}
	if got != basic("int") {
		t.Errorf("at the end is %v", got)
	}
	if reads := d.sections["typs"].reads; reads != n+1 {
		t.Errorf("%d entries took %d reads", n+1, reads)
	}
}

// hostile entries of two tables that refer to each other.
func TestBuiltHostile(t *testing.T) {
	var tables [2]*symtab.Built[typ]
	for i := range tables {
		tables[i] = symtab.NewBuilt[typ](fmt.Sprint("hostile", i), linkCodec{&tables})
	}
	for name, test := range map[string]struct {
		entries [2][][]byte // table and id+1 of what an entry needs
		ok      bool
	}{
		"self":    {[2][][]byte{{{0, 1}}, {}}, false},
		"forward": {[2][][]byte{{{0, 2}, {0, 0}}, {}}, false},
		"cycle":   {[2][][]byte{{{1, 1}}, {{0, 1}}}, false},
		"between": {[2][][]byte{{{1, 1}, {0, 0}}, {{0, 2}}}, false},
		"none":    {[2][][]byte{{{0, 9}}, {}}, false},
		"good":    {[2][][]byte{{{1, 1}, {0, 0}}, {{0, 0}}}, true},
	} {
		f := &file{tables: map[string]*unit.Entries{}}
		for i, list := range test.entries {
			e := &unit.Entries{}
			for _, p := range list {
				e.Blob = append(e.Blob, p...)
				e.End()
			}
			f.tables[fmt.Sprint("hostile", i)] = e
		}
		d := f.open(nil)
		var first string
		for range 2 {
			_, err := tables[0].Load(d, 0)
			if test.ok != (err == nil) || !test.ok && !errors.Is(err, wire.ErrCorrupt) {
				t.Errorf("%s: %v", name, err)
			}
			if first == "" {
				first = fmt.Sprint(err)
			} else if first != fmt.Sprint(err) {
				t.Errorf("%s: %v, then %v", name, first, err)
			}
		}
	}
	// Two long tables that refer to each other in turn.
	const n = 50_000
	f := &file{tables: map[string]*unit.Entries{"hostile0": {}, "hostile1": {}}}
	for i := range n {
		for j := range 2 {
			var b put.Builder
			b.Uint8(uint8(1 - j))
			b.Uvarint(uint64(i + j)) // 0 for the first of all
			data, _ := b.Done()
			e := f.tables[fmt.Sprint("hostile", j)]
			e.Blob = append(e.Blob, data...)
			e.End()
		}
	}
	if _, err := tables[1].Load(f.open(nil), n-1); err != nil {
		t.Error(err)
	}
}

// linkCodec gets a pointer to an entry of one of two tables.
type linkCodec struct{ tables *[2]*symtab.Built[typ] }

func (linkCodec) Put(*put.Builder, typ) {}
func (c linkCodec) Get(r *get.Reader) typ {
	return &pointer{c.tables[r.Uint8()&1].Get(r)}
}

// Now runs a rest before its phase, once; where that is a cycle it says so.
func TestPendingNow(t *testing.T) {
	var k *symtab.Built[*named]
	pending := map[string]*get.Pending{}
	var order []string
	cyclic := false
	k = symtab.NewBuilt[*named]("eager", valueFuncs[*named]{
		func(b *put.Builder, n *named) {
			b.String(n.name)
			b.Rest(func(b *put.Builder) {
				u, _ := n.underlying.(*named)
				k.Put(b, u)
			})
		},
		func(r *get.Reader) *named {
			n := &named{name: r.String()}
			pending[n.name] = r.Rest(0, func(r *get.Reader) {
				if u := k.Get(r); u != nil {
					n.underlying = u
					if ok := pending[u.name].Now(r); !ok && r.Err() == nil {
						cyclic = true
					}
				}
				order = append(order, n.name)
			})
			return n
		},
	})
	chain := func(names string, ring bool) *document {
		pending, order, cyclic = map[string]*get.Pending{}, nil, false
		list := make([]*named, len(names))
		for i := range list {
			list[i] = &named{name: names[i : i+1]}
		}
		for i := range list[:len(list)-1] {
			list[i].underlying = list[i+1]
		}
		if ring {
			list[len(list)-1].underlying = list[0]
		}
		f, err := encode(func(b *put.Builder) { k.Put(b, list[0]) })
		if err != nil {
			t.Fatal(err)
		}
		return f.open(nil)
	}
	if _, err := k.Load(chain("abcd", false), 0); err != nil || strings.Join(order, "") != "dcba" || cyclic {
		t.Errorf("%v %v %v", err, order, cyclic)
	}
	if _, err := k.Load(chain("abcd", true), 0); err != nil || strings.Join(order, "") != "dcba" || !cyclic {
		t.Errorf("%v %v %v", err, order, cyclic)
	}
	// After the session, and in another one, it is done.
	done := pending["a"]
	var r get.Reader
	r.Reset(nil, nil)
	if !done.Now(&r) {
		t.Error("a rest that was decoded is not")
	}
	if !testing.Short() {
		d := chain(strings.Repeat("a", 100_000), false)
		if _, err := k.Load(d, 0); err != nil && !errors.Is(err, wire.ErrLimit) {
			t.Error(err)
		}
	}
}

type valueFuncs[V any] struct {
	put func(*put.Builder, V)
	get func(*get.Reader) V
}

func (c valueFuncs[V]) Put(b *put.Builder, v V) { c.put(b, v) }
func (c valueFuncs[V]) Get(r *get.Reader) V     { return c.get(r) }

// What fails in an entry or its rest takes all back.
func TestBuiltRollback(t *testing.T) {
	a := &named{name: "A"}
	a.underlying = &pointer{a}
	a.methods = []typ{a}
	f := encodeTyps(t, &pointer{a})
	e := f.tables["typs"]
	for i := range e.Blob {
		for bit := range 8 {
			e.Blob[i] ^= 1 << bit
			d := f.open(nil)
			var first string
			for range 2 {
				for id := range symtab.ID(e.Len()) {
					x, err := typs.Load(d, id)
					if err != nil && x != nil {
						t.Errorf("a value came with an error")
					}
					if err != nil && id == 0 {
						if first == "" {
							first = err.Error()
						} else if first != err.Error() {
							t.Errorf("%s, then %s", first, err)
						}
					}
				}
			}
			e.Blob[i] ^= 1 << bit
			// The same document, whose bytes are good again.
			if x, err := typs.Load(f.open(nil), 1); err != nil || x.(*pointer).elem == nil {
				t.Fatalf("%v, %v", x, err)
			}
		}
	}
	boom := errors.New("boom")
	bad := true
	k := symtab.NewBuilt[*named]("bad", valueFuncs[*named]{
		func(b *put.Builder, n *named) { b.Rest(func(b *put.Builder) { b.String(n.name) }) },
		func(r *get.Reader) *named {
			n := &named{}
			r.Rest(0, func(r *get.Reader) {
				if n.name = r.String(); bad {
					panic(boom)
				}
			})
			return n
		},
	})
	f, err := encode(func(b *put.Builder) { k.Put(b, &named{name: "x"}) })
	if err != nil {
		t.Fatal(err)
	}
	d := f.open(nil)
	func() {
		defer func() {
			if recover() != boom {
				t.Error("no panic")
			}
		}()
		k.Load(d, 0)
	}()
	bad = false
	if n, err := k.Load(d, 0); err != nil || n.name != "x" {
		t.Errorf("%v, %v", n, err)
	}
}

// A writer's errors in a rest fail the run.
func TestRestFails(t *testing.T) {
	boom := errors.New("boom")
	k := symtab.NewBuilt[*named]("bad", valueFuncs[*named]{
		func(b *put.Builder, n *named) { b.Rest(func(b *put.Builder) { b.Fail(boom) }) },
		nil,
	})
	if _, err := encode(func(b *put.Builder) { k.Put(b, &named{}) }); !errors.Is(err, boom) {
		t.Error(err)
	}
}

func TestBuiltConcurrent(t *testing.T) {
	const n = 300
	list := make([]typ, n)
	for i := range list {
		x := &named{name: fmt.Sprint(i)}
		if i > 0 {
			x.underlying = &pointer{list[i/2]}
			x.methods = []typ{list[i-1]}
		} else {
			x.underlying = x
		}
		list[i] = x
	}
	d := encodeTyps(t, list...).open(nil)
	size, _ := typs.Len(d)
	var first sync.Map
	var wait sync.WaitGroup
	for g := range 64 {
		wait.Go(func() {
			for i := range size {
				id := symtab.ID((i*7919 + g*104729) % size)
				x, err := typs.Load(d, id)
				if err != nil {
					t.Error(err)
					return
				}
				if other, ok := first.LoadOrStore(id, x); ok && other != x {
					t.Errorf("entry %d is two values", id)
				}
				if n, ok := x.(*named); ok && n.underlying == nil {
					t.Errorf("entry %d is not finished", id)
				}
			}
		})
	}
	wait.Wait()
}

// tree is a value that is compared by its shape.
type tree struct {
	name        string
	left, right *tree
}

type treeCodec struct{}

var trees = symtab.NewCons[*tree]("trees", treeCodec{})

func (treeCodec) Put(b *put.Builder, v *tree) {
	b.String(v.name)
	trees.Put(b, v.left)
	trees.Put(b, v.right)
}

func (treeCodec) Get(r *get.Reader) *tree {
	return &tree{r.String(), trees.Get(r), trees.Get(r)}
}

func TestCons(t *testing.T) {
	leaf := func() *tree { return &tree{name: "x"} }
	a := &tree{"a", leaf(), leaf()}
	b2 := &tree{"a", leaf(), leaf()}
	f, err := encode(func(b *put.Builder) {
		trees.Put(b, a)
		trees.Put(b, b2)
		trees.Put(b, nil)
		trees.Put(b, &tree{"a", nil, leaf()})
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := f.tables["trees"].Len(); n != 3 {
		t.Errorf("%d entries, want 3", n)
	}
	d := f.open(nil)
	if err := d.read(func(r *get.Reader) {
		p, q, none, s := trees.Get(r), trees.Get(r), trees.Get(r), trees.Get(r)
		if p != q || none != nil || p.left != p.right || p.left.name != "x" || s.left != nil || s.right != p.left {
			t.Errorf("got %+v %+v %+v", p, q, s)
		}
	}); err != nil {
		t.Fatal(err)
	}
	if err := trees.Verify(d); err != nil {
		t.Error(err)
	}
	e := f.tables["trees"]
	e.Blob = append(e.Blob, e.Blob[:e.Ends[0]]...)
	e.End()
	if err := trees.Verify(f.open(nil)); !errors.Is(err, wire.ErrCorrupt) {
		t.Errorf("an entry twice: %v", err)
	}
}

// A graph with 2^100 ways through it is looked at once a value.
func TestConsDiamonds(t *testing.T) {
	puts := 0
	var k *symtab.Cons[*tree]
	k = symtab.NewCons[*tree]("counted", valueFuncs[*tree]{
		func(b *put.Builder, v *tree) {
			puts++
			b.String(v.name)
			k.Put(b, v.left)
			k.Put(b, v.right)
		},
		func(r *get.Reader) *tree { return &tree{r.String(), k.Get(r), k.Get(r)} },
	})
	d := &tree{name: "x"}
	for range 100 {
		d = &tree{"y", d, d}
	}
	f, err := encode(func(b *put.Builder) { k.Put(b, d) })
	if err != nil {
		t.Fatal(err)
	}
	if n := f.tables["counted"].Len(); n != 101 || puts != 101 {
		t.Errorf("%d entries, %d puts", n, puts)
	}
	got, err := k.Load(f.open(nil), 100)
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; got != nil; n++ {
		if got.left != got.right {
			t.Fatalf("level %d was taken apart", n)
		}
		got = got.left
	}
	cycle := &tree{name: "z"}
	cycle.right = cycle
	if _, err := encode(func(b *put.Builder) { k.Put(b, cycle) }); !errors.Is(err, wire.ErrCycle) {
		t.Error(err)
	}
}

// Any bytes are entries with rests, or errors of a class.
func FuzzBuilt(f *testing.F) {
	a := &named{name: "A"}
	a.underlying = &pointer{a}
	a.methods = []typ{a, basic("int")}
	e := encodeTyps(f, &pointer{a}).tables["typs"]
	f.Add(e.Blob, uint8(e.Ends[0]), uint8(e.Ends[1]))
	f.Fuzz(func(t *testing.T, blob []byte, x, y uint8) {
		n := uint64(len(blob))
		file := &file{tables: map[string]*unit.Entries{"typs": {Blob: blob, Ends: []uint64{min(uint64(min(x, y)), n), min(uint64(max(x, y)), n), n}}}}
		d := file.open(nil)
		for _, id := range []symtab.ID{2, 0, 1, 2, 1, 0} {
			v, err := typs.Load(d, id)
			if err == nil && v == nil {
				t.Error("no value and no error")
			}
		}
	})
}
