package derive_test

import (
	"bytes"
	"math/big"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/putget/putget/derive"
	"github.com/putget/putget/graphtest"
	"github.com/putget/putget/state"
	"github.com/putget/putget/symtab"
)

// zoo leads to values of every kind, by pointers of every policy but Table.
type zoo struct {
	Root  *zoo
	Array [2]*vertex
	PP    **vertex
	Odd   *octets
	Word  *word
	Words []*word
	Tree  *leaf
	Trees []*leaf
	Nodes []*vertex
	Tags  []tag
	Any   any
	Shape shape
	List  []any
	Maps  []map[string]any
	Graph map[*vertex]string
	Mixed map[any]*vertex
	Float map[float64]int
	Keys  map[zooKey][]byte
	Time  time.Time
	Big   *big.Int
	None  *struct{}
	Flat  numbers
}

type zooKey struct {
	A int16
	B string
}

type vertex struct {
	ID    int
	Out   []*vertex
	Self  *zoo
	Next  *vertex
	Bag   map[string]*vertex
	Iface any
}

// leaf is owned, and sparse.
type leaf struct {
	Pos   offset
	End   offset
	Name  name
	Kind  token
	Left  *leaf
	More  []*leaf
	Shape shape
	To    *vertex
	Doc   string // a Text
	Yes   bool
}

// word is owned.
type word struct {
	Pos   offset
	Text  string // a Text, and a position's way
	Kind  token
	Yes   bool
	Next  *word
	Shape []shape
	Tag   *tag
}

// tag is inline.
type tag struct{ N int8 }

func zooPolicies() []derive.Policy {
	return []derive.Policy{
		derive.Own[leaf](), derive.Own[word](), derive.Own[square](), derive.Inline[tag](), derive.Sparse[leaf](),
		derive.Delta[offset](zooPos), derive.Text[leaf]("Doc", nil), derive.Text[word]("Text", zooPos),
		derive.Enum[token](0, 1, 300, 7),
		derive.Union[shape]((*square)(nil), circle{}, group(nil), blob(""), (*area)(nil)),
		derive.Union[any]((*vertex)(nil), 0, "", zooKey{}, [1]*vertex{}, true, 1.5),
	}
}

// area is a shape that is shared.
type area struct {
	N    int
	Next shape
}

func (a *area) area() int { return a.N }

var zooPos = state.NewLocal[derive.Last]("zoo.pos")

func zooCodec(t testing.TB) *derive.Codec[zoo] { return codecFor[zoo](t, zooPolicies()...) }

// tabledZoo has tables, for all that may be had again, and a dictionary, too.
func tabledZoo(t testing.TB) *derive.Codec[*zoo] {
	return codecFor[*zoo](t, append(zooPolicies(), derive.Table[vertex]("vertices"), derive.Table[zoo]("zoos"), derive.Table[area]("areas"),
		derive.Intern[name](symtab.NewStrings("names")))...)
}

// A maker makes values of any type of the zoo, as bytes tell it. Where these
// end, values are small, and so the making ends.
type maker struct {
	data     []byte
	made     map[reflect.Type][]reflect.Value // pointers and maps that may be had again
	tabled   bool                             // and of these only what is in a table
	vertices int
	reused   map[reflect.Type]int
}

// newZoo makes a zoo.
func newZoo(data []byte) *zoo { return (&maker{data: data}).zoo() }

// newTabled makes a zoo for tabledZoo.
func newTabled(data []byte) **zoo {
	z := (&maker{data: data, tabled: true}).zoo()
	return &z
}

func (m *maker) zoo() *zoo {
	m.made = map[reflect.Type][]reflect.Value{}
	m.reused = map[reflect.Type]int{}
	z := new(zoo)
	m.made[reflect.TypeFor[*zoo]()] = []reflect.Value{reflect.ValueOf(z)}
	m.fill(reflect.ValueOf(z).Elem(), 0)
	return z
}

func randomBytes(seed uint64, n int) []byte {
	rng := rand.New(rand.NewPCG(seed, 7))
	p := make([]byte, n+rng.IntN(4*n))
	for i := range p {
		p[i] = byte(rng.Uint32())
	}
	return p
}

// next is a number less than n, 0 at the end.
func (m *maker) next(n int) int {
	if len(m.data) == 0 {
		return 0
	}
	x := int(m.data[0]) % n
	m.data = m.data[1:]
	return x
}

// bits is 64 bits of which most are zeros or ones.
func (m *maker) bits() (x uint64) {
	for range m.next(9) {
		x = x<<8 | uint64(m.next(256))
	}
	if m.next(8) == 1 {
		return ^x
	}
	return x
}

// once are the types to which no two pointers lead.
var once = map[reflect.Type]bool{
	reflect.TypeFor[*leaf](): true, reflect.TypeFor[*word](): true, reflect.TypeFor[*square](): true, reflect.TypeFor[*tag](): true,
}

var inTable = map[reflect.Type]bool{
	reflect.TypeFor[*zoo](): true, reflect.TypeFor[*vertex](): true, reflect.TypeFor[*area](): true,
}

// unions are the types that interfaces hold.
var unions = map[reflect.Type][]reflect.Type{
	reflect.TypeFor[any](): {reflect.TypeFor[*vertex](), reflect.TypeFor[int](), reflect.TypeFor[string](), reflect.TypeFor[zooKey](),
		reflect.TypeFor[[1]*vertex](), reflect.TypeFor[bool](), reflect.TypeFor[float64]()},
	reflect.TypeFor[shape](): {reflect.TypeFor[*square](), reflect.TypeFor[circle](), reflect.TypeFor[group](), reflect.TypeFor[blob](), reflect.TypeFor[*area]()},
}

