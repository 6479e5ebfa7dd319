package derive_test

import (
	"encoding"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/putget/putget"
	"github.com/putget/putget/derive"
	"github.com/putget/putget/get"
	"github.com/putget/putget/put"
	"github.com/putget/putget/state"
	"github.com/putget/putget/symtab"
)

type (
	withFunc struct {
		List []struct{ M map[string]func() }
	}
	withChan    struct{ P **chan int }
	withPointer struct{ Array [2]unsafe.Pointer }
	withLock    struct{ Mu sync.Mutex }
	withShape   struct{ S shape }
	withAnyKey  struct{ M map[any]int }
	hiddenKey   struct{ A, b int }
	stamped     struct {
		time.Time
		Name string
	}
	dated struct{ time.Time }
	vague struct{ encoding.BinaryMarshaler }
	wide  struct {
		A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q, R, S, T, U, V, W, X, Y, Z, A1, B1, C1, D1, E1, F1,
		G1, H1, I1, J1, K1, L1, M1, N1, O1, P1, Q1, R1, S1, T1, U1, V1, W1, X1, Y1, Z1, A2, B2, C2, D2, E2, F2, G2, H2, I2, J2, K2, L2, M2 bool
	}
)

func (vague) UnmarshalBinary([]byte) error { return nil }

func buildError[T any](policies ...derive.Policy) error {
	_, err := derive.For[T](policies...)
	return err
}

// What cannot be done is said at once: where it is, and the ways out.
func TestConstruction(t *testing.T) {
	skip, use, union := "derive.Skip", "derive.Use", "derive.Union"
	for _, c := range []struct {
		name string
		err  error
		says []string
	}{
		{"func", buildError[withFunc](), []string{"derive_test.withFunc.List[].M[]: func() cannot", skip, use}},
		{"func itself", buildError[func()](), []string{"func() cannot"}},
		{"chan", buildError[withChan](), []string{"derive_test.withChan.P**: chan int cannot", skip, use}},
		{"unsafe.Pointer", buildError[withPointer](), []string{"withPointer.Array[]: unsafe.Pointer cannot", skip, use}},
		{"no exported field", buildError[withLock](), []string{"withLock.Mu: sync.Mutex has no exported field", skip, use}},
		{"interface", buildError[withShape](), []string{"withShape.S: derive_test.shape is an interface", union, use, skip}},
		{"any", buildError[any](), []string{"interface {} is an interface", union}},
		{"error in a union's member", buildError[shape](derive.Union[shape](badShape{})), []string{"derive_test.shape.(derive_test.badShape).F: func()"}},
		{"union's member is nil", buildError[shape](derive.Union[shape](circle{}, nil)), []string{"member 1", "derive_test.shape"}},
		{"union's member twice", buildError[shape](derive.Union[shape](circle{}, circle{})), []string{"derive_test.circle is named twice"}},
		{"union of no interface", buildError[int](derive.Union(5)), []string{"int is none"}},
		{"table out of reach", buildError[int](derive.Table[node]("nodes")), []string{"derive_test.node", "does not lead"}},
		{"table without pointers", buildError[[]circle](derive.Table[circle]("circles")), []string{"derive_test.circle has the policy Table", "by a pointer"}},
		{"own of a pointer", buildError[pair](derive.Own[*node]()), []string{"Own is for the type pointed to: write Own[derive_test.node]"}},
		{"share of a pointer", buildError[pair](derive.Share[*node]()), []string{"write Share[derive_test.node]"}},
		{"inline of a pointer", buildError[pair](derive.Inline[*node]()), []string{"write Inline[derive_test.node]"}},
		{"table of a pointer", buildError[pair](derive.Table[*node]("nodes")), []string{"write Table[derive_test.node]"}},
		{"union of nothing", buildError[shape](derive.Union[shape]()), []string{"derive_test.shape has no members"}},
		{"use of nil", buildError[node](derive.Use[int]("x", nil)), []string{`Use "x"`, "int is nil"}},
		{"use of nil for a field", buildError[node](derive.UseField[node, int]("ID", "x", nil)), []string{`UseField "x"`, "node.ID is nil"}},
		{"table of nothing", buildError[*struct{}](derive.Table[struct{}]("none")), []string{`Table "none"`, "no size"}},
		{"enum twice", buildError[token](derive.Enum[token](1, 2, 1)), []string{"the value 1 of the enum derive_test.token", "twice"}},
		{"enum negative", buildError[token](derive.Enum[token](-1)), []string{"-1"}},
		{"sparse int", buildError[int](derive.Sparse[int]()), []string{"int is none"}},
		{"sparse and wide", buildError[wide](derive.Sparse[wide]()), []string{"derive_test.wide", "64"}},
		{"skip nothing", buildError[node](derive.Skip[node]("Nixt")), []string{"derive_test.node has no field Nixt"}},
		{"skip of no struct", buildError[int](derive.Skip[int]("A")), []string{"int is not a struct"}},
		{"skip promoted", buildError[struct{ node }](derive.Skip[struct{ node }]("Next")), []string{"no field Next of its own"}},
		{"use for a field of another type", buildError[node](derive.UseField[node]("Next", "x", hexCodec{})), []string{"node.Next is of type *derive_test.node", "int"}},
		{"text of no string", buildError[node](derive.Text[node]("ID", nil)), []string{"Text: derive_test.node.ID", "not a string"}},
		{"text of nothing", buildError[node](derive.Text[node]("Id", nil)), []string{"no field Id"}},
		{"slices as keys", buildError[withAnyKey](derive.Union[any](0, []int(nil))), []string{"withAnyKey.M[key]", "[]int", "cannot be compared", union}},
		{"slices deep in keys", buildError[map[[1]struct{ A any }]int](derive.Union[any](struct{ B any }{}, []int(nil))), []string{"cannot be compared"}},
		{"key with a hidden field", buildError[map[hiddenKey]int](), []string{"derive_test.hiddenKey", "field b", use}},
		{"key with a skipped field", buildError[map[node]int](derive.Skip[node]("ID")), []string{"derive_test.node", "field ID"}},
		{"promoted MarshalBinary", buildError[stamped](), []string{"derive_test.stamped", "embedded field Time", use}},
		{"promoted from an interface", buildError[vague](), []string{"derive_test.vague", "BinaryMarshaler"}},
	} {
		t.Run(c.name, func(t *testing.T) { wantError(t, c.err, nil, append(c.says, "derive: ")...) })
	}
}

