package goast_test

import (
	"fmt"
	"go/token"
	"sync"
	"testing"

	"github.com/putget/putget/goast"
)

// TestConcurrentDecode: many goroutines load documents, also of many files, into
// one FileSet to which others add files meanwhile. The files of a document lie
// one behind the other all the same.
func TestConcurrentDecode(t *testing.T) {
	type document struct {
		fset  *token.FileSet
		files []*goast.File
		doc   []byte
	}
	var docs []document
	for _, p := range packages(t) {
		if len(p.src) < 30 {
			fset, files := p.parseAll(t, mode)
			docs = append(docs, document{fset, files, encode(t, fset, files, nil)})
		}
		if len(docs) == 12 {
			break
		}
	}
	fset := token.NewFileSet()
	var many []*goast.File
	for i := range 200 {
		many = append(many, parse(t, fset, fmt.Sprintf("%d.go", i), []byte("package p\n\nfunc f() { return 1 }\n"), mode))
	}
	docs = append(docs, document{fset, many, encode(t, fset, many, nil)})

	shared := token.NewFileSet()
	stop := make(chan bool)
	var spoilers, all sync.WaitGroup
	for range 2 {
		spoilers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					shared.RemoveFile(shared.AddFile("spoiler.go", -1, 1))
				}
			}
		})
	}
	expected := 0
	for i := range 64 {
		d := docs[(i*7)%len(docs)]
		expected += len(d.files)
		all.Go(func() {
			var files []*goast.File
			if i%2 == 0 {
				got, err := goast.Decode(shared, d.doc)
				if err != nil {
					t.Error(err)
					return
				}
				files = got
			} else {
				decls, err := goast.DecodeDecls(shared, d.doc)
				if err != nil {
					t.Error(err)
					return
				}
				for _, fn := range functions(decls.Files) {
					body, err := decls.Body(fn)
					if err != nil {
						t.Error(err)
						return
					}
					fn.Body = body
				}
				files = decls.Files
			}
			by := files[0].Token.Base() - d.files[0].Token.Base()
			wantSame(t, d.files, files, moved(d.fset, shared, by)...)
		})
	}
	all.Wait()
	close(stop)
	spoilers.Wait()
	if n := len(holds(shared)); n != expected {
		t.Errorf("%d files in the FileSet, want %d", n, expected)
	}
}

// Many goroutines encode the same trees, and documents are read by many.
func TestConcurrentEncode(t *testing.T) {
	fset := token.NewFileSet()
	f := parse(t, fset, "x.go", []byte(everything), withObjects)
	want := encode(t, fset, []*goast.File{f}, &goast.Options{Objects: true})
	var all sync.WaitGroup
	for range 32 {
		all.Go(func() {
			if got := encode(t, fset, []*goast.File{f}, &goast.Options{Objects: true}); string(got) != string(want) {
				t.Error("other bytes")
			}
			if got, err := goast.Decode(token.NewFileSet(), want); err != nil || len(got) != 1 {
				t.Error(err)
			}
		})
	}
	all.Wait()
}
