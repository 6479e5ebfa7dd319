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
	start := r.Off - len(p)
	if r.text == "" {
		r.text, r.textStart = string(r.Buf[start:]), start
	}
	return r.text[start-r.textStart:][:n]
}