func (m *maker) fill(v reflect.Value, depth int) {
	switch p := v.Addr().Interface().(type) {
	case *token:
		*p = []token{0, 1, 300, 7}[m.next(4)]
		return
	case *time.Time:
		*p = time.Unix(int64(m.bits()>>20), int64(m.next(256))).UTC()
		return
	case *big.Int:
		p.SetUint64(m.bits())
		return
	}
	switch t := v.Type(); t.Kind() {
	case reflect.Bool:
		v.SetBool(m.next(2) == 1)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(m.bits()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		v.SetUint(m.bits())
	case reflect.Float32:
		*(*float32)(v.Addr().UnsafePointer()) = nan32(uint32(m.bits()))
	case reflect.Float64:
		*(*float64)(v.Addr().UnsafePointer()) = nan64(m.bits())
	case reflect.Complex64:
		*(*complex64)(v.Addr().UnsafePointer()) = complex(nan32(uint32(m.bits())), nan32(uint32(m.bits())))
	case reflect.Complex128:
		*(*complex128)(v.Addr().UnsafePointer()) = complex(nan64(m.bits()), nan64(m.bits()))
	case reflect.String:
		v.SetString(string(m.data[:min(m.next(5), len(m.data))]))
	case reflect.Slice:
		if n := m.next(6); n > 0 {
			v.Set(reflect.MakeSlice(t, n-1, n-1))
			for i := range n - 1 {
				m.fill(v.Index(i), depth+1)
			}
		}
	case reflect.Array:
		for i := range t.Len() {
			m.fill(v.Index(i), depth)
		}
	case reflect.Struct:
		n := t.NumField()
		start := m.next(max(n, 1)) // each field is the first at times: the bytes may not last
		for i := range n {
			m.fill(v.Field((start+i)%n), depth)
		}
		if x, ok := v.Addr().Interface().(*vertex); ok { // keys of maps must differ in something
			m.vertices++
			x.ID = m.vertices
		}
	case reflect.Map:
		m.fillMap(v, depth)
	case reflect.Pointer:
		m.fillPointer(v, depth)
	case reflect.Interface:
		types := unions[t]
		if i := m.next(len(types) + 1); i > 0 {
			x := reflect.New(types[i-1]).Elem()
			m.fill(x, depth+1)
			v.Set(x)
		}
	}
}

func (m *maker) again(v reflect.Value) bool {
	have := m.made[v.Type()]
	if len(have) == 0 || once[v.Type()] || m.tabled && !inTable[v.Type()] || m.next(3) != 1 {
		return false
	}
	v.Set(have[m.next(len(have))])
	m.reused[v.Type()]++
	return true
}

func (m *maker) fillPointer(v reflect.Value, depth int) {
	t := v.Type()
	if m.again(v) || m.next(4) == 0 || depth > 60 {
		return
	}
	v.Set(reflect.New(t.Elem()))
	p := reflect.New(t).Elem()
	p.Set(v)
	m.made[t] = append(m.made[t], p)
	m.fill(v.Elem(), depth+1)
}

func (m *maker) fillMap(v reflect.Value, depth int) {
	t := v.Type()
	n := m.next(5)
	if n == 0 || m.again(v) {
		return
	}
	v.Set(reflect.MakeMap(t))
	p := reflect.New(t).Elem()
	p.Set(v)
	m.made[t] = append(m.made[t], p)
	for range n - 1 {
		key, value := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
		m.fill(key, depth+1)
		m.fill(value, depth+1)
		v.SetMapIndex(key, value)
	}
}

// TestZoo: whatever graph comes back as it was, on every way, with the bytes it had.
func TestZoo(t *testing.T) {
	rounds := uint64(120)
	if testing.Short() {
		rounds = 8
	}
	plain, tabled := zooCodec(t), tabledZoo(t)
	for seed := range rounds {
		data := randomBytes(seed, 200)
		roundTrip(t, false, plain, newZoo(data))
		roundTrip(t, true, tabled, newTabled(data))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// The maker makes what the test is for.
func TestMaker(t *testing.T) {
	shared, cyclic, empty, deep := 0, 0, 0, 0
	for seed := range uint64(200) {
		m := &maker{data: randomBytes(seed, 200)}
		z := m.zoo()
		if z.Root == z {
			cyclic++
		}
		if len(m.reused) > 2 {
			shared++
		}
		if z.Trees != nil && len(z.Trees) == 0 {
			empty++
		}
		if z.Tree != nil && z.Tree.Left != nil && z.Tree.Left.Left != nil {
			deep++
		}
		if d := graphtest.Diff(z, newZoo(randomBytes(seed, 200))); d != "" {
			t.Fatal("the same bytes make another zoo: ", d)
		}
	}
	if shared == 0 || cyclic == 0 || empty == 0 || deep == 0 {
		t.Error(shared, cyclic, empty, deep)
	}
}

// FuzzGraph: bytes drive the making of a graph.
func FuzzGraph(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(randomBytes(seed, 200))
	}
	plain, tabled := zooCodec(f), tabledZoo(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		data = data[:min(len(data), 4000)]
		roundTrip(t, false, plain, newZoo(data))
		roundTrip(t, true, tabled, newTabled(data))
	})
}

// FuzzBytes: bytes are an error or a value that encodes and comes back.
func FuzzBytes(f *testing.F) {
	plain := zooCodec(f)
	for seed := range uint64(8) {
		f.Add(bare(f, plain, newZoo(randomBytes(seed, 100))))
	}
	f.Add(bytes.Repeat([]byte{1}, 100))
	f.Fuzz(func(t *testing.T, data []byte) { both(t, plain, data) })
}
