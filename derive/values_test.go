package derive_test

import (
	"bytes"
	"math"
	"math/bits"
	"testing"

	"github.com/putget/putget"
	"github.com/putget/putget/get"
	"github.com/putget/putget/graphtest"
)

type number32 float32
type text string
type octets []byte

// numbers has every kind of number, alone, in a slice, in an array.
type numbers struct {
	B    bool
	I8   int8
	I16  int16
	I32  int32
	I64  int64
	I    int
	U8   uint8
	U16  uint16
	U32  uint32
	U64  uint64
	U    uint
	Up   uintptr
	F32  float32
	F64  float64
	C64  complex64
	C128 complex128
	S    text

	Bs    []bool
	I8s   []int8
	I16s  []int16
	I32s  []int32
	I64s  []int64
	Is    []int
	U8s   octets
	U16s  []uint16
	U32s  []uint32
	U64s  []uint64
	Us    []uint
	Ups   []uintptr
	F32s  []number32
	F64s  []float64
	C64s  []complex64
	C128s []complex128
	Ss    []text

	A8  [5]byte
	A0  [0]int
	AB  [3]bool
	AI  [2]int8
	A16 [3]int16
	AA  [2][2]float64
}

func nan32(bits uint32) float32 { return math.Float32frombits(bits) }
func nan64(bits uint64) float64 { return math.Float64frombits(bits) }

func TestNumbers(t *testing.T) {
	c := codecFor[numbers](t)
	zero := math.Copysign(0, -1)
	for _, v := range []*numbers{
		{},
		{true, math.MaxInt8, math.MaxInt16, math.MaxInt32, math.MaxInt64, math.MaxInt, math.MaxUint8, math.MaxUint16, math.MaxUint32, math.MaxUint64, math.MaxUint,
			math.MaxUint >> 1, nan32(0x7fa00001), nan64(0x7ff0000000000001), complex(nan32(0xffc00002), float32(zero)), complex(zero, nan64(0xfff8000000000003)), "\xff\x00é",
			[]bool{true, false}, []int8{-128, 127}, []int16{math.MinInt16, 0x1234}, []int32{math.MinInt32, 0x12345678}, []int64{math.MinInt64, 0x123456789abcdef0},
			[]int{math.MinInt, math.MaxInt}, octets{0, 255}, []uint16{0xfffe, 1}, []uint32{0xfffffffe, 1}, []uint64{math.MaxUint64 - 1, 1}, []uint{math.MaxUint, 1},
			[]uintptr{1}, []number32{number32(nan32(0x7f800001)), number32(zero), 1.5}, []float64{nan64(0x7ff8dead00000000), zero, math.Inf(-1)},
			[]complex64{complex(1, 2), complex(nan32(0x7fa00001), 3)}, []complex128{complex(1, 2), complex(zero, zero)}, []text{"", "a", "\xf0\x28"},
			[5]byte{1, 2, 3, 4, 255}, [0]int{}, [3]bool{true, false, true}, [2]int8{-1, 1}, [3]int16{-300, 0, 300}, [2][2]float64{{1, 2}, {3, zero}}},
		{I8: math.MinInt8, I16: math.MinInt16, I32: math.MinInt32, I64: math.MinInt64, I: math.MinInt,
			Bs: []bool{}, I8s: []int8{}, I16s: []int16{}, I32s: []int32{}, I64s: []int64{}, Is: []int{}, U8s: octets{}, U16s: []uint16{}, F64s: []float64{}, C64s: []complex64{}, Ss: []text{}},
	} {
		roundTrip(t, false, c, v)
	}
}

// The bytes do not depend on the machine. They are also what a codec by hand
// would write with the functions of package put.
func TestNumberBytes(t *testing.T) {
	type record struct {
		A int16
		B []int16
		C []float32
		D []complex64
		E []int
		F [3]byte
		G uint64
		H octets
	}
	got := bare(t, codecFor[record](t), &record{-2, []int16{1, -2}, []float32{1}, []complex64{complex(1, 2)}, []int{-1, 64}, [3]byte{1, 2, 3}, 300, octets{9}})
	want := []byte{3, 3, 1, 0, 0xfe, 0xff, 2, 0, 0, 0x80, 0x3f, 2, 0, 0, 0x80, 0x3f, 0, 0, 0, 0x40, 3, 1, 0x80, 1, 1, 2, 3, 0xac, 2, 2, 9}
	if !bytes.Equal(got, want) {
		t.Errorf("got  % x\nwant % x", got, want)
	}
}

func TestOverflow(t *testing.T) {
	_, err := get.Value([]byte{0x80, 0x80, 8}, codecFor[overflowing](t))
	wantError(t, err, putget.ErrCorrupt, "65536", "int16", ".X")
	_, err = get.Value([]byte{0xff, 0xff, 0xff, 0xff, 0x10}, codecFor[uint32](t))
	wantError(t, err, putget.ErrCorrupt, "uint32")
	data := bare(t, codecFor[int64](t), new(int64(math.MinInt32-1)))
	v, err := get.Value(data, codecFor[int](t))
	if bits.UintSize == 32 {
		wantError(t, err, putget.ErrCorrupt, "int")
	} else if err != nil || int64(v) != math.MinInt32-1 {
		t.Error(v, err)
	}
}

