package goast_test

import (
	"bytes"
	"errors"
	"go/ast"
	"go/scanner"
	"go/token"
	"reflect"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/putget/putget"
	"github.com/putget/putget/goast"
	"github.com/putget/putget/graphtest"
)

func nodeName(n any) string { return reflect.TypeOf(n).Elem().Name() }

// built is a file around declarations that no parser made, of the given size.
func built(fset *token.FileSet, size int, decls ...ast.Decl) *goast.File {
	tf := fset.AddFile("built.go", -1, size)
	return &goast.File{
		Syntax: &ast.File{Package: token.Pos(tf.Base()), Name: ast.NewIdent("p"), FileStart: token.Pos(tf.Base()), FileEnd: token.Pos(tf.Base() + size), Decls: decls},
		Token:  tf,
	}
}

// value is a declaration of a value.
func value(x ast.Expr) ast.Decl {
	return &ast.GenDecl{Tok: token.VAR, Specs: []ast.Spec{&ast.ValueSpec{Names: []*ast.Ident{ast.NewIdent("x")}, Values: []ast.Expr{x}}}}
}

// function is a declaration of a function.
func function(list ...ast.Stmt) *ast.FuncDecl {
	return &ast.FuncDecl{Name: ast.NewIdent("f"), Type: &ast.FuncType{Params: &ast.FieldList{}}, Body: &ast.BlockStmt{List: list}}
}

func documented(doc *ast.CommentGroup, f *ast.FuncDecl) *ast.FuncDecl {
	f.Doc = doc
	return f
}

var bothOptions = []*goast.Options{nil, {Objects: true}}

