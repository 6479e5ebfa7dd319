package goast_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/putget/putget/goast"
)

var update = flag.Bool("update", false, "write testdata/nodes.txt")

// prototypes are the types whose pointers hang in trees, by name.
var prototypes = func() map[string]reflect.Type {
	m := map[string]reflect.Type{}
	for _, v := range []any{
		ast.ArrayType{}, ast.AssignStmt{}, ast.BadDecl{}, ast.BadExpr{}, ast.BadStmt{}, ast.BasicLit{}, ast.BinaryExpr{},
		ast.BlockStmt{}, ast.BranchStmt{}, ast.CallExpr{}, ast.CaseClause{}, ast.ChanType{}, ast.CommClause{}, ast.Comment{},
		ast.CommentGroup{}, ast.CompositeLit{}, ast.DeclStmt{}, ast.DeferStmt{}, ast.Ellipsis{}, ast.EmptyStmt{}, ast.ExprStmt{},
		ast.Field{}, ast.FieldList{}, ast.File{}, ast.ForStmt{}, ast.FuncDecl{}, ast.FuncLit{}, ast.FuncType{}, ast.GenDecl{},
		ast.GoStmt{}, ast.Ident{}, ast.IfStmt{}, ast.ImportSpec{}, ast.IncDecStmt{}, ast.IndexExpr{}, ast.IndexListExpr{},
		ast.InterfaceType{}, ast.KeyValueExpr{}, ast.LabeledStmt{}, ast.MapType{}, ast.Object{}, ast.ParenExpr{}, ast.RangeStmt{},
		ast.ReturnStmt{}, ast.Scope{}, ast.SelectStmt{}, ast.SelectorExpr{}, ast.SendStmt{}, ast.SliceExpr{}, ast.StarExpr{},
		ast.StructType{}, ast.SwitchStmt{}, ast.TypeAssertExpr{}, ast.TypeSpec{}, ast.TypeSwitchStmt{}, ast.UnaryExpr{}, ast.ValueSpec{},
	} {
		m[reflect.TypeOf(v).Name()] = reflect.TypeOf(v)
	}
	return m
}()

