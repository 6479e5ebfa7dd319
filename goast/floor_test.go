package goast_test

import (
	"go/ast"
	"go/token"
	"reflect"
	"runtime"
	"unsafe"

	"github.com/putget/putget/goast"
)

// filler does what no loader can do without: for each document it allocates as
// much memory as decoding it does, in as many pieces as a document has slabs,
// and writes each word of it once.
func filler(docs [][]byte) func(keep []any) []any {
	sizes := make([]uint64, len(docs))
	for i, doc := range docs {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := goast.Decode(token.NewFileSet(), doc); err != nil {
			panic(err)
		}
		runtime.ReadMemStats(&after)
		sizes[i] = after.TotalAlloc - before.TotalAlloc
	}
	const pieces = 30
	var x int
	p := unsafe.Pointer(&x)
	return func(keep []any) []any {
		for _, size := range sizes {
			for range pieces {
				s := make([]unsafe.Pointer, size/pieces/8)
				for i := range s {
					s[i] = p
				}
				keep = append(keep, s)
			}
		}
		return keep
	}
}

// toucher does what no encoder can do without: it reads each word of each node
// and the ends of each name, in the order of the trees, from a list made before.
func toucher(parsed [][]*goast.File) func() uint64 {
	type place struct {
		p     unsafe.Pointer
		words int
	}
	var places []place
	for _, files := range parsed {
		for _, f := range files {
			ast.Inspect(f.Syntax, func(n ast.Node) bool {
				if n == nil {
					return true
				}
				v := reflect.ValueOf(n)
				places = append(places, place{v.UnsafePointer(), int(v.Type().Elem().Size() / 8)})
				name := ""
				switch n := n.(type) {
				case *ast.Ident:
					name = n.Name
				case *ast.BasicLit:
					name = n.Value
				}
				if len(name) >= 8 {
					places = append(places, place{unsafe.Pointer(unsafe.StringData(name)), 1})
				}
				return true
			})
		}
	}
	return func() (sum uint64) {
		for _, x := range places {
			for _, w := range unsafe.Slice((*uint64)(x.p), x.words) {
				sum += w
			}
		}
		return sum
	}
}
