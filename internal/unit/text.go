package unit

// Text gets n bytes as a string that is a part of one copy of the unit's bytes
// from the first such string on. In a stream, where the unit is not at hand as
// a whole, it is a copy of its own.
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
// gives them.
func (r *Reader) TextAt(off, n int) string {
	if r.text == "" || off < r.textStart {
		r.text, r.textStart = string(r.Buf[off:]), off
	}
	return r.text[off-r.textStart:][:n]
}
