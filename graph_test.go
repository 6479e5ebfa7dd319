package putget_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/putget/putget"
	"github.com/putget/putget/get"
	"github.com/putget/putget/graphtest"
	"github.com/putget/putget/internal/wire"
	"github.com/putget/putget/put"
	"github.com/putget/putget/share"
	"github.com/putget/putget/state"
	"github.com/putget/putget/symtab"
)

// A small compiler has turned this into the values below:
//
//	1  type list struct { value int; next *list }
//	2
//	3  func sum(l *list) int {
//	4      let rest = sum(l.next)
//	5      in l.value + rest
//	6  }
//	7
//	8  func main() int { sum(nil) }
//
// What makes it hard to write to a file: sum calls itself, list leads to itself,
// its types are shared by everything, "int" is not the program's own, and names
// mean something only in their scope.

// Program is what is put.
type Program struct{ Funcs []*Func }

// Func may be called from anywhere, itself included.
type Func struct {
	Name   string
	Params []*Var
	Result *Type
	Body   *Expr
}

// Var is a parameter, or bound by let.
type Var struct {
	Name string
	Type *Type
}

// Type is a struct, or a pointer, or one that the compiler knows beforehand.
type Type struct {
	Name   string
	Elem   *Type // of a pointer
	Fields []*Var
}

// Expr is a node of a tree.
type Expr struct {
	Line int
	Op   Op
	Args []*Expr
	Var  *Var   // of Use: which; of Let: the one that is bound, in Args[1]
	Func *Func  // of Call
	Name string // of Select: the field
}

// Op is what an expression does.
type Op uint8

// The operations.
const (
	Nil Op = iota
	Add
	Select
	Call
	Use
	Let
)

// How each kind of value is put is declared once, here.
var (
	// Names recur: they are put once in a document.
	words = symtab.NewStrings("words")
	// A type is an entry of a table: one pointer in the whole document, and
	// to be had alone. That list leads to itself is no matter.
	typeTable = symtab.NewTable[Type]("types", typeEntry{})
	// A function is put where it is first seen, and referred to after that.
	funcs = share.New[Func]("funcs", funcBody{})

	// State: the line before flows with the bytes, the variables in scope flow
	// down the tree, and the types of the universe are the caller's.
	lastLine = state.NewLocal[int]("line")
	inScope  = state.NewScope[*bound]("variables")
	universe = state.NewEnv[map[string]*Type]("universe")
)

type program struct{}

func (program) Put(b *put.Builder, p *Program) { put.Slice(b, p.Funcs, funcRef{}) }
func (program) Get(r *get.Reader, p *Program)  { p.Funcs = get.Slice(r, funcRef{}) }

type funcRef struct{}

func (funcRef) Put(b *put.Builder, f **Func) { funcs.Put(b, *f) }
func (funcRef) Get(r *get.Reader, f **Func)  { *f = funcs.Get(r) }

type funcBody struct{}

func (funcBody) Put(b *put.Builder, f *Func) {
	words.Put(b, f.Name)
	put.Slice(b, f.Params, varPtr{})
	typeRef{}.Put(b, &f.Result)
	inScope.With(b, bind(nil, f.Params...), func() { put.Ptr(b, f.Body, expr{}) })
}

func (funcBody) Get(r *get.Reader, f *Func) {
	f.Name = words.Get(r)
	f.Params = get.Slice(r, varPtr{})
	typeRef{}.Get(r, &f.Result)
	inScope.With(r, bind(nil, f.Params...), func() { f.Body = get.Ptr(r, expr{}) })
}

// varPtr owns a variable: it is declared in one place.
type varPtr struct{}

func (varPtr) Put(b *put.Builder, v **Var) { put.Ptr(b, *v, variable{}) }
func (varPtr) Get(r *get.Reader, v **Var)  { *v = get.Ptr(r, variable{}) }

type variable struct{}

