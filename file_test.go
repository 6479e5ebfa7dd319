package putget_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/putget/putget"
)

// openReader opens a document by way of an io.ReaderAt.
func openReader(t testing.TB, doc []byte) (*putget.Document, error) {
	return putget.OpenAt(bytes.NewReader(doc), int64(len(doc)), nil)
}

func writeFile(t testing.TB, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "doc")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOpenFile(t *testing.T) {
	huge := newSubject("huge", &putget.Options{ContentHash: true, Sections: []putget.Section{
		{Name: "small", Data: bytes.Repeat([]byte("x"), 5000)}, {Name: "rest", Data: make([]byte, 1<<20)},
	}}, true, aBlob(300_000), blobCodec{})
	for _, s := range append(append(subjects(), bigSubjects()...), huge) {
		doc := s.document(t)
		d, err := putget.OpenFile(writeFile(t, doc), s.o)
		if err != nil {
			t.Fatal(err)
		}
		m, err := putget.Open(doc, s.o)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(m.Sections(), d.Sections()); diff != "" {
			t.Error(diff)
		}
		want, err := s.open(m)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			got, err := s.open(d)
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%s: %v %s", s.name, err, diff)
			}
			for _, info := range d.Sections() {
				if info.Kind != "user" {
					continue
				}
				want, _ := m.Section(info.Name)
				got, err := d.Section(info.Name)
				if err != nil || !bytes.Equal(got, want) {
					t.Errorf("%s: section %s: %v", s.name, info.Name, err)
				}
			}
			if err := d.Verify(); err != nil {
				t.Errorf("%s: %v", s.name, err)
			}
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		if _, err := s.open(d); s.name != "empty" && !errors.Is(err, fs.ErrClosed) {
			t.Errorf("%s, after Close: %v", s.name, err)
		}
		if err := d.Verify(); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("%s, after Close: %v", s.name, err)
		}
	}
}

func TestOpenFileRefused(t *testing.T) {
	if _, err := putget.OpenFile(filepath.Join(t.TempDir(), "none"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := putget.OpenFile(t.TempDir(), nil); !errors.Is(err, putget.ErrCorrupt) {
		t.Error(err)
	}
	if _, err := putget.OpenFile(writeFile(t, nil), nil); !errors.Is(err, putget.ErrTruncated) {
		t.Error(err)
	}
}

// Damage in a file is found by what reads it, and by Verify.
func TestFileFlip(t *testing.T) {
	for _, s := range append(subjects(), bigSubjects()...) {
		doc := s.document(t)
		m, err := putget.Open(doc, nil)
		if err != nil {
			t.Fatal(err)
		}
		want, err := s.open(m)
		if err != nil {
			t.Fatal(err)
		}
		step := 7
		if len(doc) > 1000 {
			step = 997
		}
		for bit := 0; bit < 8*len(doc); bit += step {
			bad := bytes.Clone(doc)
			bad[bit/8] ^= 1 << (bit % 8)
			d, err := openReader(t, bad)
			if err == nil {
				if got, err := s.open(d); err == nil {
					if diff := cmp.Diff(want, got); diff != "" {
						t.Fatalf("%s, bit %d flipped, read without error: %s", s.name, bit, diff)
					}
				}
				err = d.Verify()
			}
			if err == nil || !known(err) {
				t.Fatalf("%s, bit %d of %d flipped: %v", s.name, bit, 8*len(doc), err)
			}
		}
	}
}

// flaky fails at its n-th read.
type flaky struct {
	io.ReaderAt
	n int
}

var errFlaky = errors.New("flaky")

func (f *flaky) ReadAt(p []byte, off int64) (int, error) {
	if f.n--; f.n == -1 {
		return 0, errFlaky
	}
	return f.ReaderAt.ReadAt(p, off)
}

// A read that fails is an error of what needed it, and is tried again after.
func TestFileReadFails(t *testing.T) {
	s := bigSubjects()[0]
	doc := s.document(t)
	for n := range 20 {
		r := &flaky{bytes.NewReader(doc), n}
		failed := 0
		attempt := func(f func() error) {
			t.Helper()
			err := f()
			if err != nil {
				failed++
				if !errors.Is(err, errFlaky) || f() != nil {
					t.Fatalf("read %d: %v", n, err)
				}
			}
		}
		var d *putget.Document
		attempt(func() (err error) { d, err = putget.OpenAt(r, int64(len(doc)), nil); return err })
		attempt(func() error { _, err := s.open(d); return err })
		attempt(func() error { return d.Verify() })
		if failed != 1 && r.n < 0 {
			t.Errorf("read %d failed %d times", n, failed)
		}
	}
}

// A file that is cut while it is open is truncated, not a dead process.
func TestFileCutWhileOpen(t *testing.T) {
	s := bigSubjects()[0]
	path := writeFile(t, s.document(t))
	d, err := putget.OpenFile(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if err := os.Truncate(path, 5000); err != nil {
		t.Fatal(err)
	}
	if _, err := s.open(d); !errors.Is(err, putget.ErrTruncated) {
		t.Error(err)
	}
}

func TestDocumentConcurrently(t *testing.T) {
	s := newSubject("", &putget.Options{Sections: []putget.Section{{Name: "rest", Data: make([]byte, 1<<20)}}}, true, aBlob(100_000), blobCodec{})
	doc := s.document(t)
	m, err := putget.Open(doc, nil)
	if err != nil {
		t.Fatal(err)
	}
	f, err := putget.OpenFile(writeFile(t, doc), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, d := range []*putget.Document{m, f} {
		var wg sync.WaitGroup
		for i := range 64 {
			wg.Go(func() {
				switch i % 3 {
				case 0:
					v, err := s.open(d)
					if err != nil || len(v.(*blob).Data) != 100_000 {
						t.Error(err)
					}
				case 1:
					p, err := d.Section("rest")
					if err != nil || len(p) != 1<<20 {
						t.Error(err)
					}
				case 2:
					if err := d.Verify(); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
	}
}
