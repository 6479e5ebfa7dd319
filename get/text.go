package get

// Text gets n bytes as a string. It comes back as a part of one copy of the unit's
// bytes, or of 64 KiB of them where the unit is large: many strings for one
// allocation, each of which keeps them all.
func (r *Reader) Text(n uint64) string { return r.u().Text(n) }

// Left is how many bytes of the unit are left, in a stream how many are at hand:
// what a codec that allocates by a number it got compares the number with. It has
// no counterpart in package put.
func (r *Reader) Left() int { return r.u().Left() }
