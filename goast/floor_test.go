package goast_test

import (
	"go/ast"
	"go/token"
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

// walk does what no encoder can do without: it visits each node, by the walk of
// package ast.
func walk(parsed [][]*goast.File) (nodes uint64) {
	for _, files := range parsed {
		for _, f := range files {
			ast.Inspect(f.Syntax, func(n ast.Node) bool {
				if n != nil {
					nodes++
				}
				return true
			})
		}
	}
	return nodes
}
