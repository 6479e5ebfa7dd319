package unit

// Where package derive decodes with the offset in a register, it takes the
// reader's state over and hands it back with these.

// Unclaimed is the offset at which the bytes begin that enclosing loops claim.
func (r *Reader) Unclaimed() int { return len(r.Buf) - int(min(r.Claimed, uint64(len(r.Buf)))) }

// TakeAt makes the reader go on at off, with the bytes from end on claimed, at
// a depth. It returns what HandBack wants.
func (r *Reader) TakeAt(off, end, depth int) (claimed uint64, before int) {
	claimed, before = r.Claimed, r.depth
	r.Off, r.Claimed, r.depth = off, uint64(len(r.Buf)-end), depth
	return claimed, before
}

// HandBack undoes TakeAt, but for the offset.
func (r *Reader) HandBack(claimed uint64, before int) { r.Claimed, r.depth = claimed, before }
