package putget

import (
	"io"
	"math/bits"
)

// OpenAt opens a document that r reads.
func OpenAt(r io.ReaderAt, size int64, o *Options) (*Document, error) { return openAt(r, size, o) }

// Touched is how many blocks of a document were read and checked.
func (d *Document) Touched() int {
	n := 0
	for i := range d.verified {
		n += bits.OnesCount64(d.verified[i].Load())
	}
	if d.file != nil {
		for i := range d.file.pages {
			if p := d.file.pages[i].Load(); p != nil {
				for j := range p.blocks {
					if p.blocks[j].Load() != nil {
						n++
					}
				}
			}
		}
	}
	return n
}

// Marked reports whether a document has debug marks.
func (d *Document) Marked() bool { return d.src.Marks }
