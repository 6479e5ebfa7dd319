package graphtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"unsafe"
)

// A node has a field of every kind.
type node struct {
	Name   string
	flag   int8 // followed by padding
	Weight float64
	_      int
	next   *node
	Kids   []*node
	ByName map[string]*node
	ByNode map[*node]int
	Any    any
	Named  fmt.Stringer
	Pair   [2]edge
	Edges  []edge
	Bytes  []byte
}

type edge struct {
	Label string
	To    *node
}

func (e edge) String() string  { return e.Label }
func (n *node) String() string { return n.Name }

// copier copies graphs, keeping identity. It recurses, so it is for small ones.
type copier map[copied]reflect.Value

type copied struct {
	t reflect.Type
	p unsafe.Pointer
}

func deepCopy[T any](v T) T {
	var out T
	copier{}.copy(reflect.ValueOf(&out).Elem(), reflect.ValueOf(&v).Elem())
	return out
}

func (c copier) copy(to, from reflect.Value) {
	switch from.Kind() {
	case reflect.Struct:
		for i := range from.NumField() {
			f := from.Field(i)
			access := func(v reflect.Value) reflect.Value {
				return reflect.NewAt(f.Type(), v.Field(i).Addr().UnsafePointer()).Elem()
			}
			c.copy(access(to), access(from))
		}
	case reflect.Array:
		for i := range from.Len() {
			c.copy(to.Index(i), from.Index(i))
		}
	case reflect.Slice:
		if !from.IsNil() {
			to.Set(reflect.MakeSlice(from.Type(), from.Len(), from.Len()))
			for i := range from.Len() {
				c.copy(to.Index(i), from.Index(i))
			}
		}
	case reflect.Pointer, reflect.Map:
		key := copied{from.Type(), from.UnsafePointer()}
		if v, ok := c[key]; ok || from.IsNil() {
			if ok {
				to.Set(v)
			}
			return
		}
		if from.Kind() == reflect.Pointer {
			to.Set(reflect.New(from.Type().Elem()))
			c[key] = to
			c.copy(to.Elem(), from.Elem())
			return
		}
		to.Set(reflect.MakeMap(from.Type()))
		c[key] = to
		for iter := from.MapRange(); iter.Next(); {
			to.SetMapIndex(c.fresh(iter.Key()), c.fresh(iter.Value()))
		}
	case reflect.Interface:
		if !from.IsNil() {
			to.Set(c.fresh(from.Elem()))
		}
	default:
		to.Set(from)
	}
}

func (c copier) fresh(v reflect.Value) reflect.Value {
	from, to := reflect.New(v.Type()).Elem(), reflect.New(v.Type()).Elem()
	from.Set(v)
	c.copy(to, from)
	return to
}

// both is Diff, checked in the other direction too.
func both(t *testing.T, want, got any, opts ...Option) string {
	t.Helper()
	d, back := Diff(want, got, opts...), Diff(got, want, opts...)
	if (d == "") != (back == "") {
		t.Fatalf("not symmetric: %q, but the other way %q", d, back)
	}
	if Equal(want, got, opts...) != (d == "") {
		t.Fatalf("Equal does not agree with Diff: %q", d)
	}
	return d
}

// A graph lists its nodes from the root, so that mutations find the same ones in a copy. All
// names differ, so any change of an edge is a difference.
type graph struct{ nodes []*node }

func newGraph(n int) *graph {
	g := &graph{}
	for i := range n {
		g.nodes = append(g.nodes, &node{Name: fmt.Sprintf("n%d", i), Weight: float64(i), flag: int8(i)})
	}
	return g
}

func (g *graph) link(edges func(n *node, i int)) *graph {
	for i, n := range g.nodes {
		edges(n, i)
	}
	return g
}