type badShape struct{ F func() }

func (badShape) area() int { return 0 }

// Policies for types that are not reached are no error: lists of policies serve
// several codecs.
func TestUnused(t *testing.T) {
	names := symtab.NewStrings("names")
	last := state.NewLocal[derive.Last]("last")
	c := codecFor[int](t, derive.Own[node](), derive.Share[tree](), derive.Inline[pair](), derive.Intern[name](names), derive.Delta[offset](last),
		derive.Enum[token](1), derive.Sparse[node](), derive.Skip[node]("ID"), derive.Union[shape](circle{}), derive.Use("hex", nodeByID{}))
	five := 5
	roundTrip(t, false, c, &five)
}

// Of two policies for one type the later wins.
func TestLater(t *testing.T) {
	n := &node{}
	v := &pair{n, n}
	for _, c := range []*derive.Codec[pair]{
		codecFor[pair](t, derive.Own[node](), derive.Share[node]()),
		codecFor[pair](t, derive.Table[node]("nodes"), derive.Share[node]()),
	} {
		roundTrip(t, false, c, v)
	}
	wantError(t, putError(codecFor[pair](t, derive.Table[node]("nodes"), derive.Own[node]()), v), putget.ErrValue, "owned")
}

type hidden struct{ A, b int }
type Shown struct{ C int }
type embedding struct {
	*hidden
	Shown
	integer
	d func()
	E *embedding
}
type integer int

