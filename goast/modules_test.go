package goast_test

import (
	"go/ast"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/putget/putget/goast"
	"github.com/putget/putget/graphtest"
)

// TestModules: the files of the modules that the command needs, as far as they
// are in the module cache, come back the same one by one. Among them are some
// that do not parse: what tools are tested with.
func TestModules(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of files")
	}
	list := exec.Command(filepath.Join(runtime.GOROOT(), "bin", "go"), "list", "-m", "-e", "-f", "{{if not .Main}}{{.Dir}}{{end}}", "all")
	list.Dir = filepath.Join("..", "cmd", "putget")
	list.Env = append(os.Environ(), "GOPROXY=off")
	out, err := list.Output()
	if err != nil {
		t.Skip("the modules are not in the module cache: ", err)
	}
	names := make(chan string)
	var all sync.WaitGroup
	var files, failed atomic.Int64
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for name := range names {
				src, err := os.ReadFile(name)
				if err != nil {
					t.Error(err)
					continue
				}
				files.Add(1)
				if checkFile(t, name, src) {
					failed.Add(1)
				}
			}
		})
	}
	for _, dir := range strings.Fields(string(out)) {
		err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && strings.HasSuffix(name, ".go") {
				names <- name
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	close(names)
	all.Wait()
	if files.Load() == 0 {
		t.Skip("the modules are not in the module cache")
	}
	t.Logf("%d files, of which %d do not parse", files.Load(), failed.Load())
}

// checkFile checks one file with and without objects, and its declarations. It
// reports whether the file does not parse.
func checkFile(t *testing.T, name string, src []byte) (failed bool) {
	fset := token.NewFileSet()
	f := []*goast.File{parse(t, fset, name, src, withObjects)}
	for _, o := range bothOptions {
		opts := ignoreObjects
		if o != nil {
			opts = nil
		}
		doc, err := goast.Encode(fset, f, o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, err := goast.Decode(token.NewFileSet(), doc)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d := graphtest.Diff(f, got, opts...); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		decls, err := goast.DecodeDecls(token.NewFileSet(), doc)
		if err != nil {
			t.Errorf("%s: declarations: %v", name, err)
			continue
		}
		if d := graphtest.Diff(f, decls.Files, append(opts, graphtest.IgnoreField[ast.FuncDecl]("Body"))...); o == nil && d != "" {
			t.Errorf("%s: declarations: %s", name, d)
		}
	}
	return len(f[0].Errors) > 0
}
