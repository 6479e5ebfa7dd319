package unit

// Where package derive codes with the unit's bytes, or the offset in them, in
// registers, it takes the state over and hands it back with these.

// Depth is how many composites enclose what is put.
func (w *Writer) Depth() int { return w.depth }

// Edges is how many pointers enclose what is put: 0, or those since the
// outermost or the deferred one.
func (w *Writer) Edges() int { return w.inline }

// TakeAt makes the writer go on behind buf, at a depth, in so many pointers. It
// returns what HandBack wants.
func (w *Writer) TakeAt(buf []byte, depth, edges int) (int, int) {
	d, n := w.depth, w.inline
	w.Buf, w.depth, w.inline = buf, depth, edges
	return d, n
}

// HandBack undoes TakeAt, but for the bytes.
func (w *Writer) HandBack(depth, edges int) { w.depth, w.inline = depth, edges }

// Edges is how many pointers enclose what is got; see Writer.Edges.
func (r *Reader) Edges() int { return r.inline }

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
