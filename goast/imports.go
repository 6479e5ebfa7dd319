package goast

import (
	"go/ast"
	"iter"
	"slices"

	"github.com/putget/putget/derive"
	"github.com/putget/putget/get"
	"github.com/putget/putget/put"
)

// importsField codes File.Imports, whose specs hang in File.Decls, too: 0 for
// nil; 1 where it has them all in order, as the parser leaves it; or 2, the
// number of elements, and for each 0 for nil, 1 and a spec that no declaration
// has, or the place of its spec plus 2.
type importsField struct{}

var specCodec = derive.Must(derive.Part[*ast.ImportSpec](treeCodec))

const (
	importsNil = iota
	importsAll
	importsList
)

const (
	specNil = iota
	specHere
	specPlace
)

func (importsField) Put(b *put.Builder, imports *[]*ast.ImportSpec) {
	w := writing.Of(b)
	if b.Err() != nil {
		return
	}
	var all []*ast.ImportSpec
	places := map[*ast.ImportSpec]int{}
	for s := range importSpecs(w.files[current.Of(b).number].syntax) {
		places[s] = len(all)
		all = append(all, s)
	}
	switch {
	case *imports == nil:
		b.Uint8(importsNil)
		return
	case len(all) > 0 && slices.Equal(all, *imports):
		b.Uint8(importsAll)
		return
	}
	b.Uint8(importsList)
	b.Uvarint(uint64(len(*imports)))
	for _, s := range *imports {
		if place, ok := places[s]; s == nil {
			b.Uvarint(specNil)
		} else if ok {
			b.Uvarint(uint64(place) + specPlace)
		} else {
			b.Uvarint(specHere)
			specCodec.Put(b, &s)
		}
	}
}

func (importsField) Get(r *get.Reader, imports *[]*ast.ImportSpec) {
	rd := reading.Of(r)
	if r.Err() != nil {
		return
	}
	// The declarations stand before the imports and are complete: pointers
	// that no other encloses wait for nothing.
	var all []*ast.ImportSpec
	for s := range importSpecs(rd.files[current.Of(r).number].Syntax) {
		all = append(all, s)
	}
	switch kind := r.Uint8(); kind {
	case importsNil:
	case importsAll:
		if *imports = all; len(all) == 0 {
			corrupt(r, "a file's imports are those of declarations that have none")
		}
	case importsList:
		n := r.Uvarint()
		if n > uint64(r.Left()) {
			corrupt(r, "%d imports are announced, the unit has %d bytes left", n, r.Left())
			return
		}
		*imports = make([]*ast.ImportSpec, n)
		for i := range *imports {
			switch c := r.Uvarint(); {
			case c == specNil:
			case c == specHere:
				specCodec.Get(r, &(*imports)[i])
			case c-specPlace < uint64(len(all)):
				(*imports)[i] = all[c-specPlace]
			default:
				corrupt(r, "import %d of a file that has %d", c-specPlace, len(all))
				return
			}
		}
	default:
		corrupt(r, "the byte %d stands where a file's imports have 0, 1 or 2", kind)
	}
}

// importSpecs gives the import specs of the declarations of a file.
func importSpecs(f *ast.File) iter.Seq[*ast.ImportSpec] {
	return func(yield func(*ast.ImportSpec) bool) {
		for _, d := range f.Decls {
			d, ok := d.(*ast.GenDecl)
			if !ok || d == nil {
				continue
			}
			for _, s := range d.Specs {
				if s, ok := s.(*ast.ImportSpec); ok && s != nil && !yield(s) {
					return
				}
			}
		}
	}
}
