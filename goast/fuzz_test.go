package goast_test

import (
	"bytes"
	"go/token"
	"testing"

	"github.com/putget/putget/goast"
)

// FuzzDecode: any bytes, with checksums that are right, decode to trees that
// can be encoded, or to an error of a known class.
func FuzzDecode(f *testing.F) {
	for _, d := range smallDocuments(f) {
		f.Add(d.doc)
	}
	for _, s := range sources {
		if len(s.src) > 2000 {
			continue
		}
		fset := token.NewFileSet()
		file := parse(f, fset, "x.go", []byte(s.src), withObjects)
		f.Add(encode(f, fset, []*goast.File{file}, nil))
		f.Add(encode(f, fset, []*goast.File{file}, &goast.Options{Objects: true}))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		checkAny(t, doc)
		doc = bytes.Clone(doc)
		if reseal(doc) {
			checkAny(t, doc)
		}
	})
}

// FuzzSource: whatever a source parses to comes back.
func FuzzSource(f *testing.F) {
	for _, s := range sources {
		if len(s.src) < 2000 {
			f.Add([]byte(s.src))
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) > 1<<16 {
			return
		}
		fset := token.NewFileSet()
		files := []*goast.File{parse(t, fset, "x.go", src, withObjects)}
		roundTrip(t, fset, files, files, &goast.Options{Objects: true})
		roundTrip(t, fset, files, files, nil, ignoreObjects...)
	})
}
