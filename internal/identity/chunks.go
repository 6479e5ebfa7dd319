package identity

// chunks is a slice that grows without copying or keeping spare memory beyond
// one chunk. All chunks have chunkLen elements, except that the first starts
// small and doubles, so that a few elements cost little.
type chunks[E any] struct {
	chunks [][]E
	n      int // elements in use
}

const (
	chunkBits = 12 // a chunk of pointers is 32 KiB, one of pages 1 MiB
	chunkLen  = 1 << chunkBits
	minChunk  = 8

	// maxLen leaves out the chunk that holds 1<<32 - 1, because a page stores
	// id + 1. So the limit needs no test but the one in grow.
	maxLen = 1<<32 - chunkLen
)

// at returns element i, which must be in use. The pointer is good until the
// next add or reset.
func (c *chunks[E]) at(i uint32) *E {
	return &c.chunks[i>>chunkBits][i%chunkLen]
}

// add takes one more element into use. It may hold what it held before a reset.
func (c *chunks[E]) add() *E {
	i := c.n
	if k := i >> chunkBits; k >= len(c.chunks) || i%chunkLen >= len(c.chunks[k]) {
		c.grow()
	}
	c.n++
	return &c.chunks[i>>chunkBits][i%chunkLen]
}

// grow makes room for element n.
func (c *chunks[E]) grow() {
	switch {
	case c.n == 0:
		c.chunks = append(c.chunks, make([]E, minChunk))
	case c.n < chunkLen:
		first := make([]E, 2*c.n)
		copy(first, c.chunks[0])
		c.chunks[0] = first
	case uint64(c.n) >= maxLen:
		panic("identity: too many pointers")
	default:
		c.chunks = append(c.chunks, make([]E, chunkLen))
	}
}

// clear zeroes the elements in use.
func (c *chunks[E]) clear() {
	for i := 0; i < c.n; i += chunkLen {
		clear(c.chunks[i>>chunkBits][:min(c.n-i, chunkLen)])
	}
}

// reset takes all elements out of use. It releases a quarter of the chunks that
// have not been used since the last reset; if there is only the first and less
// than an eighth of it was used, half of that.
func (c *chunks[E]) reset() {
	used := max(1, (c.n+chunkLen-1)>>chunkBits)
	if n := len(c.chunks); n > used {
		keep := n - (n-used+3)/4
		c.chunks = append(make([][]E, 0, keep), c.chunks[:keep]...)
	} else if n == 1 {
		if first := len(c.chunks[0]); first > minChunk && c.n < first/8 {
			c.chunks[0] = make([]E, first/2)
		}
	}
	c.n = 0
}