func graphs() map[string]*graph {
	const n = 12
	tree := newGraph(n)
	ring := newGraph(n)
	dag := newGraph(n)
	maps := newGraph(n)
	values := newGraph(n)
	random := newGraph(n)
	r := rand.New(rand.NewPCG(1, 2))
	pick := func() *node { return random.nodes[r.IntN(n)] }
	return map[string]*graph{
		"tree": tree.link(func(x *node, i int) {
			for j := 2*i + 1; j < min(2*i+3, n); j++ {
				x.Kids = append(x.Kids, tree.nodes[j])
			}
		}),
		"ring": ring.link(func(x *node, i int) {
			x.next, x.Any = ring.nodes[(i+1)%n], ring.nodes[(i+n-1)%n]
		}),
		"dag": dag.link(func(x *node, i int) {
			if i+1 < n {
				x.Pair = [2]edge{{"left", dag.nodes[i+1]}, {"right", dag.nodes[i+1]}}
			}
			if i+2 < n {
				x.Named = dag.nodes[i+2]
			}
		}),
		"maps": maps.link(func(x *node, i int) {
			x.ByName = map[string]*node{"self": x, "next": maps.nodes[(i+1)%n], "nil": nil}
			x.ByNode = map[*node]int{maps.nodes[(i+3)%n]: 3, maps.nodes[(i+5)%n]: 5}
			x.Any = map[any]any{x: i, i: x, edge{"key", x}: nil, math.NaN(): i, math.Copysign(0, -1): x}
		}),
		"values": values.link(func(x *node, i int) {
			x.Any = []any{i, "s", 1.5, nil, (*node)(nil), edge{"boxed", values.nodes[(i+1)%n]}, []any{x, [1]*node{x}}}
			x.Named = edge{"string", x}
			x.Edges = []edge{{"a", x}, {"b", nil}, {"c", values.nodes[(i+4)%n]}}
			x.Bytes = []byte{byte(i), 0, 255}
		}),
		"random": random.link(func(x *node, i int) {
			x.next, x.Kids = pick(), []*node{pick(), nil, pick()}
			x.ByName = map[string]*node{"x": pick(), "y": pick()}
			x.Any, x.Edges = pick(), []edge{{"", pick()}}
		}),
	}
}

// mutations change one node, and report whether they could.
var mutations = map[string]func(g *graph, x *node) bool{
	"text":     func(_ *graph, x *node) bool { x.Name += "'"; return true },
	"private":  func(_ *graph, x *node) bool { x.flag++; return true },
	"sign":     func(_ *graph, x *node) bool { x.Weight = math.Copysign(x.Weight, -1); return true },
	"nan":      func(_ *graph, x *node) bool { x.Weight = math.NaN(); return true },
	"empty":    func(_ *graph, x *node) bool { x.Kids = flip(x.Kids); return len(x.Kids) == 0 },
	"emptymap": func(_ *graph, x *node) bool { return flipMap(&x.ByName) },
	"bytes":    func(_ *graph, x *node) bool { x.Bytes = append(x.Bytes, 0); return true },
	"nil":      func(_ *graph, x *node) bool { ok := x.next != nil; x.next = nil; return ok },
	"boxednil": func(_ *graph, x *node) bool { ok := x.Named == nil; x.Named = (*node)(nil); return ok },
	"type": func(_ *graph, x *node) bool {
		p, ok := x.Any.(*node)
		if ok {
			x.Any = &p
		}
		return ok
	},
	"value": func(_ *graph, x *node) bool {
		s, ok := x.Any.([]any)
		if ok {
			s[0] = s[0].(int) + 1
		}
		return ok
	},
	"move": func(g *graph, x *node) bool { return redirect(x, func(n *node) *node { return g.after(n) }) },
	// In the other direction, which is checked too, this merges two nodes.
	"split": func(_ *graph, x *node) bool {
		return redirect(x, func(n *node) *node { twin := *n; return &twin })
	},
	"key": func(_ *graph, x *node) bool {
		n, ok := x.ByName["self"]
		if ok {
			delete(x.ByName, "self")
			x.ByName["selves"] = n
		}
		return ok
	},
	"nodekey": func(g *graph, x *node) bool {
		for k, v := range x.ByNode {
			delete(x.ByNode, k)
			x.ByNode[g.after(k)] = v
			return true
		}
		return false
	},
	"nankey": func(g *graph, x *node) bool {
		m, ok := x.Any.(map[any]any)
		if ok {
			m[math.Float64frombits(math.Float64bits(math.NaN())+1)] = m[x]
			delete(m, x)
		}
		return ok
	},
	"zerokey": func(g *graph, x *node) bool {
		m, ok := x.Any.(map[any]any)
		if ok {
			delete(m, 0.0)
			m[0.0] = x
		}
		return ok
	},
}