func (variable) Put(b *put.Builder, v *Var) {
	words.Put(b, v.Name)
	typeRef{}.Put(b, &v.Type)
}

func (variable) Get(r *get.Reader, v *Var) {
	v.Name = words.Get(r)
	typeRef{}.Get(r, &v.Type)
}

// typeRef puts a type of the universe by its name, others by the table.
type typeRef struct{}

func (typeRef) Put(b *put.Builder, t **Type) {
	known := *t != nil && universe.Of(b)[(*t).Name] == *t
	if b.Bool(known); known {
		words.Put(b, (*t).Name)
	} else {
		typeTable.Put(b, *t)
	}
}

func (typeRef) Get(r *get.Reader, t **Type) {
	if !r.Bool() {
		*t = typeTable.Get(r)
		return
	}
	name := words.Get(r)
	if *t = universe.Of(r)[name]; *t == nil {
		r.Fail(fmt.Errorf("the universe has no type %q", name))
	}
}

type typeEntry struct{}

func (typeEntry) Put(b *put.Builder, t *Type) {
	words.Put(b, t.Name)
	typeRef{}.Put(b, &t.Elem)
	put.Slice(b, t.Fields, varPtr{})
}

func (typeEntry) Get(r *get.Reader, t *Type) {
	t.Name = words.Get(r)
	typeRef{}.Get(r, &t.Elem)
	t.Fields = get.Slice(r, varPtr{})
}

// bound is a variable in scope, the innermost first.
type bound struct {
	v     *Var
	outer *bound
}

func bind(s *bound, vars ...*Var) *bound {
	for _, v := range vars {
		s = &bound{v, s}
	}
	return s
}

var errScope = errors.New("a variable is used outside of its scope")

type exprPtr struct{}

func (exprPtr) Put(b *put.Builder, e **Expr) { put.Ptr(b, *e, expr{}) }
func (exprPtr) Get(r *get.Reader, e **Expr)  { *e = get.Ptr(r, expr{}) }

type expr struct{}

func (expr) Put(b *put.Builder, e *Expr) {
	last := lastLine.Of(b)
	b.Int(e.Line - *last) // 0 or 1, mostly
	*last = e.Line
	b.Uint8(uint8(e.Op))
	switch e.Op {
	case Use: // by how many variables lie between
		distance, s := uint(0), inScope.Of(b)
		for ; s != nil && s.v != e.Var; s = s.outer {
			distance++
		}
		if s == nil {
			b.Fail(errScope)
		}
		b.Uint(distance)
	case Let:
		put.Ptr(b, e.Var, variable{})
		put.Ptr(b, e.Args[0], expr{})
		inScope.With(b, bind(inScope.Of(b), e.Var), func() { put.Ptr(b, e.Args[1], expr{}) })
	case Call:
		funcs.Put(b, e.Func)
		put.Slice(b, e.Args, exprPtr{})
	case Select:
		words.Put(b, e.Name)
		put.Slice(b, e.Args, exprPtr{})
	default:
		put.Slice(b, e.Args, exprPtr{})
	}
}

func (expr) Get(r *get.Reader, e *Expr) {
	last := lastLine.Of(r)
	*last += r.Int()
	e.Line = *last
	e.Op = Op(r.Uint8())
	switch e.Op {
	case Use:
		s := inScope.Of(r)
		for distance := r.Uint(); s != nil && distance > 0; distance-- {
			s = s.outer
		}
		if s == nil {
			r.Fail(errScope)
			return
		}
		e.Var = s.v
	case Let:
		e.Var = get.Ptr(r, variable{})
		e.Args = make([]*Expr, 2)
		e.Args[0] = get.Ptr(r, expr{})
		inScope.With(r, bind(inScope.Of(r), e.Var), func() { e.Args[1] = get.Ptr(r, expr{}) })
	case Call:
		e.Func = funcs.Get(r)
		e.Args = get.Slice(r, exprPtr{})
	case Select:
		e.Name = words.Get(r)
		e.Args = get.Slice(r, exprPtr{})
	default:
		e.Args = get.Slice(r, exprPtr{})
	}
}

