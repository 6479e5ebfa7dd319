// Package testdoc is for tests that change what checksums protect: it reads and
// writes the checksums of a document as docs/format.md describes them, on its
// own, so that it does not share a fault with the code under test.
package testdoc

import (
	"bytes"
	"encoding/binary"

	"github.com/cespare/xxhash/v2"
)

// Sum64 is the XXH64 of p with a seed.
func Sum64(seed uint64, p []byte) uint64 {
	d := xxhash.NewWithSeed(seed)
	d.Write(p)
	return d.Sum64()
}

// Layout finds the parts of a document: where its body ends, and where its
// directory begins.
func Layout(doc []byte) (bodyEnd, dir int) {
	dir = len(doc) - 12 - int(binary.LittleEndian.Uint32(doc[len(doc)-12:]))
	for n := 0; ; n++ {
		if bodyEnd = dir - 8*n; bodyEnd < 0 || (bodyEnd+4095)/4096 <= n {
			return bodyEnd, dir
		}
	}
}

// Reseal makes all checksums of a document right again. It reports whether
// there is a document to reseal.
func Reseal(doc []byte) bool {
	if len(doc) < 28 || int64(binary.LittleEndian.Uint32(doc[len(doc)-12:])) > int64(len(doc)-28) {
		return false
	}
	bodyEnd, dir := Layout(doc)
	if bodyEnd < 16 {
		return false
	}
	seal := Sum64(0, append(bytes.Clone(doc[:16]), doc[dir:len(doc)-12]...))
	binary.LittleEndian.PutUint64(doc[len(doc)-8:], seal)
	for i := 0; i*4096 < bodyEnd && bodyEnd+8*i+8 <= dir; i++ {
		block := doc[i*4096 : min((i+1)*4096, bodyEnd)]
		binary.LittleEndian.PutUint64(doc[bodyEnd+8*i:], Sum64(seal+uint64(i), block))
	}
	return true
}
