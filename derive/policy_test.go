package derive_test

import (
	"math"
	"math/big"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/putget/putget"
	"github.com/putget/putget/derive"
	"github.com/putget/putget/get"
	"github.com/putget/putget/internal/wire"
	"github.com/putget/putget/put"
	"github.com/putget/putget/state"
	"github.com/putget/putget/symtab"
)

type node struct {
	ID         int
	Next, Prev *node
}

type pair struct{ A, B *node }

// ring is n nodes, doubly linked.
func ring(n int) *node {
	first := &node{}
	last := first
	for i := range n - 1 {
		x := &node{ID: i + 1, Prev: last}
		last.Next, last = x, x
	}
	last.Next, first.Prev = first, last
	return first
}

func TestShare(t *testing.T) {
	n := ring(50)
	roundTrip(t, false, codecFor[pair](t, derive.Share[node]()), &pair{n, n.Next})
	roundTrip(t, false, codecFor[*node](t), &n)
}

func TestTable(t *testing.T) {
	n := ring(50)
	c := codecFor[pair](t, derive.Table[node]("nodes"))
	roundTrip(t, true, c, &pair{n, n.Next})
	roundTrip(t, true, c, &pair{})
	wantError(t, putError(c, &pair{n, n}), putget.ErrValue, `table "nodes"`, "bare unit")
}

type tree struct {
	Name        string
	Left, Right *tree
	List        []*tree
}

func aTree(depth int) *tree {
	if depth == 0 {
		return &tree{Name: "leaf"}
	}
	return &tree{"node", aTree(depth - 1), nil, []*tree{aTree(depth - 1), {Name: "x"}}}
}

func TestOwn(t *testing.T) {
	c := codecFor[*tree](t, derive.Own[tree]())
	v := aTree(9)
	roundTrip(t, false, c, &v)
	for _, depth := range []int{14, 15, 16, 17, 18, 40} { // around the depth from which on bodies are deferred
		x := &tree{Name: "end", List: []*tree{{}, {Name: "a"}}}
		for range depth {
			x = &tree{List: []*tree{x}}
		}
		roundTrip(t, false, c, &x)
		x.List = append(x.List, nil, &tree{Name: "b"}) // not tight
		roundTrip(t, false, c, &x)
	}
}

// A value that has two owners is an error that names its type, wherever it shows.
func TestOwnedTwice(t *testing.T) {
	c := codecFor[*tree](t, derive.Own[tree]())
	x := &tree{Name: "x"}
	self := &tree{}
	self.Left = self
	two := &tree{Left: &tree{}}
	two.Left.List = []*tree{two}
	for name, v := range map[string]*tree{
		"fields":          {Left: x, Right: x},
		"field and slice": {Left: x, List: []*tree{{}, x}},
		"slice":           {List: []*tree{x, x}},
		"slice with nil":  {List: []*tree{x, nil, x}},
		"itself":          self,
		"each other":      two,
	} {
		for _, codec := range []putget.Codec[*tree]{c, derive.Slow[*tree]{Codec: c}} {
			err := putError(codec, &v)
			wantError(t, err, putget.ErrValue, "derive_test.tree", "owned", "Share")
			if err != nil && err.(*putget.Error).Path == "" {
				t.Errorf("%s: %v has no path", name, err)
			}
		}
	}
}

// Small values, and arrays, of which two may lie in one granule.
func TestOwnSmall(t *testing.T) {
	type small struct{ A, B *int16 }
	list := []int16{1, 2, 3}
	c := codecFor[small](t, derive.Own[int16]())
	roundTrip(t, false, c, &small{&list[0], &list[1]})
	wantError(t, putError(c, &small{&list[1], &list[1]}), putget.ErrValue, "int16")

	type windows struct{ A, B *[24]byte }
	bytes := make([]byte, 64)
	cw := codecFor[windows](t, derive.Own[[24]byte]())
	roundTrip(t, false, cw, &windows{(*[24]byte)(bytes[1:]), (*[24]byte)(bytes[30:])})
	got := roundTrip(t, false, cw, &windows{(*[24]byte)(bytes[0:]), (*[24]byte)(bytes[1:])})
	if got.A == got.B {
		t.Error("two windows became one")
	}

	// An owned struct and its first field, owned too.
	type inner struct{ X, Y int }
	type outer struct {
		In inner
		Z  int
	}
	type both struct {
		O *outer
		I *inner
	}
	cb := codecFor[both](t, derive.Own[outer](), derive.Own[inner]())
	o := &outer{inner{1, 2}, 3}
	got2 := both{}
	data := bare(t, cb, &both{o, &o.In})
	var r get.Reader
	r.Reset(data, nil)
	cb.Get(&r, &got2)
	if err := r.Done(); err != nil || *got2.O != *o || *got2.I != o.In {
		t.Error(got2, err)
	}
}

