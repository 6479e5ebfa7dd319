package state_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/putget/putget/get"
	"github.com/putget/putget/internal/wire"
	"github.com/putget/putget/put"
	"github.com/putget/putget/state"
)

var (
	lines = state.NewLocal[int]("lines")
	other = state.NewLocal[string]("other")
	level = state.NewScope[int]("level")
	label = state.NewScope[string]("label")
	base  = state.NewEnv[int]("base")
	extra = state.NewEnv[[]string]("extra")
)

// chain is a list whose nodes are put as what state says of them: the distance
// to the line of the node put before, and to the node's level.
type chain struct {
	Line, Level int
	Next        *chain
}

type chainCodec struct{}

func (c chainCodec) Put(b *put.Builder, n *chain) {
	last := lines.Of(b)
	b.Int(n.Line - *last)
	*last = n.Line
	b.Int(n.Level - level.Of(b))
	level.With(b, level.Of(b)+1, func() { put.Ptr(b, n.Next, c) })
}

func (c chainCodec) Get(r *get.Reader, n *chain) {
	last := lines.Of(r)
	n.Line = *last + r.Int()
	*last = n.Line
	n.Level = level.Of(r) + r.Int()
	level.With(r, level.Of(r)+1, func() { n.Next = get.Ptr(r, c) })
}

// TestDepth has state beyond the depth at which bodies are deferred: each node
// is at the distance that its neighbours promise.
func TestDepth(t *testing.T) {
	const n = 100_000
	var head *chain
	for i := range n {
		head = &chain{Line: 1000 - 3*i, Level: n - 1 - i, Next: head}
	}
	var b put.Builder
	put.Ptr(&b, head, chainCodec{})
	if *lines.Of(&b) != 1000 || level.Of(&b) != 0 {
		t.Errorf("at the end the line is %d, the level %d", *lines.Of(&b), level.Of(&b))
	}
	data, err := b.Done()
	if err != nil {
		t.Fatal(err)
	}
	if want := 3*n + 10; len(data) > want {
		t.Errorf("%d bytes, want at most %d: a level is not its scope's", len(data), want)
	}
	var r get.Reader
	r.Reset(data, nil)
	got := get.Ptr(&r, chainCodec{})
	if err := r.Done(); err != nil {
		t.Fatal(err)
	}
	for i := n - 1; i >= 0; i-- {
		if got.Line != 1000-3*i || got.Level != n-1-i {
			t.Fatalf("node %d: got %d, %d", n-1-i, got.Line, got.Level)
		}
		got = got.Next
	}
}

// TestLocal checks that a Local is fresh in every unit, and its own key's.
func TestLocal(t *testing.T) {
	var b put.Builder
	var r get.Reader
	for range 2 {
		for _, u := range []state.Unit{&b, &r} {
			if n, s := lines.Of(u), other.Of(u); *n != 0 || *s != "" {
				t.Errorf("a fresh unit has %d, %q", *n, *s)
			}
			*lines.Of(u), *other.Of(u) = 5, "x"
			if n, s := lines.Of(u), other.Of(u); *n != 5 || *s != "x" {
				t.Errorf("got %d, %q, want 5, x", *n, *s)
			}
		}
		b.Reset(nil, nil)
		r.Reset(nil, nil)
	}
}

// TestScope nests scopes, and leaves one by a panic.
func TestScope(t *testing.T) {
	var b put.Builder
	see := func(wantLevel int, wantLabel string) {
		t.Helper()
		if n, s := level.Of(&b), label.Of(&b); n != wantLevel || s != wantLabel {
			t.Errorf("level %d, label %q, want %d, %q", n, s, wantLevel, wantLabel)
		}
	}
	see(0, "")
	level.With(&b, 1, func() {
		see(1, "")
		label.With(&b, "in", func() {
			level.With(&b, 2, func() { see(2, "in") })
			see(1, "in")
		})
		see(1, "")
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			label.With(&b, "lost", func() { panic("out") })
		}()
		see(1, "")
	})
	see(0, "")
}

// TestEnv binds values, none, and one twice.
func TestEnv(t *testing.T) {
	env := []state.Binding{extra.Bind(nil), base.Bind(7)}
	var b put.Builder
	var r get.Reader
	b.Reset(nil, &put.Options{Env: env})
	r.Reset(nil, &get.Options{Env: env})
	for _, u := range []state.Unit{&b, &r} {
		if base.Of(u) != 7 || extra.Of(u) != nil {
			t.Errorf("got %d, %v", base.Of(u), extra.Of(u))
		}
	}
	if b.Err() != nil || r.Err() != nil {
		t.Errorf("errors %v, %v", b.Err(), r.Err())
	}

	b.Reset(nil, nil)
	r.Reset(nil, nil)
	for _, u := range []interface {
		state.Unit
		Err() error
	}{&b, &r} {
		if n := base.Of(u); n != 0 {
			t.Errorf("got %d, want 0", n)
		}
		if err := u.Err(); !errors.Is(err, wire.ErrNotFound) || !strings.Contains(err.Error(), `"base"`) {
			t.Errorf("error %v, want one that names the key", err)
		}
	}

	b.Reset(nil, &put.Options{Env: append(env, base.Bind(8))})
	if _, err := b.Done(); err == nil || !strings.Contains(err.Error(), `"base"`) {
		t.Errorf("bound twice: error %v, want one that names the key", err)
	}
}

// TestNames has keys of one name, which are different keys.
func TestNames(t *testing.T) {
	x, y := state.NewLocal[int]("same"), state.NewLocal[int]("same")
	var b put.Builder
	*x.Of(&b) = 1
	if *y.Of(&b) != 0 || x.String() != "same" || level.String() != "level" || base.String() != "base" {
		t.Error("keys of one name are one key, or have lost their name")
	}
}

// Each line is put as its distance from the one before.
func ExampleLocal() {
	last := state.NewLocal[int]("last") // at package level in a program
	delta := put.Func[int](func(b *put.Builder, line *int) {
		p := last.Of(b)
		b.Int(*line - *p)
		*p = *line
	})
	data, err := put.Append(nil, &[]int{1000, 1001, 999}, put.Func[[]int](func(b *put.Builder, lines *[]int) {
		put.Slice(b, *lines, delta)
	}))
	fmt.Printf("%x %v\n", data, err)
	// Output:
	// 04d00f0203 <nil>
}

// A variable is put as its distance from the binder that binds it.
func ExampleScope() {
	depth := state.NewScope[int]("depth") // at package level in a program
	variable := func(b *put.Builder, binder int) { b.Int(depth.Of(b) - binder) }

	var b put.Builder
	depth.With(&b, 1, func() { // λ
		variable(&b, 1)
		depth.With(&b, 2, func() { // λ
			variable(&b, 1)
			variable(&b, 2)
		})
	})
	data, err := b.Done()
	fmt.Printf("%x %v\n", data, err)
	// Output:
	// 000200 <nil>
}

// The caller of a run gives what the codecs need.
func ExampleEnv() {
	files := state.NewEnv[[]string]("files") // at package level in a program
	var r get.Reader
	r.Reset([]byte{1}, &get.Options{Env: []state.Binding{files.Bind([]string{"a.go", "b.go"})}})
	fmt.Println(files.Of(&r)[r.Uint8()])

	r.Reset(nil, nil)
	files.Of(&r)
	fmt.Println(r.Err())
	// Output:
	// b.go
	// putget: not found: the codec needs the environment key "files"; bind a value to it in the options of the run (offset 0)
}
