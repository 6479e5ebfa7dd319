// Package docs has the code of README.md as examples, and a test that it is the
// same.
package docs

import (
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"

	"github.com/putget/putget"
	"github.com/putget/putget/cache"
	"github.com/putget/putget/get"
	"github.com/putget/putget/goast"
	"github.com/putget/putget/put"
	"github.com/putget/putget/share"
	"github.com/putget/putget/symtab"
)

// Func is a node of a call graph, in which calls go in circles.
type Func struct {
	Name  string
	Calls []*Func
}

var (
	names = symtab.NewStrings("names")            // equal names are stored once
	funcs = share.New[Func]("funcs", funcCodec{}) // so is a Func, whoever calls it
)

type funcCodec struct{}

func (funcCodec) Put(b *put.Builder, f *Func) {
	names.Put(b, f.Name)
	put.Slice(b, f.Calls, call{})
}

func (funcCodec) Get(r *get.Reader, f *Func) {
	f.Name = names.Get(r)
	f.Calls = get.Slice(r, call{})
}

type call struct{} // the codec of an edge

func (call) Put(b *put.Builder, f **Func) { funcs.Put(b, *f) }
func (call) Get(r *get.Reader, f **Func)  { *f = funcs.Get(r) }

func Example() {
	even, odd := &Func{Name: "even"}, &Func{Name: "odd"}
	even.Calls, odd.Calls = []*Func{odd}, []*Func{even}

	data, err := putget.Append(nil, &even, call{}, nil) // a document
	if err != nil {
		panic(err)
	}
	root, err := putget.Decode(data, call{}, nil)
	if err != nil {
		panic(err)
	}
	f := *root
	fmt.Println(f.Name, f.Calls[0].Name, f.Calls[0].Calls[0] == f)
	// Output: even odd true
}

func Example_cache() {
	dir, err := os.MkdirTemp("", "putget")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	fset, src := token.NewFileSet(), []byte("package hello\n")

	store, err := cache.Open(dir)
	if err != nil {
		panic(err)
	}
	trees := goast.Cache{Store: store, Mode: parser.ParseComments | parser.SkipObjectResolution}
	for range 2 {
		file, err := trees.ParseFile(fset, "hello.go", src) // parsed, then loaded
		fmt.Println(file.Name, err)
	}
	// Output:
	// hello <nil>
	// hello <nil>
}

// TestReadme checks that each line of Go in README.md stands in this file, in
// blocks that are the same but for how far they are indented.
func TestReadme(t *testing.T) {
	readme, source := lines(t, "../README.md"), strings.Join(lines(t, "readme_test.go"), "")
	var block strings.Builder
	inside, blocks := false, 0
	for _, line := range readme {
		switch {
		case line == "```go\n":
			inside = true
		case inside && line == "```\n":
			if !strings.Contains(source, block.String()) {
				t.Errorf("README.md has code that is not in readme_test.go:\n%s", &block)
			}
			block.Reset()
			inside = false
			blocks++
		case inside:
			block.WriteString(line)
		}
	}
	if inside || blocks == 0 {
		t.Errorf("%d blocks of Go in README.md", blocks)
	}
}

// lines are the lines of a file, not indented.
func lines(t *testing.T, name string) []string {
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for line := range strings.Lines(string(data)) {
		all = append(all, strings.TrimLeft(line, "\t"))
	}
	return all
}
