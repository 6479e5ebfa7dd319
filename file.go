package putget

import (
	"errors"
	"io"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/putget/putget/internal/unit"
)

// file is where the bytes of a document come from that is not in memory. It
// keeps the blocks that were read and checked.
type file struct {
	r     io.ReaderAt
	pages []atomic.Pointer[page]
}

// page is 64 blocks of the file and their checksums.
type page struct {
	sums   [pageBlocks * sumSize]byte
	blocks [pageBlocks]atomic.Pointer[block]
}

type block [blockSize]byte

const (
	pageBlocks = 64
	// large is from where on bytes are read in one piece and not kept as blocks.
	large = 16 * blockSize
)

// Fresh memory costs more than the reading: 11 to 18 us for each 4 KiB where
// this was measured.
var blockPool = sync.Pool{New: func() any { return new(block) }}

// OpenFile is Open for a file, which is read on demand, in blocks of 4 KiB that
// are kept. It suits a few look-ups in a large file; to decode all of it, read
// the file and use Open. The file must not change while the document is in
// use; a change is found like damage. Close closes it.
func OpenFile(path string, o *Options) (*Document, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() { // opening a FIFO would block
		return nil, &Error{Class: ErrCorrupt, Unit: "document", Err: &os.PathError{Op: "open", Path: path, Err: errNotRegular}}
	}
	if err != nil {
		return nil, &Error{Unit: "document", Err: err}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, &Error{Unit: "document", Err: err}
	}
	d, err := openAt(f, info.Size(), o)
	if err != nil {
		f.Close()
		return nil, err
	}
	return d, nil
}

var errNotRegular = errors.New("not a regular file")

// openAt opens a document of the given size.
func openAt(r io.ReaderAt, size int64, o *Options) (*Document, error) {
	d := &Document{size: size, file: &file{r: r}}
	b := blockPool.Get().(*block)
	defer blockPool.Put(b)
	tail := b[:min(size, blockSize)]
	if err := d.file.readAt(tail, size-int64(len(tail))); err != nil {
		return nil, err
	}
	header := tail
	if size > blockSize {
		header = make([]byte, headerSize)
		if err := d.file.readAt(header, 0); err != nil {
			return nil, err
		}
	}
	header = header[:min(len(header), headerSize)]
	if err := checkHeader(header, size); err != nil {
		return nil, err
	}
	dir, err := directoryBytes(tail[len(tail)-trailerSize:], size)
	if err != nil {
		return nil, err
	}
	if n := int(dir) + trailerSize; n > len(tail) {
		tail = make([]byte, n)
		if err := d.file.readAt(tail, size-int64(n)); err != nil {
			return nil, err
		}
	} else {
		tail = tail[len(tail)-n:]
	}
	if err := d.open(header, tail, o.orDefault()); err != nil {
		return nil, err
	}
	d.file.pages = make([]atomic.Pointer[page], (blocks(d.bodyEnd)+pageBlocks-1)/pageBlocks)
	return d, nil
}

// Close closes the file of a document from OpenFile, once no demand runs.
// Nothing of the document may be used afterwards but values that are decoded
// to their end. For a document from Open it does nothing.
func (d *Document) Close() error {
	if d.file == nil {
		return nil
	}
	return d.src.Domain.Do(func(*unit.Session) error { return d.file.close() })
}

func (f *file) close() error {
	for i := range f.pages {
		p := f.pages[i].Swap(nil)
		if p == nil {
			continue
		}
		for j := range p.blocks {
			if b := p.blocks[j].Swap(nil); b != nil {
				blockPool.Put(b)
			}
		}
	}
	if c, ok := f.r.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

func (f *file) readAt(p []byte, off int64) error {
	n, err := f.r.ReadAt(p, off)
	if n == len(p) {
		return nil
	}
	return readError("document", off+int64(n), err)
}

// view gives n > 0 bytes at off, checked. They stay valid until Close.
func (f *file) view(d *Document, off, n int64) ([]byte, error) {
	if n > large {
		var buf []byte
		return f.read(d, off, n, &buf)
	}
	i := off >> blockShift
	at := off & (blockSize - 1)
	b, err := f.block(d, i)
	if err != nil {
		return nil, err
	}
	if at+n <= blockSize {
		return b[at : at+n : at+n], nil
	}
	p := append(make([]byte, 0, n), b[at:]...)
	for int64(len(p)) < n {
		i++
		if b, err = f.block(d, i); err != nil {
			return nil, err
		}
		p = append(p, b[:min(n-int64(len(p)), blockSize)]...)
	}
	return p, nil
}

// read is view for bytes that go into buf, in one piece, and are not kept.
func (f *file) read(d *Document, off, n int64, buf *[]byte) ([]byte, error) {
	first := off >> blockShift
	start := first << blockShift
	end := min(blocks(off+n)<<blockShift, d.bodyEnd)
	if int64(int(end-start)) != end-start {
		return nil, errorAt(ErrLimit, "document", off, "%d bytes do not fit into memory", n)
	}
	p := slices.Grow((*buf)[:0], int(end-start))[:end-start]
	*buf = p
	if err := f.readAt(p, start); err != nil {
		return nil, err
	}
	for i, rest := first, p; len(rest) > 0; i++ {
		size := min(len(rest), blockSize)
		pg, err := f.page(d, i)
		if err != nil {
			return nil, err
		}
		if err := d.checkBlock(i, rest[:size], pg.sum(i)); err != nil {
			return nil, err
		}
		rest = rest[size:]
	}
	return p[off-start : off-start+n : off-start+n], nil
}

// block gives block i. Two that ask at once may both read it.
func (f *file) block(d *Document, i int64) (*block, error) {
	pg, err := f.page(d, i)
	if err != nil {
		return nil, err
	}
	slot := &pg.blocks[i%pageBlocks]
	if b := slot.Load(); b != nil {
		return b, nil
	}
	b := blockPool.Get().(*block)
	p := b[:min(blockSize, d.bodyEnd-i<<blockShift)]
	if err = f.readAt(p, i<<blockShift); err == nil {
		err = d.checkBlock(i, p, pg.sum(i))
	}
	if err != nil {
		blockPool.Put(b)
		return nil, err
	}
	if !slot.CompareAndSwap(nil, b) {
		if other := slot.Load(); other != nil { // it is nil where Close came between
			blockPool.Put(b)
			return other, nil
		}
	}
	return b, nil
}

// page gives the page of block i.
func (f *file) page(d *Document, i int64) (*page, error) {
	slot := &f.pages[i/pageBlocks]
	if pg := slot.Load(); pg != nil {
		return pg, nil
	}
	first := i / pageBlocks * pageBlocks
	n := min(pageBlocks, blocks(d.bodyEnd)-first)
	pg := new(page)
	if err := f.readAt(pg.sums[:n*sumSize], d.bodyEnd+first*sumSize); err != nil {
		return nil, err
	}
	if !slot.CompareAndSwap(nil, pg) {
		if other := slot.Load(); other != nil {
			return other, nil
		}
	}
	return pg, nil
}

func (p *page) sum(i int64) []byte { return p.sums[i%pageBlocks*sumSize:][:sumSize] }
