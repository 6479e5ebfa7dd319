package goast_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"go/types"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/putget/putget/goast"
	"github.com/putget/putget/internal/wire"
)

// TestStd: what was parsed, with and without objects, comes back the same for
// every package of the standard library: all files as one graph, in a fresh
// FileSet and in one in use; it prints the same, and encodes to the same bytes.
func TestStd(t *testing.T) {
	var source, plain, single, objects atomic.Int64
	t.Run("packages", func(t *testing.T) {
		for _, p := range packages(t) {
			t.Run(p.path, func(t *testing.T) {
				t.Parallel()
				for _, src := range p.src {
					source.Add(int64(len(src)))
				}
				plain.Add(checkPlain(t, p))
				objects.Add(checkObjects(t, p))
				single.Add(checkSingle(t, p))
			})
		}
	})
	t.Logf("source %d bytes; one document a package %d, with objects %d; one a file %d",
		source.Load(), plain.Load(), objects.Load(), single.Load())
	if testing.Short() || wire.InlineDepth == 0 { // deferred bodies lose what makes positions small
		return
	}
	if plain.Load() > source.Load() {
		t.Error("the documents are larger than the source")
	}
	if 4*objects.Load() > 5*source.Load() {
		t.Error("the documents with objects are larger than 1.25 times the source")
	}
}

// checkPlain checks a package without objects, and gives the document's size.
func checkPlain(t *testing.T, p pkg) int64 {
	_, want := p.parseAll(t, mode)
	fset, files := p.parseAll(t, mode)
	doc := roundTrip(t, fset, want, files, nil)

	other := occupied(1)
	for i, f := range decode(t, other, doc) {
		ast.Inspect(f.Syntax, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && id.Obj != nil {
				t.Fatalf("%v has an object", id)
			}
			return true
		})
		if f.Syntax.Scope != nil || f.Syntax.Unresolved != nil {
			t.Error("a file has a scope")
		}
		if w, g := printed(t, fset, files[i].Syntax), printed(t, other, f.Syntax); !bytes.Equal(w, g) {
			t.Errorf("%s prints differently:\n%s\nnot\n%s", p.names[i], g, w)
		}
	}

	// Objects are dropped if the tree has them.
	fset, files = p.parseAll(t, withObjects)
	if !bytes.Equal(doc, encode(t, fset, files, nil)) {
		t.Error("objects show in a document without")
	}
	return int64(len(doc))
}

// checkObjects is checkPlain with objects.
func checkObjects(t *testing.T, p pkg) int64 {
	_, want := p.parseAll(t, withObjects)
	fset, files := p.parseAll(t, withObjects)
	return int64(len(roundTrip(t, fset, want, files, &goast.Options{Objects: true})))
}

// checkSingle makes one document a file, and checks them as one package.
func checkSingle(t *testing.T, p pkg) (size int64) {
	fset, want := p.parseAll(t, mode)
	other := token.NewFileSet()
	var got []*goast.File
	for i := range want {
		doc := encode(t, fset, want[i:i+1], nil)
		got = append(got, decode(t, other, doc)...)
		size += int64(len(doc))
	}
	wantSame(t, want, got)
	return size
}

func printed(t *testing.T, fset *token.FileSet, f *ast.File) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := format.Node(&b, fset, f); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestAllocations: all documents of the standard library are loaded with few
// allocations.
func TestAllocations(t *testing.T) {
	if testing.Short() || raceEnabled || wire.InlineDepth == 0 {
		t.Skip("counts the whole standard library, and allocations as they are without the race detector and with bodies inline")
	}
	var docs [][]byte
	for _, p := range packages(t) {
		fset, files := p.parseAll(t, mode)
		docs = append(docs, encode(t, fset, files, nil))
	}
	count := func() uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		fset := token.NewFileSet()
		for _, doc := range docs {
			decode(t, fset, doc)
		}
		runtime.ReadMemStats(&after)
		return after.Mallocs - before.Mallocs
	}
	count()
	n := min(count(), count()) // the runtime's own come and go
	t.Logf("%d documents: %d allocations", len(docs), n)
	if n > 30_000 {
		t.Errorf("%d allocations", n)
	}
}

