package goast_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/putget/putget/goast"
	"github.com/putget/putget/graphtest"
)

// sources are files as tools meet them: most do not parse, or have something
// about their text or their lines.
var sources = []struct{ name, src string }{
	{"empty", ""},
	{"one byte", "p"},
	{"newline", "\n"},
	{"clause", "package p"},
	{"clause and newline", "package p\n"},
	{"no clause", "func f() {}\n"},
	{"no name", "package"},
	{"only comments", "// one\n\n/* two\n three */\n"},
	{"only a comment without end", "/* one"},
	{"unterminated string", "package p\n\nvar x = \"abc\n\nvar y = 1\n"},
	{"unterminated raw string", "package p\n\nvar x = `abc\n"},
	{"unterminated comment", "package p\n\nvar x = 1 /* abc\n"},
	{"unterminated rune", "package p\n\nvar x = 'a\n"},
	{"unterminated block", "package p\n\nfunc f() {\n\tif x {\n\t\ty()\n"},
	{"unterminated call", "package p\n\nvar x = f(a, b"},
	{"unterminated literal", "package p\n\nvar x = T{a: 1,"},
	{"unterminated group", "package p\n\nimport (\n\t\"a\"\n"},
	{"unterminated type", "package p\n\ntype T struct {\n\ta int"},
	{"unterminated parameters", "package p\n\nfunc f(a int,"},
	{"bad expressions", "package p\n\nvar x = +\nvar y = a[]\nvar z = a[1:2:]\nvar w = (\n"},
	{"bad statements", "package p\n\nfunc f() {\n\t]\n\tif {\n\t}\n\tfor x := range\n\tgo f\n\tdefer 1\n\tx := 1, y\n\tcase 1:\n}\n"},
	{"bad declarations", "package p\n\nfoo bar\n\nvar\n\nfunc (\n\ntype\n\nfunc g() {}\n"},
	{"bad import", "package p\n\nimport x y\nimport \"\"\nimport `a b`\n"},
	{"nothing but braces", "package p {}}}((\n"},
	{"many errors", "package p\n" + strings.Repeat("var x = +\n", 30)},
	{"redeclared", "package p\n\nfunc f() { x := 1; x := 2; L: L: goto M }\n"},
	{"returns", "package p\r\n\r\n// a\r\n/* b\r\n c */\r\nvar x = `d\r\ne`\r\n"},
	{"byte order mark", "\ufeffpackage p\n\nvar x = 1\n"},
	{"misplaced byte order mark", "package p\n\nvar \ufeffx = 1\n"},
	{"invalid UTF-8", "package p\n\n// \xff\nvar x\xff = \"\xfe\x80\"\n"},
	{"NUL", "package p\n\nvar x = \"\x00\"\n// \x00\n"},
	{"build constraint", "//go:build linux && go1.21\n\n// Package p.\npackage p\n"},
	{"old build constraint", "// +build linux\n\npackage p\n"},
	{"version", "//go:build go1.18\n\npackage p\n\nvar _ = 1\n"},
	{"directives", "package p\n\n//go:embed x\n//go:noinline\nvar x string\n\n//export f\nfunc f()\n"},
	{"line", "package p\n\n//line a.y:10\nvar x = 1\n//line b.y:3:7\nvar y = 2\n//line :5\nvar z int\n"},
	{"line in a comment", "package p\n\nvar /*line c.y:9*/ x = /*line d.y:1:2*/ 1 /*line :7:7*/\n/*line 4*/ var y int\n"},
	{"wrong line", "package p\n\n//line a.y:0\n//line a.y:x\n//line :1:0\n//line\n//line a.y:99999999999\nvar x = 1\n"},
	{"line without a name", "package p\n\n//line :7\n//line foo/../bar/x.go:1\n//line /abs/x.go:12\n//line C:\\x.go:4\nvar x = +\n"},
	{"lines that repeat", "package p\n" + strings.Repeat("//line a.y:7\nvar x = 1\n", 20)},
	{"nested comments", "package p\n\n// doc of T\ntype T struct { // of the brace\n\t// doc of a\n\ta int // of a\n\n\t// free\n}\n\n/* of f */ func /* in f */ f( /* p */ ) /* r */ {\n\t// free\n\tx() // of x\n\t// last\n}\n// end"},
	{"comments between", "package p\n\nimport (\n\t// doc\n\t\"a\" // trail\n)\n\nconst ( // group\n\tA = iota // A\n\tB\n\n\t// detached\n\n\tC // C\n)\n"},
	{"type parameters", "package p\n\ntype T[P, Q any, R interface{ ~int | *P }] struct{ f func(P) Q }\n\nfunc (t *T[_, _, _]) m() {}\nfunc f[A ~[]B, B any](a A) B { return f[A, B](a) }\ntype U = T[int, string, interface{ int }]\n"},
	{"all of the language", everything},
	{"blank", "package _\n\nvar _, _ = _, _\nfunc _() {}\nimport _ \"x\"\nimport . \"y\"\n"},
	{"late import", "package p\n\nvar x = 1\n\nimport \"a\"\n"},
	{"import in a function", "package p\n\nfunc f() {\n\timport \"a\"\n}\n"},
	{"long lines", "package p\n\nvar x = \"" + strings.Repeat("x", 70_000) + "\" // " + strings.Repeat("y", 70_000) + "\n"},
	{"many lines", "package p\n" + strings.Repeat("\n", 70_000) + "var x = 1"},
	{"many names", "package p\n\nvar x = []int{" + strings.Repeat("a1,", 20_000) + "}\n"},
	{"deep nesting that the parser refuses", "package p\n\nvar x = " + strings.Repeat("(", 100_001) + "1\n"},
	{"deep nesting", "package p\n\nvar x = " + strings.Repeat("(", 5_000) + "1" + strings.Repeat(")", 5_000) + "\n"},
	{"long chain", "package p\n\nvar x = 1" + strings.Repeat(" + 1", 5_000) + "\n"},
}

