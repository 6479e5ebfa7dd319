package put_test

import (
	"fmt"
	"regexp"

	"github.com/putget/putget/get"
	"github.com/putget/putget/put"
)

// Expr is an expression: a tree of owned pointers.
type Expr struct {
	Op   string
	Args []*Expr
}

type exprCodec struct{}

func (exprCodec) Put(b *put.Builder, e *Expr) {
	b.String(e.Op)
	put.Slice(b, e.Args, edge{})
}

func (exprCodec) Get(r *get.Reader, e *Expr) {
	e.Op = r.String()
	e.Args = get.Slice(r, edge{})
}

// edge is the codec of a pointer to an Expr.
type edge struct{}

func (edge) Put(b *put.Builder, e **Expr) { put.Ptr(b, *e, exprCodec{}) }
func (edge) Get(r *get.Reader, e **Expr)  { *e = get.Ptr(r, exprCodec{}) }

// A codec has both directions of a type together, and codecs are made of codecs.
func Example() {
	sum := Expr{"+", []*Expr{{Op: "x"}, {"*", []*Expr{{Op: "2"}, {Op: "y"}}}}}
	data, err := put.Append(nil, &sum, exprCodec{})
	if err != nil {
		fmt.Println(err)
		return
	}
	got, err := get.Value(data, exprCodec{})
	fmt.Println(got.Op, got.Args[1].Op, got.Args[1].Args[1].Op, err)
	// Output:
	// + * y <nil>
}

// One Builder puts many values, in memory that it and the caller keep.
func ExampleBuilder_Reset() {
	var b put.Builder
	var buf []byte
	for _, name := range []string{"one", "three"} {
		b.Reset(buf[:0], nil)
		b.String(name)
		b.Int(len(name))
		var err error
		if buf, err = b.Done(); err != nil {
			fmt.Println(err)
		}
		fmt.Printf("%x\n", buf)
	}
	// Output:
	// 036f6e6506
	// 0574687265650a
}

// Debug marks find the line that does not match.
func ExampleOptions() {
	var b put.Builder
	b.Reset(nil, &put.Options{Marks: true})
	b.String("x")
	b.Uint(1)
	data, _ := b.Done()

	var r get.Reader
	r.Reset(data, &get.Options{Marks: true})
	_ = r.String()
	r.Int()
	fmt.Println(regexp.MustCompile(`\d+`).ReplaceAllString(r.Done().Error(), "N"))
	// Output:
	// putget: put and get do not match: put as Uvarint by example_test.go:N, got as Varint by example_test.go:N (offset N)
}

func ExampleMap() {
	ages := map[string]int{"Bo": 3, "Al": 4}
	text := put.Func[string](func(b *put.Builder, s *string) { b.String(*s) })
	number := put.Func[int](func(b *put.Builder, n *int) { b.Int(*n) })

	var b put.Builder
	put.Map(&b, ages, text, number)
	data, err := b.Done()
	fmt.Printf("%q %v\n", data, err)
	// Output:
	// "\x03\x02Al\b\x02Bo\x06" <nil>
}

func ExampleVector() {
	var b put.Builder
	put.Vector(&b, []int16{1, 2, -1})
	put.VectorBig(&b, []int16{1, 2, -1})
	data, err := b.Done()
	fmt.Printf("%x %v\n", data, err)
	// Output:
	// 0401000200ffff0400010002ffff <nil>
}

// Owned pointers that lead back to themselves are an error, not an endless loop.
func ExamplePtr() {
	loop := &Expr{Op: "loop"}
	loop.Args = []*Expr{loop}
	_, err := put.Append(nil, &loop, edge{})
	fmt.Println(err != nil)
	// Output:
	// true
}