// Fields that are not exported are left out, embedded structs are not.
func TestEmbedded(t *testing.T) {
	c := codecFor[embedding](t)
	v := &embedding{&hidden{1, 2}, Shown{3}, 4, func() {}, &embedding{}}
	got, _, _, err := pass(forms[0], c, v)
	if err != nil || *got.hidden != (hidden{1, 0}) || got.C != 3 || got.integer != 0 || got.d != nil || got.E == nil || got.E.hidden != nil {
		t.Errorf("%+v, %v", got, err)
	}
	day := dated{time.Unix(1, 0).UTC()}
	if got, _, _, err := pass(forms[0], codecFor[dated](t), &day); err != nil || !got.Equal(day.Time) {
		t.Error(got, err)
	}
}

type (
	listType  []listType
	mapType   map[string]mapType
	pointType *pointType
	arrayType [2][]arrayType
	mutualA   struct{ B []mutualB }
	mutualB   struct {
		A *mutualA
		M map[int]mutualB
	}
)

// Recursive types end.
func TestRecursiveTypes(t *testing.T) {
	roundTrip(t, false, codecFor[listType](t), &listType{nil, {}, {{}}})
	roundTrip(t, false, codecFor[mapType](t), &mapType{"a": nil, "b": {"c": {}}})
	var p pointType
	p = &p
	roundTrip(t, false, codecFor[pointType](t), &p)
	roundTrip(t, false, codecFor[arrayType](t), &arrayType{nil, {{nil, {}}}})
	roundTrip(t, false, codecFor[mutualA](t), &mutualA{[]mutualB{{nil, map[int]mutualB{1: {&mutualA{}, nil}}}}})
}

func TestPart(t *testing.T) {
	c := codecFor[pair](t)
	p, err := derive.Part[node](c)
	if err != nil {
		t.Fatal(err)
	}
	roundTrip(t, false, p, ring(3))
	if _, err := derive.Part[tree](c); err == nil {
		t.Error("no error for a part that is none")
	}
	defer func() {
		if recover() == nil {
			t.Error("Must did not panic")
		}
	}()
	derive.Must(derive.For[func()]())
}