type overflowing struct{ X [1]int16 }

// Nil and empty, pointers to zeros, nil in slices: all stay what they are.
func TestNil(t *testing.T) {
	type record struct {
		S  []string
		P  *int
		PP **int
		M  map[string][]int
		L  []*int
		LL [][]byte
	}
	c := codecFor[record](t)
	var none *int
	for _, v := range []*record{
		{}, {S: []string{}, P: new(int), PP: &none, M: map[string][]int{}, L: []*int{}, LL: [][]byte{}},
		{M: map[string][]int{"nil": nil, "empty": {}}, L: []*int{nil, new(int), nil}, LL: [][]byte{nil, {}, {0}}},
	} {
		roundTrip(t, false, c, v)
	}
}

func TestMaps(t *testing.T) {
	type key struct {
		A int8
		B string
		C [2]float32
	}
	type record struct {
		S  map[string]int
		I  map[int]string
		U  map[uint8]bool
		B  map[bool]int
		F  map[float64]string
		F3 map[float32]int
		C  map[complex128]int
		A  map[[2]string]int
		K  map[key]*node
		E  map[struct{}]int
		N  map[string]struct{}
		MM map[string]map[int]map[int]int
		P  map[*node]string
		X  map[any]int
		L  map[int][]string
		PM *map[string]int
	}
	n := ring(3)
	nan := math.NaN()
	shared := map[string]int{"shared": 1}
	v := &record{
		S: map[string]int{"b": 1, "a": 2, "": 3, "\xff": 4}, I: map[int]string{-5: "a", 0: "b", math.MaxInt: "c", math.MinInt: "d"},
		U: map[uint8]bool{255: true, 0: false}, B: map[bool]int{true: 1, false: 0},
		F:  map[float64]string{nan: "x", 1: "one", math.Inf(-1): "inf", nan64(0xfff8000000000009): "negative", -1: "minus"},
		F3: map[float32]int{nan32(0x7fa00001): 1, 2: 2}, C: map[complex128]int{complex(1, nan): 1, 2i: 2, 1: 3},
		A: map[[2]string]int{{"a", "b"}: 1, {"a", ""}: 2}, K: map[key]*node{{1, "x", [2]float32{1, 2}}: n, {-1, "x", [2]float32{}}: n.Next, {1, "x", [2]float32{1, float32(nan)}}: nil},
		E: map[struct{}]int{{}: 5}, N: map[string]struct{}{"a": {}, "b": {}}, MM: map[string]map[int]map[int]int{"a": nil, "b": {}, "c": {1: {2: 3}}},
		P: map[*node]string{n: "n", n.Next: "next", nil: "nil", {ID: 9}: "nine", {ID: 8}: "eight"},
		X: map[any]int{n: 1, 5: 2, "five": 3, nil: 4, true: 5, circle{1}: 6, circle{2}: 7, (*node)(nil): 8, &node{ID: 70}: 9, 1.5: 10},
		L: map[int][]string{1: nil, 2: {}, 3: {"x"}}, PM: &shared,
	}
	// Two NaNs of the same bits: their values decide.
	v.F[nan], v.F[nan] = "second", "third"
	c := codecFor[record](t, unionOfKeys)
	first := roundTrip(t, false, c, v)
	want := bare(t, c, v)
	for range 20 {
		if !bytes.Equal(want, bare(t, c, v)) || !bytes.Equal(want, bare(t, c, first)) {
			t.Fatal("the bytes of maps change")
		}
	}
}

func TestMapIdentity(t *testing.T) {
	type named map[string]any
	type record struct {
		A, B map[string]any
		C    named
		P    *map[string]any
		L    []map[string]any
		Any  any
	}
	m := map[string]any{"x": 1}
	m["self"] = m
	m["list"] = []any{m, named(m)}
	c := codecFor[record](t, unionOfMaps[named]())
	got := roundTrip(t, false, c, &record{m, m, m, &m, []map[string]any{m, {}}, m})
	got.A["new"] = 5
	if got.B["new"] != 5 || got.C["new"] != 5 || (*got.P)["new"] != 5 || got.L[0]["new"] != 5 || got.Any.(map[string]any)["new"] != 5 {
		t.Error("one map became several")
	}

	// Deep maps are deferred, keys and all.
	type deep map[*node]deepMap
	var d deepMap
	for i := range 100_000 {
		d = deepMap{{ID: i}: d}
	}
	cd := codecFor[deepMap](t)
	data := bare(t, cd, &d)
	back, err := get.Value(data, cd)
	if err != nil {
		t.Fatal(err)
	}
	if diff := graphtest.Diff(d, back); diff != "" {
		t.Error(diff)
	}
	_ = deep(nil)
}

type deepMap map[*node]deepMap

// A key that leads back to its map is whole before it is inserted.
func TestKeyLeadsToMap(t *testing.T) {
	k := &mapKey{Name: "k"}
	k.M = map[*mapKey]mapKey{k: {Name: "v"}, {Name: "l"}: *k}
	roundTrip(t, false, codecFor[*mapKey](t), &k)
}

