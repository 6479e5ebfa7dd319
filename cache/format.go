package cache

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// MaxSize is the length of the longest contents, in bytes. It bounds what a
// damaged folder can make a reader allocate.
const MaxSize = 1 << 30

const (
	magic      = "pgcache"
	version    = 1
	headerSize = 80
)

// header returns the first headerSize bytes of an entry.
func header(key Key, data []byte) []byte {
	sum := sha256.Sum256(data)
	b := make([]byte, 0, headerSize)
	b = append(b, magic...)
	b = append(b, version)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(data)))
	b = append(b, key[:]...)
	b = append(b, sum[:]...)
	return b
}

// contents returns the part of file after the header, having checked every byte
// of the header and the contents.
func contents(key Key, file []byte) ([]byte, error) {
	if len(file) < headerSize {
		return nil, truncated(len(file), headerSize)
	}
	head, data := file[:headerSize], file[headerSize:]
	if string(head[:7]) != magic {
		return nil, errors.New("not a cache entry: no magic at offset 0")
	}
	if head[7] != version {
		return nil, fmt.Errorf("format version %d, this program reads %d", head[7], version)
	}
	if n := binary.LittleEndian.Uint64(head[8:]); n > uint64(len(data)) {
		return nil, truncated(len(data), n)
	} else if n < uint64(len(data)) {
		return nil, fmt.Errorf("%d bytes follow the contents' end", uint64(len(data))-n)
	}
	if other := Key(head[16:48]); other != key {
		return nil, fmt.Errorf("holds another key, %s", other)
	}
	if sum := sha256.Sum256(data); sum != [sha256.Size]byte(head[48:80]) {
		return nil, fmt.Errorf("checksum mismatch at offset %d: the %d bytes have SHA-256 %x, their header says %x",
			headerSize, len(data), sum, head[48:80])
	}
	return data, nil
}

func truncated(have int, want uint64) error {
	return fmt.Errorf("truncated, %d of %d bytes: %w", have, want, io.ErrUnexpectedEOF)
}