// TestNilAndEmpty: nil, typed nil and empty stay apart.
func TestNilAndEmpty(t *testing.T) {
	for name, change := range map[string]func(f *goast.File){
		"nothing":           func(f *goast.File) {},
		"no declarations":   func(f *goast.File) { f.Syntax.Decls = []ast.Decl{} },
		"no comments":       func(f *goast.File) { f.Syntax.Comments = []*ast.CommentGroup{} },
		"no imports":        func(f *goast.File) { f.Syntax.Imports = []*ast.ImportSpec{} },
		"no errors":         func(f *goast.File) { f.Errors = scanner.ErrorList{} },
		"a nil error":       func(f *goast.File) { f.Errors = scanner.ErrorList{nil, {Msg: "m"}} },
		"a nil declaration": func(f *goast.File) { f.Syntax.Decls = []ast.Decl{nil, (*ast.FuncDecl)(nil), (*ast.GenDecl)(nil)} },
		"nil comments": func(f *goast.File) {
			f.Syntax.Comments = []*ast.CommentGroup{nil, {}, {List: []*ast.Comment{}}, {List: []*ast.Comment{nil, {}}}}
		},
		"a nil import":      func(f *goast.File) { f.Syntax.Imports = []*ast.ImportSpec{nil, {}} },
		"no name":           func(f *goast.File) { f.Syntax.Name = nil },
		"an empty function": func(f *goast.File) { f.Syntax.Decls = []ast.Decl{&ast.FuncDecl{}} },
		"an empty body":     func(f *goast.File) { f.Syntax.Decls = []ast.Decl{&ast.FuncDecl{Body: &ast.BlockStmt{}}} },
		"a body of nothing": func(f *goast.File) {
			f.Syntax.Decls = []ast.Decl{&ast.FuncDecl{Body: &ast.BlockStmt{List: []ast.Stmt{}}}}
		},
		"a body of nil statements": func(f *goast.File) { f.Syntax.Decls = []ast.Decl{function(nil, (*ast.IfStmt)(nil), &ast.ExprStmt{})} },
		"a receiver of nothing": func(f *goast.File) {
			f.Syntax.Decls = []ast.Decl{&ast.FuncDecl{Recv: &ast.FieldList{List: []*ast.Field{}}}}
		},
		"a nil field": func(f *goast.File) {
			f.Syntax.Decls = []ast.Decl{&ast.FuncDecl{Recv: &ast.FieldList{List: []*ast.Field{nil}}}}
		},
		"no names": func(f *goast.File) {
			f.Syntax.Decls = []ast.Decl{&ast.GenDecl{Specs: []ast.Spec{&ast.ValueSpec{Names: []*ast.Ident{}}}}}
		},
		"a nil name": func(f *goast.File) {
			f.Syntax.Decls = []ast.Decl{&ast.GenDecl{Specs: []ast.Spec{&ast.ValueSpec{Names: []*ast.Ident{nil, ast.NewIdent("")}}}}}
		},
		"nil specs": func(f *goast.File) {
			f.Syntax.Decls = []ast.Decl{&ast.GenDecl{Specs: []ast.Spec{nil, (*ast.TypeSpec)(nil)}}}
		},
		"a nil expression": func(f *goast.File) {
			f.Syntax.Decls = []ast.Decl{value(nil), value((*ast.Ident)(nil)), value(&ast.CallExpr{})}
		},
		"no arguments": func(f *goast.File) { f.Syntax.Decls = []ast.Decl{value(&ast.CallExpr{Args: []ast.Expr{}})} },
		"nil arguments": func(f *goast.File) {
			f.Syntax.Decls = []ast.Decl{value(&ast.CallExpr{Args: []ast.Expr{nil, nil, (*ast.BasicLit)(nil)}})}
		},
		"a typed nil block": func(f *goast.File) { f.Syntax.Decls = []ast.Decl{function((*ast.BlockStmt)(nil))} },
		"an empty clause": func(f *goast.File) {
			f.Syntax.Decls = []ast.Decl{function(&ast.CaseClause{}, &ast.CaseClause{List: []ast.Expr{}, Body: []ast.Stmt{}})}
		},
		"text that differs": func(f *goast.File) {
			f.Syntax.Comments = []*ast.CommentGroup{{List: []*ast.Comment{{Text: ""}, {Text: ""}, {Text: "x"}, {Text: "x"}}}}
		},
		"a version": func(f *goast.File) { f.Syntax.GoVersion = "go1.21" },
	} {
		t.Run(name, func(t *testing.T) {
			for _, o := range bothOptions {
				fset := token.NewFileSet()
				f := built(fset, 10)
				change(f)
				files := []*goast.File{f}
				roundTrip(t, fset, files, files, o)
			}
		})
	}

	// No files at all.
	fset := token.NewFileSet()
	roundTrip(t, fset, []*goast.File{}, []*goast.File{}, nil)
	roundTrip(t, fset, []*goast.File{}, []*goast.File{}, &goast.Options{Objects: true})
}

// TestObjects: what objects lead to is kept, cycles and all.
func TestObjects(t *testing.T) {
	fset := token.NewFileSet()
	f := built(fset, 10)
	spec := &ast.ValueSpec{Names: []*ast.Ident{ast.NewIdent("v")}}
	scope := ast.NewScope(ast.NewScope(nil))
	scope.Outer.Insert(&ast.Object{Kind: ast.Pkg, Name: "outer", Data: scope})
	kinds := []ast.ObjKind{ast.Bad, ast.Pkg, ast.Con, ast.Typ, ast.Var, ast.Fun, ast.Lbl}
	for i, kind := range kinds {
		scope.Insert(&ast.Object{Kind: kind, Name: kind.String(), Decl: []any{nil, &ast.ImportSpec{}, spec, &ast.TypeSpec{}, &ast.Field{}, &ast.FuncDecl{}, &ast.LabeledStmt{}}[i], Data: i, Type: spec})
	}
	scope.Insert(&ast.Object{Name: "nil", Decl: (*ast.FuncDecl)(nil)})
	scope.Insert(&ast.Object{Name: "assigned", Decl: &ast.AssignStmt{Lhs: []ast.Expr{spec.Names[0]}}})
	spec.Names[0].Obj = scope.Lookup("var")
	unresolved := ast.NewIdent("u")
	f.Syntax.Scope = scope
	f.Syntax.Unresolved = []*ast.Ident{unresolved, unresolved, nil, spec.Names[0]}
	f.Syntax.Decls = []ast.Decl{&ast.GenDecl{Specs: []ast.Spec{spec}}, value(unresolved)}
	files := []*goast.File{f}
	roundTrip(t, fset, files, files, &goast.Options{Objects: true})
	roundTrip(t, fset, files, files, nil, ignoreObjects...)

	scope.Insert(&ast.Object{Name: "wrong", Data: 1.5})
	if _, err := goast.Encode(fset, files, &goast.Options{Objects: true}); err == nil || !strings.Contains(err.Error(), "float64") {
		t.Error(err)
	}
	encode(t, fset, files, nil)
}