type mapKey struct {
	Name string
	M    map[*mapKey]mapKey
}

// Keys that only far away differ are ordered, and keys that never do are kept.
func TestLikeKeys(t *testing.T) {
	chain := func(n, end int) *node {
		x := &node{ID: end}
		for range n {
			x = &node{Next: x}
		}
		return x
	}
	c := codecFor[map[*node]int](t)
	m := map[*node]int{}
	for i := range 20 {
		m[chain(300, i)] = i
	}
	roundTrip(t, false, c, &m)
	m = map[*node]int{{}: 1, {}: 2, {}: 2, ring(30): 3, ring(30): 4}
	roundTrip(t, false, c, &m)

	// All in one ring: each key leads to all others.
	m = map[*node]int{}
	n := ring(400)
	for x := n; m[x] == 0; x = x.Next {
		m[x] = x.ID + 1
	}
	roundTrip(t, false, c, &m)
}

func TestHostileMaps(t *testing.T) {
	cs := codecFor[map[string]int](t)
	for _, data := range [][]byte{
		{1, 2, 1, 'b', 0, 1, 'a', 0}, // out of order
		{1, 2, 1, 'a', 0, 1, 'a', 0}, // twice
		{3}, {4, 0},                  // back to nothing
	} {
		_, err := get.Value(data, cs)
		wantError(t, err, putget.ErrCorrupt)
	}
	_, err := get.Value([]byte{1, 2, 0, 0, 0, 0}, codecFor[map[*node]int](t))
	wantError(t, err, putget.ErrCorrupt, "doubled")
	_, err = get.Value(append(append([]byte{1, 2}, 0, 0, 0, 0, 0, 0, 0, 0x80, 0), 0, 0, 0, 0, 0, 0, 0, 0, 0), codecFor[map[float64]int](t)) // -0 and 0
	wantError(t, err, putget.ErrCorrupt)
	_, err = get.Value([]byte{1, 0xff, 0xff, 0xff, 0xff, 0x0f, 0}, cs)
	wantError(t, err, putget.ErrTruncated)
}

// Pointers into things come back as pointers to copies, at least.
func TestInterior(t *testing.T) {
	type inner struct{ X, Y int }
	type outer struct {
		In inner
		Z  int
	}
	type before struct {
		I *inner
		O *outer
		L []inner
		E *inner
		A *[2]int
		B *int
		S []int
		H []int
	}
	o := &outer{inner{1, 2}, 3}
	array := [2]int{7, 8}
	list := []inner{{1, 1}, {2, 2}}
	six := []int{1, 2, 3, 4, 5, 6}
	v := &before{&o.In, o, list, &list[1], &array, &array[0], six[:3], six[2:4:5]}
	for _, f := range forms {
		got, _, _, err := pass(f, codecFor[before](t), v)
		if err != nil {
			t.Fatal(err)
		}
		if *got.I != o.In || *got.O != *o || *got.E != list[1] || *got.A != array || *got.B != 7 || len(got.S) != 3 || got.H[1] != 4 {
			t.Errorf("%s: %+v", f.name, got)
		}
		if cap(got.S) != 3 || cap(got.H) != 2 || cap(got.L) != 2 {
			t.Errorf("%s: hidden capacity came back", f.name)
		}
	}
	type after struct {
		O *outer
		I *inner
	}
	got := after{}
	if data := bare(t, codecFor[after](t), &after{o, &o.In}); len(data) == 0 {
		t.Fatal()
	} else if got, err := get.Value(data, codecFor[after](t)); err != nil || *got.O != *o || *got.I != o.In {
		t.Error(got, err)
	}
	_ = got
}

// Values without size have no identity; what is empty stays empty.
func TestNoSize(t *testing.T) {
	type record struct {
		A, B *struct{}
		C    *[0]int
		D    *[0]*node
		E    []struct{}
		F    []struct{}
		G    []int64
		H    []*struct{}
		I    map[struct{}]struct{}
	}
	c := codecFor[record](t)
	roundTrip(t, false, c, &record{new(struct{}), new(struct{}), new([0]int), new([0]*node), make([]struct{}, 0), make([]struct{}, 1000), []int64{}, []*struct{}{{}, nil}, map[struct{}]struct{}{{}: {}}})
	wantError(t, putError(c, &record{E: make([]struct{}, 1<<20)}), putget.ErrLimit)
	_, err := get.Value([]byte{0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0, 0}, c)
	wantError(t, err, putget.ErrLimit)
}

// A value that leads back to the root comes back as such.
func TestBackToRoot(t *testing.T) {
	n := &node{ID: 1}
	n.Next, n.Prev = n, &node{Prev: n}
	got := roundTrip(t, false, codecFor[node](t), n)
	if got.Next != got || got.Prev.Prev != got {
		t.Error("the root has been doubled")
	}
	got = roundTrip(t, false, codecFor[node](t), ring(40))
	if got.Prev.Next != got {
		t.Error("the root has been doubled")
	}
}
