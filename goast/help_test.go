package goast_test

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/putget/putget"
	"github.com/putget/putget/goast"
	"github.com/putget/putget/graphtest"
	"github.com/putget/putget/internal/testchild"
)

const withObjects = parser.ParseComments

// few is the packages of the standard library that short tests are content
// with: one of a kind each.
var few = []string{
	"cmp", "container/list", "errors", "go/ast", "internal/goarch", "io/fs", "iter", "maps", "os/user",
	"sort", "strconv", "text/tabwriter", "unicode/utf8",
}

func (p *pkg) wanted(short bool) bool {
	return len(p.src) > 0 && (!short || slices.Contains(few, p.path))
}

// packages is the standard library, or a few of its packages in a short test.
func packages(t testing.TB) []pkg {
	t.Helper()
	all, err := std()
	if err != nil {
		t.Fatal(err)
	}
	var list []pkg
	for _, p := range all {
		if p.wanted(testing.Short()) {
			list = append(list, p)
		}
	}
	if testing.Short() && len(list) != len(few) {
		t.Fatalf("%d of %d packages", len(list), len(few))
	}
	return list
}

// parse gives all that parsing gives, of a source that need not parse as a whole.
func parse(t testing.TB, fset *token.FileSet, name string, src []byte, mode parser.Mode) *goast.File {
	t.Helper()
	tree, err := parser.ParseFile(fset, name, src, mode)
	f := &goast.File{Syntax: tree, Token: fset.File(tree.FileStart)}
	if err != nil && !errors.As(err, &f.Errors) {
		t.Fatal(err)
	}
	return f
}

// parseAll parses the files of a package into a fresh FileSet.
func (p *pkg) parseAll(t testing.TB, mode parser.Mode) (*token.FileSet, []*goast.File) {
	t.Helper()
	fset := token.NewFileSet()
	var files []*goast.File
	for i, src := range p.src {
		files = append(files, parse(t, fset, p.names[i], src, mode))
	}
	return fset, files
}

func encode(t testing.TB, fset *token.FileSet, files []*goast.File, o *goast.Options) []byte {
	t.Helper()
	doc, err := goast.Encode(fset, files, o)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func decode(t testing.TB, fset *token.FileSet, doc []byte) []*goast.File {
	t.Helper()
	files, err := goast.Decode(fset, doc)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// ignoreObjects is for documents that do not keep them.
var ignoreObjects = []graphtest.Option{
	graphtest.IgnoreField[ast.Ident]("Obj"),
	graphtest.IgnoreField[ast.File]("Scope"),
	graphtest.IgnoreField[ast.File]("Unresolved"),
}

// wantSame compares all files as one graph, with their token.Files and errors.
func wantSame(t testing.TB, want, got any, opts ...graphtest.Option) {
	t.Helper()
	if d := graphtest.Diff(want, got, opts...); d != "" {
		t.Error(d)
	}
}

// moved compares trees whose positions differ by a constant, and that each
// position is at the same place of the same file.
func moved(want, got *token.FileSet, by int) []graphtest.Option {
	return []graphtest.Option{
		graphtest.IgnoreField[token.File]("base"),
		graphtest.IgnoreField[token.File]("mutex"), // held while others look up positions
		graphtest.Opaque(func(w, g *token.Pos) string {
			if *w == token.NoPos || *g == token.NoPos {
				if *w != *g {
					return fmt.Sprintf("position %d came back as %d", *w, *g)
				}
				return ""
			}
			if *w+token.Pos(by) != *g {
				return fmt.Sprintf("position %d came back as %d, not moved by %d", *w, *g, by)
			}
			for _, adjusted := range []bool{false, true} {
				if w, g := want.PositionFor(*w, adjusted), got.PositionFor(*g, adjusted); w != g {
					return fmt.Sprintf("%v came back as %v", w, g)
				}
			}
			return ""
		}),
	}
}

// occupied is a FileSet that holds a file of the size.
func occupied(size int) *token.FileSet {
	fset := token.NewFileSet()
	fset.AddFile("occupied.go", -1, size)
	return fset
}

// holds lists the files of a FileSet.
func holds(fset *token.FileSet) (list []*token.File) {
	for f := range fset.Iterate {
		list = append(list, f)
	}
	return list
}

// roundTrip encodes files, decodes the document, and checks that this changed
// nothing: into a fresh FileSet, and into one in use. want is what files are.
func roundTrip(t testing.TB, fset *token.FileSet, want, files []*goast.File, o *goast.Options, opts ...graphtest.Option) []byte {
	t.Helper()
	doc := encode(t, fset, files, o)
	wantSame(t, want, files, opts...)

	base := 1
	if len(want) > 0 {
		base = want[0].Token.Base()
	}
	other := occupied(base + 100)
	by := other.Base() - base
	got := decode(t, other, doc)
	wantSame(t, want, got, append(moved(fset, other, by), opts...)...)
	if again := encode(t, other, got, o); !bytes.Equal(doc, again) {
		t.Error("the decoded tree encodes to other bytes")
	}

	fresh := token.NewFileSet()
	got = decode(t, fresh, doc)
	if base == 1 {
		wantSame(t, want, got, opts...)
	}
	if again := encode(t, fresh, got, o); !bytes.Equal(doc, again) {
		t.Error("the tree in a fresh FileSet encodes to other bytes")
	}
	return doc
}

// one is a file of the source in a fresh FileSet.
func one(t testing.TB, src string) (*token.FileSet, *goast.File) {
	t.Helper()
	fset := token.NewFileSet()
	return fset, parse(t, fset, "one.go", []byte(src), mode)
}

// known reports whether err is of one of the classes that decoding may end with.
func known(err error) bool {
	return slices.ContainsFunc([]error{
		putget.ErrTruncated, putget.ErrCorrupt, putget.ErrLimit, putget.ErrVersion, putget.ErrSchema, putget.ErrMismatch,
	}, func(class error) bool { return errors.Is(err, class) })
}

// children are what a process of this test binary does instead of tests, by the
// value of childVar.
var children = map[string]func() error{}

const childVar = "GOAST_TEST_CHILD"

func TestMain(m *testing.M) {
	if role := os.Getenv(childVar); role != "" {
		if err := children[role](); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child runs another process of this binary and gives what it prints.
func child(t testing.TB, role string, env ...string) string {
	t.Helper()
	testchild.Need(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(exe)
	c.Env = append(append(os.Environ(), childVar+"="+role), env...)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("child %s: %v\n%s", role, err, tail(stderr.Bytes()))
	}
	return string(out)
}

// tail is the end of a long text.
func tail(text []byte) []byte { return text[max(0, len(text)-2000):] }
