package lazy_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/putget/putget"
	"github.com/putget/putget/get"
	"github.com/putget/putget/lazy"
	"github.com/putget/putget/put"
	"github.com/putget/putget/share"
	"github.com/putget/putget/state"
)

// fun is a function whose body is decoded when asked for.
type fun struct {
	Name string
	Body lazy.Cell[body]
}

type body struct {
	V     int
	Calls []lazy.Cell[body]
	Self  *body // of the same unit
}

type (
	funCodec  struct{}
	bodyCodec struct{}
)

var (
	bodies  = lazy.New[body]("bodies", bodyCodec{})
	selves  = share.New[body]("selves", bodyCodec{})
	count   = state.NewLocal[int]("count")
	decoded atomic.Int32
)

func (funCodec) Put(b *put.Builder, f *fun) { b.String(f.Name); bodies.Put(b, &f.Body) }
func (funCodec) Get(r *get.Reader, f *fun)  { f.Name = r.String(); f.Body = bodies.Get(r) }

func (bodyCodec) Put(b *put.Builder, v *body) {
	*count.Of(b)++ // fresh in every cell
	b.Int(v.V)
	b.Int(*count.Of(b))
	put.Slice(b, v.Calls, put.Func[lazy.Cell[body]](bodies.Put))
	selves.Put(b, v.Self)
}

func (bodyCodec) Get(r *get.Reader, v *body) {
	decoded.Add(1)
	*count.Of(r)++
	if v.V = r.Int(); v.V < 0 {
		r.Fail(errors.New("negative"))
	}
	if n := r.Int(); n != *count.Of(r) {
		r.Fail(fmt.Errorf("the counter is %d, was %d", *count.Of(r), n))
	}
	v.Calls = get.Slice(r, get.Func[lazy.Cell[body]](func(r *get.Reader, c *lazy.Cell[body]) { *c = bodies.Get(r) }))
	v.Self = selves.Get(r)
}

type funs []fun

type funsCodec struct{}

func (funsCodec) Put(b *put.Builder, v *funs) { put.Slice(b, *v, funCodec{}) }
func (funsCodec) Get(r *get.Reader, v *funs)  { *v = get.Slice(r, funCodec{}) }

// functions makes n functions, each of which calls the one before and itself.
func functions(n int) funs {
	list := make(funs, n)
	for i := range list {
		v := &body{V: i, Self: &body{V: i}}
		list[i] = fun{fmt.Sprint("f", i), lazy.Of(v)}
		v.Calls = []lazy.Cell[body]{list[max(i-1, 0)].Body, list[i].Body, {}}
	}
	return list
}

