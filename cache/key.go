package cache

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"io"
)

// A Key names an entry. It must depend on everything that the contents depend
// on, the version of the program that computes them included. Get a Key from
// [NewKey], or convert a SHA-256 that is one already.
type Key [sha256.Size]byte

// String returns the key in 64 lower-case hexadecimal digits.
func (k Key) String() string { return hex.EncodeToString(k[:]) }

// file returns the slash-separated path of the key's entry within the folder.
func (k Key) file() string {
	s := k.String()
	return s[:2] + "/" + s
}

// parseKey is the inverse of String.
func parseKey(s string) (k Key, ok bool) {
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(k) {
		return k, false
	}
	k = Key(b)
	return k, k.String() == s // refuse upper case
}

// A KeyHash derives a [Key] from a sequence of parts. Different sequences give
// different keys: each part is hashed after its length, so ("ab", "c") is not
// ("a", "bc"), and an empty part is not an absent one.
//
// A KeyHash must not be used by several goroutines at once.
type KeyHash struct {
	h hash.Hash
}

// NewKey begins a key with its first part, the domain: a name of what is
// computed, with a version that changes when the computation does. Keys of
// different domains never meet, whatever their parts.
func NewKey(domain string) *KeyHash {
	h := &KeyHash{sha256.New()}
	return h.AddString(domain)
}

// Add appends one part and returns h.
func (h *KeyHash) Add(part []byte) *KeyHash {
	h.length(len(part))
	h.h.Write(part)
	return h
}

// AddString is Add for a string.
func (h *KeyHash) AddString(part string) *KeyHash {
	h.length(len(part))
	io.WriteString(h.h, part)
	return h
}

// Key returns the key of the parts so far. More parts may follow.
func (h *KeyHash) Key() Key {
	return Key(h.h.Sum(nil))
}

func (h *KeyHash) length(n int) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(n))
	h.h.Write(b[:])
}
