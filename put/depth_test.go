package put_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/putget/putget/get"
	"github.com/putget/putget/internal/wire"
	"github.com/putget/putget/put"
)

// nest is a slice of slices of slices.
type nest []nest

type nestCodec struct{}

func (c nestCodec) Put(b *put.Builder, n *nest) { put.Slice(b, *n, c) }
func (c nestCodec) Get(r *get.Reader, n *nest)  { *n = get.Slice(r, c) }

// nested is a nest of a depth.
func nested(depth int) nest {
	n := nest{}
	for range depth - 1 {
		n = nest{n}
	}
	return n
}

// nestedBytes are the bytes of nested(depth).
func nestedBytes(depth int) []byte { return append(bytes.Repeat([]byte{2}, depth-1), 1) }

// TestDepth nests composites to the limit of depth, and deeper.
func TestDepth(t *testing.T) {
	for _, limits := range []wire.Limits{{}, {Depth: 1}, {Depth: 2}, {Depth: 123}} {
		limit := limits.WithDefaults().Depth
		for _, depth := range []int{1, limit - 1, limit, limit + 1, 100_000} {
			if depth == 0 {
				continue
			}
			var b put.Builder
			b.Reset(nil, &put.Options{Limits: limits})
			n := nested(depth)
			nestCodec{}.Put(&b, &n)
			data, err := b.Done()
			checkLimit(t, fmt.Sprintf("put depth %d of %d", depth, limit), err, depth > limit)
			if err == nil && !bytes.Equal(data, nestedBytes(depth)) {
				t.Errorf("put depth %d: %x", depth, data)
			}

			var r get.Reader
			r.Reset(nestedBytes(depth), &get.Options{Limits: limits})
			var m nest
			nestCodec{}.Get(&r, &m)
			err = r.Done()
			checkLimit(t, fmt.Sprintf("get depth %d of %d", depth, limit), err, depth > limit)
			if err == nil && !sameNest(n, m) {
				t.Errorf("get depth %d: another value", depth)
			}
		}
	}
}

func checkLimit(t *testing.T, what string, err error, exceeded bool) {
	t.Helper()
	var e *wire.Error
	switch {
	case !exceeded && err != nil:
		t.Errorf("%s: error %v", what, err)
	case exceeded && (!errors.Is(err, wire.ErrLimit) || !errors.As(err, &e) || e.Path == ""):
		t.Errorf("%s: error %v, want a limit one with a path", what, err)
	}
}

func sameNest(x, y nest) bool {
	for len(x) == 1 && len(y) == 1 {
		x, y = x[0], y[0]
	}
	return len(x) == 0 && len(y) == 0 && x != nil && y != nil
}

// TestFree puts elements that take no bytes, to the limit and past it.
func TestFree(t *testing.T) {
	for _, limits := range []wire.Limits{{}, {Free: 1}, {Free: 100}} {
		limit := limits.WithDefaults().Free
		for _, n := range []int{limit - 1, limit, limit + 1, 10 * limit} {
			var b put.Builder
			b.Reset(nil, &put.Options{Limits: limits})
			put.Slice(&b, make([]struct{}, n), emptyCodec{})
			_, err := b.Done()
			checkFree(t, fmt.Sprintf("put %d of %d", n, limit), err, n > limit)

			data := encode(t, func(b *put.Builder) { b.Uvarint(uint64(n) + 1) })
			var r get.Reader
			r.Reset(data, &get.Options{Limits: limits})
			s := get.Slice(&r, emptyCodec{})
			err = r.Done()
			checkFree(t, fmt.Sprintf("get %d of %d", n, limit), err, n > limit)
			if err == nil && len(s) != n {
				t.Errorf("got %d elements of %d", len(s), n)
			}

			var got []struct{}
			_, err = stream(t, func(b *put.Builder) { put.Slice(b, make([]struct{}, n), emptyCodec{}) },
				func(r *get.Reader) any { got = get.Slice(r, emptyCodec{}); return nil })
			checkFree(t, fmt.Sprintf("streamed %d of %d", n, wire.DefaultFree), err, n > wire.DefaultFree)
			if err == nil && len(got) != n {
				t.Errorf("streamed %d elements of %d", len(got), n)
			}
		}
	}
}