// Objects may lead from file to file, as ast.NewPackage leaves them.
func TestObjectsOfPackage(t *testing.T) {
	fset := token.NewFileSet()
	files := []*goast.File{
		parse(t, fset, "a.go", []byte("package p\n\n// f does.\nfunc f() { g() }\n\ntype T struct{ next *T }\n"), withObjects),
		parse(t, fset, "b.go", []byte("package p\n\n// g does.\nfunc g() { f(); var _ T }\n"), withObjects),
	}
	_, err := ast.NewPackage(fset, map[string]*ast.File{"a.go": files[0].Syntax, "b.go": files[1].Syntax}, nil, nil)
	if err != nil && !strings.Contains(err.Error(), "undeclared") {
		t.Fatal(err)
	}
	g := files[0].Syntax.Decls[0].(*ast.FuncDecl).Body.List[0].(*ast.ExprStmt).X.(*ast.CallExpr).Fun.(*ast.Ident)
	if g.Obj == nil || g.Obj.Decl != files[1].Syntax.Decls[0] {
		t.Fatal("the files are not tied together")
	}
	roundTrip(t, fset, files, files, &goast.Options{Objects: true})
}

// What hangs in two places is refused by the name of its type, or is one thing
// in two places again. It is never doubled.
func TestShared(t *testing.T) {
	id, lit := ast.NewIdent("id"), &ast.BasicLit{Kind: token.INT, Value: "1"}
	block := &ast.BlockStmt{}
	full := &ast.BlockStmt{List: []ast.Stmt{&ast.EmptyStmt{}}}
	field, list := &ast.Field{}, &ast.FieldList{}
	comment := &ast.Comment{Text: "// c"}
	group := &ast.CommentGroup{List: []*ast.Comment{{Text: "// g"}}}
	empty := &ast.CommentGroup{}
	spec, other := &ast.ImportSpec{Path: &ast.BasicLit{Value: `"a"`}}, &ast.ImportSpec{}
	typ := &ast.TypeSpec{Name: ast.NewIdent("T"), Type: ast.NewIdent("int")}
	fn := function(&ast.ReturnStmt{})
	gen := &ast.GenDecl{Tok: token.VAR}
	stmt := &ast.EmptyStmt{}
	with := func(b *ast.BlockStmt) *ast.FuncDecl { f := function(); f.Body = b; return f }
	local := func(d ast.Decl) ast.Stmt { return &ast.DeclStmt{Decl: d} }
	imports := func(s ...ast.Spec) ast.Decl { return &ast.GenDecl{Tok: token.IMPORT, Specs: s} }

	for _, test := range []struct {
		name    string
		refused string // a part of the error, or empty
		objects string // the same with objects
		file    func() ast.File
	}{
		{"identifiers", "ast.Ident", "", func() ast.File { return ast.File{Decls: []ast.Decl{value(id), value(id)}} }},
		{"literals", "ast.BasicLit", "", func() ast.File { return ast.File{Decls: []ast.Decl{value(lit), value(lit)}} }},
		{"an identifier in two bodies", "ast.Ident", "", func() ast.File {
			return ast.File{Decls: []ast.Decl{function(&ast.ExprStmt{X: id}), function(&ast.ExprStmt{X: id})}}
		}},
		{"an identifier in a body and outside", "ast.Ident", "", func() ast.File {
			return ast.File{Decls: []ast.Decl{function(&ast.ExprStmt{X: id}), value(id)}}
		}},
		{"the name of the file", "ast.Ident", "", func() ast.File { return ast.File{Name: id, Decls: []ast.Decl{value(id)}} }},
		{"an empty statement", "ast.EmptyStmt", "ast.EmptyStmt", func() ast.File { return ast.File{Decls: []ast.Decl{function(stmt, stmt)}} }},
		{"a block", "ast.BlockStmt", "ast.BlockStmt", func() ast.File { return ast.File{Decls: []ast.Decl{function(block, block)}} }},
		{"a body and a block", "ast.BlockStmt", "ast.BlockStmt", func() ast.File { return ast.File{Decls: []ast.Decl{with(block), function(block)}} }},
		{"a block and a body", "ast.BlockStmt", "ast.BlockStmt", func() ast.File { return ast.File{Decls: []ast.Decl{function(block), with(block)}} }},
		{"the body of a literal", "ast.BlockStmt", "ast.BlockStmt", func() ast.File {
			return ast.File{Decls: []ast.Decl{value(&ast.FuncLit{Body: block}), with(block)}}
		}},
		{"a body", "", "ast.BlockStmt", func() ast.File { return ast.File{Decls: []ast.Decl{with(full), with(full)}} }},
		{"a body within itself", "", "ast.BlockStmt", func() ast.File {
			b := &ast.BlockStmt{}
			b.List = []ast.Stmt{local(with(b))}
			return ast.File{Decls: []ast.Decl{with(b)}}
		}},
		{"a block within itself", "ast.BlockStmt", "ast.BlockStmt", func() ast.File {
			b := &ast.BlockStmt{}
			b.List = []ast.Stmt{b}
			return ast.File{Decls: []ast.Decl{function(b)}}
		}},
		{"a field", "ast.Field", "", func() ast.File {
			return ast.File{Decls: []ast.Decl{value(&ast.StructType{Fields: &ast.FieldList{List: []*ast.Field{field, field}}})}}
		}},
		{"a list of fields", "ast.FieldList", "ast.FieldList", func() ast.File {
			return ast.File{Decls: []ast.Decl{value(&ast.StructType{Fields: list}), value(&ast.InterfaceType{Methods: list})}}
		}},
		{"a type", "ast.TypeSpec", "", func() ast.File {
			return ast.File{Decls: []ast.Decl{&ast.GenDecl{Specs: []ast.Spec{typ}}, &ast.GenDecl{Specs: []ast.Spec{typ}}}}
		}},
		{"a function", "ast.FuncDecl", "", func() ast.File { return ast.File{Decls: []ast.Decl{fn, fn}} }},
		{"a declaration", "ast.GenDecl", "ast.GenDecl", func() ast.File { return ast.File{Decls: []ast.Decl{gen, gen}} }},
		{"a declaration and a statement", "ast.GenDecl", "ast.GenDecl", func() ast.File { return ast.File{Decls: []ast.Decl{gen, function(local(gen))}} }},
		{"imports", "", "", func() ast.File {
			return ast.File{Decls: []ast.Decl{imports(spec, other)}, Imports: []*ast.ImportSpec{other, spec, spec}}
		}},
		{"imports that are declared nowhere", "", "", func() ast.File { return ast.File{Imports: []*ast.ImportSpec{spec, other}} }},
		{"an import in a body and outside", "ast.ImportSpec", "", func() ast.File {
			return ast.File{Decls: []ast.Decl{imports(spec), function(local(imports(spec)))}}
		}},
		{"an empty import in a body and outside", "ast.ImportSpec", "", func() ast.File {
			return ast.File{Decls: []ast.Decl{imports(other), function(local(imports(other)))}}
		}},
		{"a comment", "ast.Comment", "ast.Comment", func() ast.File {
			return ast.File{Comments: []*ast.CommentGroup{{List: []*ast.Comment{comment, comment}}}}
		}},
		{"a comment in two groups", "ast.Comment", "ast.Comment", func() ast.File {
			return ast.File{Comments: []*ast.CommentGroup{{List: []*ast.Comment{comment}}}, Doc: &ast.CommentGroup{List: []*ast.Comment{comment}}}
		}},
		{"a group twice in the list", "ast.CommentGroup", "ast.CommentGroup", func() ast.File {
			return ast.File{Comments: []*ast.CommentGroup{group, group}}
		}},
		{"a listed group", "", "", func() ast.File {
			return ast.File{Comments: []*ast.CommentGroup{empty, group}, Doc: group, Decls: []ast.Decl{
				documented(group, function(local(&ast.GenDecl{Doc: group}))), documented(empty, function()),
			}}
		}},
		{"a group that is not listed", "", "", func() ast.File {
			return ast.File{Doc: group, Decls: []ast.Decl{documented(group, function()), documented(empty, function()), documented(empty, function())}}
		}},
		{"a group that is not listed, in two bodies", "", "", func() ast.File {
			return ast.File{Doc: group, Decls: []ast.Decl{function(local(&ast.GenDecl{Doc: group})), function(local(&ast.GenDecl{Doc: group}))}}
		}},
		{"an empty group that is not listed, in two bodies", "", "", func() ast.File {
			return ast.File{Decls: []ast.Decl{function(local(&ast.GenDecl{Doc: empty})), function(local(&ast.GenDecl{Doc: empty}))}}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, o := range bothOptions {
				fset := token.NewFileSet()
				f := built(fset, 10)
				*f.Syntax = test.file()
				f.Syntax.FileStart = token.Pos(f.Token.Base())
				refused := test.refused
				if o != nil {
					refused = test.objects
				}
				files := []*goast.File{f}
				if refused == "" {
					roundTrip(t, fset, files, files, o)
					continue
				}
				prefix := []byte("prefix")
				doc, err := goast.Append(prefix, fset, files, o)
				switch {
				case err == nil:
					d := graphtest.Diff(files, decode(t, token.NewFileSet(), doc[len(prefix):]))
					t.Errorf("objects %v: not refused (%s)", o != nil, d)
				case !errors.Is(err, putget.ErrValue) || !strings.Contains(err.Error(), refused):
					t.Error(err)
				case !bytes.Equal(doc, prefix):
					t.Errorf("%q is left behind", doc)
				}
			}
		})
	}
}