// In a stream values come and go: an address may be another value's later.
func TestOwnInStream(t *testing.T) {
	c := codecFor[*tree](t, derive.Own[tree]())
	e := putget.NewEncoder(discard{}, nil)
	for range 2000 {
		v := aTree(5)
		if err := putget.EncodeTo(e, &v, c); err != nil {
			t.Fatal(err)
		}
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

func TestInline(t *testing.T) {
	type child struct{ N int }
	type parent struct{ A, B *child }
	c := codecFor[parent](t, derive.Inline[child]())
	roundTrip(t, false, c, &parent{&child{1}, nil})
	x := &child{5}
	for _, f := range forms {
		got, _, _, err := pass(f, c, &parent{x, x})
		if err != nil || got.A == got.B || *got.A != *x || *got.B != *x {
			t.Error(f.name, got, err)
		}
	}
}

// Inline pointers that lead back to themselves end, however many ways there are.
func TestInlineCycle(t *testing.T) {
	c := codecFor[*tree](t, derive.Inline[tree]())
	self := &tree{Name: "self"}
	self.Left, self.Right = self, self
	for range 8 {
		self.List = append(self.List, self)
	}
	long := &tree{}
	last := long
	for range 1000 {
		last.Left = &tree{}
		last = last.Left
	}
	last.List = []*tree{long}
	for _, v := range []*tree{self, long} {
		wantError(t, putError(c, &v), putget.ErrCycle, "derive_test.tree")
	}
	// Doubled values are no cycle.
	x := &tree{}
	v := &tree{}
	for range 40 {
		v = &tree{Left: v, Right: x}
	}
	if err := putError(c, &v); err != nil {
		t.Error(err)
	}
}

type name string

func TestIntern(t *testing.T) {
	type record struct {
		A, B name
		List []name
		Map  map[name]name
		Raw  string
	}
	c := codecFor[record](t, derive.Intern[name](symtab.NewStrings("names", "known")))
	roundTrip(t, true, c, &record{"a", "b", []name{"a", "known", "", "a"}, map[name]name{"x": "a", "b": ""}, "a"})
}

func TestText(t *testing.T) {
	type comment struct {
		Pos  offset
		Text string
	}
	type record struct {
		A, B string
		List []*comment
		C    comment
	}
	last := state.NewLocal[derive.Last]("offset")
	c := codecFor[record](t, derive.Own[comment](), derive.Sparse[record](), derive.Delta[offset](last), derive.Text[record]("A", nil), derive.Text[record]("B", last), derive.Text[comment]("Text", last))
	long := strings.Repeat("long ", 30_000) // several blocks of a stream
	roundTrip(t, false, c, &record{})
	roundTrip(t, false, c, &record{"a", "a", []*comment{{5, "// a"}, {10, ""}, {10, "a"}, {15, "// a"}, {0, ""}}, comment{25, "\xff"}})
	roundTrip(t, false, c, &record{long, "", []*comment{{150_001, "x"}, {150_003, long}, {300_004, "x"}}, comment{}})
	v := &record{List: []*comment{{100, "// a comment of thirty bytes.."}, {130, "// a comment of thirty bytes.."}}}
	if data := bare(t, c, v); wire.InlineDepth > 0 && len(data) != 1+1+2+1+30+1+1+2 {
		t.Errorf("% x", data)
	}
	for _, data := range []string{"\x01\x01", "\x01\x03", "\x01\x04x", "\x01\x00", "\x01\x80\x00"} {
		if _, err := get.Value([]byte(data), c); err == nil {
			t.Errorf("%q is a record", data)
		}
	}
}

// A value that something else owns, a table for instance, has no other owner.
func TestClaim(t *testing.T) {
	c := codecFor[tree](t, derive.Own[tree]())
	x := &tree{}
	put := func(claim ...*tree) error {
		return putError(justPut{func(b *put.Builder) {
			for _, v := range claim {
				c.Claim(b, v)
			}
			c.Put(b, &tree{Left: x})
		}}, &tree{})
	}
	if err := put(&tree{}, &tree{}); err != nil {
		t.Error(err)
	}
	wantError(t, put(x), putget.ErrValue, "derive_test.tree", "owned")
	y := &tree{}
	wantError(t, put(y, y), putget.ErrValue, "derive_test.tree", "owned")
	shared := codecFor[tree](t)
	if err := putError(justPut{func(b *builder) { shared.Claim(b, x); shared.Claim(b, x); shared.Put(b, x) }}, &tree{}); err != nil {
		t.Error(err)
	}
}

type builder = put.Builder

// justPut is a codec of what is put here and now.
type justPut struct{ put func(*put.Builder) }

func (c justPut) Put(b *put.Builder, _ *tree) { c.put(b) }
func (c justPut) Get(*get.Reader, *tree)      {}

type offset int

func TestDelta(t *testing.T) {
	type record struct {
		A    offset
		List []offset
		Next *record
	}
	last := state.NewLocal[derive.Last]("offset")
	c := codecFor[record](t, derive.Delta[offset](last))
	far := []offset{0, 1, -1, 63, 64, 127, 128, 8191, 8192, -8192, math.MaxInt, math.MinInt, math.MaxInt, 0, math.MinInt, 1, math.MinInt, -1, math.MinInt, math.MinInt, math.MaxInt, math.MaxInt, -1, 1}
	v := &record{A: 7, List: far}
	for i, a := range far { // through the struct's own code, too
		v = &record{A: a, Next: v, List: far[:i%3]}
	}
	roundTrip(t, false, c, v)

	// Every pair of extremes.
	ends := []int64{math.MinInt64, math.MinInt64 + 1, -1, 0, 1, math.MaxInt64 - 1, math.MaxInt64}
	ci := codecFor[[]int64](t, derive.Delta[int64](last))
	var list []int64
	for _, a := range ends {
		for _, b := range ends {
			list = append(list, a, b)
		}
	}
	roundTrip(t, false, ci, &list)

	// A difference that leads to zero has another code, and one that overflows is none.
	c8 := codecFor[[]int8](t, derive.Delta[int8](last))
	for _, data := range [][]byte{{3, 3, 2}, {2, 0x80, 3}} {
		_, err := get.Value(data, c8)
		wantError(t, err, putget.ErrCorrupt)
	}
}

func TestDeltaOutside(t *testing.T) {
	last := state.NewLocal[derive.Last]("offset")
	c := codecFor[[]*int64](t, derive.Own[int64](), derive.Delta[int64](last))
	a, b := int64(100), int64(9000)
	v := []*int64{&a, &b}
	var w put.Builder
	w.Reset(nil, nil)
	*last.Of(&w) = derive.Last{Value: 90, Low: 90, High: 200, Outside: func(int64) int64 { return 0 }}
	c.Put(&w, &v)
	data, err := w.Done()
	if err != nil {
		t.Fatal(err)
	}
	var r get.Reader
	r.Reset(data, nil)
	last.Of(&r).Value = 1090
	var got []*int64
	c.Get(&r, &got)
	if err := r.Done(); err != nil || *got[0] != 1100 || *got[1] != 0 {
		t.Error(err, got)
	}
}

type token int16

func TestEnum(t *testing.T) {
	type record struct {
		T    token
		List []token
	}
	c := codecFor[record](t, derive.Enum[token](0, 300, 7))
	roundTrip(t, false, c, &record{300, []token{7, 0, 300}})
	wantError(t, putError(c, &record{T: 8}), putget.ErrValue, "8", "derive_test.token", "derive.Enum", ".T")
	_, err := get.Value([]byte{3, 0}, c)
	wantError(t, err, putget.ErrCorrupt, "derive_test.token")
}

type shape interface{ area() int }
type square struct{ Side int }
type circle struct{ R int }
type group []shape
type blob string

func (s *square) area() int { return s.Side * s.Side }
func (c circle) area() int  { return 3 * c.R * c.R }
func (g group) area() int   { return len(g) }
func (b blob) area() int    { return len(b) }

func shapes() []derive.Policy {
	return []derive.Policy{derive.Union[shape]((*square)(nil), circle{}, group(nil), blob("")),
		derive.Union[any]((*node)(nil), 0, "", []any(nil), map[string]any(nil), circle{}, (*square)(nil), time.Time{}, (*big.Int)(nil), [1]*node{}, struct{ P *node }{}, true, 1.5)}
}

func TestUnion(t *testing.T) {
	type record struct {
		S, T  shape
		List  []shape
		Any   any
		Empty any
	}
	c := codecFor[record](t, shapes()...)
	sq, n := &square{3}, ring(3)
	for _, any := range []any{nil, n, 5, "five", []any{1, n, nil}, []any(nil), map[string]any{"a": n, "b": map[string]any(nil)}, circle{4}, sq,
		(*square)(nil), (*node)(nil), time.Unix(5, 6).UTC(), big.NewInt(-5), [1]*node{n}, struct{ P *node }{n}, true, math.NaN()} {
		roundTrip(t, false, c, &record{sq, circle{2}, []shape{sq, nil, circle{1}, (*square)(nil), group{sq, blob("b")}, group(nil), blob("")}, any, nil})
	}
	wantError(t, putError(c, &record{Any: uint8(1)}), putget.ErrValue, "uint8", "interface {}", "derive.Union", ".Any")
	wantError(t, putError(c, &record{List: []shape{nil, other{}}}), putget.ErrValue, "derive_test.other", "derive_test.shape", ".List[1]")
}

type other struct{}

func (other) area() int { return 0 }

// hexCodec puts an int by eight bytes.
type hexCodec struct{}

func (hexCodec) Put(b *put.Builder, v *int) { b.Int64(int64(*v)) }
func (hexCodec) Get(r *get.Reader, v *int)  { *v = int(r.Int64()) }

// nodeByID puts a pointer to a node as its ID.
type nodeByID struct{}

func (nodeByID) Put(b *put.Builder, v **node) { b.Int((*v).ID) }
func (nodeByID) Get(r *get.Reader, v **node)  { *v = &node{ID: r.Int()} }

func TestUse(t *testing.T) {
	type record struct {
		A, B   int
		hidden int
		P      *node
		Any    any
	}
	c := codecFor[record](t, derive.UseField[record]("B", "hex", hexCodec{}), derive.UseField[record]("hidden", "hex", hexCodec{}),
		derive.Use("node by ID", nodeByID{}), derive.Union[any]((*node)(nil)))
	roundTrip(t, false, c, &record{1, 2, 3, &node{ID: 4}, &node{ID: 5}})
	if n := len(bare(t, c, &record{P: &node{}})); n != 1+8+8+1+1 {
		t.Errorf("%d bytes", n)
	}
	// A codec that makes nil of bytes that were not.
	_, err := get.Value([]byte{0, 0, 0}, codecFor[any](t, derive.Use("nil", nilNode{}), derive.Union[any]((*node)(nil))))
	wantError(t, err, putget.ErrCorrupt)
}

type nilNode struct{}

func (nilNode) Put(*put.Builder, **node) {}
func (nilNode) Get(*get.Reader, **node)  {}

func TestSkip(t *testing.T) {
	type record struct {
		A  int
		Fn func()
		B  int
	}
	c := codecFor[record](t, derive.Skip[record]("Fn"))
	roundTrip(t, false, c, &record{A: 1, B: 2})
	got, _, _, err := pass(forms[0], c, &record{1, func() {}, 2})
	if err != nil || got.Fn != nil || got.A != 1 || got.B != 2 {
		t.Error(got, err)
	}
}

func TestSparse(t *testing.T) {
	type inner struct{ A, B int }
	type record struct {
		B    bool
		I    int
		F    float64
		C    complex128
		S    string
		L    []int
		V    []int32
		P    *node
		In   inner
		M    map[string]int
		A    any
		T    offset
		K    token
		C64  complex64
		List []*inner
	}
	last := state.NewLocal[derive.Last]("offset")
	c := codecFor[[]*record](t, derive.Own[record](), derive.Own[inner](), derive.Sparse[record](), derive.Delta[offset](last), derive.Enum[token](1, 2), derive.Union[any](0, (*node)(nil)))
	full := &record{true, 1, math.Copysign(0, -1), complex(0, math.Copysign(0, -1)), "s", []int{}, []int32{}, ring(2), inner{1, 0},
		map[string]int{}, 0, -5, 2, complex(0, 1), []*inner{{1, 2}}}
	var list []*record
	list = append(list, &record{}, full, &record{In: inner{0, 2}, K: 1}, &record{A: (*node)(nil)}, &record{P: full.P})
	roundTrip(t, false, c, &list)

	type two struct{ A, B int }
	ct := codecFor[two](t, derive.Sparse[two]())
	for _, data := range [][]byte{{4}, {1, 0}, {3, 2, 0}, {0x80}} { // a bit too many; zeros that are present
		_, err := get.Value(data, ct)
		wantError(t, err, putget.ErrCorrupt)
	}
}

// url.URL and netip.Addr code themselves.
func TestLeaves(t *testing.T) {
	type record struct {
		T    time.Time
		PT   *time.Time
		I    big.Int
		PI   []*big.Int
		R    *big.Rat
		F    *big.Float
		A    netip.Addr
		U    *url.URL
		Keys map[netip.Addr]int
		Days map[time.Time]string
	}
	u, err := url.Parse("https://user:password@example.org:80/path?q#f")
	if err != nil {
		t.Fatal(err)
	}
	huge := new(big.Int).Lsh(big.NewInt(-3), 100_000)
	zone := time.FixedZone("here", 5400)
	now := time.Now()
	v := &record{
		T: time.Date(2020, 2, 29, 1, 2, 3, 4, zone), PT: &now,
		PI: []*big.Int{huge, new(big.Int), nil, huge}, R: big.NewRat(-6, 4), F: new(big.Float).SetPrec(200).SetInt64(-7),
		A: netip.MustParseAddr("fe80::1%eth0"), U: u,
		Keys: map[netip.Addr]int{netip.MustParseAddr("10.0.0.1"): 1, netip.MustParseAddr("::1"): 2, {}: 3},
		Days: map[time.Time]string{time.Unix(0, 0).UTC(): "epoch", time.Unix(9, 0).UTC(): "nine", {}: "zero"},
	}
	v.I.Set(huge)
	c := codecFor[record](t)
	got, data, again, err := pass(forms[0], c, v)
	if err != nil || string(data) != string(again) {
		t.Fatal(err)
	}
	if !got.T.Equal(v.T) || got.T.Format(time.RFC3339) != v.T.Format(time.RFC3339) || !got.PT.Equal(now) || got.I.Cmp(huge) != 0 ||
		got.PI[0] != got.PI[3] || got.PI[0].Cmp(huge) != 0 || got.PI[2] != nil || got.R.Cmp(v.R) != 0 || got.F.Cmp(v.F) != 0 || got.F.Prec() != 200 ||
		got.A != v.A || got.U.String() != u.String() || got.Keys[netip.MustParseAddr("::1")] != 2 || len(got.Keys) != 3 ||
		got.Days[time.Unix(9, 0).UTC()] != "nine" || len(got.Days) != 3 {
		t.Errorf("%+v", got)
	}
	// A value is not nil.
	_, err = get.Value([]byte{0}, codecFor[big.Int](t))
	wantError(t, err, putget.ErrCorrupt, "big.Int")
	// What UnmarshalBinary refuses.
	_, err = get.Value([]byte{3, 1, 2, 3}, codecFor[netip.Addr](t))
	wantError(t, err, putget.ErrCorrupt, "netip.Addr")
}

var unionOfKeys = derive.Union[any]((*node)(nil), 0, "", true, 1.5, circle{})

func unionOfMaps[M ~map[string]any]() derive.Policy {
	return derive.Union[any](0, map[string]any(nil), M(nil), []any(nil))
}