// digest hashes the documents of packages.
func digest(t testing.TB, fset *token.FileSet, pkgs [][]*goast.File) string {
	t.Helper()
	h := sha256.New()
	for _, files := range pkgs {
		h.Write(encode(t, fset, files, nil))
		h.Write(encode(t, fset, files, &goast.Options{Objects: true}))
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// parseStd parses the packages into one FileSet, by many goroutines or in order.
func parseStd(t testing.TB, pkgs []pkg, concurrent bool) (*token.FileSet, [][]*goast.File) {
	t.Helper()
	fset := token.NewFileSet()
	parsed := make([][]*goast.File, len(pkgs))
	var all sync.WaitGroup
	for i, p := range pkgs {
		parsed[i] = make([]*goast.File, len(p.src))
		for j := range p.src {
			do := func() { parsed[i][j] = parse(t, fset, p.names[j], p.src[j], withObjects) }
			if concurrent {
				all.Go(do)
			} else {
				do()
			}
		}
	}
	all.Wait()
	return fset, parsed
}

// TestDeterministic: the standard library is the same bytes each time, in
// another process, and wherever its files lie in their FileSet.
func TestDeterministic(t *testing.T) {
	pkgs := packages(t)
	fset, parsed := parseStd(t, pkgs, false)
	want := digest(t, fset, parsed)
	if got := digest(t, fset, parsed); got != want {
		t.Error("a second encoding differs")
	}
	shuffled, parsed := parseStd(t, pkgs, true)
	if got := digest(t, shuffled, parsed); got != want {
		t.Error("files that were parsed concurrently encode differently")
	}
	short := ""
	if testing.Short() {
		short = "1"
	}
	if got := child(t, "digest", "GOAST_TEST_SHORT="+short, "GOMAXPROCS=1"); got != want {
		t.Error("another process encodes differently")
	}
}

// checker type-checks packages of the standard library.
type checker struct {
	fset  *token.FileSet
	pkgs  map[string]*pkg
	cache map[string]*types.Package
	files func(p *pkg) []*goast.File
}

// Import gives the declarations of a package.
func (c *checker) Import(name string) (*types.Package, error) {
	if name == "unsafe" {
		return types.Unsafe, nil
	}
	if p, ok := c.cache[name]; ok {
		return p, nil
	}
	p := c.pkgs[name]
	if p == nil {
		p = c.pkgs[path.Join("vendor", name)]
	}
	if p == nil {
		return nil, fmt.Errorf("no package %s", name)
	}
	var syntax []*ast.File
	for _, f := range c.files(p) {
		syntax = append(syntax, f.Syntax)
	}
	config := types.Config{Importer: c, IgnoreFuncBodies: true, FakeImportC: true, Error: func(error) {}}
	made, _ := config.Check(name, c.fset, syntax, nil)
	c.cache[name] = made
	return made, nil
}

// report describes all that go/types says of files.
func (c *checker) report(name string, files []*goast.File) []string {
	var says []string
	config := types.Config{Importer: c, FakeImportC: true, Error: func(err error) { says = append(says, "error: "+err.Error()) }}
	info := types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
	var syntax []*ast.File
	for _, f := range files {
		syntax = append(syntax, f.Syntax)
	}
	config.Check(name, c.fset, syntax, &info)
	object := func(at ast.Node, o types.Object) {
		if o != nil {
			says = append(says, fmt.Sprintf("%v: %v at %v", c.fset.Position(at.Pos()), o, c.fset.Position(o.Pos())))
		}
	}
	for _, f := range syntax {
		ast.Inspect(f, func(n ast.Node) bool {
			if n == nil {
				return false
			}
			object(n, info.Implicits[n])
			if e, ok := n.(ast.Expr); ok {
				if tv, ok := info.Types[e]; ok {
					says = append(says, fmt.Sprintf("%v: %T %v %v", c.fset.Position(n.Pos()), n, tv.Type, tv.Value))
				}
			}
			switch n := n.(type) {
			case *ast.Ident:
				object(n, info.Defs[n])
				object(n, info.Uses[n])
			case *ast.SelectorExpr:
				if s := info.Selections[n]; s != nil {
					says = append(says, s.String())
				}
			}
			return true
		})
	}
	return says
}

// TestTypes: go/types says the same of parsed and of loaded trees.
func TestTypes(t *testing.T) {
	all, err := std()
	if err != nil {
		t.Fatal(err)
	}
	byPath := map[string]*pkg{}
	for i := range all {
		byPath[all[i].path] = &all[i]
	}
	parsed := &checker{fset: token.NewFileSet(), pkgs: byPath, cache: map[string]*types.Package{}}
	parsed.files = func(p *pkg) []*goast.File { return p.parse(t, parsed.fset, mode) }
	loaded := &checker{fset: occupied(77), pkgs: byPath, cache: map[string]*types.Package{}}
	loaded.files = func(p *pkg) []*goast.File {
		fset, files := p.parseAll(t, mode)
		return decode(t, loaded.fset, encode(t, fset, files, nil))
	}
	names := []string{"container/list", "errors", "iter", "slices", "strconv", "text/tabwriter"}
	if !testing.Short() {
		names = append(names, "encoding/json", "go/ast", "go/types", "net/http", "os", "runtime", "os/user", "text/template")
	}
	list := []*pkg{{path: "wrong", names: []string{"wrong.go"}, src: [][]byte{[]byte(wrong)}}}
	for _, name := range names {
		if byPath[name] == nil {
			t.Fatal("no package ", name)
		}
		list = append(list, byPath[name])
	}
	for _, p := range list {
		want, got := parsed.report(p.path, parsed.files(p)), loaded.report(p.path, loaded.files(p))
		if i := firstDifference(want, got); i >= 0 {
			t.Errorf("%s: of %d and %d lines number %d differs: want\n%s\ngot\n%s", p.path, len(want), len(got), i, at(want, i), at(got, i))
		}
		if n := len(want) - strings.Count(strings.Join(want, "\n"), "error: "); n < 5 {
			t.Errorf("%s: only %d lines", p.path, n)
		}
	}
	if says := parsed.report("wrong", parsed.files(list[0])); !slices.ContainsFunc(says, func(s string) bool { return strings.HasPrefix(s, "error: other.y:8:") }) {
		t.Errorf("%q", says)
	}
}

// wrong parses, and has errors of types.
const wrong = `package wrong

import "errors"

func f() (x int) {
//line other.y:7
	var unused string
	return undefined + "a" + errors.New
}

func g[P any](p P) { return p }

type T struct{ T }
`

func firstDifference(x, y []string) int {
	for i := range max(len(x), len(y)) {
		if at(x, i) != at(y, i) {
			return i
		}
	}
	return -1
}

func at(x []string, i int) string {
	if i < len(x) {
		return x[i]
	}
	return "nothing"
}

func init() {
	children["digest"] = func() error {
		var t failer
		all, err := std()
		if err != nil {
			return err
		}
		short := os.Getenv("GOAST_TEST_SHORT") != ""
		all = slices.DeleteFunc(slices.Clone(all), func(p pkg) bool { return !p.wanted(short) })
		fset, parsed := parseStd(&t, all, false)
		fmt.Print(digest(&t, fset, parsed))
		return nil
	}
}

// failer is the testing.TB of a process that is no test.
type failer struct{ testing.TB }

func (*failer) Helper() {}

func (*failer) Fatal(args ...any) { panic(fmt.Sprint(args...)) }
