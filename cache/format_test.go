package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
)

// file returns the bytes of an entry's file.
func file(key Key, data string) []byte {
	return append(header(key, []byte(data)), data...)
}

// TestDocumentedBytes compares an entry with the dump in the package comment.
func TestDocumentedBytes(t *testing.T) {
	var dump strings.Builder
	notes := []string{"magic, version", "length", "key", "", "", "", "hash", "", "", "", "contents"}
	for i, b := 0, file(NewKey("example").Key(), "hello"); i < len(b); i += 8 {
		line := fmt.Sprintf("%02x  % -23x  %s", i, b[i:min(i+8, len(b))], notes[i/8])
		dump.WriteString("//\t" + strings.TrimRight(line, " ") + "\n")
	}
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(doc, []byte(dump.String())) {
		t.Errorf("doc.go does not hold this dump:\n%s", dump.String())
	}
}

func TestContents(t *testing.T) {
	key := NewKey("test").Key()
	for _, data := range []string{"", "x", "hello", strings.Repeat("long", 1000)} {
		got, err := contents(key, file(key, data))
		if err != nil || string(got) != data {
			t.Errorf("contents of %d bytes: %d bytes, %v", len(data), len(got), err)
		}
	}
}

// TestDamage cuts an entry at every byte, flips its every bit and appends to
// it: each is an error with its own reason.
func TestDamage(t *testing.T) {
	key := NewKey("test").Key()
	good := file(key, "contents")
	reject := func(bad []byte, what, reason string) {
		t.Helper()
		data, err := contents(key, bad)
		if err == nil || data != nil {
			t.Fatalf("%s: got %q, %v", what, data, err)
		}
		if !strings.Contains(err.Error(), reason) {
			t.Fatalf("%s: %q does not mention %q", what, err, reason)
		}
	}
	for n := range good {
		reject(good[:n], fmt.Sprint("first bytes: ", n), "truncated")
		if _, err := contents(key, good[:n]); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("first %d bytes: %v", n, err)
		}
	}
	for bit := range 8 * len(good) {
		bad := bytes.Clone(good)
		bad[bit/8] ^= 1 << (bit % 8)
		reason := "checksum mismatch"
		switch offset := bit / 8; {
		case offset < 7:
			reason = "not a cache entry"
		case offset < 8:
			reason = "format version"
		case offset < 16:
			reason = " bytes" // truncated, or bytes follow
		case offset < 48:
			reason = "another key"
		}
		reject(bad, fmt.Sprint("flipped bit ", bit), reason)
	}
	reject(append(bytes.Clone(good), 0), "one more byte", "1 bytes follow")
	reject(append(bytes.Clone(good), good...), "two entries joined", "bytes follow")
	reject(make([]byte, len(good)), "zeros", "not a cache entry")
	reject(file(NewKey("other").Key(), "contents"), "other key", "another key, ")

	old := bytes.Clone(good)
	old[7] = 9
	reject(old, "newer version", "format version 9, this program reads 1")
	huge := bytes.Clone(good)
	binary.LittleEndian.PutUint64(huge[8:], 1<<64-1)
	reject(huge, "huge length", "truncated, 8 of 18446744073709551615 bytes")
}

// FuzzContents checks that whatever is accepted is what Put would have written.
func FuzzContents(f *testing.F) {
	key := NewKey("test").Key()
	f.Add(file(key, ""))
	f.Add(file(key, "contents"))
	f.Add(file(key, "contents")[:85])
	f.Add([]byte(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		data, err := contents(key, b)
		if err != nil {
			if data != nil {
				t.Errorf("data with error %v", err)
			}
			return
		}
		if !bytes.Equal(file(key, string(data)), b) {
			t.Errorf("accepted %x, which no Put writes", b)
		}
	})
}

func TestKeys(t *testing.T) {
	// Sequences of parts that a plain concatenation would confuse.
	hashes := map[string]*KeyHash{
		"a":             NewKey("a"),
		"":              NewKey(""),
		"a|":            NewKey("a").AddString(""),
		"a||":           NewKey("a").AddString("").Add(nil),
		"ab|c":          NewKey("ab").AddString("c"),
		"a|bc":          NewKey("a").AddString("bc"),
		"abc":           NewKey("abc"),
		"a|b|c":         NewKey("a").Add([]byte("b")).AddString("c"),
		"a|\\0.." + "b": NewKey("a\x01\x00\x00\x00\x00\x00\x00\x00b"),
		"a|b":           NewKey("a").AddString("b"),
	}
	seen := map[Key]string{}
	for name, h := range hashes {
		key := h.Key()
		if other, ok := seen[key]; ok {
			t.Errorf("%q and %q have the same key", name, other)
		}
		seen[key] = name
		if h.Key() != key {
			t.Errorf("%q: Key changed its state", name)
		}
	}

	if NewKey("d").Add([]byte("part")).Key() != NewKey("d").AddString("part").Key() {
		t.Error("Add and AddString differ")
	}
	// Pinned: caches outlive programs.
	plain := "\x01\x00\x00\x00\x00\x00\x00\x00d" + "\x04\x00\x00\x00\x00\x00\x00\x00part"
	key := NewKey("d").AddString("part").Key()
	if key != sha256.Sum256([]byte(plain)) {
		t.Error("the derivation of keys changed")
	}
	if got, ok := parseKey(key.String()); !ok || got != key {
		t.Error("parseKey does not invert String")
	}
	for _, bad := range []string{"", "00", strings.ToUpper(key.String()), key.String() + "00", strings.Repeat("xy", 32)} {
		if _, ok := parseKey(bad); ok {
			t.Errorf("parseKey accepts %q", bad)
		}
	}
}
