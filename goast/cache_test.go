package goast_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/putget/putget"
	"github.com/putget/putget/cache"
	"github.com/putget/putget/goast"
)

func openStore(t testing.TB, dir string) *cache.Cache {
	t.Helper()
	store, err := cache.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// entryFiles are the files of the entries in a store's folder.
func entryFiles(t testing.TB, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "??", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// wantParsed compares what ParseFile gives with what the parser does.
func wantParsed(t testing.TB, c *goast.Cache, name string, src []byte) {
	t.Helper()
	want, got := token.NewFileSet(), token.NewFileSet()
	wantTree, wantErr := parser.ParseFile(want, name, src, c.Mode)
	gotTree, gotErr := c.ParseFile(got, name, src)
	// A file that was loaded for nothing leaves a gap in the FileSet.
	opts := moved(want, got, int(gotTree.FileStart-wantTree.FileStart))
	if c.Mode&parser.SkipObjectResolution != 0 {
		opts = append(opts, ignoreObjects...) // the parser leaves a Scope in a file without a package clause
	}
	wantSame(t, wantTree, gotTree, opts...)
	wantSame(t, wantErr, gotErr)
	wantSame(t, want.File(wantTree.FileStart), got.File(gotTree.FileStart), opts...)
	if n := len(holds(got)); n != 1 {
		t.Errorf("%d files in the FileSet", n)
	}
}

var cacheModes = []parser.Mode{
	0, parser.ParseComments, parser.ParseComments | parser.SkipObjectResolution, parser.ImportsOnly,
	parser.ParseComments | parser.AllErrors, parser.PackageClauseOnly | parser.SkipObjectResolution,
}

// TestCacheLikeParser: a miss and a hit give what the parser does, its errors
// included.
func TestCacheLikeParser(t *testing.T) {
	dir := t.TempDir()
	for _, s := range append(sources, struct{ name, src string }{"small", small}) {
		for i, mode := range cacheModes {
			c := &goast.Cache{Store: openStore(t, filepath.Join(dir, s.name)), Mode: mode}
			for try := range 3 {
				wantParsed(t, c, "x.go", []byte(s.src))
				if n := len(entryFiles(t, filepath.Join(dir, s.name))); n != i+1 {
					t.Fatalf("%s: %d entries after mode %d, try %d", s.name, n, i, try)
				}
			}
			if t.Failed() {
				t.Fatal(s.name, mode)
			}
		}
	}
}

// A hit is loaded, not parsed: it shows what was put.
func TestCacheHit(t *testing.T) {
	c := &goast.Cache{Store: openStore(t, t.TempDir()), Mode: mode}
	src := []byte("package p\n\nfunc f() {}\n")
	fset := token.NewFileSet()
	if _, err := c.Get(fset, "x.go", src); !errors.Is(err, cache.ErrMiss) || !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	f, err := c.Parse(fset, "x.go", src)
	if err != nil {
		t.Fatal(err)
	}
	if len(entryFiles(t, t.TempDir())) != 0 {
		t.Error("Parse stored something")
	}
	f.Syntax.Name.Name = "fromStore"
	f.Errors = scanner.ErrorList{{Msg: "stored"}}
	if err := c.Put(fset, "x.go", src, f); err != nil {
		t.Fatal(err)
	}
	got, err := c.ParseFile(fset, "x.go", src)
	if got == nil || got.Name.Name != "fromStore" {
		t.Fatalf("parsed, not loaded (%v)", err)
	}
	if list := (scanner.ErrorList)(nil); !errors.As(err, &list) || list[0].Msg != "stored" {
		t.Errorf("error %v", err)
	}

	// Trees are fresh: what a caller does to its own shows nowhere.
	got.Name.Name = "changed"
	got.Decls = nil
	again, _ := c.ParseFile(fset, "x.go", src)
	if again == got || again.Name.Name != "fromStore" || len(again.Decls) != 1 {
		t.Error("two loads share a tree")
	}

	// Another name, source, mode is another entry.
	for _, test := range []struct {
		name string
		src  string
		mode parser.Mode
	}{
		{"y.go", string(src), mode}, {"", string(src), mode}, {"x.go", string(src) + " ", mode},
		{"x.go", string(src), parser.ParseComments}, {"x.go", string(src), mode | parser.AllErrors},
	} {
		c := &goast.Cache{Store: c.Store, Mode: test.mode}
		if _, err := c.Get(token.NewFileSet(), test.name, []byte(test.src)); !errors.Is(err, cache.ErrMiss) {
			t.Errorf("%+v: %v", test, err)
		}
		wantParsed(t, c, test.name, []byte(test.src))
	}
}

// An entry that is damaged, or is none of this package, costs a parse, and is
// replaced.
func TestCacheDamaged(t *testing.T) {
	dir := t.TempDir()
	c := &goast.Cache{Store: openStore(t, dir), Mode: mode}
	src := []byte(small)
	wantParsed(t, c, "x.go", src)
	key := c.Key("x.go", src)
	intact, err := c.Store.Get(key)
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := putget.Append(nil, new(struct{}), nothing{}, &putget.Options{Schema: "other 1"})
	if err != nil {
		t.Fatal(err)
	}
	fset, f := one(t, small)
	two := encode(t, fset, []*goast.File{f, built(fset, 10)}, nil)
	none := encode(t, fset, nil, nil)
	for name, data := range map[string][]byte{
		"empty": {}, "cut": intact[:len(intact)/2], "another schema": foreign, "a source": src, "two files": two, "no file": none,
	} {
		if err := c.Store.Put(key, data); err != nil {
			t.Fatal(err)
		}
		into := occupied(3)
		if got, err := c.Get(into, "x.go", src); err == nil || got != nil || errors.Is(err, cache.ErrMiss) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
		if n := len(holds(into)); n != 1 {
			t.Errorf("%s: %d files in the FileSet", name, n)
		}
		wantParsed(t, c, "x.go", src)
		if now, err := c.Store.Get(key); err != nil || string(now) != string(intact) {
			t.Errorf("%s: it was not replaced (%v)", name, err)
		}
	}

	// Damage below, on the disk.
	file := entryFiles(t, dir)[0]
	stored, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range [][]byte{nil, stored[:len(stored)-1], append(stored[:len(stored)-1:len(stored)-1], stored[len(stored)-1]^1)} {
		if err := os.WriteFile(file, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Get(token.NewFileSet(), "x.go", src); !errors.Is(err, cache.ErrMiss) {
			t.Error(err)
		}
		wantParsed(t, c, "x.go", src)
		if _, err := c.Get(token.NewFileSet(), "x.go", src); err != nil {
			t.Error("not replaced:", err)
		}
	}
}

// A store that cannot be written does not keep files from being parsed.
func TestCacheReadOnly(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c := &goast.Cache{Store: openStore(t, filepath.Join(file, "below")), Mode: mode}
	for range 2 {
		wantParsed(t, c, "x.go", []byte(small))
	}
	fset := token.NewFileSet()
	f, err := c.Parse(fset, "x.go", []byte(small))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Put(fset, "x.go", []byte(small), f); err == nil {
		t.Error("Put says nothing")
	}

	// What was put is read.
	dir := t.TempDir()
	c = &goast.Cache{Store: openStore(t, dir), Mode: mode}
	wantParsed(t, c, "x.go", []byte(small))
	for _, name := range append(entryFiles(t, dir), filepath.Dir(entryFiles(t, dir)[0]), dir) {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(name, info.Mode()&^0o222); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(name, info.Mode())
	}
	if _, err := c.Get(token.NewFileSet(), "x.go", []byte(small)); err != nil {
		t.Error(err)
	}
	wantParsed(t, c, "x.go", []byte(small))
	wantParsed(t, c, "y.go", []byte(small))
}

// A tree that cannot be kept, as a file that cannot be read, is the parser's
// business alone.
func TestCacheErrors(t *testing.T) {
	c := &goast.Cache{Store: openStore(t, t.TempDir()), Mode: mode}
	fset := token.NewFileSet()
	f := built(fset, 10, value(ast.NewIdent("x")), nil)
	f.Syntax.Decls[1] = f.Syntax.Decls[0]
	if err := c.Put(fset, "x.go", nil, f); !errors.Is(err, putget.ErrValue) {
		t.Error(err)
	}
	if _, err := c.Get(fset, "x.go", nil); !errors.Is(err, cache.ErrMiss) || errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
	wantParsed(t, c, "x.go", nil)
	wantParsed(t, c, "x.go", nil)
}

// Many goroutines parse the same files at once, as go/packages does.
func TestCacheConcurrent(t *testing.T) {
	c := &goast.Cache{Store: openStore(t, t.TempDir()), Mode: mode}
	fset := token.NewFileSet()
	var all sync.WaitGroup
	pkgs := packages(t)[:10]
	for range 4 {
		for _, p := range pkgs {
			all.Go(func() {
				for i, src := range p.src {
					want := token.NewFileSet()
					wantTree, err := parser.ParseFile(want, p.names[i], src, c.Mode)
					if err != nil {
						t.Error(err)
						return
					}
					tree, err := c.ParseFile(fset, p.names[i], src)
					if err != nil {
						t.Error(err)
						return
					}
					wantSame(t, wantTree, tree, moved(want, fset, int(tree.FileStart-wantTree.FileStart))...)
				}
			})
		}
	}
	all.Wait()
}