func (g *graph) after(n *node) *node {
	for i := range g.nodes {
		if g.nodes[i] == n {
			return g.nodes[(i+1)%len(g.nodes)]
		}
	}
	panic("not a node of the graph")
}

// redirect changes the first edge of x.
func redirect(x *node, to func(*node) *node) bool {
	for i := range x.Kids {
		if x.Kids[i] != nil {
			x.Kids[i] = to(x.Kids[i])
			return true
		}
	}
	switch {
	case x.next != nil:
		x.next = to(x.next)
	case x.Pair[1].To != nil:
		x.Pair[1].To = to(x.Pair[1].To)
	case x.ByName["next"] != nil:
		x.ByName["next"] = to(x.ByName["next"])
	case len(x.Edges) > 2:
		x.Edges[2].To = to(x.Edges[2].To)
	default:
		return false
	}
	return true
}

func flip[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	if len(s) == 0 {
		return nil
	}
	return s
}

func flipMap[K comparable, V any](m *map[K]V) bool {
	if *m == nil {
		*m = map[K]V{}
		return true
	}
	return false
}

func TestMutations(t *testing.T) {
	used := make(map[string]int)
	for name, g := range graphs() {
		if d := both(t, g, deepCopy(g)); d != "" {
			t.Errorf("%s: a copy differs: %s", name, d)
		}
		if d := both(t, g, g); d != "" {
			t.Errorf("%s differs from itself: %s", name, d)
		}
		for mutation, mutate := range mutations {
			for i := range g.nodes {
				changed := deepCopy(g)
				if !mutate(changed, changed.nodes[i]) {
					continue
				}
				used[mutation]++
				d := both(t, g, changed)
				if path, _, _ := strings.Cut(d, ": "); !strings.HasPrefix(path, ".nodes") {
					t.Errorf("%s, %s of node %d: %q", name, mutation, i, d)
				}
				if d := both(t, changed, deepCopy(changed)); d != "" {
					t.Errorf("%s, %s of node %d: a copy differs: %s", name, mutation, i, d)
				}
			}
		}
	}
	for mutation := range mutations {
		if used[mutation] == 0 {
			t.Errorf("mutation %s does not apply to any graph", mutation)
		}
	}
}

// plainNode has nothing but ordered edges, so two graphs are isomorphic if and only if
// numbering the nodes in the order of a walk gives the same lists.
type plainNode struct {
	A, B *plainNode
	Rest []*plainNode
}

func numbered(root *plainNode) string {
	numbers := map[*plainNode]int{nil: 0}
	var out strings.Builder
	queue := []*plainNode{root}
	number := func(n *plainNode) {
		if _, ok := numbers[n]; !ok {
			numbers[n] = len(numbers)
			queue = append(queue, n)
		}
		fmt.Fprintf(&out, "%d ", numbers[n])
	}
	for i := 0; i < len(queue); i++ {
		n := queue[i]
		if i == 0 {
			numbers[n] = 1
		}
		number(n.A)
		number(n.B)
		fmt.Fprintf(&out, "(%d) ", len(n.Rest))
		for _, r := range n.Rest {
			number(r)
		}
	}
	return out.String()
}

func TestAgainstNumbering(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	random := func() *plainNode {
		nodes := make([]*plainNode, 1+r.IntN(3), 5)
		for i := range nodes {
			nodes[i] = new(plainNode)
		}
		pick := func() *plainNode {
			if r.IntN(3) == 0 {
				return nil
			}
			return nodes[r.IntN(len(nodes))]
		}
		for _, n := range nodes {
			n.A, n.B = pick(), pick()
			if r.IntN(4) == 0 {
				n.Rest = []*plainNode{pick()}
			}
		}
		return nodes[0]
	}
	equal := 0
	for range 20000 {
		a, b := random(), random()
		same := numbered(a) == numbered(b)
		if d := both(t, a, b); (d == "") != same {
			t.Fatalf("%q, but numbered\n%s\n%s", d, numbered(a), numbered(b))
		}
		if same {
			equal++
		}
	}
	if equal < 100 {
		t.Errorf("only %d equal pairs", equal)
	}
}