// aProgram is the program above, whose int is the caller's.
func aProgram(integer *Type) *Program {
	list := &Type{Name: "list"}
	pointer := &Type{Elem: list}
	list.Fields = []*Var{{"value", integer}, {"next", pointer}}

	l, rest := &Var{"l", pointer}, &Var{"rest", integer}
	sum := &Func{Name: "sum", Params: []*Var{l}, Result: integer}
	field := func(line int, name string) *Expr {
		return &Expr{Line: line, Op: Select, Name: name, Args: []*Expr{{Line: line, Op: Use, Var: l}}}
	}
	sum.Body = &Expr{Line: 4, Op: Let, Var: rest, Args: []*Expr{
		{Line: 4, Op: Call, Func: sum, Args: []*Expr{field(4, "next")}},
		{Line: 5, Op: Add, Args: []*Expr{field(5, "value"), {Line: 5, Op: Use, Var: rest}}},
	}}
	main := &Func{Name: "main", Result: integer, Body: &Expr{Line: 8, Op: Call, Func: sum, Args: []*Expr{{Line: 8, Op: Nil}}}}
	return &Program{Funcs: []*Func{sum, main}}
}

func TestGraph(t *testing.T) {
	integer := &Type{Name: "int"}
	options := &putget.Options{Schema: "compiler 1", Env: []state.Binding{universe.Bind(map[string]*Type{"int": integer})}}
	want := aProgram(integer)

	data, err := putget.Append(nil, want, program{}, options)
	if err != nil {
		t.Fatal(err)
	}
	got, err := putget.Decode(data, program{}, options)
	if err != nil {
		t.Fatal(err)
	}

	// The content is the same,
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	// every node is there once, and every edge leads to its partner,
	if d := graphtest.Diff(want, got); d != "" {
		t.Error(d)
	}
	// for example these:
	sum, main := got.Funcs[0], got.Funcs[1]
	let := sum.Body
	call, plus := let.Args[0], let.Args[1]
	list := sum.Params[0].Type.Elem
	for what, same := range map[string]bool{
		"sum calls itself":           call.Func == sum,
		"main calls the same":        main.Body.Func == sum,
		"list leads to itself":       list.Fields[1].Type.Elem == list,
		"by the type of l":           list.Fields[1].Type == sum.Params[0].Type,
		"l is l":                     plus.Args[0].Args[0].Var == sum.Params[0],
		"rest is what let has bound": plus.Args[1].Var == let.Var,
		"int is the caller's":        sum.Result == integer && list.Fields[0].Type == integer,
	} {
		if !same {
			t.Error(what, "no more")
		}
	}

	// The same value is the same bytes.
	if again, err := putget.Append(nil, got, program{}, options); err != nil || !bytes.Equal(data, again) {
		t.Error("other bytes: ", err)
	}

	// One type can be had without the program around it.
	doc, err := putget.Open(data, options)
	if err != nil {
		t.Fatal(err)
	}
	second, err := typeTable.Load(doc, 1)
	if err != nil || second.Name != "list" || second.Fields[1].Type.Elem != second {
		t.Error(second, err)
	}

	// A variable outside of its scope, a universe without int, another schema.
	lost := aProgram(integer)
	lost.Funcs[1].Body.Args[0] = lost.Funcs[0].Body.Args[1]
	if _, err := putget.Append(nil, lost, program{}, options); !errors.Is(err, errScope) {
		t.Error(err)
	}
	if _, err := putget.Decode(data, program{}, &putget.Options{Env: []state.Binding{universe.Bind(nil)}}); err == nil {
		t.Error("int came from nowhere")
	}
	if _, err := putget.Decode(data, program{}, &putget.Options{Schema: "compiler 2"}); !errors.Is(err, putget.ErrSchema) {
		t.Error(err)
	}
}