func write(t testing.TB, v funs) []byte {
	t.Helper()
	doc, err := putget.Append(nil, &v, funsCodec{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func read(t testing.TB, doc []byte) funs {
	t.Helper()
	v, err := putget.Decode(doc, funsCodec{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return *v
}

func TestCells(t *testing.T) {
	decoded.Store(0)
	list := read(t, write(t, functions(100)))
	if n := decoded.Load(); n != 0 {
		t.Errorf("reading decoded %d bodies", n)
	}
	v, err := list[50].Body.Get()
	if err != nil {
		t.Fatal(err)
	}
	if n := decoded.Load(); n != 2 { // the body and its Self
		t.Errorf("one cell decoded %d bodies", n)
	}
	if v.V != 50 || v.Self.V != 50 {
		t.Errorf("got %+v", v)
	}
	if self, err := v.Calls[1].Get(); err != nil || self != v {
		t.Errorf("the cell of itself is %p, %v; want %p", self, err, v)
	}
	if before, err := v.Calls[0].Get(); err != nil || before.V != 49 {
		t.Errorf("got %v, %v", before, err)
	}
	if none, err := v.Calls[2].Get(); err != nil || none != nil {
		t.Errorf("got %v, %v", none, err)
	}
}

// A cell that was skipped leaves nothing that others need.
func TestOrder(t *testing.T) {
	doc := write(t, functions(50))
	for _, order := range []func(i int) int{func(i int) int { return i }, func(i int) int { return 49 - i }, func(i int) int { return i * 17 % 50 }} {
		list := read(t, doc)
		for i := range list {
			i = order(i)
			if v, err := list[i].Body.Get(); err != nil || v.V != i {
				t.Errorf("cell %d: %v, %v", i, v, err)
			}
		}
	}
}

// What is put again is as it was, whether it was asked for or not.
func TestPutAgain(t *testing.T) {
	doc := write(t, functions(30))
	list := read(t, doc)
	for i := range list {
		if i%2 == 0 {
			if _, err := list[i].Body.Get(); err != nil {
				t.Fatal(err)
			}
		}
	}
	again := write(t, list)
	if !bytes.Equal(doc, again) {
		t.Error("the bytes differ")
	}
}

func TestZero(t *testing.T) {
	var c lazy.Cell[body]
	if v, err := c.Get(); v != nil || err != nil {
		t.Error(v, err)
	}
	list := read(t, write(t, funs{{Name: "x"}, {Body: lazy.Of[body](nil)}}))
	for _, f := range list {
		if v, err := f.Body.Get(); v != nil || err != nil {
			t.Error(v, err)
		}
	}
}

// An error is the same each time, and leaves other cells alone.
func TestErrors(t *testing.T) {
	list := read(t, write(t, funs{{Body: lazy.Of(&body{V: 1})}, {Body: lazy.Of(&body{V: -1})}, {Body: lazy.Of(&body{V: 2})}}))
	var first string
	for range 3 {
		for i, f := range list {
			v, err := f.Body.Get()
			if (i == 1) != (err != nil) || (v == nil) != (err != nil) {
				t.Errorf("cell %d: %v, %v", i, v, err)
			}
			if err == nil {
				continue
			}
			if first == "" {
				first = err.Error()
			}
			if err.Error() != first || !strings.Contains(first, "bodies#1") {
				t.Errorf("%v, before: %s", err, first)
			}
		}
	}
	if _, err := putget.Append(nil, &list, funsCodec{}, nil); err == nil || !strings.Contains(err.Error(), "negative") {
		t.Errorf("putting it again: %v", err)
	}
	bare := put.Func[fun](func(b *put.Builder, f *fun) { bodies.Put(b, &f.Body) })
	if _, err := put.Append(nil, &list[0], bare); !errors.Is(err, putget.ErrValue) {
		t.Errorf("a bare unit: %v", err)
	}
}

// Readers in any order get one value for a cell, decoded once.
func TestConcurrent(t *testing.T) {
	const n = 200
	list := read(t, write(t, functions(n)))
	decoded.Store(0)
	var values [n]atomic.Pointer[body]
	var wait sync.WaitGroup
	for g := range 64 {
		wait.Go(func() {
			rnd := rand.New(rand.NewPCG(uint64(g), 1))
			for _, i := range rnd.Perm(n) {
				v, err := list[i].Body.Get()
				if err != nil {
					t.Error(err)
					return
				}
				if !values[i].CompareAndSwap(nil, v) && values[i].Load() != v {
					t.Errorf("cell %d is two values", i)
				}
				before, err := v.Calls[0].Get()
				if err != nil || before.V != max(i-1, 0) || v.Self.V != i {
					t.Errorf("cell %d: %v, %v, %v", i, v, before, err)
				}
			}
		})
	}
	wait.Wait()
	if decoded.Load() != 2*n {
		t.Errorf("%d bodies were decoded, want %d", decoded.Load(), 2*n)
	}
}

// Cells of a stream outlive its reading.
func TestStream(t *testing.T) {
	var buf bytes.Buffer
	e := putget.NewEncoder(&buf, nil)
	all := functions(20)
	for i := range all {
		part := all[i : i+1]
		if err := putget.EncodeTo(e, &part, funsCodec{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	d := putget.NewDecoder(&buf, nil)
	var list funs
	for range all {
		part, err := putget.DecodeFrom(d, funsCodec{})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, *part...)
	}
	for i, f := range list {
		if v, err := f.Body.Get(); err != nil || v.V != i {
			t.Errorf("cell %d: %v, %v", i, v, err)
		}
	}
}