type oneWord struct{ p *int }

func TestValues(t *testing.T) {
	one, other := 1, 1
	self := map[string]any{}
	self["self"] = self
	self2 := deepCopy(self)
	loop, loop2 := []any{nil}, []any{nil, nil}
	loop[0] = loop
	loop2[0], loop2[1] = loop2, loop2
	unrolled := []any{[]any{loop}}
	f := func() {}
	nan := math.NaN()
	quiet := math.Float64frombits(math.Float64bits(nan) + 1)
	type inner struct{ In struct{ X *int } }
	o := &inner{}
	type named map[string]int
	m := map[string]int{"a": 1}

	tests := []struct {
		name      string
		want, got any
		diff      string
	}{
		{"nil", nil, nil, ""},
		{"nil and typed nil", nil, (*int)(nil), "root: want nil, got type *int"},
		{"types", 1, "1", "root: want type int, got type string"},
		{"ints", 1, 2, "root: want 1, got 2"},
		{"strings", "a", "b", `root: want "a", got "b"`},
		{"long strings", strings.Repeat("x", 99) + "a", strings.Repeat("x", 99) + "bc",
			`root: want "...xxxxxxxxxxxxxxxxxxxxa", got "...xxxxxxxxxxxxxxxxxxxxbc"`},
		{"zeros", 0.0, math.Copysign(0, -1), "root: want 0, got -0"},
		{"NaN", nan, nan, ""},
		{"complex", complex(0, nan), complex(0, nan), ""},
		{"float32", float32(0), float32(math.Copysign(0, -1)), "root: want 0, got -0"},
		{"nil slice", []int(nil), []int{}, "root: want nil, got []int"},
		{"empty slices", []struct{}{}, []struct{}{}, ""},
		{"lengths", make([]struct{}, 3), make([]struct{}, 4), "root: want length 3, got 4"},
		{"elements", []int{1, 2, 3}, []int{1, 5, 3}, "[1]: want 2, got 5"},
		{"fields", []edge{{}, {Label: "a"}}, []edge{{}, {Label: "b"}}, `[1].Label: want "a", got "b"`},
		{"plain fields", struct{ A, B [2]int16 }{}, struct{ A, B [2]int16 }{B: [2]int16{0, 7}}, ".B[1]: want 0, got 7"},
		{"plain in any", []any{struct{ A, B int }{}}, []any{struct{ A, B int }{0, 7}}, "[0].(struct { A int; B int }).B: want 0, got 7"},
		{"text in any", []any{1, "x"}, []any{1, "y"}, `[1].(string): want "x", got "y"`},
		{"box", any(edge{"a", nil}), any(edge{"b", nil}), `.Label: want "a", got "b"`},
		{"capacity", []int{1}, append(make([]int, 0, 9), 1), ""},
		{"pointers", &one, &other, ""},
		{"shared", []*int{&one, &one}, []*int{&one, &other}, "[1]: shared with [0] in want, a separate node in got"},
		{"separate", []*int{&one, &other}, []*int{&one, &one}, "[1]: a separate node in want, shared with [0] in got"},
		{"exchanged", []*int{&one, &other, &one}, []*int{&one, &other, &other}, "[2]: shared with [0] in want, with [1] in got"},
		{"shared maps", []map[int]int{{}, {}}, []map[int]int{nil, {}}, "[0]: want map[int]int, got nil"},
		{"shared by two names", []any{m, named(m)}, []any{m, named{"a": 1}}, "[1].(graphtest.named): shared with [0].(map[string]int) in want, a separate node in got"},
		{"word-sized struct", []any{oneWord{&one}, &one}, []any{oneWord{&one}, &other}, "[0].(graphtest.oneWord).p: shared with [1].(*int) in want, a separate node in got"},
		{"word-sized array", []any{[1]*int{&one}, 3}, []any{[1]*int{&other}, 3}, ""},
		{"sizeless", []*struct{}{{}, {}}, []*struct{}{{}, nil}, "[1]: want *struct {}, got nil"},
		{"sizeless have no identity", []*[0]int{{}, {}}, []*[0]int{new([0]int), {}}, ""},
		{"first field", []any{o, &o.In}, []any{&inner{}, &inner{}}, "[1]: want type *struct { X *int }, got type *graphtest.inner"},
		{"separate first field", []any{&o.In, o}, []any{&new(inner).In, new(inner)}, ""},
		{"map of itself", self, self2, ""},
		{"map of another", self, map[string]any{"self": self2},
			`["self"].(map[string]interface {}): shared with root in want, a separate node in got`},
		{"slice of itself", loop, deepSlice(), ""},
		{"slice of itself, unrolled", loop, unrolled, ""},
		{"slice of itself twice", loop, loop2, "root: want length 1, got 2"},
		{"func", []any{f, nil}, []any{f, nil}, ""},
		{"nil chan", (chan int)(nil), make(chan int), "root: want nil, got another one: chan int"},
		{"map key", map[string]int{"a": 1}, map[string]int{"b": 1}, `root: key "a" only in want`},
		{"map value", map[string][]int{"a": {1}}, map[string][]int{"a": {2}}, `["a"][0]: want 1, got 2`},
		{"zero keys", map[float64]int{0: 1}, map[float64]int{math.Copysign(0, -1): 1}, "root: key -0 only in got"},
		{"NaN keys", map[float64]int{nan: 1, math.NaN(): 2, 3: 3}, map[float64]int{3: 3, nan: 2, math.NaN(): 1}, ""},
		{"NaN keys, payload", map[float64]int{nan: 1, quiet: 2}, map[float64]int{nan: 2, quiet: 1}, "[NaN]: want 1, got 2"},
		{"NaN keys, values", map[float64]int{nan: 1}, map[float64]int{nan: 2}, "[NaN]: want 1, got 2"},
		{"NaN keys, number", map[float64]int{nan: 1}, map[float64]int{nan: 1, math.NaN(): 1}, "root: keys like NaN: want 1, got 2"},
		{"struct keys", map[edge]int{{"a", nil}: 1}, map[edge]int{{"a", nil}: 2}, "[graphtest.edge]: want 1, got 2"},
		{"any keys", map[any]int{1: 1, "x": 1}, map[any]int{1: 1, "x": 2}, `["x"]: want 1, got 2`},
		{"key nodes", map[*int]int{&one: 1}, map[*int]int{&other: 1}, ""},
		{"key node shared", []any{map[*int]int{&one: 1}, &one}, []any{map[*int]int{&one: 1}, &other}, "[0].(map[*int]int): key *int only in got"},
		{"array", [2]edge{}, [2]edge{1: {Label: "x"}}, `[1].Label: want "", got "x"`},
		{"reflect.Type", reflect.TypeOf(1), reflect.TypeOf(1), ""},
	}
	for _, test := range tests {
		d := both(t, test.want, test.got)
		if d != test.diff {
			t.Errorf("%s:\n got %q\nwant %q", test.name, d, test.diff)
		}
		if d := both(t, test.got, test.got); d != "" {
			t.Errorf("%s: differs from itself: %s", test.name, d)
		}
	}
}

