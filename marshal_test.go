package putget_test

import (
	"bytes"
	"fmt"
	"log"
	"math"
	"math/big"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/putget/putget"
	"github.com/putget/putget/get"
	"github.com/putget/putget/graphtest"
)

type person struct {
	Name    string
	Friends []*person
	Spouse  *person
	Notes   map[string][]byte
	Born    time.Time
	Wealth  *big.Int
	Height  float64
	secret  int
}

func aPerson() *person {
	a := &person{Name: "Ann", Born: time.Unix(0, 5).UTC(), Wealth: big.NewInt(-7), Height: math.Inf(1)}
	b := &person{Name: "Bob", Spouse: a, Friends: []*person{nil, a, a}}
	a.Spouse, a.Friends = b, []*person{a, b}
	a.Notes = map[string][]byte{"nil": nil, "empty": {}, "x": {1}}
	b.Notes = a.Notes
	return a
}

func marshal[T any](t testing.TB, v *T) []byte {
	t.Helper()
	data, err := putget.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestMarshal: what is shared comes back shared, and what leads to the root, to it.
func TestMarshal(t *testing.T) {
	want := aPerson()
	var got person
	if err := putget.Unmarshal(marshal(t, want), &got); err != nil {
		t.Fatal(err)
	}
	if d := graphtest.Diff(want, &got); d != "" {
		t.Error(d)
	}
	if got.Spouse.Spouse != &got || got.Friends[0] != &got {
		t.Error("the root has been doubled")
	}
	if string(marshal(t, want)) != string(marshal(t, &got)) {
		t.Error("other bytes")
	}
	// By a pointer, too.
	var p *person
	if err := putget.Unmarshal(marshal(t, &want), &p); err != nil || !graphtest.Equal(want, p) {
		t.Error(err)
	}
	want = nil
	if err := putget.Unmarshal(marshal(t, &want), &p); err != nil || p != nil {
		t.Error(p, err)
	}
}

// TestUnmarshalReplaces: nothing of what was there stays, unless there is an error.
func TestUnmarshalReplaces(t *testing.T) {
	data := marshal(t, &person{Name: "new"})
	notes := map[string][]byte{"old": {1}}
	v := person{Name: "old", Notes: notes, secret: 5, Friends: make([]*person, 3)}
	for i := range data {
		if err := putget.Unmarshal(data[:i], &v); err == nil {
			t.Fatalf("cut at %d, and no error", i)
		}
	}
	bad := []byte(strings.Replace(string(data), "new", "nee", 1))
	if err := putget.Unmarshal(bad, &v); err == nil || v.Name != "old" || len(v.Friends) != 3 || v.secret != 5 {
		t.Errorf("%v, %+v", err, v)
	}
	if err := putget.Unmarshal(data, &v); err != nil || !cmp.Equal(v, person{Name: "new"}, cmp.AllowUnexported(person{})) || len(notes) != 1 {
		t.Errorf("%v, %+v", err, v)
	}
}

func TestMarshalErrors(t *testing.T) {
	type shape interface{ Area() float64 }
	type drawing struct{ Shapes []shape }
	type other struct{ Nam string }
	_, err := putget.Marshal(&drawing{})
	for _, s := range []string{"putget: value cannot be put: derive: ", "drawing.Shapes[]", "derive.Union", "(Marshal takes no policies: use derive.For with Append and Decode)"} {
		if err == nil || !strings.Contains(err.Error(), s) || !known(err) {
			t.Errorf("%v does not say %q", err, s)
		}
	}
	if err2 := putget.Unmarshal(nil, &drawing{}); err2 == nil || err2.Error() != err.Error() {
		t.Error(err2)
	}
	if _, err := putget.Marshal[person](nil); err == nil || !known(err) {
		t.Error(err)
	}
	if err := putget.Unmarshal[person](nil, nil); err == nil || !known(err) {
		t.Error(err)
	}
	err = putget.Unmarshal(marshal(t, &other{}), &person{})
	wantClass(t, err, putget.ErrSchema)
	wantClass(t, putget.Unmarshal([]byte("no document"), &person{}), putget.ErrCorrupt)
}

// A nil pointer to the value is an error, whatever writes it.
func TestNilValue(t *testing.T) {
	dst := []byte("dst")
	got, err := putget.Append[record](dst, nil, recordCodec{}, nil)
	if string(got) != "dst" {
		t.Errorf("dst became %q", got)
	}
	var out strings.Builder
	_, err2 := putget.Fingerprint[record](nil, recordCodec{}, nil)
	for _, err := range []error{err, err2,
		putget.Encode[record](&out, nil, recordCodec{}, nil),
		putget.EncodeTo[record](putget.NewEncoder(&out, nil), nil, recordCodec{}),
	} {
		wantClass(t, err, putget.ErrValue)
		if err == nil || !strings.Contains(err.Error(), "the pointer to the value is nil") {
			t.Error(err)
		}
	}
	if out.Len() > 0 {
		t.Errorf("%q was written", out.String())
	}
}

// Errors say what to do about it, once.
func TestErrorTexts(t *testing.T) {
	v := &record{}
	folder := t.TempDir()
	_, err := putget.OpenFile(folder, nil)
	wantClass(t, err, putget.ErrCorrupt)
	if want := "putget: corrupt: open " + folder + ": not a regular file (document, offset 0)"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}

	var out bytes.Buffer
	if err := putget.EncodeTo(putget.NewEncoder(&out, nil), v, recordCodec{}); err != nil {
		t.Fatal(err)
	}
	d := putget.NewDecoder(&out, nil)
	for err = error(nil); err == nil; {
		_, err = putget.DecodeFrom(d, recordCodec{})
	}
	wantClass(t, err, putget.ErrTruncated)
	if !strings.Contains(err.Error(), "the input ends here; a stream ends with Encoder.Close") {
		t.Error(err)
	}

	data, err := putget.Append(nil, v, recordCodec{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = putget.Decode(data, getsNothing{}, nil)
	if err == nil || !strings.Contains(err.Error(), "left over after the value; if the bytes are right, a Get does not match its Put: Options.Marks shows where") {
		t.Error(err)
	}
}

type getsNothing struct{}

func (getsNothing) Get(*get.Reader, *record) {}

func wantClass(t *testing.T, err, class error) {
	t.Helper()
	if e, ok := err.(*putget.Error); !ok || e.Class != class {
		t.Errorf("%v is not of class %q", err, class)
	}
}

func TestMarshalConcurrently(t *testing.T) {
	type fresh struct {
		A int
		P *fresh
	}
	v := &fresh{A: 1}
	v.P = v
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			var got fresh
			data, err := putget.Marshal(v)
			if err == nil {
				err = putget.Unmarshal(data, &got)
			}
			if err != nil || got.P != &got {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// A graph of ordinary Go values, with no codec written by hand.
func ExampleMarshal() {
	type City struct {
		Name  string
		Roads []*City
	}
	oslo, bergen := &City{Name: "Oslo"}, &City{Name: "Bergen"}
	oslo.Roads, bergen.Roads = []*City{bergen}, []*City{oslo}

	data, err := putget.Marshal(oslo)
	if err != nil {
		log.Fatal(err)
	}
	var got City
	if err := putget.Unmarshal(data, &got); err != nil {
		log.Fatal(err)
	}
	fmt.Println(got.Name, got.Roads[0].Name, got.Roads[0].Roads[0] == &got)
	// Output: Oslo Bergen true
}
