package goast_test

import (
	"go/token"
	"os"
	"testing"

	"github.com/putget/putget/goast"
)

func BenchmarkOne(b *testing.B) {
	pkgs, err := std()
	if err != nil {
		b.Fatal(err)
	}
	set := token.NewFileSet()
	var docs [][]byte
	for i := range pkgs {
		p := pkgs[i].parse(b, set, mode)
		d, err := goast.Encode(set, p, nil)
		if err != nil {
			b.Fatal(err)
		}
		docs = append(docs, d)
		if os.Getenv("ENC") != "" {
			for range 20 {
				goast.Encode(set, p, nil)
			}
		}
	}
	b.ResetTimer()
	for b.Loop() {
		fset := token.NewFileSet()
		var keep []any
		for _, d := range docs {
			if os.Getenv("DECLS") != "" {
				f, err := goast.DecodeDecls(fset, d)
				if err != nil {
					b.Fatal(err)
				}
				keep = append(keep, f)
				continue
			}
			f, err := goast.Decode(fset, d)
			if err != nil {
				b.Fatal(err)
			}
			keep = append(keep, f)
		}
	}
}
