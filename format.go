package putget

import (
	"encoding/binary"
	"math/bits"

	"github.com/cespare/xxhash/v2"

	"github.com/putget/putget/internal/wire"
)

// The layout of documents and streams; docs/format.md explains it.
const (
	magic         = "putget"
	kindOffset    = len(magic)
	versionOffset = kindOffset + 1
	kindDocument  = 'D'
	kindStream    = 'S'
	version       = 1

	headerSize  = 16 // of a document: magic, kind, version, total length
	trailerSize = 12 // directory length, checksum
	blockShift  = 12
	blockSize   = 1 << blockShift // what one checksum of a document covers
	sumSize     = 8

	flagMarks = 1 << 0
	flagHash  = 1 << 1

	sectionRoot  = 0
	sectionTable = 1
	sectionUser  = 2

	// Kinds of a stream's blocks.
	blockBegin   = 0 // flags, schema
	blockTable   = 1 // a table's name; its number is how many were before
	blockEntries = 2 // new entries of a table
	blockMore    = 3 // more bytes of the last entry
	blockPart    = 4 // bytes of a root, more follow
	blockRoot    = 5 // the last bytes of a root
	blockEnd     = 6

	streamHeader = versionOffset + 1
	minFrame     = 1 + 1 + sumSize // of a block: kind, length, checksum
	// maxPayload is what a block holds at most: the bytes before the cut at
	// wire.BlockSize, one primitive of that size, and a debug mark.
	maxPayload = 2*wire.BlockSize + 1<<14
)

// sum64 is XXH64 with a seed. The seed ties a block to its place, so that a
// block that is intact but elsewhere is found.
func sum64(seed uint64, parts ...[]byte) uint64 {
	var d xxhash.Digest
	d.ResetWithSeed(seed)
	for _, p := range parts {
		d.Write(p)
	}
	return d.Sum64()
}

// blocks is the number of blocks that n bytes make.
func blocks(n int64) int64 { return (n + blockSize - 1) >> blockShift }

// widthOf is how many bytes the offsets into a blob of n bytes take, 1 to 8.
func widthOf(n uint64) int { return max((bits.Len64(n)+7)/8, 1) }

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}
