package goast_test

import (
	"go/token"
	"os"
	"runtime"
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
	var parsed [][]*goast.File
	for i := range pkgs {
		p := pkgs[i].parse(b, set, mode)
		parsed = append(parsed, p)
		d, err := goast.Encode(set, p, nil)
		if err != nil {
			b.Fatal(err)
		}
		docs = append(docs, d)
	}
	buf := make([]byte, 0, 8<<20)
	ballast := make([]byte, 1<<30)
	defer runtime.KeepAlive(&ballast)
	b.ResetTimer()
	for b.Loop() {
		b.StopTimer()
		runtime.GC()
		b.StartTimer()
		fset := token.NewFileSet()
		var keep []any
		if os.Getenv("ENC") != "" {
			for _, p := range parsed {
				goast.Append(buf, set, p, nil)
			}
			continue
		}
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
