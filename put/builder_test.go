package put_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"weak"

	"github.com/putget/putget/get"
	"github.com/putget/putget/internal/unit"
	"github.com/putget/putget/internal/wire"
	"github.com/putget/putget/put"
)

// TestLayout compares the memory layouts that the conversion to the machinery
// under a Builder and a Reader relies on.
func TestLayout(t *testing.T) {
	for _, pair := range [][2]reflect.Type{
		{reflect.TypeFor[put.Builder](), reflect.TypeFor[unit.Writer]()},
		{reflect.TypeFor[get.Reader](), reflect.TypeFor[unit.Reader]()},
	} {
		x, y := pair[0], pair[1]
		if x.NumField() != y.NumField() || x.Size() != y.Size() {
			t.Fatalf("%v and %v differ", x, y)
		}
		for i := range x.NumField() {
			if f, g := x.Field(i), y.Field(i); f.Type != g.Type || f.Offset != g.Offset {
				t.Errorf("field %d: %v is %v at %d, %v is %v at %d", i, x, f.Type, f.Offset, y, g.Type, g.Offset)
			}
		}
	}
}

var errOwn = errors.New("an error of the codec's own")

// failing is a codec that fails at the value 3, in both directions.
type failing struct{}

func (failing) Put(b *put.Builder, v *int) {
	b.Int(*v)
	if *v == 3 {
		b.Fail(errOwn)
	}
}

func (failing) Get(r *get.Reader, v *int) {
	if *v = r.Int(); *v == 3 {
		r.Fail(errOwn)
	}
}

func TestSticky(t *testing.T) {
	var b put.Builder
	b.Reset([]byte("before"), nil)
	put.Slice(&b, []int{0, 1, 2, 3, 4, 3}, failing{})
	first := b.Err()
	for _, e := range encodings {
		e.put(&b)
	}
	b.Fail(errors.New("another error"))
	data, err := b.Done()
	var e *wire.Error
	if !errors.As(err, &e) || !errors.Is(err, errOwn) || err != first || e.Path != "[3]" || e.Offset != 5 {
		t.Errorf("put: error %v, want the first, at [3], offset 5", err)
	}
	if string(data) != "before" {
		t.Errorf("after an error Done gives %q, want the buffer as it was", data)
	}

	var r get.Reader
	r.Reset([]byte{7, 0, 2, 4, 6, 8, 6, 1, 1, 1}, nil)
	if s := get.Slice(&r, failing{}); s != nil {
		t.Errorf("got %v, want nil after an error", s)
	}
	first = r.Err()
	for _, e := range encodings {
		if v := e.get(&r); v != nil && !reflect.ValueOf(v).IsZero() {
			t.Errorf("%s after an error: got %v, want zero", e.name, v)
		}
	}
	err = r.Done()
	if !errors.As(err, &e) || !errors.Is(err, errOwn) || err != first || e.Path != "[3]" || e.Offset != 5 {
		t.Errorf("got: error %v, want the first, at [3], offset 5", err)
	}
}

// TestReuse has each encoding after a failure, by one Builder and one Reader.
func TestReuse(t *testing.T) {
	var b put.Builder
	var r get.Reader
	for _, e := range encodings {
		b.Reset(nil, nil)
		put.Ptr(&b, list(100), treeCodec{})
		b.Fail(errOwn)
		if _, err := b.Done(); err == nil {
			t.Fatal("no error")
		}
		b.Reset(nil, nil)
		e.put(&b)
		data, err := b.Done()
		if want := encode(t, e.put); err != nil || string(data) != string(want) {
			t.Errorf("%s: put %x after a failure, error %v, want %x", e.name, data, err, want)
		}

		r.Reset([]byte{1, 0, 1, 0, 2}, nil)
		treeGet(&r)
		if err := r.Done(); err == nil {
			t.Fatal("no error")
		}
		r.Reset(data, nil)
		v := e.get(&r)
		if err := r.Done(); err != nil || !same(e.want, v) {
			t.Errorf("%s: got %v after a failure, error %v", e.name, v, err)
		}
	}
}

