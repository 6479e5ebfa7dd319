package put_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"testing"

	"github.com/putget/putget/get"
	"github.com/putget/putget/internal/wire"
	"github.com/putget/putget/put"
)

// TestTruncated cuts every encoding at every byte.
func TestTruncated(t *testing.T) {
	for _, e := range encodings {
		data, err := hex.DecodeString(e.hex)
		if err != nil {
			t.Fatal(err)
		}
		for i := range data {
			v, err := decode(data[:i], e.get)
			if !errors.Is(err, wire.ErrTruncated) || !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%s cut at %d: got %v, error %v, want a truncated one", e.name, i, v, err)
			}
		}
	}
}

// TestTruncatedLong cuts slices that are too long for Limits.Free to pay for
// the elements that are missing.
func TestTruncatedLong(t *testing.T) {
	s := make([]int, wire.DefaultFree)
	data := encode(t, func(b *put.Builder) { slicePut(b, s) })
	for _, n := range []int{len(data) - 1, len(data) / 2, 10, 4} {
		if _, err := decode(data[:n], func(r *get.Reader) any { return sliceGet(r) }); !errors.Is(err, wire.ErrTruncated) {
			t.Errorf("%d bytes of %d: error %v, want a truncated one", n, len(data), err)
		}
	}
}

// TestTrailing appends a byte to every encoding.
func TestTrailing(t *testing.T) {
	for _, e := range encodings {
		data, err := hex.DecodeString(e.hex + "00")
		if err != nil {
			t.Fatal(err)
		}
		if v, err := decode(data, e.get); !errors.Is(err, wire.ErrCorrupt) {
			t.Errorf("%s and a byte: got %v, error %v, want a corrupt one", e.name, v, err)
		}
	}
}

// TestFlipped flips every bit of every encoding: what comes is an error of a
// class, or the value that the changed bytes encode.
func TestFlipped(t *testing.T) {
	for _, e := range encodings {
		data, err := hex.DecodeString(e.hex)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 8 * len(data) {
			data[i/8] ^= 1 << (i % 8)
			checkReencoding(t, e, data)
			data[i/8] ^= 1 << (i % 8)
		}
	}
}

func checkReencoding(t *testing.T, e encoding, data []byte) {
	t.Helper()
	v, err := decode(data, e.get)
	if err != nil {
		if !errors.Is(err, wire.ErrTruncated) && !errors.Is(err, wire.ErrCorrupt) && !errors.Is(err, wire.ErrLimit) {
			t.Errorf("%s as %x: %v, an error of no class", e.name, data, err)
		}
		return
	}
	again, err := tryEncode(func(b *put.Builder) { e.putValue(b, v) })
	if e.deep() && err == nil { // a body may have been deferred that need not
		if w, err := decode(again, e.get); err != nil || !same(v, w) {
			t.Errorf("%s as %x: got %v, which encodes as %x, which is got as %v, error %v", e.name, data, v, again, w, err)
		}
		return
	}
	if err != nil || !bytes.Equal(again, data) {
		t.Errorf("%s as %x: got %v, which encodes as %x, error %v", e.name, data, v, again, err)
	}
}

func tryEncode(p func(*put.Builder)) ([]byte, error) {
	var b put.Builder
	p(&b)
	return b.Done()
}