func checkFree(t *testing.T, what string, err error, exceeded bool) {
	t.Helper()
	if exceeded != errors.Is(err, wire.ErrLimit) || exceeded != (err != nil) {
		t.Errorf("%s: error %v; limit exceeded: %v", what, err, exceeded)
	}
}

// lateCodec puts elements of no bytes first.
type lateCodec struct{}

func (lateCodec) Put(b *put.Builder, v *uint8) {
	if *v > 0 {
		b.Raw(make([]byte, 8))
	}
}

// TestFreeLate has a stream whose elements take no bytes for too long. Neither
// side can know that later ones take many.
func TestFreeLate(t *testing.T) {
	s := make([]uint8, 2*wire.DefaultFree)
	for i := wire.DefaultFree + 1; i < len(s); i++ {
		s[i] = 1
	}
	if _, err := tryEncode(func(b *put.Builder) { put.Slice(b, s, lateCodec{}) }); err != nil {
		t.Errorf("in memory: error %v", err)
	}
	_, err := stream(t, func(b *put.Builder) { put.Slice(b, s, lateCodec{}) }, func(*get.Reader) any { return nil })
	if !errors.Is(err, wire.ErrLimit) {
		t.Errorf("in a stream: error %v, want a limit one on the writer's side", err)
	}
}

// TestLongLists puts and gets long lists with little stack, in a process of its own.
func TestLongLists(t *testing.T) {
	const stack = 256 << 10
	if n := os.Getenv("PUTGET_LIST"); n != "" {
		length, err := strconv.Atoi(n)
		if err != nil {
			t.Fatal(err)
		}
		defer debug.SetMaxStack(debug.SetMaxStack(stack))
		longList(t, length)
		return
	}
	lengths := []int{1_000_000, 10_000_000}
	if testing.Short() {
		lengths = []int{100_000}
	}
	for _, n := range lengths {
		cmd := exec.Command(os.Args[0], "-test.run=^TestLongLists$")
		cmd.Env = append(os.Environ(), "PUTGET_LIST="+strconv.Itoa(n))
		out, err := cmd.CombinedOutput()
		if errors.Is(err, syscall.ENOEXEC) { // under an emulator
			t.Setenv("PUTGET_LIST", "100000")
			longList(t, 100_000)
		} else if err != nil {
			t.Errorf("a list of %d: %v\n%.2000s", n, err, out)
		}
	}
}

func longList(t *testing.T, n int) {
	data := encode(t, func(b *put.Builder) { treePut(b, list(n)) })
	got, err := decode(data, func(r *get.Reader) any { return treeGet(r) })
	if err != nil {
		t.Fatal(err)
	}
	head := got.(*tree)
	for i := n - 1; i >= 0; i-- {
		if head == nil || head.V != i || head.Right != nil {
			t.Fatalf("node %d of %d: %v", n-1-i, n, head)
		}
		head = head.Left
	}
	if head != nil {
		t.Error("the list is too long")
	}
}

// TestDeepTree has branches beyond the inline depth, in a certain order.
func TestDeepTree(t *testing.T) {
	for depth := range 20 {
		n := 0
		root := fullTree(depth, &n)
		data := encode(t, func(b *put.Builder) { treePut(b, root) })
		got, err := decode(data, func(r *get.Reader) any { return treeGet(r) })
		if err != nil {
			t.Fatal(err)
		}
		n = 0
		if !isFullTree(got.(*tree), depth, &n) {
			t.Errorf("depth %d: got another tree", depth)
		}
	}
}

func fullTree(depth int, n *int) *tree {
	if depth == 0 {
		return nil
	}
	t := &tree{V: *n}
	*n++
	t.Left, t.Right = fullTree(depth-1, n), fullTree(depth-1, n)
	return t
}

func isFullTree(t *tree, depth int, n *int) bool {
	if t == nil || depth == 0 {
		return t == nil && depth == 0
	}
	v := *n
	*n++
	return t.V == v && isFullTree(t.Left, depth-1, n) && isFullTree(t.Right, depth-1, n)
}

