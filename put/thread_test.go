package put_test

import (
	"testing"

	"github.com/putget/putget/get"
	"github.com/putget/putget/internal/wire"
	"github.com/putget/putget/put"
)

type node struct {
	V    int
	Next *node
}
type nodeCodec struct{}

func (c nodeCodec) Put(b *put.Builder, n *node) { b.Int(n.V); put.Ptr(b, n.Next, c) }
func (c nodeCodec) Get(r *get.Reader, n *node)  { n.V = r.Int(); n.Next = get.Ptr(r, c) }

func TestList(t *testing.T) {
	const N = 1000000
	var head *node
	for i := range N {
		head = &node{i, head}
	}
	var b put.Builder
	put.Ptr(&b, head, nodeCodec{})
	data, err := b.Done()
	if err != nil {
		t.Fatal(err)
	}
	t.Log(len(data))
	var r get.Reader
	r.Reset(data, nil)
	p := get.Ptr(&r, nodeCodec{})
	if err := r.Done(); err != nil {
		t.Fatal(err)
	}
	for i := N - 1; i >= 0; i-- {
		if p.V != i {
			t.Fatal(i, p.V)
		}
		p = p.Next
	}
}

type maybeCodec struct{}
type M = wire.Maybe[int64]

func (maybeCodec) Put(b *put.Builder, m *M) {
	b.Bool(m.OK)
	if m.OK {
		b.Int64(m.Value)
	}
}
func (maybeCodec) Get(r *get.Reader, m *M) {
	if m.OK = r.Bool(); m.OK {
		m.Value = r.Int64()
	}
}

func BenchmarkMaybe(b *testing.B) {
	s := make([]M, 10000000)
	for i := range s {
		if i%3 != 0 {
			s[i] = M{int64(i), true}
		}
	}
	var bd put.Builder
	buf := make([]byte, 0, 100<<20)
	b.Run("put", func(b *testing.B) {
		for b.Loop() {
			bd.Reset(buf, nil)
			put.Slice(&bd, s, maybeCodec{})
		}
	})
	b.Run("putfunc", func(b *testing.B) {
		for b.Loop() {
			bd.Reset(buf, nil)
			put.Slice(&bd, s, put.Func[M](func(b *put.Builder, m *M) {
				b.Bool(m.OK)
				if m.OK {
					b.Int64(m.Value)
				}
			}))
		}
	})
	b.Run("hand", func(b *testing.B) {
		for b.Loop() {
			hand(buf[:0], s)
		}
	})
	data, _ := bd.Done()
	b.Run("get", func(b *testing.B) {
		for b.Loop() {
			var r get.Reader
			r.Reset(data, nil)
			get.Slice(&r, maybeCodec{})
			if r.Done() != nil {
				b.Fatal()
			}
		}
	})
}

func hand(buf []byte, s []M) []byte {
	for i := range s {
		m := &s[i]
		if m.OK {
			buf = append(buf, 1, byte(m.Value), byte(m.Value>>8), byte(m.Value>>16), byte(m.Value>>24), byte(m.Value>>32), byte(m.Value>>40), byte(m.Value>>48), byte(m.Value>>56))
		} else {
			buf = append(buf, 0)
		}
	}
	return buf
}
