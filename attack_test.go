package putget_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/putget/putget"
	"github.com/putget/putget/derive"
	"github.com/putget/putget/get"
	"github.com/putget/putget/internal/testdoc"
	"github.com/putget/putget/put"
	"github.com/putget/putget/share"
	"github.com/putget/putget/state"
	"github.com/putget/putget/symtab"
)

// What follows was found by attacking the packages, mostly with documents that
// no writer makes.

func uv(v uint64) []byte { return binary.AppendUvarint(nil, v) }

// rawTable is the section of a table with the entries.
func rawTable(name string, entries ...[]byte) rawSection {
	blob := bytes.Join(entries, nil)
	w := 1
	for v := len(blob); v > 0xff; v >>= 8 {
		w++
	}
	var ends []byte
	end := 0
	for _, e := range entries {
		end += len(e)
		ends = binary.LittleEndian.AppendUint64(ends, uint64(end))[:len(ends)+w]
	}
	return rawSection{1, uint64(len(entries)), name, byte(w), append(ends, blob...)}
}

// allocates is how many bytes f allocates, 0 where the race detector does too.
func allocates(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	if raceEnabled {
		return 0
	}
	return after.TotalAlloc - before.TotalAlloc
}

type intCodec struct{}

func (intCodec) Put(b *put.Builder, v *int) { b.Int(*v) }
func (intCodec) Get(r *get.Reader, v *int)  { *v = r.Int() }

// friend knows its base, a value before it, and through a rest that its Get
// wants at once a friend.
type friend struct {
	id           int
	base, friend *friend
}

type (
	friendCodec  struct{}
	friendRef    struct{}
	friendsCodec struct{}
)

var friends *symtab.Built[*friend]

func init() { friends = symtab.NewBuilt[*friend]("attack friends", friendCodec{}) }

func (friendCodec) Put(b *put.Builder, v *friend) {
	b.Int(v.id)
	friends.Put(b, v.base)
	b.Rest(func(b *put.Builder) { friends.Put(b, v.friend) })
}

func (friendCodec) Get(r *get.Reader) *friend {
	v := &friend{id: r.Int(), base: friends.Get(r)}
	r.Rest(0, func(r *get.Reader) { v.friend = friends.Get(r) }).Now(r)
	return v
}

func (friendRef) Put(b *put.Builder, v **friend)      { friends.Put(b, *v) }
func (friendRef) Get(r *get.Reader, v **friend)       { *v = friends.Get(r) }
func (friendsCodec) Put(b *put.Builder, v *[]*friend) { put.Slice(b, *v, friendRef{}) }
func (friendsCodec) Get(r *get.Reader, v *[]*friend)  { *v = get.Slice(r, friendRef{}) }