// TestPanic has codecs that panic deep inside. The panic passes through, and
// Reset makes Builder and Reader as good as new.
func TestPanic(t *testing.T) {
	var b put.Builder
	var r get.Reader
	deep := encode(t, func(b *put.Builder) { treePut(b, list(100)) })
	panics := func(f func()) (value any) {
		defer func() { value = recover() }()
		f()
		return nil
	}
	if v := panics(func() {
		put.Ptr(&b, list(100), put.Func[tree](func(b *put.Builder, n *tree) {
			if n.V == 50 {
				panic("put")
			}
			treeCodec{}.Put(b, n)
			put.Slice(b, []int{n.V}, put.Func[int](func(*put.Builder, *int) { panic("in a slice") }))
		}))
	}); v == nil {
		t.Error("put: no panic")
	}
	if v := panics(func() {
		r.Reset(deep, nil)
		get.Ptr(&r, get.Func[tree](func(r *get.Reader, n *tree) { treeCodec{}.Get(r, n); panic("get") }))
	}); v != "get" {
		t.Errorf("get: panic %v", v)
	}
	b.Reset(nil, nil)
	treePut(&b, list(100))
	data, err := b.Done()
	if err != nil || string(data) != string(deep) {
		t.Errorf("put %x after a panic, error %v, want %x", data, err, deep)
	}
	r.Reset(data, nil)
	if n := treeGet(&r); r.Done() != nil || n.V != 99 {
		t.Errorf("got %v after a panic, error %v", n, r.Err())
	}
}

// TestConcurrent uses codecs in many goroutines at once.
func TestConcurrent(t *testing.T) {
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for _, e := range encodings {
				data, err := tryEncode(e.put)
				if err != nil {
					t.Error(err)
				}
				if v, err := decode(data, e.get); err != nil || !same(e.want, v) {
					t.Errorf("%s: got %v, error %v", e.name, v, err)
				}
			}
		})
	}
	group.Wait()
}

// TestDropped checks that Reset drops the values put and got before.
func TestDropped(t *testing.T) {
	var b put.Builder
	var r get.Reader
	for _, fail := range []bool{false, true} {
		head := list(40)
		held := []weak.Pointer[tree]{weak.Make(head)}
		data := encode(t, func(b *put.Builder) { treePut(b, head) })
		put.Ptr(&b, head, put.Func[tree](func(b *put.Builder, n *tree) {
			treeCodec{}.Put(b, n)
			if fail {
				b.Fail(errOwn)
			}
		}))
		r.Reset(data, nil)
		got := get.Ptr(&r, get.Func[tree](func(r *get.Reader, n *tree) {
			held = append(held, weak.Make(n))
			treeCodec{}.Get(r, n)
			if fail {
				r.Fail(errOwn)
			}
		}))
		runtime.KeepAlive(got)
		runtime.KeepAlive(head)
		b.Reset(nil, nil)
		r.Reset(nil, nil)
		head, got = nil, nil
		runtime.GC()
		for i, w := range held {
			if w.Value() != nil {
				t.Errorf("failed %v: value %d of %d is still referred to", fail, i, len(held))
			}
		}
	}
	runtime.KeepAlive(&b)
	runtime.KeepAlive(&r)
}