// The schema changes with the names of fields, the order of unions, the
// policies and what they name, and with nothing else.
func TestSchema(t *testing.T) {
	type a struct {
		X int
		Y []float32
		S shape
	}
	type renamed struct {
		X int
		Z []float32
		S shape
	}
	type narrower struct {
		X int32
		Y []float32
		S shape
	}
	type swapped struct {
		Y []float32
		X int
		S shape
	}
	type same struct {
		X int
		Y []float32
		S shape
		z int
	}
	last, other := state.NewLocal[derive.Last]("last"), state.NewLocal[derive.Last]("other")
	union := derive.Union[shape](circle{}, blob(""))
	want := codecFor[a](t, union).Schema()
	const golden = "derive1:3392b4fe1c5c02b727d0a4cb8b3263c4"
	if want != golden {
		t.Errorf("the schema is %s, was %s: kept files have become unreadable", want, golden)
	}
	if s := codecFor[same](t, union).Schema(); s != want {
		t.Error("the name of a type, or a field that is not put, changes the schema")
	}
	seen := map[string]string{want: "the original"}
	for what, s := range map[string]string{
		"a field's name":        codecFor[renamed](t, union).Schema(),
		"an integer's size":     codecFor[narrower](t, union).Schema(),
		"the order of fields":   codecFor[swapped](t, union).Schema(),
		"the order of a union":  codecFor[a](t, derive.Union[shape](blob(""), circle{})).Schema(),
		"a member more":         codecFor[a](t, derive.Union[shape](circle{}, blob(""), (*square)(nil))).Schema(),
		"a skipped field":       codecFor[a](t, union, derive.Skip[a]("X")).Schema(),
		"Sparse":                codecFor[a](t, union, derive.Sparse[a]()).Schema(),
		"Use":                   codecFor[a](t, union, derive.Use("hex", hexCodec{})).Schema(),
		"Use of another name":   codecFor[a](t, union, derive.Use("hex 2", hexCodec{})).Schema(),
		"UseField":              codecFor[a](t, union, derive.UseField[a]("X", "hex", hexCodec{})).Schema(),
		"Text":                  codecFor[tree](t, derive.Text[tree]("Name", nil)).Schema(),
		"Text with a Local":     codecFor[tree](t, derive.Text[tree]("Name", last)).Schema(),
		"no Text":               codecFor[tree](t).Schema(),
		"Delta":                 codecFor[a](t, union, derive.Delta[int](last)).Schema(),
		"Enum":                  codecFor[a](t, union, derive.Enum(1, 2)).Schema(),
		"Enum in another order": codecFor[a](t, union, derive.Enum(2, 1)).Schema(),
		"Intern":                codecFor[tree](t, derive.Intern[string](symtab.NewStrings("known"))).Schema(),
		"Intern with known":     codecFor[tree](t, derive.Intern[string](symtab.NewStrings("known", "a", "b"))).Schema(),
		"known in other order":  codecFor[tree](t, derive.Intern[string](symtab.NewStrings("known", "b", "a"))).Schema(),
		"known in one":          codecFor[tree](t, derive.Intern[string](symtab.NewStrings("known", "a\" \"b"))).Schema(),
		"Intern of other name":  codecFor[tree](t, derive.Intern[string](symtab.NewStrings("others", "a", "b"))).Schema(),
		"Enum of another size":  codecFor[a](t, union, derive.Enum(1, 2, 3)).Schema(),
		"shared nodes":          codecFor[pair](t).Schema(),
		"owned nodes":           codecFor[pair](t, derive.Own[node]()).Schema(),
		"inline nodes":          codecFor[pair](t, derive.Inline[node]()).Schema(),
		"nodes in a table":      codecFor[pair](t, derive.Table[node]("nodes")).Schema(),
		"nodes in another":      codecFor[pair](t, derive.Table[node]("others")).Schema(),
		"two deltas of a Local": codecFor[struct{ A, B int64 }](t, derive.Delta[int64](last)).Schema(),
		"deltas apart": codecFor[struct {
			A int64
			B offset
		}](t, derive.Delta[int64](last), derive.Delta[offset](other)).Schema(),
		"deltas together": codecFor[struct {
			A int64
			B offset
		}](t, derive.Delta[int64](last), derive.Delta[offset](last)).Schema(),
	} {
		if seen[s] != "" {
			t.Errorf("%s does not change the schema of %s", what, seen[s])
		}
		seen[s] = what
	}
	// A document of one schema is not read by a codec of another.
	data, err := putget.Append(nil, &renamed{}, codecFor[renamed](t, union), &putget.Options{Schema: codecFor[renamed](t, union).Schema()})
	if err != nil {
		t.Fatal(err)
	}
	_, err = putget.Decode(data, codecFor[a](t, union), &putget.Options{Schema: want})
	wantError(t, err, putget.ErrSchema, want)
}

// Codecs are safe for concurrent use.
func TestConcurrent(t *testing.T) {
	c := codecFor[pair](t, derive.Table[node]("nodes"))
	n := ring(20)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 20 {
				if _, _, _, err := pass(forms[0], c, &pair{n, n}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
}

// A codec's failure in the middle leaves no trace.
func TestFailure(t *testing.T) {
	type record struct {
		A *node
		B token
	}
	c := codecFor[record](t, derive.Enum[token](1))
	var b put.Builder
	var want string
	for i := range 5 {
		b.Reset(nil, nil)
		v := &record{ring(5), token(i % 2)}
		c.Put(&b, v)
		data, err := b.Done()
		if (err == nil) != (i%2 == 1) {
			t.Fatal(err)
		}
		if i == 1 {
			want = string(data)
		} else if err == nil && string(data) != want {
			t.Error("a failure changed what came after it")
		}
	}
	var r get.Reader
	for _, data := range []string{want, want[:5], want + "x", want} {
		r.Reset([]byte(data), nil)
		var v record
		c.Get(&r, &v)
		if err := r.Done(); (err == nil) != (data == want) {
			t.Error(err)
		}
	}
	if !strings.Contains(buildError[record](derive.Enum[token](1), derive.Skip[record]("C")).Error(), "C") {
		t.Error("no field named")
	}
}
