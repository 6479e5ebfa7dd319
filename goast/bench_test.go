package goast_test

import (
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/putget/putget/goast"
)

// std is the packages of the standard library: the files that a build on this
// machine takes.
var std = sync.OnceValues(func() ([]pkg, error) {
	out, err := exec.Command(filepath.Join(runtime.GOROOT(), "bin", "go"), "list", "std").Output()
	if err != nil {
		return nil, err
	}
	var list []pkg
	for _, path := range strings.Fields(string(out)) {
		dir := filepath.Join(runtime.GOROOT(), "src", path)
		p, err := build.ImportDir(dir, 0)
		if err != nil {
			continue // nothing to build here
		}
		var x pkg
		x.path = path
		for _, name := range slices.Concat(p.GoFiles, p.CgoFiles) {
			src, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				return nil, err
			}
			x.names = append(x.names, filepath.Join(dir, name))
			x.src = append(x.src, src)
		}
		list = append(list, x)
	}
	return list, nil
})

type pkg struct {
	path  string
	names []string
	src   [][]byte
}

const mode = parser.ParseComments | parser.SkipObjectResolution

func (p *pkg) parse(tb testing.TB, fset *token.FileSet, mode parser.Mode) []*goast.File {
	var files []*goast.File
	for i := range p.src {
		f, err := parser.ParseFile(fset, p.names[i], p.src[i], mode)
		if err != nil {
			tb.Fatal(err)
		}
		files = append(files, &goast.File{Syntax: f})
	}
	return files
}

// BenchmarkStd measures parsing, encoding and loading the standard library,
// one document a package, in turns in one process.
func BenchmarkStd(b *testing.B) {
	pkgs, err := std()
	if err != nil {
		b.Fatal(err)
	}
	var docs [][]byte
	var parsed [][]*goast.File
	parseSet := token.NewFileSet()
	files, source, encoded := 0, 0, 0
	for i := range pkgs {
		parsed = append(parsed, pkgs[i].parse(b, parseSet, mode))
		doc, err := goast.Encode(parseSet, parsed[i], nil)
		if err != nil {
			b.Fatal(pkgs[i].path, err)
		}
		docs = append(docs, doc)
		encoded += len(doc)
		for _, src := range pkgs[i].src {
			files++
			source += len(src)
		}
	}
	nodes := 0
	buf := make([]byte, 0, 8<<20)
	keep := make([]any, 0, 4096)
	// Memory that is never touched lifts the collector's goal above what any
	// subject needs: so none gives memory back to the system, for another to
	// pay for touching it again, and no collection falls into a round.
	ballast := make([]byte, 1<<30)
	defer runtime.KeepAlive(&ballast)
	subjects := []subject{
		{"parse", func() {
			fset := token.NewFileSet()
			for i := range pkgs {
				keep = append(keep, pkgs[i].parse(b, fset, mode))
			}
		}},
		{"encode", func() {
			for i := range parsed {
				if _, err := goast.Append(buf[:0], parseSet, parsed[i], nil); err != nil {
					b.Fatal(err)
				}
			}
		}},
		{"load", func() {
			fset := token.NewFileSet()
			for _, doc := range docs {
				f, err := goast.Decode(fset, doc)
				if err != nil {
					b.Fatal(err)
				}
				keep = append(keep, f)
			}
		}},
		{"decls", func() {
			fset := token.NewFileSet()
			for _, doc := range docs {
				f, err := goast.DecodeDecls(fset, doc)
				if err != nil {
					b.Fatal(err)
				}
				keep = append(keep, f)
			}
		}},
	}
	fill := filler(docs)
	subjects = append(subjects,
		subject{"fill", func() { keep = fill(keep) }},
		subject{"walk", func() { nodes = int(walk(parsed)) }})
	const warm, rounds = 2, 9
	ms := make([][]float64, len(subjects))
	faults := make([][]float64, len(subjects))
	allocs := make([]uint64, len(subjects))
	for b.Loop() {
		for round := range warm + rounds {
			for i, s := range subjects {
				clear(keep)
				keep = keep[:0]
				runtime.GC()
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				f := minorFaults()
				start := time.Now()
				s.run()
				d := time.Since(start)
				f = minorFaults() - f
				runtime.ReadMemStats(&after)
				if round >= warm {
					ms[i] = append(ms[i], d.Seconds()*1e3)
					faults[i] = append(faults[i], float64(f))
					allocs[i] = after.Mallocs - before.Mallocs
				}
			}
		}
	}
	clear(keep)
	ratio := func(x, y int) float64 {
		var r []float64
		for i := range ms[x] {
			r = append(r, ms[x][i]/ms[y][i])
		}
		return median(r)
	}
	for i, s := range subjects {
		b.ReportMetric(median(ms[i]), s.name+"-ms")
		b.ReportMetric(median(faults[i]), s.name+"-faults")
		b.ReportMetric(float64(allocs[i]), s.name+"-allocs")
	}
	b.ReportMetric(ratio(0, 2), "load-speedup")
	b.ReportMetric(ratio(0, 3), "decls-speedup")
	b.ReportMetric(ratio(1, 0), "encode-share")
	b.ReportMetric(float64(files), "files")
	b.ReportMetric(float64(nodes), "nodes")
	b.ReportMetric(float64(source), "source-bytes")
	b.ReportMetric(float64(encoded), "doc-bytes")
	b.ReportMetric(0, "ns/op")
}

// subject is what a benchmark measures in turns with others.
type subject struct {
	name string
	run  func()
}

func median(x []float64) float64 {
	x = slices.Clone(x)
	slices.Sort(x)
	return x[len(x)/2]
}
