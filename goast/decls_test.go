package goast_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"testing"

	"github.com/putget/putget"
	"github.com/putget/putget/goast"
	"github.com/putget/putget/graphtest"
)

func decodeDecls(t testing.TB, fset *token.FileSet, doc []byte) *goast.Decls {
	t.Helper()
	d, err := goast.DecodeDecls(fset, doc)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// functions lists the function declarations of files, in order.
func functions(files []*goast.File) (list []*ast.FuncDecl) {
	for _, f := range files {
		for _, d := range f.Syntax.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				list = append(list, fn)
			}
		}
	}
	return list
}

// TestDeclsStd: declarations come without bodies and are otherwise the same;
// the bodies come when asked for, each the same as parsed.
func TestDeclsStd(t *testing.T) {
	for _, p := range packages(t) {
		t.Run(p.path, func(t *testing.T) {
			t.Parallel()
			fset, parsed := p.parseAll(t, mode)
			doc := encode(t, fset, parsed, nil)

			d := decodeDecls(t, token.NewFileSet(), doc)
			want, got := functions(parsed), functions(d.Files)
			if len(want) != len(got) {
				t.Fatalf("%d functions, want %d", len(got), len(want))
			}
			wantSame(t, parsed, d.Files, graphtest.IgnoreField[ast.FuncDecl]("Body"))
			var bodies []*ast.BlockStmt
			for i, fn := range got {
				if fn.Body != nil {
					t.Fatalf("%v has its body", fn.Name)
				}
				body, err := d.Body(fn)
				if err != nil {
					t.Fatal(err)
				}
				wantSame(t, want[i].Body, body)
				bodies = append(bodies, body)
			}

			// The bodies complete the trees: comments and all are one graph. The
			// order in which they are loaded does not matter.
			other := occupied(9)
			d = decodeDecls(t, other, doc)
			got = functions(d.Files)
			for i := range got {
				fn := got[len(got)-1-i]
				body, err := d.Body(fn)
				if err != nil {
					t.Fatal(err)
				}
				fn.Body = body
			}
			wantSame(t, parsed, d.Files, moved(fset, other, 10)...)
			if again := encode(t, other, d.Files, nil); !bytes.Equal(doc, again) {
				t.Error("the completed trees encode to other bytes")
			}
		})
	}
}

func TestBodyTwice(t *testing.T) {
	fset, f := one(t, "package p\n\nfunc f() { g() }\n\nfunc g()\n")
	doc := encode(t, fset, []*goast.File{f}, nil)
	d := decodeDecls(t, token.NewFileSet(), doc)
	list := functions(d.Files)

	first, err := d.Body(list[0])
	if err != nil || first == nil {
		t.Fatal(first, err)
	}
	second, err := d.Body(list[0])
	if err != nil || first != second {
		t.Errorf("another body the second time (%v)", err)
	}
	if list[0].Body != nil {
		t.Error("Body changed the declaration")
	}
	list[0].Body = first // which changes nothing either
	if again, err := d.Body(list[0]); err != nil || again != first {
		t.Errorf("another body after it was set (%v)", err)
	}

	if body, err := d.Body(list[1]); body != nil || err != nil {
		t.Errorf("a function without a body has %v, %v", body, err)
	}
	if body, err := d.Body(&ast.FuncDecl{}); body != nil || err != nil {
		t.Errorf("a function that is not of the document has %v, %v", body, err)
	}
	parsed := functions([]*goast.File{f})[0]
	if body, err := d.Body(parsed); body != parsed.Body || err != nil {
		t.Errorf("a function of the parsed file has %v, %v", body, err)
	}
}

// A document with objects loads as a whole.
func TestDeclsWithObjects(t *testing.T) {
	fset := token.NewFileSet()
	f := parse(t, fset, "one.go", []byte("package p\n\nfunc f(x int) { f(x) }\n"), withObjects)
	doc := encode(t, fset, []*goast.File{f}, &goast.Options{Objects: true})
	d := decodeDecls(t, token.NewFileSet(), doc)
	wantSame(t, []*goast.File{f}, d.Files)
	fn := functions(d.Files)[0]
	if body, err := d.Body(fn); err != nil || body != fn.Body {
		t.Errorf("Body gives %p, %v, the function has %p", body, err, fn.Body)
	}
}

// Bodies are not looked at before they are asked for: damage to one shows then,
// each time, and nowhere else.
func TestDamagedBody(t *testing.T) {
	src := []byte("package p\n")
	for i := range 1000 {
		src = append(src, "\nfunc f() { x = "...)
		src = append(src, bytes.Repeat([]byte{byte('a' + i%26)}, 1+i/26)...)
		src = append(src, ".y(f, g, 1, 2, a+b*c); if y { return }}\n"...)
	}
	fset := token.NewFileSet()
	f := parse(t, fset, "many.go", src, mode)
	if len(f.Errors) > 0 {
		t.Fatal(f.Errors)
	}
	doc := encode(t, fset, []*goast.File{f}, nil)
	open, err := putget.Open(doc, nil)
	if err != nil {
		t.Fatal(err)
	}
	at := int64(0)
	for _, s := range open.Sections() {
		if s.Name == "bodies" {
			at = s.Offset + s.Size/2
			if s.Size < 5*4096 {
				t.Fatalf("the bodies take only %d bytes", s.Size)
			}
		}
	}
	if at == 0 {
		t.Fatal("no bodies")
	}
	doc[at] ^= 4

	d := decodeDecls(t, token.NewFileSet(), doc)
	wantSame(t, []*goast.File{f}, d.Files, graphtest.IgnoreField[ast.FuncDecl]("Body"))
	want, good, bad := functions([]*goast.File{f}), 0, 0
	for i, fn := range functions(d.Files) {
		body, err := d.Body(fn)
		if err == nil {
			good++
			wantSame(t, want[i].Body, body)
			continue
		}
		bad++
		if body != nil || !known(err) {
			t.Errorf("body %d: %v, %v", i, body, err)
		}
		if _, again := d.Body(fn); again == nil || again.Error() != err.Error() {
			t.Errorf("body %d: %v, and then %v", i, err, again)
		}
	}
	if good < 100 || bad < 10 || bad > 500 {
		t.Errorf("%d bodies are good, %d are not", good, bad)
	}

	into := occupied(1)
	before := holds(into)
	if _, err := goast.Decode(into, doc); !known(err) {
		t.Errorf("all of the document: %v", err)
	}
	wantSame(t, before, holds(into))
}

// The mode that tools use for declarations only gives less than DecodeDecls,
// and is kept as it is.
func TestImportsOnly(t *testing.T) {
	src := []byte("// Package p.\npackage p\n\nimport (\n\t\"a\" // one\n\tb \"c\"\n)\n\nfunc f() {}\n")
	for _, mode := range []parser.Mode{parser.ImportsOnly, parser.PackageClauseOnly, parser.ImportsOnly | parser.ParseComments} {
		fset := token.NewFileSet()
		files := []*goast.File{parse(t, fset, "one.go", src, mode)}
		roundTrip(t, fset, files, files, &goast.Options{Objects: true})
		wantSame(t, files, decode(t, token.NewFileSet(), encode(t, fset, files, nil)), ignoreObjects...)
	}
}