// goFiles parses the non-test files of a package of the standard library.
func goFiles(t *testing.T, name string) (*token.FileSet, []*ast.File) {
	t.Helper()
	fset := token.NewFileSet()
	names, err := filepath.Glob(filepath.Join(runtime.GOROOT(), "src", name, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	if len(files) == 0 {
		t.Fatalf("no sources of %s in %s", name, runtime.GOROOT())
	}
	return fset, files
}

// nodeTypes reads from the source of go/ast the exported structs that a tree
// may hold, with their exported fields, one a line, and the exported integers.
func nodeTypes(t *testing.T) (text string, structs []string) {
	t.Helper()
	fset, files := goFiles(t, "go/ast")
	// What is for other purposes than trees.
	skip := []string{"CommentMap", "Package", "Directive", "DirectiveArg"}
	lines := map[string]string{}
	for _, f := range files {
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.TYPE {
				continue
			}
			for _, spec := range g.Specs {
				spec := spec.(*ast.TypeSpec)
				name := spec.Name.Name
				if !spec.Name.IsExported() || slices.Contains(skip, name) {
					continue
				}
				switch x := spec.Type.(type) {
				case *ast.StructType:
					structs = append(structs, name)
					lines[name] = name + " struct" + fields(t, fset, x)
				case *ast.Ident:
					lines[name] = name + " " + x.Name
				case *ast.InterfaceType:
					lines[name] = name + " interface"
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		text += lines[name] + "\n"
	}
	return text, structs
}

// fields lists the exported fields of a struct.
func fields(t *testing.T, fset *token.FileSet, s *ast.StructType) (text string) {
	t.Helper()
	for _, f := range s.Fields.List {
		var b strings.Builder
		if err := printer.Fprint(&b, fset, f.Type); err != nil {
			t.Fatal(err)
		}
		for _, name := range f.Names {
			if name.IsExported() {
				text += fmt.Sprintf(" %s %s;", name, b.String())
			}
		}
		if len(f.Names) == 0 {
			text += " " + b.String() + ";"
		}
	}
	return text
}

// TestNodeTypes fails when a release of Go adds a node type or a field: then
// look at codec.go, and at the golden file's difference, before -update.
func TestNodeTypes(t *testing.T) {
	text, structs := nodeTypes(t)
	golden := filepath.Join("testdata", "nodes.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Split(text, "\n"), strings.Split(string(want), "\n"); !slices.Equal(got, want) {
		for i := range max(len(got), len(want)) {
			if at(got, i) != at(want, i) {
				t.Fatalf("go/ast has\n%s\nand the golden file\n%s", at(got, i), at(want, i))
			}
		}
	}
	slices.Sort(structs)
	if have := slices.Sorted(maps.Keys(prototypes)); !slices.Equal(structs, have) {
		t.Errorf("go/ast has the structs\n%v\nand this test knows\n%v", structs, have)
	}
	for name, typ := range prototypes {
		n := 0
		for i := range typ.NumField() {
			if typ.Field(i).IsExported() {
				n++
			} else {
				t.Errorf("ast.%s has the field %s, which no codec sees", name, typ.Field(i).Name)
			}
		}
		if want := strings.Count(lineOf(text, name), ";"); n != want {
			t.Errorf("ast.%s has %d exported fields here, and %d in the source", name, n, want)
		}
	}
}

func lineOf(text, name string) string {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, name+" ") {
			return line
		}
	}
	return ""
}

// TestEachNode: each node type that fits where an expression, a statement, a
// declaration or a spec goes is kept there, and every field of it.
func TestEachNode(t *testing.T) {
	places := []struct {
		typ reflect.Type
		put func(n any) ast.Decl
	}{
		{reflect.TypeFor[ast.Expr](), func(n any) ast.Decl { return value(n.(ast.Expr)) }},
		{reflect.TypeFor[ast.Stmt](), func(n any) ast.Decl { return function(n.(ast.Stmt)) }},
		{reflect.TypeFor[ast.Decl](), func(n any) ast.Decl { return n.(ast.Decl) }},
		{reflect.TypeFor[ast.Spec](), func(n any) ast.Decl { return &ast.GenDecl{Specs: []ast.Spec{n.(ast.Spec)}} }},
	}
	placed := map[string]bool{}
	for name, typ := range prototypes {
		for _, place := range places {
			if !reflect.PointerTo(typ).Implements(place.typ) {
				continue
			}
			placed[name] = true
			decls := []ast.Decl{place.put(reflect.New(typ).Interface()), place.put(reflect.Zero(reflect.PointerTo(typ)).Interface())}
			for i := range typ.NumField() {
				n := reflect.New(typ)
				if fillIn(t, n.Elem().Field(i)) {
					decls = append(decls, place.put(n.Interface()))
				}
			}
			n := reflect.New(typ)
			for i := range typ.NumField() {
				fillIn(t, n.Elem().Field(i))
			}
			decls = append(decls, place.put(n.Interface()))
			for _, o := range bothOptions {
				fset := token.NewFileSet()
				files := []*goast.File{built(fset, 100, decls...)}
				roundTrip(t, fset, files, files, o)
			}
			if t.Failed() {
				t.Fatalf("ast.%s as %v", name, place.typ)
			}
		}
	}
	for name := range prototypes {
		switch name {
		case "Comment", "CommentGroup", "Field", "FieldList", "File", "Object", "Scope":
		default:
			if !placed[name] {
				t.Errorf("ast.%s has no place", name)
			}
		}
	}
}

// fillIn makes a field other than zero. It reports whether it did.
func fillIn(t *testing.T, v reflect.Value) bool {
	t.Helper()
	var x any
	switch v.Interface().(type) {
	case token.Pos:
		x = token.Pos(17)
	case token.Token:
		x = token.SHL
	case ast.ChanDir:
		x = ast.RECV
	case bool:
		x = true
	case string:
		x = "text"
	case *ast.Object:
		return false
	case *ast.CommentGroup:
		x = &ast.CommentGroup{List: []*ast.Comment{{Slash: 3, Text: "// c"}}}
	case []ast.Expr:
		x = []ast.Expr{nil, ast.NewIdent("e")}
	case []ast.Stmt:
		x = []ast.Stmt{&ast.EmptyStmt{Semicolon: 4}, nil}
	case []ast.Spec:
		x = []ast.Spec{&ast.TypeSpec{}, nil}
	case []*ast.Ident:
		x = []*ast.Ident{ast.NewIdent("i"), nil}
	default:
		switch v.Type() {
		case reflect.TypeFor[ast.Expr]():
			x = &ast.StarExpr{Star: 5}
		case reflect.TypeFor[ast.Stmt]():
			x = &ast.GoStmt{Go: 6}
		case reflect.TypeFor[ast.Decl]():
			x = &ast.BadDecl{From: 7, To: 5}
		default:
			if v.Kind() != reflect.Pointer {
				t.Fatalf("a field of type %v", v.Type())
			}
			x = reflect.New(v.Type().Elem()).Interface()
		}
	}
	v.Set(reflect.ValueOf(x))
	return true
}

// TestTokens: every token of go/token has one number, and it is the one it
// always had.
func TestTokens(t *testing.T) {
	seen := map[token.Token]bool{}
	for _, tok := range goast.Tokens {
		if seen[tok] {
			t.Errorf("%v is listed twice", tok)
		}
		seen[tok] = true
	}
	_, files := goFiles(t, "go/token")
	count := 0
	for _, f := range files {
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.CONST {
				continue
			}
			typed := false
			for _, spec := range g.Specs {
				spec := spec.(*ast.ValueSpec)
				if id, ok := spec.Type.(*ast.Ident); ok {
					typed = id.Name == "Token"
				} else if len(spec.Values) > 0 {
					typed = false
				}
				if typed && spec.Names[0].IsExported() {
					count++
				}
			}
		}
	}
	if count != len(goast.Tokens) || count < 80 {
		t.Errorf("go/token has %d tokens, %d have numbers", count, len(goast.Tokens))
	}

	// What Go 1.26 made a name for keeps its number: the list grows at its end.
	const first = "[ILLEGAL INT FLOAT IMAG CHAR STRING IDENT EOF COMMENT := = + - * / % & | ^ << >> &^ += -= *= /= %= &= |= ^= <<= >>= &^= && || <- ++ -- == < > ! != <= >= ... ( [ { , . ) ] } ; : ~ break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var]"
	if got := fmt.Sprint(goast.Tokens[:82]); got != first {
		t.Errorf("the first numbers are for\n%s\nnot\n%s", got, first)
	}

	// Each is kept.
	fset := token.NewFileSet()
	var decls []ast.Decl
	for _, tok := range goast.Tokens {
		decls = append(decls, &ast.GenDecl{Tok: tok})
	}
	list := []*goast.File{built(fset, 10, decls...)}
	roundTrip(t, fset, list, list, nil)
}
