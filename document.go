package putget

import (
	"crypto/sha256"
	"hash"

	"github.com/putget/putget/get"
	"github.com/putget/putget/internal/access"
	"github.com/putget/putget/internal/unit"
)

// Schema is the schema that the writer gave.
func (d *Document) Schema() string { return d.dir.schema }

// Producer is what the writer said of itself.
func (d *Document) Producer() string { return d.dir.producer }

// Size is the length of the document in bytes.
func (d *Document) Size() int64 { return d.size }

// ContentHash is the SHA-256 over the sections' bytes and their list, without
// schema and producer; ok is false where the writer was not asked for it. It
// is what the writer said until Verify has compared it.
func (d *Document) ContentHash() (sum [32]byte, ok bool) {
	return d.dir.hash, d.dir.flags&flagHash != 0
}

// Section gives the bytes of a section that was written with Options.Sections,
// checked. They must not be changed, and are valid as long as the document is
// in use. Where there is none the error matches ErrNotFound.
func (d *Document) Section(name string) ([]byte, error) {
	s := d.find(sectionUser, name)
	if s == nil {
		return nil, errorAt(ErrNotFound, "directory", 0, "the document has no section %q", name)
	}
	return d.view(s.off, s.size)
}

// SectionInfo describes a section.
type SectionInfo struct {
	Kind    string // "root", "table", "user", or "unknown"
	Name    string
	Offset  int64 // in the document
	Size    int64
	Entries int // of a table
}

// Sections lists all sections in the order of their bytes.
func (d *Document) Sections() []SectionInfo {
	kinds := [...]string{sectionRoot: "root", sectionTable: "table", sectionUser: "user"}
	list := make([]SectionInfo, len(d.dir.sections))
	for i := range list {
		s := &d.dir.sections[i]
		kind := "unknown"
		if s.kind < uint64(len(kinds)) {
			kind = kinds[s.kind]
		}
		list[i] = SectionInfo{kind, s.name, s.off, s.size, s.count}
	}
	return list
}

// Verify checks the whole document: every checksum, the places of all entries,
// the content hash if there is one. It decodes no values.
func (d *Document) Verify() error {
	var h hash.Hash
	if d.dir.flags&flagHash != 0 {
		h = sha256.New()
	}
	scratch := buffers.Get().(*[]byte)
	defer buffers.Put(scratch)
	if err := d.verifyBody(h, scratch); err != nil {
		return err
	}
	for i := range d.dir.sections {
		if s := &d.dir.sections[i]; s.kind == sectionTable && !s.whole.Load() {
			if err := s.verify(scratch); err != nil {
				return err
			}
			s.whole.Store(true)
		}
	}
	if h != nil {
		h.Write(d.dir.list)
		if [32]byte(h.Sum(nil)) != d.dir.hash {
			return errorAt(ErrCorrupt, "directory", 0, "the sections do not match the content hash")
		}
	}
	return nil
}

// verifyBody checks all blocks and adds the sections to h, if there is one.
func (d *Document) verifyBody(h hash.Hash, scratch *[]byte) error {
	for off := int64(0); off < d.bodyEnd; off += scanSize {
		p, err := d.scan(off, min(scanSize, d.bodyEnd-off), scratch)
		if err != nil {
			return err
		}
		if h != nil {
			h.Write(p[max(headerSize-off, 0):])
		}
	}
	return nil
}

// scanSize is how much of a file Verify reads at once.
const scanSize = 1 << 18

// scan is view for bytes that are not kept.
func (d *Document) scan(off, n int64, scratch *[]byte) ([]byte, error) {
	if d.file != nil {
		return d.file.read(d, off, n, scratch)
	}
	return d.view(off, n)
}

// verify checks the ends of all entries.
func (s *section) verify(scratch *[]byte) error {
	last := uint64(0)
	const batch = scanSize / 8
	for id := 0; id < s.count; id += batch {
		n := min(batch, s.count-id)
		ends, err := s.d.scan(s.off+int64(id)*int64(s.width), int64(n)*int64(s.width), scratch)
		if err != nil {
			return err
		}
		if err := s.checkEnds(id, last, ends); err != nil {
			return err
		}
		last = littleEndian(ends[len(ends)-s.width:])
	}
	return nil
}

// Source is the document for the packages of this module.
func (d *Document) Source() *unit.Source { return &d.src }

// In goes on in another document: fn's Reader decodes what d's tables hold, in
// the session of r, so that what both decode is published together. d must be
// of the same Domain as the document of r. An error of fn's Reader is r's.
func In(r *get.Reader, d *Document, fn func(*get.Reader)) {
	u := access.Reader(r)
	if u.Err != nil {
		return
	}
	if u.Source == nil || u.Source.Domain != d.src.Domain {
		u.Failf(ErrValue, "documents that refer to each other are opened with the same Options.Domain")
		return
	}
	if !u.Suspend() {
		return
	}
	inner := access.TakeReader()
	access.Reader(inner).Begin(&d.src, u.Session, nil, d.src.Limits, false, "", unit.InnerID)
	u.Session.Barrier++ // ids of two documents have no order
	fn(inner)
	u.Session.Barrier--
	u.Resume()
	r.Fail(inner.Err())
	access.GiveReader(inner)
}
