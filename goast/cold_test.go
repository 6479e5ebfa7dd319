package goast_test

import (
	"encoding/gob"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/putget/putget/goast"
)

// coldInput is what a process measures with: sources or documents.
type coldInput struct {
	Names []string
	Data  [][]byte
}

// BenchmarkCold measures parsing and loading the standard library in processes
// that have done nothing before but read the sources, or the documents, into
// memory: each figure has the first touches of all the memory that the trees
// take. The subjects run in turns.
func BenchmarkCold(b *testing.B) {
	pkgs := packages(b)
	var sources, docs coldInput
	for _, p := range pkgs {
		fset, files := p.parseAll(b, mode)
		docs.Names = append(docs.Names, p.path)
		docs.Data = append(docs.Data, encode(b, fset, files, nil))
		sources.Names = append(sources.Names, p.names...)
		sources.Data = append(sources.Data, p.src...)
	}
	dir := b.TempDir()
	inputs := map[string]*coldInput{"sources": &sources, "docs": &docs}
	for name, in := range inputs {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			b.Fatal(err)
		}
		if err := gob.NewEncoder(f).Encode(in); err != nil {
			b.Fatal(err)
		}
		if err := f.Close(); err != nil {
			b.Fatal(err)
		}
	}
	subjects := []struct{ name, input string }{{"parse", "sources"}, {"load", "docs"}, {"decls", "docs"}}
	const rounds = 7
	ms, faults := map[string][]float64{}, map[string][]float64{}
	var load, decls []float64
	for b.Loop() {
		for range rounds {
			took := map[string]float64{}
			for _, s := range subjects {
				out := child(b, "cold", "GOAST_COLD_SUBJECT="+s.name, "GOAST_COLD_INPUT="+filepath.Join(dir, s.input))
				var ns, touched int64
				if _, err := fmt.Sscan(out, &ns, &touched); err != nil {
					b.Fatal(err, out)
				}
				took[s.name] = float64(ns) / 1e6
				ms[s.name] = append(ms[s.name], took[s.name])
				faults[s.name] = append(faults[s.name], float64(touched))
			}
			load = append(load, took["parse"]/took["load"])
			decls = append(decls, took["parse"]/took["decls"])
		}
	}
	for _, s := range subjects {
		b.ReportMetric(median(ms[s.name]), "cold-"+s.name+"-ms")
		b.ReportMetric(median(faults[s.name]), "cold-"+s.name+"-faults")
	}
	b.ReportMetric(median(load), "cold-load-speedup")
	b.ReportMetric(median(decls), "cold-decls-speedup")
	b.ReportMetric(0, "ns/op")
}

func init() {
	children["cold"] = func() error {
		f, err := os.Open(os.Getenv("GOAST_COLD_INPUT"))
		if err != nil {
			return err
		}
		defer f.Close()
		var in coldInput
		if err := gob.NewDecoder(f).Decode(&in); err != nil {
			return err
		}
		fset := token.NewFileSet()
		keep := make([]any, 0, len(in.Data))
		var one func(i int) (any, error)
		switch subject := os.Getenv("GOAST_COLD_SUBJECT"); subject {
		case "parse":
			one = func(i int) (any, error) { return parser.ParseFile(fset, in.Names[i], in.Data[i], mode) }
		case "load":
			one = func(i int) (any, error) { return goast.Decode(fset, in.Data[i]) }
		case "decls":
			one = func(i int) (any, error) { return goast.DecodeDecls(fset, in.Data[i]) }
		default:
			return fmt.Errorf("no subject %q", subject)
		}
		before := minorFaults()
		start := time.Now()
		for i := range in.Data {
			x, err := one(i)
			if err != nil {
				return err
			}
			keep = append(keep, x)
		}
		fmt.Println(time.Since(start).Nanoseconds(), minorFaults()-before, len(keep))
		return nil
	}
}