// A node that two files have is refused, too; a comment group is one.
func TestSharedBetweenFiles(t *testing.T) {
	for _, swap := range []bool{false, true} {
		fset := token.NewFileSet()
		files := []*goast.File{built(fset, 10), built(fset, 10)}
		a, b := files[0], files[1]
		if swap {
			a, b = b, a
		}
		group := &ast.CommentGroup{List: []*ast.Comment{{Text: "// c"}}}
		a.Syntax.Comments = []*ast.CommentGroup{group}
		b.Syntax.Doc = group
		roundTrip(t, fset, files, files, nil)
		roundTrip(t, fset, files, files, &goast.Options{Objects: true})
		files[1].Syntax.Decls = []ast.Decl{documented(group, function(&ast.DeclStmt{Decl: &ast.GenDecl{Doc: group}}))}
		roundTrip(t, fset, files, files, nil)

		b.Syntax.Name = a.Syntax.Name
		if _, err := goast.Encode(fset, files, nil); err == nil || !strings.Contains(err.Error(), "ast.Ident") {
			t.Error(err)
		}
	}

	// A body that two files have is one.
	fset := token.NewFileSet()
	fa, fb := function(&ast.ReturnStmt{Return: 3}), function()
	fb.Body = fa.Body
	files := []*goast.File{built(fset, 10, fa), built(fset, 10, fb)}
	roundTrip(t, fset, files, files, nil)
}

