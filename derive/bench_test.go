package derive_test

import (
	"testing"

	"github.com/putget/putget"
	"github.com/putget/putget/derive"
)

// bench measures a document of v, of so many nodes, both ways.
func bench[T any](b *testing.B, c *derive.Codec[T], v *T, nodes int) {
	data, err := putget.Append(nil, v, c, nil)
	if err != nil {
		b.Fatal(err)
	}
	report := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(nodes), "ns/node")
		b.ReportMetric(0, "ns/op")
		b.ReportAllocs()
	}
	b.Run("put", func(b *testing.B) {
		var buf []byte
		for b.Loop() {
			if buf, err = putget.Append(buf[:0], v, c, nil); err != nil {
				b.Fatal(err)
			}
		}
		report(b)
	})
	b.Run("get", func(b *testing.B) {
		for b.Loop() {
			if _, err = putget.Decode(data, c, nil); err != nil {
				b.Fatal(err)
			}
		}
		report(b)
	})
}

type fork struct {
	N           int
	Left, Right *fork
}

func forks(depth int) *fork {
	if depth == 0 {
		return nil
	}
	return &fork{depth, forks(depth - 1), forks(depth - 1)}
}

func BenchmarkTree(b *testing.B) {
	v := forks(15)
	for name, p := range map[string]derive.Policy{"own": derive.Own[fork](), "share": derive.Share[fork](), "inline": derive.Inline[fork](), "table": derive.Table[fork]("forks")} {
		b.Run(name, func(b *testing.B) { bench(b, codecFor[*fork](b, p), &v, 1<<15-1) })
	}
}

func BenchmarkMap(b *testing.B) {
	m := map[string]int{}
	for i := range 10_000 {
		m[string(randomBytes(uint64(i), 4))] = i
	}
	bench(b, codecFor[map[string]int](b), &m, len(m))
}

func BenchmarkVector(b *testing.B) {
	v := make([]float64, 1<<20)
	bench(b, codecFor[[]float64](b), &v, len(v))
}

func BenchmarkFor(b *testing.B) {
	for b.Loop() {
		codecFor[numbers](b)
	}
}