// At any depth, a variable is the one that its scope has: thousands of lets
// within each other, most of them deferred on the way.
func TestGraphDeep(t *testing.T) {
	integer := &Type{Name: "int"}
	options := &putget.Options{Env: []state.Binding{universe.Bind(map[string]*Type{"int": integer})}}
	const levels = 2000
	vars := []*Var{{"x", integer}}
	body := &Expr{Op: Nil}
	for i := range levels {
		vars = append(vars, &Var{fmt.Sprint("x", i), integer})
	}
	for i := levels; i > 0; i-- {
		use := &Expr{Line: i, Op: Use, Var: vars[i/2]}
		body = &Expr{Line: i, Op: Let, Var: vars[i], Args: []*Expr{{Op: Add, Args: []*Expr{use, nil}}, body}}
	}
	want := &Program{[]*Func{{Name: "deep", Params: vars[:1], Result: integer, Body: body}}}
	data, err := putget.Append(nil, want, program{}, options)
	if err != nil {
		t.Fatal(err)
	}
	got, err := putget.Decode(data, program{}, options)
	if err != nil {
		t.Fatal(err)
	}
	if d := graphtest.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// The bytes of TestGraph's program: offset in the section, bytes, what they are.
var graphBytes = []struct{ section, text string }{{"", `
00 03                        two functions, + 1
01 01                        the first, seen for the first time: here it is
02 00                        its name: word 0, sum
03 02                        one parameter, + 1
04 01 01 00 01               here: word 1, l; not of the universe, type 0, + 1
08 01 02                     the result: of the universe, word 2, int
0a 01 08 05                  the body, here: line 0 + 4 (zigzag), Let
0d 01 03 01 02               the variable: word 3, rest, int
11 01 00 03 03               its value: line + 0, Call; function 0 again, + 3
15 02                        one argument
16 01 00 02 04               line + 0, Select, word 4, next
1a 02 01 00 04 00            of one operand: Use, the innermost variable
1f 01 02 01                  where it is in scope: line + 1, Add
22 03 01 00 02 05            of two operands: Select, word 5, value
27 02 01 00 04 01            of: Use, with one variable between
2c 01 00 04 00               and Use, the innermost
30 01 06 00                  the second function: word 6, main; no parameters
33 01 02                     the result: int
35 01 06 03 03               the body: line 5 + 3, Call, function 0
39 02 01 00 00 00            one argument: Nil, without operands
`}, {"words", `
00 03 04 07 0b 0f 14 18 18   the ends of the nine words
08 1c
09 73 75 6d 6c 69 6e 74 72   sum, l, int, r
11 65 73 74 6e 65 78 74 76   est, next, v
19 61 6c 75 65 6d 61 69 6e   alue, main, and the empty word
21 6c 69 73 74               list
`}, {"types", `
00 04 10                     the ends of the two entries
02 07 00 02 00               type 0: no name, a pointer to type 1, no fields
06 08 00 00 03               type 1: word 8, list; no pointer; two fields
0a 01 05 01 02               here: word 5, value, int
0e 01 04 00 01               here: word 4, next, type 0
`}}

func TestGraphBytes(t *testing.T) {
	if wire.InlineDepth == 0 {
		t.Skip("every body is deferred")
	}
	integer := &Type{Name: "int"}
	data, err := putget.Append(nil, aProgram(integer), program{}, &putget.Options{Env: []state.Binding{universe.Bind(map[string]*Type{"int": integer})}})
	if err != nil {
		t.Fatal(err)
	}
	doc, err := putget.Open(data, nil)
	if err != nil {
		t.Fatal(err)
	}
	sections := doc.Sections()
	for i, want := range graphBytes {
		s := sections[i]
		got := data[s.Offset:][:s.Size]
		if s.Name != want.section || !bytes.Equal(got, unhex(t, want.text)) {
			t.Errorf("section %q, want %q\n% x", s.Name, want.section, got)
		}
	}
}
