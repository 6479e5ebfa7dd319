package derive_test

import (
	"bytes"
	"reflect"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/putget/putget"
	"github.com/putget/putget/derive"
	"github.com/putget/putget/graphtest"
)

type expr interface{ expr() }

type addition struct{ X, Y expr }
type literal struct{ N int }
type cell struct {
	N    int
	Next *cell
}

func (*addition) expr() {}
func (*literal) expr()  {}

// TestDeep: chains of any length take little stack, by every policy.
func TestDeep(t *testing.T) {
	if !inChild(t) {
		return
	}
	debug.SetMaxStack(64 << 20)
	cells := 1_000_000
	if testing.Short() {
		cells = 100_000
	}
	var chain *cell
	for i := range cells {
		chain = &cell{i, chain}
	}
	for name, p := range map[string]derive.Policy{
		"own": derive.Own[cell](), "share": derive.Share[cell](), "inline": derive.Inline[cell](), "table": derive.Table[cell]("cells"),
	} {
		start := time.Now()
		deep(t, codecFor[*cell](t, p), &chain, true)
		t.Log(name, time.Since(start))
	}
	end := chain // a ring
	for end.Next != nil {
		end = end.Next
	}
	end.Next = chain
	for _, p := range []derive.Policy{derive.Share[cell](), derive.Table[cell]("cells")} {
		deep(t, codecFor[*cell](t, p), &chain, true)
	}
	end.Next = nil
	if !testing.Short() {
		for i := range 9_000_000 {
			chain = &cell{i, chain}
		}
		deep(t, codecFor[*cell](t, derive.Own[cell]()), &chain, false)
	}
	chain, end = nil, nil
	runtime.GC()

	var left, right expr = &literal{1}, &literal{1}
	for i := range 100_000 {
		left, right = &addition{left, &literal{i}}, &addition{&literal{i}, right}
	}
	terms := derive.Union[expr]((*addition)(nil), (*literal)(nil))
	for _, v := range []expr{left, right} {
		deep(t, codecFor[expr](t, terms, derive.Own[addition](), derive.Own[literal]()), &v, true)
		deep(t, codecFor[expr](t, terms), &v, true)
	}
}

// deep sends *v through a document, and compares it if told to.
func deep[T any](t *testing.T, c *derive.Codec[T], v *T, compare bool) {
	t.Helper()
	data, err := putget.Append(nil, v, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := putget.Decode(data, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	if compare {
		if d := graphtest.Diff(v, got); d != "" {
			t.Fatal(d)
		}
	} else if again, err := putget.Append(nil, got, c, nil); err != nil || !bytes.Equal(data, again) {
		t.Fatal("other bytes: ", err)
	}
}

// A diamond has two ways to each next one: a hundred of them take a hundred bodies.
func TestDiamonds(t *testing.T) {
	type diamond struct{ L, R *diamond }
	d := &diamond{}
	for range 100 {
		d = &diamond{d, &diamond{d, d}}
	}
	c := codecFor[*diamond](t)
	roundTrip(t, false, c, &d)
	if n := len(bare(t, c, &d)); n > 1200 {
		t.Errorf("%d bytes", n)
	}
	roundTrip(t, true, codecFor[*diamond](t, derive.Table[diamond]("diamonds")), &d)
}

// Cycles of every kind.
func TestCycles(t *testing.T) {
	self := &node{}
	self.Next = self
	two := &node{Next: &node{}}
	two.Next.Prev = two
	for _, n := range []*node{self, two, ring(2), ring(17), ring(1000)} {
		roundTrip(t, false, codecFor[*node](t), &n)
		roundTrip(t, true, codecFor[*node](t, derive.Table[node]("nodes")), &n)
		wantError(t, putError(codecFor[*node](t, derive.Own[node]()), &n), putget.ErrValue, "derive_test.node")
		wantError(t, putError(codecFor[*node](t, derive.Inline[node]()), &n), putget.ErrCycle, "derive_test.node")
	}
	type knot struct {
		S   []*knot
		M   map[string]*knot
		P   **knot
		Any any
	}
	k := &knot{}
	k.S, k.M, k.P, k.Any = []*knot{k, k}, map[string]*knot{"k": k}, &k, k
	roundTrip(t, false, codecFor[*knot](t, derive.Union[any]((*knot)(nil))), &k)
	m := map[string]any{}
	m["m"] = m
	var a any = m
	roundTrip(t, false, codecFor[any](t, derive.Union[any](map[string]any(nil))), &a)
}

// Values of one layout share a slab; to the collector a pointer is not the first
// word of an interface, which it does not follow.
func TestLayouts(t *testing.T) {
	type (
		pointers struct{ A, B *int }
		ifaces   struct{ A any }
		strings  struct{ A, B string }
		texts    struct{ A, B name }
		bytes    struct{ A []byte }
		ints     struct{ A, B int }
		uints    struct{ A, B uint }
		chars    struct{ A [16]byte }
		mixed    struct {
			A *int
			B int
		}
		mixedAgain struct {
			A map[int]int
			B uint
		}
		mirrored struct {
			A int
			B *int
		}
	)
	types := []reflect.Type{reflect.TypeFor[pointers](), reflect.TypeFor[ifaces](), reflect.TypeFor[strings](), reflect.TypeFor[texts](),
		reflect.TypeFor[bytes](), reflect.TypeFor[ints](), reflect.TypeFor[uints](), reflect.TypeFor[chars](), reflect.TypeFor[mixed](), reflect.TypeFor[mixedAgain](), reflect.TypeFor[mirrored]()}
	same := map[[2]int]bool{{2, 3}: true, {5, 6}: true, {8, 9}: true}
	for i := range types {
		for j := i + 1; j < len(types); j++ {
			if derive.SameLayout(types[i], types[j]) != same[[2]int{i, j}] {
				t.Error(types[i], types[j])
			}
		}
	}
}

// What is decoded stays, whatever the collector does.
func TestCollected(t *testing.T) {
	type leaf struct{ V *int }
	type twoPointers struct{ A, B *leaf }
	type record struct {
		L []any
		P *twoPointers
	}
	c := codecFor[[]*record](t, derive.Own[record](), derive.Own[twoPointers](), derive.Union[any](0))
	var list []*record
	for i := range 2000 {
		list = append(list, &record{[]any{i, nil}, &twoPointers{&leaf{new(int(i))}, &leaf{new(int(-i))}}})
	}
	data := bare(t, c, &list)
	var kept []*[]*record
	for range 5 {
		got, err := decode(data, putget.Codec[[]*record](c))
		if err != nil {
			t.Fatal(err)
		}
		kept = append(kept, got)
		runtime.GC()
	}
	for _, got := range kept {
		if d := graphtest.Diff(&list, got); d != "" {
			t.Fatal(d)
		}
	}
}

// The first words of interfaces are as iface.go has them.
func TestIface(t *testing.T) {
	n := &node{}
	var a, b any = n, n
	var s, u shape = &square{}, circle{}
	tab, data := derive.Words(&a)
	if tab2, _ := derive.Words(&b); tab != tab2 || data != reflect.ValueOf(n).UnsafePointer() {
		t.Error("interfaces are not as expected")
	}
	tab, data = derive.Words(&s)
	if tab2, _ := derive.Words(&u); tab == tab2 || data != reflect.ValueOf(s).UnsafePointer() {
		t.Error("interfaces are not as expected")
	}
	var none any
	if tab, data := derive.Words(&none); tab != nil || data != nil {
		t.Error("interfaces are not as expected")
	}
}
