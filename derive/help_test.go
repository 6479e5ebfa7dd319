package derive_test

import (
	"bytes"
	"errors"
	"io"
	"math/big"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/putget/putget"
	"github.com/putget/putget/derive"
	"github.com/putget/putget/get"
	"github.com/putget/putget/graphtest"
	"github.com/putget/putget/internal/testchild"
	"github.com/putget/putget/put"
)

func codecFor[T any](t testing.TB, policies ...derive.Policy) *derive.Codec[T] {
	t.Helper()
	c, err := derive.For[T](policies...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// form is a way for a value to go and come back.
type form struct {
	name   string
	tables bool // there are tables
}

var forms = []form{{"document", true}, {"marked document", true}, {"stream", true}, {"slow document", true}, {"bare", false}, {"marked bare", false}}

// pass sends *v through a form. again is what the value that came back encodes to.
func pass[T any](f form, c *derive.Codec[T], v *T) (got *T, data, again []byte, err error) {
	var codec putget.Codec[T] = c
	o := &putget.Options{Schema: c.Schema()}
	switch f.name {
	case "bare", "marked bare":
		marks := f.name == "marked bare"
		encode := func(v *T) ([]byte, error) {
			var b put.Builder
			b.Reset(nil, &put.Options{Marks: marks})
			c.Put(&b, v)
			return b.Done()
		}
		if data, err = encode(v); err != nil {
			return nil, nil, nil, err
		}
		var r get.Reader
		r.Reset(data, &get.Options{Marks: marks})
		got = new(T)
		c.Get(&r, got)
		if err = r.Done(); err == nil {
			again, err = encode(got)
		}
		return got, data, again, err
	case "stream":
		encode := func(v *T) ([]byte, error) {
			var out bytes.Buffer
			e := putget.NewEncoder(&out, o)
			for range 2 {
				if err := putget.EncodeTo(e, v, codec); err != nil {
					return nil, err
				}
			}
			err := e.Close()
			return out.Bytes(), err
		}
		if data, err = encode(v); err != nil {
			return nil, nil, nil, err
		}
		d := putget.NewDecoder(bytes.NewReader(data), o)
		if _, err = putget.DecodeFrom(d, codec); err != nil {
			return nil, nil, nil, err
		}
		if got, err = putget.DecodeFrom(d, codec); err != nil {
			return nil, nil, nil, err
		}
		if _, err = putget.DecodeFrom(d, codec); err != io.EOF {
			return nil, nil, nil, errors.Join(errors.New("the stream does not end"), err)
		}
		again, err = encode(got)
		return got, data, again, err
	case "marked document":
		o.Marks = true
	case "slow document":
		codec = derive.Slow[T]{c}
	}
	if data, err = putget.Append(nil, v, codec, o); err != nil {
		return nil, nil, nil, err
	}
	if got, err = putget.Decode(data, codec, o); err != nil {
		return nil, nil, nil, err
	}
	again, err = putget.Append(nil, got, codec, o)
	return got, data, again, err
}

// roundTrip sends *v through every form, or those without tables' help, and
// returns the value that came back in a document.
func roundTrip[T any](t testing.TB, tables bool, c *derive.Codec[T], v *T, o ...graphtest.Option) *T {
	t.Helper()
	var first *T
	docs := map[string][]byte{}
	for _, f := range forms {
		if tables && !f.tables {
			continue
		}
		got, data, again, err := pass(f, c, v)
		if err != nil {
			t.Fatalf("%s: %v", f.name, err)
		}
		if d := graphtest.Diff(v, got, append(o, exact...)...); d != "" {
			t.Fatalf("%s: %s", f.name, d)
		}
		if !bytes.Equal(data, again) {
			t.Errorf("%s: what came back encodes to other bytes:\n%x\n%x", f.name, data, again)
		}
		docs[f.name] = data
		if first == nil {
			first = got
		}
	}
	if !bytes.Equal(docs["document"], docs["slow document"]) {
		t.Errorf("fastput.go and put.go do not agree:\n%x\n%x", docs["document"], docs["slow document"])
	}
	return first
}

// exact compares leaves by what they promise.
var exact = []graphtest.Option{
	graphtest.Opaque(func(want, got *time.Time) string {
		_, w := want.Zone()
		_, g := got.Zone()
		if !want.Equal(*got) || w != g {
			return "times differ: " + want.String() + " " + got.String()
		}
		return ""
	}),
	graphtest.Opaque(func(want, got *big.Int) string { return differs(want.Cmp(got) != 0) }),
	graphtest.Opaque(func(want, got *big.Rat) string { return differs(want.Cmp(got) != 0) }),
	graphtest.Opaque(func(want, got *big.Float) string {
		return differs(want.Cmp(got) != 0 || want.Prec() != got.Prec() || want.Mode() != got.Mode() || want.Signbit() != got.Signbit())
	}),
}

func differs(yes bool) string {
	if yes {
		return "numbers differ"
	}
	return ""
}

// bare is the bytes of a bare unit.
func bare[T any](t testing.TB, c putget.Codec[T], v *T) []byte {
	t.Helper()
	var b put.Builder
	b.Reset(nil, nil)
	c.Put(&b, v)
	data, err := b.Done()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// putError is the error of putting *v as a bare unit.
func putError[T any](c putget.Codec[T], v *T) error {
	var b put.Builder
	b.Reset(nil, nil)
	c.Put(&b, v)
	_, err := b.Done()
	return err
}

// wantError checks an error's class and that its text says what it must.
func wantError(t testing.TB, err, class error, says ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, want one that says %q", says)
		return
	}
	if class != nil && !errors.Is(err, class) {
		t.Errorf("%v\nis not of class %q", err, class)
	}
	for _, s := range says {
		if !strings.Contains(err.Error(), s) {
			t.Errorf("%v\ndoes not say %q", err, s)
		}
	}
}

const childVar = "PUTGET_TEST_CHILD"

// inChild runs the test in a process of its own, which the test may kill. It
// reports whether this is that process.
func inChild(t *testing.T) bool {
	t.Helper()
	if os.Getenv(childVar) == t.Name() {
		return true
	}
	testchild.Need(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"-test.run=^" + t.Name() + "$"}
	if testing.Short() {
		args = append(args, "-test.short")
	}
	c := exec.Command(exe, args...)
	c.Env = append(os.Environ(), childVar+"="+t.Name())
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out[:min(len(out), 4000)])
	}
	return false
}