// A failed encoding leaves no trace in the next.
func TestEncodeAfterFailure(t *testing.T) {
	fset, f := one(t, "package p\n\nfunc f() { g() }\n")
	want := encode(t, fset, []*goast.File{f}, nil)
	id := ast.NewIdent("x")
	for range 3 {
		bad := built(fset, 10, value(id), function(&ast.ExprStmt{X: id}))
		if _, err := goast.Encode(fset, []*goast.File{f, bad}, nil); err == nil {
			t.Fatal("not refused")
		}
		if got := encode(t, fset, []*goast.File{f}, nil); !bytes.Equal(want, got) {
			t.Error("other bytes")
		}
	}
}

// The token.File is found by the tree's position if it is not given.
func TestTokenFile(t *testing.T) {
	fset, f := one(t, "\n\npackage p\n")
	want := encode(t, fset, []*goast.File{f}, nil)
	f.Token = nil
	if !bytes.Equal(want, encode(t, fset, []*goast.File{f}, nil)) {
		t.Error("other bytes")
	}
	f.Syntax.FileStart = token.NoPos
	got := decode(t, token.NewFileSet(), encode(t, fset, []*goast.File{f}, nil))[0]
	if got.Syntax.FileStart != token.NoPos || got.Token.Name() != "one.go" || got.Syntax.Package != 3 {
		t.Error(got.Syntax.FileStart, got.Token.Name(), got.Syntax.Package)
	}
}