func TestPayload(t *testing.T) {
	w, g := []float32{math.Float32frombits(0x7fc00001)}, []float32{math.Float32frombits(0x7fc00002)}
	if d := both(t, w, g); !strings.HasPrefix(d, "[0]: want NaN (bytes ") { // in the computer's order
		t.Error(d)
	}
}

func deepSlice() []any {
	s := []any{nil}
	s[0] = s
	return s
}

func TestKeysWithPointers(t *testing.T) {
	// Keys that nothing else points to, alike or not; rings among them; a key that holds its map.
	type set map[*plainNode]string
	build := func(rings, size, singles int, values string) any {
		s := set{}
		for range rings {
			first := &plainNode{}
			last := first
			for i := 1; i < size; i++ {
				next := &plainNode{}
				s[last], last.A = "", next
				last = next
			}
			s[last], last.A = "", first
		}
		for i := range singles {
			s[&plainNode{}] = values[:i%len(values)]
		}
		type holder struct {
			name string
			in   map[*any]int
		}
		in := map[*any]int{}
		for i := range 3 {
			var h any = holder{fmt.Sprint(i), in}
			in[&h] = i
		}
		return []any{s, in}
	}
	if d := both(t, build(5, 4, 300, "abc"), build(5, 4, 300, "abc")); d != "" {
		t.Error(d)
	}
	for name, other := range map[string]any{
		"length of rings": build(4, 5, 300, "abc"),
		"number":          build(5, 4, 301, "abc"),
		"values":          build(5, 4, 300, "abd"[:2]),
	} {
		if d := both(t, build(5, 4, 300, "abc"), other); d == "" {
			t.Errorf("%s: no difference", name)
		}
	}
}

