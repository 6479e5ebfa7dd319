package putget_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/putget/putget"
	"github.com/putget/putget/internal/testdoc"
)

// Any bytes at all, with checksums that are right, are a document that decodes
// to a value that can be encoded again, or an error of a known class.
func FuzzDocument(f *testing.F) {
	list := subjects()
	for i, s := range list {
		f.Add(uint8(i), s.document(f))
	}
	f.Add(uint8(0), document("", []rawSection{{data: []byte("root")}, {kind: 1, name: "names", count: 2, width: 1, data: []byte("\x01\x03abc")}}))
	f.Fuzz(func(t *testing.T, kind uint8, doc []byte) {
		s := list[int(kind)%len(list)]
		doc = bytes.Clone(doc)
		checkOpened(t, s, doc)
		if testdoc.Reseal(doc) {
			checkOpened(t, s, doc)
			checkRecoded(t, s, doc)
		}
	})
}

// checkOpened decodes a document without verifying it first, from memory and
// by way of an io.ReaderAt: both give the same.
func checkOpened(t *testing.T, s subject, doc []byte) {
	m, err := putget.Open(doc, nil)
	f, err2 := openReader(t, doc)
	if (err == nil) != (err2 == nil) {
		t.Fatalf("from memory: %v; from a file: %v", err, err2)
	}
	if err == nil {
		_, err = s.open(m)
		_, err2 = s.open(f)
	}
	if (err == nil) != (err2 == nil) || err != nil && (!known(err) || !known(err2)) {
		t.Fatalf("from memory: %v; from a file: %v", err, err2)
	}
}

// The same for a stream. The input is its bytes; checksums are made right.
func FuzzStream(f *testing.F) {
	list := subjects()
	for i, s := range list {
		f.Add(uint8(i), s.stream(f, 2))
	}
	f.Add(uint8(0), stream([]frame{{0, []byte{0, 0}}, {1, []byte("names")}, {2, []byte{0, 2, 1, 2, 'a', 'b', 'b'}}, {4, nil}, {5, nil}, {6, nil}}))
	f.Fuzz(func(t *testing.T, kind uint8, str []byte) {
		s := list[int(kind)%len(list)]
		blocks, _ := frames(str)
		for _, str := range [][]byte{str, stream(blocks)} {
			src := bytes.NewReader(str)
			d := putget.NewDecoder(src, nil)
			var err error
			for n := 0; err == nil; n++ {
				_, err = s.receive(d)
				if n > len(str) {
					t.Fatal("more values than bytes")
				}
			}
			if err != io.EOF && !known(err) {
				t.Fatal(err)
			}
			if errors.Is(err, putget.ErrTruncated) && src.Len() > 0 && d.Skip() == nil {
				continue // the value was, not the stream
			}
			checkResent(t, s, str)
		}
	})
}
