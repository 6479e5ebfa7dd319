package goast_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"os"

	"github.com/putget/putget/cache"
	"github.com/putget/putget/goast"
)

const hello = `// Package hello greets.
package hello

import "fmt"

// Greet greets whom it is told to.
func Greet(name string) { fmt.Println("Hello,", name) }

func twice(name string) {
	Greet(name)
	Greet(name)
}
`

// document is the source as a document.
func document() []byte {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, "hello.go", hello, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		log.Fatal(err)
	}
	doc, err := goast.Encode(fset, []*goast.File{{Syntax: tree}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	return doc
}

// A tree and back.
func Example() {
	doc := document()

	fset := token.NewFileSet()
	files, err := goast.Decode(fset, doc)
	if err != nil {
		log.Fatal(err)
	}
	tree := files[0].Syntax
	fmt.Print(tree.Doc.Text())
	for _, d := range tree.Decls {
		fmt.Printf("%v: %T\n", fset.Position(d.Pos()), d)
	}
	// Output:
	// Package hello greets.
	// hello.go:4:1: *ast.GenDecl
	// hello.go:7:1: *ast.FuncDecl
	// hello.go:9:1: *ast.FuncDecl
}

// Declarations, and the one body that is of interest.
func ExampleDecodeDecls() {
	doc := document()

	decls, err := goast.DecodeDecls(token.NewFileSet(), doc)
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range decls.Files[0].Syntax.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		if fn.Name.IsExported() {
			fmt.Printf("%s: %s", fn.Name, fn.Doc.Text())
			continue
		}
		body, err := decls.Body(fn)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s has %d statements\n", fn.Name, len(body.List))
	}
	// Output:
	// Greet: Greet greets whom it is told to.
	// twice has 2 statements
}

// A cache takes the place of the parser. With golang.org/x/tools/go/packages,
// set packages.Config.ParseFile to its ParseFile.
func ExampleCache() {
	dir, err := os.MkdirTemp("", "goast")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	store, err := cache.Open(dir)
	if err != nil {
		log.Fatal(err)
	}
	trees := &goast.Cache{Store: store, Mode: parser.ParseComments | parser.SkipObjectResolution}
	var config struct { // as in packages.Config
		Fset      *token.FileSet
		ParseFile func(fset *token.FileSet, filename string, src []byte) (*ast.File, error)
	}
	config.Fset = token.NewFileSet()
	config.ParseFile = trees.ParseFile

	for range 2 { // the first parses, the second loads
		_, err := trees.Get(token.NewFileSet(), "hello.go", []byte(hello))
		fmt.Println("in the cache:", err == nil)
		tree, err := config.ParseFile(config.Fset, "hello.go", []byte(hello))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(config.Fset.Position(tree.Package), tree.Name)
	}
	// Output:
	// in the cache: false
	// hello.go:2:1 hello
	// in the cache: true
	// hello.go:2:1 hello
}