func TestKeysByStructure(t *testing.T) {
	// Every key is told apart by one thing only, some way off.
	type key struct{ any }
	type deep struct{ next *key }
	build := func(last string) any {
		shared := &plainNode{}
		m := map[*deep]int{}
		for i, v := range []any{
			nil, 1, 2, "text", last, (*int)(nil), edge{"box", nil}, [2]edge{{"array", nil}}, struct{}{},
			[]any{1, 2}, []any{2, 1}, []any(nil), []any{}, []string{"a"}, []string{"b"},
			map[string]int{"a": 1, "b": 2}, map[string]int{"a": 2, "b": 1}, map[string]any{"a": &plainNode{}},
			map[int][]int{1: nil}, map[int][]int{1: {}}, make(map[int]int), map[int]int(nil),
			plainNode{A: shared, B: shared}, plainNode{A: shared, B: &plainNode{}}, &struct{}{},
		} {
			m[&deep{&key{v}}] = i
		}
		return m
	}
	for range 10 { // the order of maps is random
		if d := both(t, build("last"), build("last")); d != "" {
			t.Fatal(d)
		}
		if d := both(t, build("last"), build("other")); d != "root: key *graphtest.deep only in want" && d != "root: key *graphtest.deep only in got" {
			t.Fatal(d)
		}
	}
	long := map[*int]*plainNode{}
	for i := range 100_000 {
		long[new(i%2)] = &plainNode{}
	}
	if d := both(t, long, deepCopy(long)); d != "" {
		t.Error(d)
	}
}

func TestOptions(t *testing.T) {
	shift := Opaque(func(want, got *token.Pos) string {
		if want.IsValid() != got.IsValid() || want.IsValid() && *want+7 != *got {
			return fmt.Sprintf("position %d became %d", *want, *got)
		}
		return ""
	})
	ident := func(pos token.Pos) *ast.Ident { return &ast.Ident{NamePos: pos, Name: "x"} }
	if d := both(t, ident(0), ident(0), shift); d != "" {
		t.Error(d)
	}
	if d := Diff([]any{ident(1), token.Pos(2)}, []any{ident(8), token.Pos(9)}, shift); d != "" {
		t.Error(d)
	}
	if d := Diff([]ast.Expr{ident(1), ident(2)}, []ast.Expr{ident(8), ident(8)}, shift); d != "[1].(*ast.Ident).NamePos: position 2 became 8" {
		t.Error(d)
	}
	if d := Diff([]any{token.Pos(2)}, []any{token.Pos(8)}, shift); d != "[0].(token.Pos): position 2 became 8" {
		t.Error(d)
	}
	positions := func(shift token.Pos) any { return map[token.Pos]string{1 + shift: "a", 2 + shift: "b"} }
	if d := both(t, positions(0), positions(0), Opaque(func(_, _ *token.Pos) string { return "" })); d != "" {
		t.Error(d)
	}
	if d := Diff(positions(0), positions(7), shift); d != "" {
		t.Error(d)
	}

	resolved := ident(1)
	resolved.Obj = ast.NewObj(ast.Var, "x")
	if d := both(t, ident(1), resolved); d != ".Obj: want nil, got *ast.Object" {
		t.Error(d)
	}
	if d := both(t, ident(1), resolved, IgnoreField[ast.Ident]("Obj")); d != "" {
		t.Error(d)
	}
	x := &resolved.Name
	pointer := Opaque(func(want, got **string) string { return "" })
	if d := both(t, []*string{x, x}, []*string{x, nil}, pointer); d != "" {
		t.Error(d)
	}
	defer func() {
		if r := recover(); fmt.Sprint(r) != `graphtest: type ast.Ident has no field "Object" of its own` {
			t.Error(r)
		}
	}()
	IgnoreField[ast.Ident]("Object")
}