// TestFlat puts and gets many values through one Builder and one Reader.
func TestFlat(t *testing.T) {
	n := 1_000_000
	if testing.Short() {
		n = 10_000
	}
	var b put.Builder
	var r get.Reader
	var buf []byte
	node := &tree{V: 1, Left: &tree{V: 2}}
	run := func() {
		b.Reset(buf[:0], nil)
		put.Ptr(&b, node, treeCodec{})
		b.String("name")
		var err error
		if buf, err = b.Done(); err != nil {
			t.Fatal(err)
		}
		r.Reset(buf, nil)
		if get.Ptr(&r, treeCodec{}); r.View(int(r.Uvarint())) == nil || r.Done() != nil {
			t.Fatal(r.Err())
		}
	}
	run()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range n {
		run()
	}
	runtime.ReadMemStats(&after)
	if k := after.Mallocs - before.Mallocs; k > 2*uint64(n)+1000 && wire.InlineDepth > 2 {
		t.Errorf("%d values of 2 nodes took %d allocations", n, k)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 1<<20 {
		t.Errorf("after %d values the heap is %d bytes larger", n, grown)
	}
}

// TestIntegers reads integers that do not fit.
func TestIntegers(t *testing.T) {
	beyond := func(g func(*get.Reader) any, v int64, fits bool) {
		t.Helper()
		data := encode(t, func(b *put.Builder) { b.Varint(v) })
		got, err := decode(data, g)
		if fits && (err != nil || fmt.Sprint(got) != fmt.Sprint(v)) || !fits && !errors.Is(err, wire.ErrCorrupt) {
			t.Errorf("got %v for %d, error %v; fits: %v", got, v, err, fits)
		}
	}
	int_ := func(r *get.Reader) any { return r.Int() }
	rune_ := func(r *get.Reader) any { return r.Rune() }
	for _, v := range []int64{math.MaxInt32, math.MinInt32} {
		beyond(int_, v, true)
		beyond(rune_, v, true)
	}
	for _, v := range []int64{math.MaxInt32 + 1, math.MinInt32 - 1, math.MaxInt64, math.MinInt64} {
		beyond(int_, v, math.MaxInt == math.MaxInt64)
		beyond(rune_, v, false)
	}
	data := encode(t, func(b *put.Builder) { b.Uvarint(math.MaxUint32 + 1) })
	got, err := decode(data, func(r *get.Reader) any { return r.Uint() })
	if math.MaxUint == math.MaxUint32 {
		if !errors.Is(err, wire.ErrCorrupt) {
			t.Errorf("got %v, error %v, want a corrupt one", got, err)
		}
	} else if err != nil || uint64(got.(uint)) != math.MaxUint32+1 {
		t.Errorf("got %v, error %v", got, err)
	}
}

// TestMarks puts and gets differently.
func TestMarks(t *testing.T) {
	var b put.Builder
	b.Reset(nil, &put.Options{Marks: true})
	b.Int(1)
	put.Slice(&b, []int{1}, intCodec{})
	_, _, putLine, _ := runtime.Caller(0)
	b.Uint32(7)
	data, err := b.Done()
	if err != nil {
		t.Fatal(err)
	}
	var r get.Reader
	r.Reset(data, &get.Options{Marks: true})
	r.Int()
	get.Slice(&r, intCodec{})
	_, _, getLine, _ := runtime.Caller(0)
	if v := r.Int32(); v != 0 {
		t.Errorf("got %d, want 0", v)
	}
	r.Uint32()
	err = r.Done()
	if !errors.Is(err, wire.ErrMismatch) {
		t.Fatalf("error %v, want a mismatch", err)
	}
	for _, want := range []string{
		fmt.Sprintf("put as Uint32 by builder_test.go:%d", putLine+1),
		fmt.Sprintf("got as Int32 by builder_test.go:%d", getLine+1),
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
}

// TestMarkedPairs gets every encoding as every other one: with debug marks the
// first primitive or composite that differs is reported.
func TestMarkedPairs(t *testing.T) {
	for _, e := range encodings {
		var b put.Builder
		b.Reset(nil, &put.Options{Marks: true})
		b.Int(5)
		e.put(&b)
		data, err := b.Done()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range encodings {
			if e.mark() == f.mark() {
				continue
			}
			var r get.Reader
			r.Reset(data, &get.Options{Marks: true})
			r.Int()
			f.get(&r)
			if err := r.Done(); !errors.Is(err, wire.ErrMismatch) {
				t.Errorf("%s got as %s: error %v, want a mismatch", e.name, f.name, err)
			}
		}
	}
}

// mark is what the encoding's first debug mark says.
func (e encoding) mark() string {
	switch name := strings.Fields(e.name)[0]; name {
	case "false", "true":
		return "Bool"
	case "Int", "Rune":
		return "Varint"
	case "Uint":
		return "Uvarint"
	case "Complex64":
		return "Float32"
	case "Complex128":
		return "Float64"
	case "View":
		return "Raw"
	case "Appender":
		return "Binary"
	case "Strings":
		return "Slice"
	default:
		return name
	}
}