// TestRefused: what cannot be encoded is an error.
func TestRefused(t *testing.T) {
	fset := token.NewFileSet()
	good := built(fset, 10)
	type strange struct{ ast.Expr }
	for name, f := range map[string]*goast.File{
		"no tree":            {},
		"no position":        {Syntax: &ast.File{}},
		"another FileSet":    {Syntax: &ast.File{FileStart: 1000, Package: 1000}},
		"unknown token":      built(fset, 10, &ast.GenDecl{Tok: 1000}),
		"negative token":     built(fset, 10, &ast.GenDecl{Tok: -1}),
		"unknown direction":  built(fset, 10, value(&ast.ChanType{Dir: 4})),
		"unknown expression": built(fset, 10, value(strange{})),
	} {
		if _, err := goast.Encode(fset, []*goast.File{good, f}, nil); err == nil {
			t.Error(name, "is not refused")
		}
	}
}

// TestPositions: positions are kept that run backwards, are none, lie beyond
// the end of their file or of all files, or in another file.
func TestPositions(t *testing.T) {
	const size = 30
	for name, order := range map[string][]int{"in order": {0, 1, 2}, "backwards": {2, 1, 0}, "mixed": {1, 2, 0}} {
		t.Run(name, func(t *testing.T) {
			for _, o := range bothOptions {
				fset := token.NewFileSet()
				var files []*goast.File
				for range order {
					files = append(files, built(fset, size))
				}
				end := token.Pos(fset.Base())
				var idents []ast.Expr
				for p := token.Pos(1); p < end+3; p++ {
					idents = append(idents, &ast.Ident{NamePos: p}, &ast.Ident{NamePos: max(end-p, 1)}, &ast.Ident{})
				}
				// A far one between any two is seen from each file.
				for i, f := range files {
					n := len(idents) / len(files)
					f.Syntax.Decls = []ast.Decl{
						value(&ast.CallExpr{Args: idents[i*n : (i+1)*n]}),
						function(&ast.BranchStmt{TokPos: files[(i+1)%3].Syntax.Package + 5}, &ast.BranchStmt{TokPos: 1}, &ast.EmptyStmt{Semicolon: end - 1}),
					}
					for p := token.Pos(1); p < end+3; p++ {
						f.Syntax.Decls = append(f.Syntax.Decls, &ast.BadDecl{From: p, To: end + 2 - p})
					}
				}
				var list []*goast.File
				for _, i := range order {
					list = append(list, files[i])
				}
				doc := encode(t, fset, list, o)
				got := make([]*goast.File, len(files))
				other := occupied(1000)
				for i, f := range decode(t, other, doc) {
					got[order[i]] = f
				}
				// Each position is at the same offset of the partner of its file,
				// or, being in no file, at its distance from the file that has it.
				wantPositions(t, fset, other, files, got)
				if again := encode(t, other, decode(t, other, doc), o); !bytes.Equal(doc, again) {
					t.Error("other bytes")
				}
			}
		})
	}
}

func wantPositions(t *testing.T, fset, other *token.FileSet, want, got []*goast.File) {
	t.Helper()
	partner := map[*token.File]*token.File{}
	for i := range want {
		partner[want[i].Token] = got[i].Token
	}
	for i := range want {
		home := want[i].Token
		d := graphtest.Diff(want[i].Syntax, got[i].Syntax, graphtest.Opaque(func(w, g *token.Pos) string {
			f := fset.File(*w)
			if f == nil {
				f = home
			}
			switch {
			case *w == token.NoPos && *g == token.NoPos:
				return ""
			case *w == token.NoPos, int(*w)-f.Base() != int(*g)-partner[f].Base():
				return "moved"
			}
			return ""
		}))
		if d != "" {
			t.Errorf("file %d: %s", i, d)
		}
	}
}

