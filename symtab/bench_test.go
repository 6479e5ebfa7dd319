package symtab_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/putget/putget"
	"github.com/putget/putget/get"
	"github.com/putget/putget/internal/access"
	"github.com/putget/putget/internal/unit"
	"github.com/putget/putget/put"
	"github.com/putget/putget/symtab"
)

// identifiers is a million uses of 40,000 names, a few of them most often, as
// in the source of a standard library. Equal names are one string.
func identifiers() list {
	distinct := make(list, 40_000)
	for i := range distinct {
		distinct[i] = fmt.Sprintf("name%d", i*7919%100_003)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(rnd, 1.1, 10, uint64(len(distinct)-1))
	l := make(list, 1_000_000)
	for i := range l {
		l[i] = distinct[zipf.Uint64()]
	}
	return l
}

// inRun puts with fn, once a time, in one run of one table.
func inRun(b *testing.B, n int, fn func(*put.Builder)) {
	run := &unit.Run{}
	var bd put.Builder
	w := access.Writer(&bd)
	var buf []byte
	for b.Loop() {
		w.Begin(run, buf[:0], run.Limits, false, "root", -1)
		fn(&bd)
		data, err := w.Done()
		if err != nil {
			b.Fatal(err)
		}
		buf = data
	}
	perItem(b, n)
}

// inSession gets with fn, once a time, from one open document.
func inSession(b *testing.B, n int, d *document, fn func(*get.Reader)) {
	var r get.Reader
	for b.Loop() {
		err := d.src.Domain.Do(func(s *unit.Session) error {
			u := access.Reader(&r)
			u.Begin(&d.src, s, d.root, d.src.Limits, false, "root", -1)
			fn(&r)
			return u.Done()
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	perItem(b, n)
}

func perItem(b *testing.B, n int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/item")
}

func BenchmarkStrings(b *testing.B) {
	l := identifiers()
	b.Run("put", func(b *testing.B) {
		inRun(b, len(l), func(bd *put.Builder) {
			for _, s := range l {
				words.Put(bd, s)
			}
		})
	})
	b.Run("put/one", func(b *testing.B) {
		inRun(b, len(l), func(bd *put.Builder) {
			for i := range l {
				words.Put(bd, l[i&15])
			}
		})
	})
	f, err := encode(func(b *put.Builder) {
		for _, s := range l {
			words.Put(b, s)
		}
	})
	if err != nil {
		b.Fatal(err)
	}
	for _, packed := range []bool{true, false} {
		f.packed = packed
		b.Run(fmt.Sprint("get/packed=", packed), func(b *testing.B) {
			inSession(b, len(l), f.open(nil), func(r *get.Reader) {
				for range l {
					words.Get(r)
				}
			})
		})
	}
}

func BenchmarkTable(b *testing.B) {
	const n = 100_000
	ring := make([]node, n)
	for i := range ring {
		ring[i] = node{"", &ring[(i+1)%n], i}
	}
	f, err := encode(func(b *put.Builder) {
		for i := range ring {
			nodes.Put(b, &ring[i])
		}
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("put/seen", func(b *testing.B) {
		inRun(b, n, func(bd *put.Builder) {
			for i := range ring {
				nodes.Put(bd, &ring[i])
			}
		})
	})
	b.Run("encode", func(b *testing.B) {
		for b.Loop() {
			if _, err := encode(func(b *put.Builder) { nodes.Put(b, &ring[0]) }); err != nil {
				b.Fatal(err)
			}
		}
		perItem(b, n)
	})
	b.Run("get/decoded", func(b *testing.B) {
		inSession(b, n, f.open(nil), func(r *get.Reader) {
			for range ring {
				nodes.Get(r)
			}
		})
	})
	b.Run("load/decoded", func(b *testing.B) {
		d := f.open(nil)
		for b.Loop() {
			for id := range symtab.ID(n) {
				if _, err := nodes.Load(d, id); err != nil {
					b.Fatal(err)
				}
			}
		}
		perItem(b, n)
	})
	b.Run("decode", func(b *testing.B) {
		for b.Loop() {
			if _, err := nodes.Load(f.open(nil), 0); err != nil {
				b.Fatal(err)
			}
		}
		perItem(b, n)
	})
}

// One name of a hundred thousand, in a document that is opened for it.
func BenchmarkLookup(b *testing.B) {
	const n = 100_000
	var list []*symbol
	for i := range n {
		list = append(list, &symbol{fmt.Sprintf("pkg%d/Symbol%d", i%300, i*7919%n), 1, i})
	}
	doc := encodeSymbols(b, list)
	lookup := func(b *testing.B, load bool) {
		i := 0
		for b.Loop() {
			d, err := putget.Open(doc, nil)
			if err != nil {
				b.Fatal(err)
			}
			i = (i + 7919) % n
			hits, err := symbolIndex.Find(d, list[i].name)
			if err != nil || len(hits) != 1 {
				b.Fatal(hits, err)
			}
			if !load {
				continue
			}
			if s, err := symbols.Load(d, hits[0].ID); err != nil || s.v != i {
				b.Fatal(s, err)
			}
		}
	}
	d := openSymbols(b, doc)
	for _, s := range d.Sections() {
		b.Logf("%-6s %-14s %7d entries %8d bytes", s.Kind, s.Name, s.Entries, s.Size)
	}
	b.Run("open+find", func(b *testing.B) { lookup(b, false) })
	b.Run("open+find+load", func(b *testing.B) { lookup(b, true) })
	b.Run("find", func(b *testing.B) {
		i := 0
		for b.Loop() {
			i = (i + 7919) % n
			if hits, err := symbolIndex.Find(d, list[i].name); err != nil || len(hits) != 1 {
				b.Fatal(hits, err)
			}
		}
	})
}

func BenchmarkBuilt(b *testing.B) {
	const n = 10_000
	var l []typ
	for i := range n {
		x := &named{name: "n", underlying: basic("int")}
		if i > 0 {
			x.methods = []typ{&pointer{l[i-1]}}
		}
		l = append(l, x)
	}
	var f *file
	b.Run("encode", func(b *testing.B) {
		for b.Loop() {
			f = encodeTyps(b, l...)
		}
		perItem(b, 2*n)
	})
	b.Run("decode", func(b *testing.B) {
		for b.Loop() {
			if err := f.open(nil).read(func(r *get.Reader) {
				for range l {
					typs.Get(r)
				}
			}); err != nil {
				b.Fatal(err)
			}
		}
		perItem(b, 2*n)
	})
}
