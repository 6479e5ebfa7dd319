package graphtest_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"

	"github.com/putget/putget/graphtest"
)

type Type struct{ Name string }

type Func struct{ Param, Result *Type }

func ExampleDiff() {
	t := &Type{"int"}
	shared := Func{Param: t, Result: t}
	separate := Func{Param: &Type{"int"}, Result: &Type{"int"}}
	fmt.Println(graphtest.Diff(shared, separate))
	// Output: .Result: shared with .Param in want, a separate node in got
}

// The same text parsed at two places: positions differ by a shift, and all else is equal.
func ExampleOpaque() {
	const src = "package p; func f() int { return 1 }"
	fset := token.NewFileSet()
	first, _ := parser.ParseFile(fset, "first.go", src, 0)
	second, _ := parser.ParseFile(fset, "second.go", src, 0)

	shift := second.Package - first.Package
	positions := graphtest.Opaque(func(want, got *token.Pos) string {
		if want.IsValid() != got.IsValid() || want.IsValid() && *got-*want != shift {
			return fmt.Sprintf("want %d shifted by %d, got %d", *want, shift, *got)
		}
		return ""
	})
	fmt.Println(graphtest.Equal(first, second, positions))

	result := second.Decls[0].(*ast.FuncDecl).Body.List[0].(*ast.ReturnStmt).Results[0]
	result.(*ast.BasicLit).Value = "2"
	fmt.Println(graphtest.Diff(first, second, positions))
	// Output:
	// true
	// .Decls[0].(*ast.FuncDecl).Body.List[0].(*ast.ReturnStmt).Results[0].(*ast.BasicLit).Value: want "1", got "2"
}

// Identifiers without what the parser resolved them to.
func ExampleIgnoreField() {
	resolved := &ast.Ident{Name: "x", Obj: ast.NewObj(ast.Var, "x")}
	plain := &ast.Ident{Name: "x"}
	fmt.Println(graphtest.Equal(plain, resolved))
	fmt.Println(graphtest.Equal(plain, resolved, graphtest.IgnoreField[ast.Ident]("Obj")))
	// Output:
	// false
	// true
}
