package bulk

import (
	"encoding/binary"
	"math/bits"
	"runtime"
	"unsafe"
)

// reverse copies src to dst, which has the same length, a multiple of unit, and
// reverses each unit of 1, 2, 4 or 8 bytes. As a permutation of bytes it is the
// same in both directions and on every machine.
func reverse(dst, src []byte, unit int) {
	if unit == 1 {
		copy(dst, src)
		return
	}
	// Blocks through words, what is left through bytes.
	d, s := blocks(dst), blocks(src)
	if len(d) != len(s) {
		d, s = nil, nil // one of them is not aligned
	}
	rest := len(s) * int(unsafe.Sizeof(block{}))
	switch unit {
	case 2:
		reverse2(d, s)
	case 4:
		reverse4(d, s)
	case 8:
		reverse8(d, s)
	}
	reverseBytes(dst[rest:], src[rest:], unit)
}

// A block is what one turn of a loop handles. Through encoding/binary the
// compiler makes the same loads and stores, but also no-ops that mark the
// inlined calls, three for each word: 0.6 of copy for a million int32, not 0.8.
type block [8]uint64

// unaligned tells whether this machine loads and stores words at any address.
// It names those where the Go compiler makes one such load of eight loads of
// bytes.
const unaligned = runtime.GOARCH == "amd64" || runtime.GOARCH == "386" ||
	runtime.GOARCH == "arm64" || runtime.GOARCH == "ppc64le" || runtime.GOARCH == "s390x"

// blocks returns the whole blocks at the start of b, or none where this machine
// must not touch b as words. Blocks hold no pointers, and none reaches beyond b.
func blocks(b []byte) []block {
	n := len(b) / int(unsafe.Sizeof(block{}))
	p := unsafe.Pointer(unsafe.SliceData(b))
	if n == 0 || !unaligned && uintptr(p)%unsafe.Alignof(block{}) != 0 {
		return nil
	}
	return unsafe.Slice((*block)(p), n)
}

func reverse2(dst, src []block) {
	for i := range min(len(dst), len(src)) {
		d, s := &dst[i], &src[i]
		d[0] = pairs(s[0])
		d[1] = pairs(s[1])
		d[2] = pairs(s[2])
		d[3] = pairs(s[3])
		d[4] = pairs(s[4])
		d[5] = pairs(s[5])
		d[6] = pairs(s[6])
		d[7] = pairs(s[7])
	}
}

func reverse4(dst, src []block) {
	for i := range min(len(dst), len(src)) {
		d, s := &dst[i], &src[i]
		d[0] = bits.RotateLeft64(bits.ReverseBytes64(s[0]), 32)
		d[1] = bits.RotateLeft64(bits.ReverseBytes64(s[1]), 32)
		d[2] = bits.RotateLeft64(bits.ReverseBytes64(s[2]), 32)
		d[3] = bits.RotateLeft64(bits.ReverseBytes64(s[3]), 32)
		d[4] = bits.RotateLeft64(bits.ReverseBytes64(s[4]), 32)
		d[5] = bits.RotateLeft64(bits.ReverseBytes64(s[5]), 32)
		d[6] = bits.RotateLeft64(bits.ReverseBytes64(s[6]), 32)
		d[7] = bits.RotateLeft64(bits.ReverseBytes64(s[7]), 32)
	}
}

func reverse8(dst, src []block) {
	for i := range min(len(dst), len(src)) {
		d, s := &dst[i], &src[i]
		d[0] = bits.ReverseBytes64(s[0])
		d[1] = bits.ReverseBytes64(s[1])
		d[2] = bits.ReverseBytes64(s[2])
		d[3] = bits.ReverseBytes64(s[3])
		d[4] = bits.ReverseBytes64(s[4])
		d[5] = bits.ReverseBytes64(s[5])
		d[6] = bits.ReverseBytes64(s[6])
		d[7] = bits.ReverseBytes64(s[7])
	}
}

// pairs reverses each two bytes.
func pairs(x uint64) uint64 {
	const low = 0x00ff00ff00ff00ff
	return x>>8&low | x&low<<8
}

// reverseBytes is reverse at any address, and for what is left of a block.
func reverseBytes(dst, src []byte, unit int) {
	for len(src) >= 8 && len(dst) >= 8 {
		x := binary.LittleEndian.Uint64(src)
		switch unit {
		case 2:
			x = pairs(x)
		case 4:
			x = bits.RotateLeft64(bits.ReverseBytes64(x), 32)
		case 8:
			x = bits.ReverseBytes64(x)
		}
		binary.LittleEndian.PutUint64(dst, x)
		dst, src = dst[8:], src[8:]
	}
	for i := range src { // fewer than 8, so units of 2 or 4
		dst[i] = src[i^(unit-1)]
	}
}
