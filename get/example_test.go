package get_test

import (
	"fmt"

	"github.com/putget/putget/get"
)

type Point struct{ X, Y int }

type pointCodec struct{}

func (pointCodec) Get(r *get.Reader, p *Point) { p.X = r.Int(); p.Y = r.Int() }

func ExampleValue() {
	p, err := get.Value([]byte{6, 7}, pointCodec{})
	fmt.Println(p, err)
	p, err = get.Value([]byte{6}, pointCodec{})
	fmt.Println(p, err)
	// Output:
	// {3 -4} <nil>
	// {0 0} putget: truncated: Varint needs 1 bytes, the unit has 0 left (offset 1)
}

// What needs finished neighbours waits for them: a map keyed by what pointers
// lead to.
func ExampleReader_Later() {
	var byPoint map[Point]string
	names := get.Func[map[Point]string](func(r *get.Reader, m *map[Point]string) {
		p := get.Ptr(r, pointCodec{}) // not to be looked into yet
		name := r.String()
		r.Later(0, func() error {
			*m = map[Point]string{*p: name}
			return nil
		})
	})

	var r get.Reader
	r.Reset([]byte{1, 6, 7, 1, 'A'}, nil)
	names.Get(&r, &byPoint)
	fmt.Println(byPoint)
	fmt.Println(r.Done(), byPoint)
	// Output:
	// map[]
	// <nil> map[{3 -4}:A]
}

// VectorInto gets vectors through one buffer.
func ExampleVectorInto() {
	var r get.Reader
	r.Reset([]byte{3, 1, 0, 2, 0, 2, 9, 0}, nil)
	var buf []int16
	for range 2 {
		buf = get.VectorInto(&r, buf)
		fmt.Println(buf)
	}
	fmt.Println(r.Done())
	// Output:
	// [1 2]
	// [9]
	// <nil>
}
