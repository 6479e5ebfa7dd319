package unit

// Text gets n bytes as a string that is a part of a copy of many bytes of the
// unit. In a stream, where the unit is not at hand as a whole, it is a copy of
// its own.
func (r *Reader) Text(n uint64) string {
	p := r.Raw(n)
	if r.Err != nil || n == 0 {
		return ""
	}
	if r.Fill != nil || r.passed > 0 {
		return string(p)
	}
	return r.TextAt(r.Off-len(p), len(p))
}

// TextAt is the n > 0 bytes at an offset of a unit that is in memory, as Text
// gives them. The copy is made in pieces, so that texts at the start of a large
// unit do not copy all of it.
func (r *Reader) TextAt(off, n int) string {
	const piece = 64 << 10
	if off < r.textStart || off+n > r.textStart+len(r.text) {
		end := min(off+max(n, piece), len(r.Buf))
		r.text, r.textStart = string(r.Buf[off:end]), off
	}
	return r.text[off-r.textStart:][:n]
}