// everything has each node type, and each statement.
const everything = `package p

import "fmt"

type I interface { m(int) string; fmt.Stringer; ~int | string }
type S struct { a, b int; *T; c [3]int; d [...]int; e []map[string]chan<- int; f <-chan int; g chan int }

const c, d = 1.5, 'x'

var x, y = 2i, "s" + ` + "`raw`" + `

func (s S) f(a ...int) (r int, err error) {
	var v interface{} = S{a: 1, c: [3]int{0: 1, 2}}
	type L int
	;
	go func() { defer s.f(a...) }()
	a[1]++; b--
	*p = -x &^ y << 3
	c <- <-d
L:
	for i := 0; i < 10; i++ { continue L }
	for { break }
	for range x { goto L }
	for k, v = range m { }
	for i := range 10 { _ = i }
	switch x := y.(type) { case int, string: fallthrough; default: }
	switch { case a == b && !c || d != e: return }
	switch x := f(); x { }
	select { case v, ok := <-ch: case ch <- 1: default: }
	if x := 1; x > 2 { } else if y { } else { }
	a, b = s[1:2], s[1:2:3]
	a += 1; a -= 1; a *= 2; a /= 2; a %= 2; a &= 1; a |= 1; a ^= 1; a <<= 1; a >>= 1; a &^= 1
	_ = g[int, string](x.(T), (y))
	{ }
	return a[0], nil
}
`

// TestSources: the tree, the errors and all positions come back, whatever the
// file is, with objects and without, as single documents and all in one.
func TestSources(t *testing.T) {
	all := map[parser.Mode][]*goast.File{}
	sets := map[parser.Mode]*token.FileSet{}
	for _, mode := range []parser.Mode{
		parser.ParseComments | parser.SkipObjectResolution, parser.ParseComments, 0,
		parser.ParseComments | parser.AllErrors | parser.DeclarationErrors,
	} {
		sets[mode] = token.NewFileSet()
		failed := 0
		for _, s := range sources {
			fset := token.NewFileSet()
			f := []*goast.File{parse(t, fset, s.name+".go", []byte(s.src), mode)}
			if f[0].Errors != nil {
				failed++
			}
			all[mode] = append(all[mode], parse(t, sets[mode], s.name+".go", []byte(s.src), mode))
			t.Run(s.name, func(t *testing.T) {
				roundTrip(t, fset, f, f, &goast.Options{Objects: true})
				doc := roundTrip(t, fset, f, f, nil, ignoreObjects...)
				d := decodeDecls(t, token.NewFileSet(), doc)
				wantSame(t, f, d.Files, append(ignoreObjects, graphtest.IgnoreField[ast.FuncDecl]("Body"))...)
				for _, fn := range functions(d.Files) {
					if _, err := d.Body(fn); err != nil {
						t.Error(err)
					}
				}
			})
		}
		if failed < 20 || failed > len(sources)-10 {
			t.Errorf("%d of %d sources do not parse", failed, len(sources))
		}
	}
	for mode, files := range all {
		roundTrip(t, sets[mode], files, files, nil, ignoreObjects...)
		roundTrip(t, sets[mode], files, files, &goast.Options{Objects: true})
	}
}

// The sources have what they are there for.
func TestSourcesHaveAll(t *testing.T) {
	bad := map[string]bool{}
	infos := map[string]bool{}
	for _, s := range sources {
		fset := token.NewFileSet()
		f := parse(t, fset, "x.go", []byte(s.src), mode)
		ast.Inspect(f.Syntax, func(n ast.Node) bool {
			switch n.(type) {
			case *ast.BadExpr, *ast.BadStmt, *ast.BadDecl:
				bad[nodeName(n)] = true
			}
			if n != nil && n.Pos().IsValid() {
				if p := fset.Position(n.Pos()); p.Filename != "x.go" {
					infos[p.Filename] = true
				}
			}
			return true
		})
	}
	if len(bad) != 3 {
		t.Error("bad nodes:", bad)
	}
	for _, name := range []string{"a.y", "b.y", "c.y", "d.y"} {
		if !infos[name] {
			t.Errorf("no position in %s, only in %v", name, infos)
		}
	}
}