func TestDiamonds(t *testing.T) {
	const levels = 100
	nodes := func() any {
		n := &plainNode{}
		for range levels {
			n = &plainNode{A: n, B: n}
		}
		return n
	}
	boxes := func() any {
		var v any = &plainNode{}
		for range levels {
			v = [2]any{v, v}
		}
		return v
	}
	slices := func() any {
		var v any = []any{}
		for range levels {
			v = []any{v, v}
		}
		return v
	}
	for name, build := range map[string]func() any{"nodes": nodes, "boxes": boxes, "slices": slices} {
		c := newComparer(nil)
		w, g := build(), build()
		c.run(&w, &g)
		if c.difference != "" || c.pairs.n > 3*levels {
			t.Errorf("%s: difference %q, %d pairs", name, c.difference, c.pairs.n)
		}
	}
}

func TestLongList(t *testing.T) {
	const n = 1_000_000
	list := func(end string) *node {
		first := &node{}
		last := first
		for range n {
			last.next = &node{}
			last = last.next
		}
		last.Name = end
		return first
	}
	w := list("")
	if d := Diff(w, list("")); d != "" {
		t.Error(d)
	}
	half := strings.Repeat(".next", maxSteps/2-1)
	if d, want := Diff(w, list("x")), fmt.Sprintf(`%s ... %d steps ... %s.next.Name: want "", got "x"`, half, n+1-maxSteps, half); d != want {
		t.Errorf("got  %s\nwant %s", d, want)
	}
}

func TestAliasedLongSlices(t *testing.T) {
	// Each node has all nodes, in one slice; visiting it for each would take 10^10 steps.
	build := func() any {
		nodes := make([]*plainNode, 100_000)
		for i := range nodes {
			nodes[i] = &plainNode{Rest: nodes}
		}
		return nodes
	}
	if d := Diff(build(), build()); d != "" {
		t.Error(d)
	}
}

func parsePackage(tb testing.TB, dir string) (files []*ast.File, nodes int) {
	names, err := filepath.Glob(filepath.Join(runtime.GOROOT(), "src", dir, "*.go"))
	if err != nil || len(names) == 0 {
		tb.Skip("no sources of Go here: ", err)
	}
	fset := token.NewFileSet()
	for _, name := range names {
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			tb.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if n != nil {
				nodes++
			}
			return true
		})
		files = append(files, f)
	}
	return files, nodes
}

func TestSyntax(t *testing.T) {
	w, _ := parsePackage(t, "go/ast")
	g, _ := parsePackage(t, "go/ast")
	if d := both(t, w, g); d != "" {
		t.Error(d)
	}
	last := g[len(g)-1]
	for _, decl := range last.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok {
			f.Name = &ast.Ident{NamePos: f.Name.NamePos, Name: "changed", Obj: f.Name.Obj}
		}
	}
	d := both(t, w, g)
	if !strings.HasPrefix(d, fmt.Sprintf("[%d].Decls[", len(g)-1)) || !strings.HasSuffix(d, `, got "changed"`) {
		t.Error(d)
	}
}

// go test -bench Syntax ./graphtest
func BenchmarkSyntax(b *testing.B) {
	w, nodes := parsePackage(b, "net/http")
	g, _ := parsePackage(b, "net/http")
	b.ReportAllocs()
	for b.Loop() {
		if d := Diff(w, g); d != "" {
			b.Fatal(d)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(nodes), "ns/node")
	b.ReportMetric(float64(nodes), "nodes")
}