// Line tables need not be what a parser makes of a text.
func TestLineTables(t *testing.T) {
	for name, change := range map[string]func(f *token.File){
		"as new":            func(f *token.File) {},
		"no lines":          func(f *token.File) { f.SetLines([]int{}) },
		"a late first line": func(f *token.File) { f.SetLines([]int{3, 4, 9}) },
		"all":               func(f *token.File) { f.SetLines([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}) },
		"merged":            func(f *token.File) { f.AddLine(3); f.AddLine(6); f.MergeLine(1) },
		"infos": func(f *token.File) {
			f.AddLineColumnInfo(0, "", 0, 0)
			f.AddLineColumnInfo(1, "a", -5, -7)
			f.AddLineColumnInfo(2, "a", 1<<40>>20, 1)
			f.AddLineInfo(9, "b", 3)
			f.AddLineInfo(4, "c", 3) // ignored, as it is out of order
		},
	} {
		t.Run(name, func(t *testing.T) {
			fset := token.NewFileSet()
			files := []*goast.File{built(fset, 0), built(fset, 10), built(fset, 0)}
			change(files[1].Token)
			roundTrip(t, fset, files, files, nil)
		})
	}
}

func init() {
	children["deep"] = func() error {
		debug.SetMaxStack(64 << 20)
		const depth = 100_000
		terms := ast.Expr(&ast.BasicLit{Kind: token.INT, Value: "1"})
		var parens, calls, blocks, closures = terms, terms, ast.Stmt(&ast.EmptyStmt{}), ast.Stmt(&ast.ReturnStmt{})
		parens, calls = &ast.Ident{Name: "x"}, &ast.Ident{Name: "y"}
		elses := &ast.IfStmt{Cond: ast.NewIdent("z"), Body: &ast.BlockStmt{}}
		for i := range depth {
			terms = &ast.BinaryExpr{X: terms, Op: token.ADD, OpPos: token.Pos(i%9 + 1), Y: &ast.BasicLit{Kind: token.INT, Value: "1"}}
			parens = &ast.ParenExpr{Lparen: 1, X: parens}
			calls = &ast.CallExpr{Fun: ast.NewIdent("f"), Args: []ast.Expr{calls}}
			blocks = &ast.BlockStmt{List: []ast.Stmt{blocks}, Lbrace: 2, Rbrace: 3}
			closures = &ast.ExprStmt{X: &ast.FuncLit{Type: &ast.FuncType{}, Body: &ast.BlockStmt{List: []ast.Stmt{closures}}}}
			elses = &ast.IfStmt{Cond: ast.NewIdent("z"), Body: &ast.BlockStmt{}, Else: elses}
		}
		fset := token.NewFileSet()
		f := built(fset, 10, value(terms), value(parens), value(calls), function(blocks), function(closures), function(elses))
		for _, o := range bothOptions {
			doc, err := goast.Encode(fset, []*goast.File{f}, o)
			if err != nil {
				return err
			}
			got, err := goast.Decode(token.NewFileSet(), doc)
			if err != nil {
				return err
			}
			if d := graphtest.Diff([]*goast.File{f}, got); d != "" {
				return errors.New(d)
			}
			d, err := goast.DecodeDecls(token.NewFileSet(), doc)
			if err != nil {
				return err
			}
			for i, fn := range functions(d.Files) {
				body, err := d.Body(fn)
				if err != nil {
					return err
				}
				if d := graphtest.Diff(functions([]*goast.File{f})[i].Body, body); d != "" {
					return errors.New(d)
				}
			}
		}
		return nil
	}
}

// TestDeep: nesting of 100,000 levels takes no stack to speak of.
func TestDeep(t *testing.T) {
	child(t, "deep")
}