// Rests wanted at once, in each other, at all depths around that from which on
// values wait: values 0 to n-1 are each the friend of the one before, n+1 has
// n-1 as its base, and n+2 is the last friend.
func TestNowDeep(t *testing.T) {
	for n := 1; n < 20; n++ {
		var all []*friend
		for i := range n + 3 {
			all = append(all, &friend{id: i})
		}
		for i := range n - 1 {
			all[i].friend = all[i+1]
		}
		all[n+1].base = all[n-1]
		all[n-1].friend = all[n+2]
		doc, err := putget.Append(nil, &all, friendsCodec{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := putget.Decode(doc, friendsCodec{}, nil)
		if err != nil {
			t.Fatalf("%d friends: %v", n, err)
		}
		if l := *got; l[n+1].base != l[n-1] || l[n-1].friend != l[n+2] {
			t.Errorf("%d friends: others", n)
		}
	}
}

// Now is false after an error, its own and one before it.
func TestNowAfterError(t *testing.T) {
	errBad := errors.New("bad")
	data := []byte{1, 2} // a rest of one byte
	for _, c := range []struct {
		name          string
		before, inner bool
	}{{"error before", true, false}, {"error in the rest", false, true}} {
		_, err := get.Value(data, get.Func[int](func(r *get.Reader, _ *int) {
			p := r.Rest(0, func(r *get.Reader) {
				if r.Int(); c.inner {
					r.Fail(errBad)
				}
			})
			if c.before {
				r.Fail(errBad)
			}
			if p.Now(r) || p.Now(r) {
				t.Error(c.name, ": Now is true")
			}
		}))
		if !errors.Is(err, errBad) {
			t.Error(c.name, ": ", err)
		}
	}
	_, err := get.Value(data[:1], get.Func[int](func(r *get.Reader, _ *int) {
		if r.Rest(0, func(r *get.Reader) { r.Int() }).Now(r) {
			t.Error("a rest that is cut is decoded")
		}
	}))
	if !known(err) {
		t.Error(err)
	}
}

// abroad refers to a value of the other document.
type abroad struct {
	name string
	ref  *abroad
}

type abroadCodec struct{}

var (
	abroads   *symtab.Built[*abroad]
	elsewhere = state.NewEnv[**putget.Document]("attack elsewhere")
)

func init() { abroads = symtab.NewBuilt[*abroad]("attack abroads", abroadCodec{}) }

func (abroadCodec) Put(b *put.Builder, v *abroad) { panic("unused") }
func (abroadCodec) Get(r *get.Reader) *abroad {
	v := &abroad{name: r.String()}
	if n := r.Uvarint(); n > 0 && r.Err() == nil {
		putget.In(r, *elsewhere.Of(r), func(r *get.Reader) { v.ref, _ = abroads.Load(r, symtab.ID(n-1)) })
	}
	return v
}

// A value of one document refers to one of another, and that to a later one of
// the first: no cycle, whichever is loaded first.
func TestDomainOrder(t *testing.T) {
	domain := putget.NewDomain()
	var a, b *putget.Document
	open := func(other **putget.Document, entries ...string) *putget.Document {
		var list [][]byte
		for _, e := range entries {
			list = append(list, []byte(e))
		}
		d, err := putget.Open(document("", []rawSection{{}, rawTable("attack abroads", list...)}),
			&putget.Options{Domain: domain, Env: []state.Binding{elsewhere.Bind(other)}})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	for _, order := range [][]symtab.ID{{0, 1, 0}, {1, 0}} {
		a = open(&b, "\x02a0\x01", "\x02a1\x00")
		b = open(&a, "\x02b0\x02")
		for _, id := range order {
			v, err := abroads.Load(a, id)
			if err != nil {
				t.Errorf("%v: %v", order, err)
			} else if id == 0 && v.ref.ref.name != "a1" {
				t.Errorf("%v: a0 leads to %v", order, v.ref.ref)
			}
		}
	}
}

type zeros[T any] struct {
	Z    []T
	Next *zeros[T]
}

type unseen struct{ Skipped [8]int }

// Elements of no bytes are paid from one budget a document, not one a unit.
func TestFreePerUnit(t *testing.T) {
	big := derive.Must(derive.For[zeros[unseen]](derive.Skip[unseen]("Skipped"), derive.Table[zeros[unseen]]("attack zeros")))
	small := derive.Must(derive.For[zeros[struct{}]](derive.Table[zeros[struct{}]]("attack zeros")))
	for _, c := range []struct {
		name   string
		n      uint64
		decode func(doc []byte) error
	}{
		{"zeros", 8000, func(doc []byte) error { _, err := putget.Decode(doc, big, nil); return err }},
		{"empties", 500_000, func(doc []byte) error { _, err := putget.Decode(doc, small, nil); return err }},
	} {
		const units = 100
		var entries [][]byte
		for i := range uint64(units) {
			entries = append(entries, append(uv(c.n), uv((i+2)%(units+1))...))
		}
		doc := document("", []rawSection{{data: []byte{0, 1}}, rawTable("attack zeros", entries...)})
		var err error
		n := allocates(func() { err = c.decode(doc) })
		// Elements of some size may as well be said to be missing.
		if !errors.Is(err, putget.ErrLimit) && !errors.Is(err, putget.ErrTruncated) {
			t.Errorf("%s: %v", c.name, err)
		}
		if n > 2<<20 {
			t.Errorf("%s: %d bytes allocate %d", c.name, len(doc), n)
		}
	}
}

// Less than no budget is none.
func TestFreeNone(t *testing.T) {
	o := &putget.Options{Limits: putget.Limits{Free: -1}}
	c := derive.Must(derive.For[[]struct{}]())
	for n := range 3 {
		v := make([]struct{}, n)
		_, errPut := putget.Append(nil, &v, c, o)
		doc, err := putget.Append(nil, &v, c, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, errGet := putget.Decode(doc, c, o)
		if n == 0 && (errPut != nil || errGet != nil) || n > 0 && (!errors.Is(errPut, putget.ErrLimit) || !errors.Is(errGet, putget.ErrLimit)) {
			t.Errorf("%d: put %v, got %v", n, errPut, errGet)
		}
	}
}

type named struct{ Name string }

type (
	namedCodec  struct{}
	namedRef    struct{}
	namedsCodec struct{}
)

var (
	nameds     = symtab.NewTable[named]("attack nameds", namedCodec{})
	namedNames = symtab.NewStrings("attack names")
	namedIndex = symtab.NewIndex(nameds, namedNames, func(s *named) (string, uint8, bool) { return s.Name, 0, true })
)

func (namedCodec) Put(b *put.Builder, s *named)     { namedNames.Put(b, s.Name) }
func (namedCodec) Get(r *get.Reader, s *named)      { s.Name = namedNames.Get(r) }
func (namedRef) Put(b *put.Builder, s **named)      { nameds.Put(b, *s) }
func (namedRef) Get(r *get.Reader, s **named)       { *s = nameds.Get(r) }
func (namedsCodec) Put(b *put.Builder, v *[]*named) { put.Slice(b, *v, namedRef{}) }
func (namedsCodec) Get(r *get.Reader, v *[]*named)  { *v = get.Slice(r, namedRef{}) }

// An index of nothing but one name takes memory in proportion.
func TestIndexSameNames(t *testing.T) {
	size := func(n int) uint64 {
		var v []*named
		for range n {
			v = append(v, &named{"same"})
		}
		doc, err := putget.Append(nil, &v, namedsCodec{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		d, err := putget.Open(doc, nil)
		if err != nil {
			t.Fatal(err)
		}
		k := allocates(func() { err = namedIndex.Verify(d) })
		if err != nil {
			t.Error(err)
		}
		return k
	}
	size(100) // what is made once
	if one, two := size(2000), size(4000); two*2 > one*5 {
		t.Errorf("2000 values allocate %d bytes, 4000 %d", one, two)
	}
}

// A stream whose codec panicked has no proper end.
func TestCloseAfterPanic(t *testing.T) {
	var out bytes.Buffer
	e := putget.NewEncoder(&out, nil)
	func() {
		defer func() { recover() }()
		putget.EncodeTo(e, new(int), put.Func[int](func(b *put.Builder, v *int) {
			for range 3 {
				b.Bytes(make([]byte, 60000))
			}
			panic("codec")
		}))
	}()
	if err := e.Close(); err == nil {
		t.Error("Close reports nothing")
	}
	if err := putget.EncodeTo(e, &aRecord, recordCodec{}); err == nil {
		t.Error("the encoder goes on")
	}
	_, err := putget.DecodeFrom(putget.NewDecoder(&out, nil), get.Func[int](func(r *get.Reader, v *int) {
		for range 3 {
			r.Bytes()
		}
	}))
	if !errors.Is(err, putget.ErrTruncated) {
		t.Error(err)
	}
}

// Empty maps take no memory for keys and values that they do not have.
func TestEmptyMaps(t *testing.T) {
	type large = [4096]byte
	const n = 1000
	derived := uv(n + 1)
	byHand := uv(n + 1)
	for range n {
		derived = append(derived, 1, 0)
		byHand = append(byHand, 1)
	}
	c := derive.Must(derive.For[[]map[large]large]())
	raw := get.Func[large](func(r *get.Reader, v *large) { copy(v[:], r.View(len(v))) })
	for _, k := range []struct {
		name string
		data []byte
		c    get.Codec[[]map[large]large]
	}{
		{"derive", derived, c},
		{"get.Map", byHand, get.Func[[]map[large]large](func(r *get.Reader, v *[]map[large]large) {
			*v = get.Slice(r, get.Func[map[large]large](func(r *get.Reader, m *map[large]large) { *m = get.Map(r, raw, raw) }))
		})},
	} {
		var v []map[large]large
		var err error
		size := allocates(func() { v, err = get.Value(k.data, k.c) })
		if err != nil || len(v) != n || v[n-1] == nil {
			t.Errorf("%s: %d maps, %v", k.name, len(v), err)
		}
		if size > 1<<20 {
			t.Errorf("%s: %d empty maps take %d bytes", k.name, n, size)
		}
	}
}

// Memory of a slab does not wrap around: n elements of 96 bytes are 1<<32 + 32.
func TestWrap32(t *testing.T) {
	if unsafe.Sizeof(int(0)) == 8 || testing.Short() {
		t.Skip("for 32 bits, and takes 50 MB")
	}
	type eight struct{ A, B, C, D, E, F, G, H []string }
	type lists struct{ L [][]eight }
	c := derive.Must(derive.For[lists](derive.Sparse[eight]()))
	const n = 44_739_243
	data := append(make([]byte, 0, n+100), 4, 2, 0, 2, 0) // three slices; the second leaves one of a slab of two free
	data = append(data, uv(n+1)...)
	data = append(data, make([]byte, 1000)...)                 // elements of zeros
	data = append(data, bytes.Repeat([]byte{1, 1}, 20_000)...) // and some that write
	data = data[:cap(data)]
	before := testdoc.Sum64(0, data)
	if _, err := get.Value(data, c); !known(err) {
		t.Error(err)
	}
	if testdoc.Sum64(0, data) != before {
		t.Error("the input was overwritten")
	}
}

// backwards is a codec of strings with an order that strings do not have.
type backwards struct{}

func (backwards) Put(b *put.Builder, s *string) { b.String(*s) }
func (backwards) Get(r *get.Reader, s *string)  { *s = r.String() }
func (backwards) Compare(x, y *string) int      { return strings.Compare(*y, *x) }

// The natural order of keys wins over a Compare, on both sides.
func TestMapNaturalOrder(t *testing.T) {
	m := map[string]int{"a": 1, "b": 2, "c": 3}
	data, err := put.Append(nil, &m, put.Func[map[string]int](func(b *put.Builder, m *map[string]int) { put.Map(b, *m, backwards{}, intCodec{}) }))
	if err != nil {
		t.Fatal(err)
	}
	got, err := get.Value(data, get.Func[map[string]int](func(r *get.Reader, m *map[string]int) { *m = get.Map(r, backwards{}, intCodec{}) }))
	if err != nil || fmt.Sprint(got) != fmt.Sprint(m) || data[1] != 1 || data[2] != 'a' {
		t.Errorf("%x: %v, %v", data, got, err)
	}
}

// ring is a node with a map whose keys are nodes, in a circle.
type ring struct{ M map[*ring]int }

type (
	ringCodec struct{}
	ringRef   struct{}
)

var rings = share.New[ring]("attack rings", ringCodec{})

func (ringCodec) Put(b *put.Builder, n *ring) { put.Map(b, n.M, ringRef{}, intCodec{}) }
func (ringCodec) Get(r *get.Reader, n *ring)  { n.M = get.Map(r, ringRef{}, intCodec{}) }
func (ringRef) Put(b *put.Builder, n **ring)  { rings.Put(b, *n) }
func (ringRef) Get(r *get.Reader, n **ring)   { *n = rings.Get(r) }

// Keys that lead to the map that they are keys of cannot be ordered by their bytes.
func TestMapKeyCycle(t *testing.T) {
	for _, size := range []int{1, 2, 20} {
		n := &ring{map[*ring]int{}}
		n.M[n] = 1
		for i := 1; i < size; i++ {
			n.M[&ring{n.M}] = i
		}
		_, err := put.Append(nil, &n, ringRef{})
		if !errors.Is(err, putget.ErrValue) || !strings.Contains(err.Error(), "Compare") {
			t.Errorf("%d keys, bare: %v", size, err)
		}
		if _, err := putget.Append(nil, &n, ringRef{}, nil); !errors.Is(err, putget.ErrValue) {
			t.Errorf("%d keys: %v", size, err)
		}
	}
}

// An owned value inside an owned one, eight bytes from its start: in one
// granule of the memory, or not.
func TestOwnInner(t *testing.T) {
	type B struct{ Y int64 }
	type A struct {
		X int64
		B B
	}
	type R struct {
		A *A
		B *B
	}
	c := derive.Must(derive.For[R](derive.Own[A](), derive.Own[B]()))
	var keep []*A
	for i := range 100 {
		a := &A{int64(i), B{int64(-i)}}
		keep = append(keep, a)
		doc, err := putget.Append(nil, &R{a, &a.B}, c, nil)
		if err != nil {
			t.Fatal(i, err)
		}
		got, err := putget.Decode(doc, c, nil)
		if err != nil || *got.A != *a || *got.B != a.B {
			t.Fatal(i, err)
		}
	}
	runtime.KeepAlive(keep)
}