// TestOwnedCycles puts owned pointers that lead back to themselves.
func TestOwnedCycles(t *testing.T) {
	ring := func(n int, both bool) *tree {
		nodes := make([]tree, n)
		for i := range nodes {
			nodes[i].Left = &nodes[(i+1)%n]
			if both {
				nodes[i].Right = &nodes[(i+n-1)%n]
			}
		}
		return &nodes[0]
	}
	ladder := func(n int) *tree {
		root := ring(n, false)
		for p := root; p.Right == nil; p = p.Left {
			p.Right = p.Left
		}
		return root
	}
	tail := func(n int, to *tree) *tree {
		head := list(n)
		last := head
		for last.Left != nil {
			last = last.Left
		}
		last.Left = to
		return head
	}
	leaves := func(depth int) *tree {
		n := 0
		root := fullTree(depth, &n)
		var toRoot func(t *tree)
		toRoot = func(t *tree) {
			if t.Left == nil {
				t.Left, t.Right = root, root
				return
			}
			toRoot(t.Left)
			toRoot(t.Right)
		}
		toRoot(root)
		return root
	}
	for name, root := range map[string]*tree{
		"itself":                      ring(1, false),
		"itself twice":                ring(1, true),
		"two":                         ring(2, false),
		"two, both ways":              ring(2, true),
		"three, both ways":            ring(3, true),
		"as long as the inline depth": ring(16, false),
		"longer":                      ring(17, false),
		"much longer":                 ring(1000, false),
		"a thousand, both ways":       ring(1000, true),
		"a ladder of three":           ladder(3),
		"a ladder of a hundred":       ladder(100),
		"behind a long list":          tail(1000, ring(100, false)),
		"leaves of a tree":            leaves(4),
		"leaves of a deep tree":       leaves(18),
	} {
		if testing.Short() && name == "leaves of a deep tree" {
			continue // some seconds
		}
		data, err := tryEncode(func(b *put.Builder) { treePut(b, root) })
		var e *wire.Error
		if len(data) > 0 || !errors.Is(err, wire.ErrCycle) || !errors.As(err, &e) || !strings.Contains(err.Error(), "*put_test.tree") {
			t.Errorf("%s: %d bytes, error %v, want a cycle one that names the type", name, len(data), err)
		}
	}
}

type graph map[string]graph

type graphCodec struct{}

func (c graphCodec) Put(b *put.Builder, m *graph) { put.Map(b, *m, stringCodec{}, c) }

// TestCompositeCycles puts a slice and a map that contain themselves.
func TestCompositeCycles(t *testing.T) {
	n := nest{nil}
	n[0] = n
	_, err := tryEncode(func(b *put.Builder) { nestCodec{}.Put(b, &n) })
	checkLimit(t, "s[0] = s", err, true)
	m := graph{}
	m["x"] = m
	_, err = tryEncode(func(b *put.Builder) { graphCodec{}.Put(b, &m) })
	checkLimit(t, "m[x] = m", err, true)
}

// TestOwnedTwice puts one value by two owned pointers, near and far.
func TestOwnedTwice(t *testing.T) {
	leaf := &tree{V: 7}
	root := list(100)
	for p := root; p != nil; p = p.Left {
		p.Right = leaf
	}
	data := encode(t, func(b *put.Builder) { treePut(b, root); treePut(b, leaf) })
	got, err := decode(data, func(r *get.Reader) any { return [2]*tree{treeGet(r), treeGet(r)} })
	if err != nil {
		t.Fatal(err)
	}
	both := got.([2]*tree)
	n := 0
	for p := both[0]; p != nil; p = p.Left {
		if n++; p.Right == nil || p.Right.V != 7 {
			t.Errorf("node %d: %v", n, p.Right)
		}
	}
	if n != 100 || both[1].V != 7 || both[0].Right == both[1] || both[0].Right == both[0].Left.Right {
		t.Errorf("%d nodes; copies of the leaf are not copies", n)
	}
}
