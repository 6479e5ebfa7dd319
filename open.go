package putget

import (
	"bytes"
	"encoding/binary"
	"math"
	"sync/atomic"

	"github.com/putget/putget/get"
	"github.com/putget/putget/internal/access"
	"github.com/putget/putget/internal/unit"
)

// Document is a document that is open for reading. It is safe for concurrent
// use.
type Document struct {
	src    unit.Source
	domain Domain // where the options gave none

	data []byte // the document, or nil where it is in a file
	file *file

	anySchema bool // the options named none
	size      int64
	bodyEnd   int64 // header and sections; the checksums follow
	seal      uint64
	dir       directory
	verified  []atomic.Uint64 // a bit for each block of data
	few       [1]atomic.Uint64
}

// directory is what opening reads.
type directory struct {
	flags            uint64
	schema, producer string
	hash             [32]byte
	list             []byte // the list of sections, as written
	sections         []section
	byName           map[sectionKey]*section // where there are many
}

// sectionKey is what sections differ in.
type sectionKey struct {
	kind uint64
	name string
}

// section is a section of a document. Those that are tables implement unit.Section.
type section struct {
	d     *Document
	kind  uint64
	name  string
	off   int64
	size  int64
	count int // of a table's entries
	width int
	whole atomic.Bool // the ends of all entries were checked
}

// Open reads the header and the directory of the document data, nothing else.
// data must not change while the document is in use. nil options are the
// defaults.
//
// What lies in a section is checked when it is first used, in blocks of 4 KiB;
// see Verify for all of it.
func Open(data []byte, o *Options) (*Document, error) {
	size := int64(len(data))
	if err := checkHeader(data[:min(size, headerSize)], size); err != nil {
		return nil, err
	}
	dir, err := directoryBytes(data[size-trailerSize:], size)
	if err != nil {
		return nil, err
	}
	end := size - trailerSize
	d := &Document{data: data, size: size}
	if err := d.open(data[:headerSize], data[end-dir:], o.orDefault()); err != nil {
		return nil, err
	}
	return d, nil
}

// checkHeader checks the first bytes of a document of the given size.
func checkHeader(header []byte, size int64) error {
	n := min(len(header), len(magic))
	switch {
	case len(header) == 0:
		return errorAt(ErrTruncated, "document", 0, "the input is empty")
	case string(header[:n]) != magic[:n]:
		return errorAt(ErrCorrupt, "document", 0, "this is not a putget document: it begins with % x", header[:n])
	case len(header) > kindOffset && header[kindOffset] == kindStream:
		return errorAt(ErrCorrupt, "document", int64(kindOffset), "this is a putget stream, not a document: read it with NewDecoder")
	case len(header) > kindOffset && header[kindOffset] != kindDocument:
		return errorAt(ErrCorrupt, "document", int64(kindOffset), "this is not a putget document: its kind is %q", header[kindOffset])
	case len(header) > versionOffset && header[versionOffset] != version:
		return versionError("document", header[versionOffset])
	case size < headerSize+trailerSize:
		return errorAt(ErrTruncated, "document", size, "a document has at least %d bytes, the input has %d", headerSize+trailerSize, size)
	}
	length := binary.LittleEndian.Uint64(header[versionOffset+1:])
	if uint64(size) < length {
		return errorAt(ErrTruncated, "document", size, "the document has %d bytes, the input has %d", length, size)
	}
	if uint64(size) > length {
		return errorAt(ErrCorrupt, "document", int64(length), "the document has %d bytes, the input has %d: something was added", length, size)
	}
	return nil
}

// directoryBytes gets the directory's length from the trailer.
func directoryBytes(trailer []byte, size int64) (int64, error) {
	n := int64(binary.LittleEndian.Uint32(trailer))
	if n > size-headerSize-trailerSize {
		return 0, errorAt(ErrCorrupt, "document", size-trailerSize, "the directory's length, %d, exceeds the document", n)
	}
	return n, nil
}

// open takes the header and, in tail, directory and trailer.
func (d *Document) open(header, tail []byte, o *Options) error {
	dir, trailer := tail[:len(tail)-trailerSize], tail[len(tail)-trailerSize:]
	d.seal = binary.LittleEndian.Uint64(trailer[4:])
	if sum64(0, header, dir) != d.seal {
		return errorAt(ErrCorrupt, "document", d.size-int64(len(tail)), "header and directory do not match their checksum")
	}
	if err := d.parse(dir); err != nil {
		return err
	}
	if err := checkSchema("document", d.dir.schema, o); err != nil {
		return err
	}
	env, err := o.env()
	if err != nil {
		return err
	}
	d.src.Env, d.src.Limits, d.src.Marks = env, o.Limits, d.dir.flags&flagMarks != 0
	d.anySchema = o.Schema == ""
	d.src.Section, d.src.Size = d.table, d.size
	d.src.Domain = &d.domain.d
	if o.Domain != nil {
		d.src.Domain = &o.Domain.d
	}
	d.verified = d.few[:]
	if n := blocks(d.bodyEnd); d.file == nil && n > 64 {
		d.verified = make([]atomic.Uint64, (n+63)/64)
	}
	return nil
}

// parse reads the directory and checks that the sections cover the body.
func (d *Document) parse(dir []byte) error {
	p := parser{buf: dir, str: string(dir), unit: "document", base: d.size - trailerSize - int64(len(dir))}
	d.dir.flags = p.uvarint()
	d.dir.schema = p.text()
	d.dir.producer = p.text()
	if d.dir.flags&^(flagMarks|flagHash) != 0 {
		p.fail("unknown flags %#x", d.dir.flags)
	}
	if d.dir.flags&flagHash != 0 {
		copy(d.dir.hash[:], p.bytes(uint64(len(d.dir.hash))))
		d.dir.list = bytes.Clone(p.rest())
	}
	n := p.uvarint()
	if n == 0 || n > uint64(len(p.rest())/3) {
		p.fail("%d sections", n)
		n = 0
	}
	d.dir.sections = make([]section, n)
	off := int64(headerSize)
	for i := range d.dir.sections {
		s := &d.dir.sections[i]
		s.d, s.off = d, off
		s.parse(&p, d.size)
		if (s.kind == sectionRoot) != (i == 0) || s.kind == sectionRoot && s.name != "" {
			p.fail("the root is the first section, and none else, and has no name")
		}
		off += s.size
	}
	p.end()
	d.bodyEnd = off
	if want := off + blocks(off)*sumSize + int64(len(dir)) + trailerSize; p.err == nil && want != d.size {
		p.fail("the sections add up to a document of %d bytes, this one has %d", want, d.size)
	}
	d.checkNames(&p)
	if p.err != nil {
		return p.err
	}
	return nil
}

func (s *section) parse(p *parser, size int64) {
	s.kind = p.uvarint()
	s.name = p.text()
	n := p.uvarint()
	if n > uint64(size-s.off) {
		p.fail("section %q has %d bytes, the document %d", s.name, n, size)
		return
	}
	s.size = int64(n)
	if s.kind != sectionTable {
		return
	}
	count := p.uvarint()
	s.width = int(p.byte())
	if s.width < 1 || s.width > 8 || count > n/uint64(s.width) || count > math.MaxInt {
		p.fail("table %q has %d entries, offsets of %d bytes, and %d bytes in all", s.name, count, s.width, n)
		return
	}
	s.count = int(count)
	if blob := uint64(s.blobSize()); widthOf(blob) != s.width || (count == 0 && blob > 0) {
		p.fail("table %q has %d bytes of entries and offsets of %d bytes", s.name, blob, s.width)
	}
}

// checkNames refuses two sections of one kind and name.
func (d *Document) checkNames(p *parser) {
	const few = 12 // are compared with each other, and searched, one by one
	if n := len(d.dir.sections); n > few {
		d.dir.byName = make(map[sectionKey]*section, n)
	}
	for i := range d.dir.sections {
		s := &d.dir.sections[i]
		double := false
		if k := (sectionKey{s.kind, s.name}); d.dir.byName != nil {
			double = d.dir.byName[k] != nil
			d.dir.byName[k] = s
		} else {
			for j := range i {
				double = double || d.dir.sections[j].kind == s.kind && d.dir.sections[j].name == s.name
			}
		}
		if double {
			p.fail("two sections of kind %d are named %q", s.kind, s.name)
			return
		}
	}
}

// view gives n bytes at off, checked. The caller knows that they are in the body.
func (d *Document) view(off, n int64) ([]byte, error) {
	if n == 0 {
		return []byte{}, nil
	}
	if d.file != nil {
		return d.file.view(d, off, n)
	}
	for i := off >> blockShift; i<<blockShift < off+n; i++ {
		word, bit := &d.verified[i/64], uint64(1)<<(i%64)
		if word.Load()&bit != 0 {
			continue
		}
		if err := d.checkBlock(i, d.data[i<<blockShift:min((i+1)<<blockShift, d.bodyEnd)], d.data[d.bodyEnd+i*sumSize:]); err != nil {
			return nil, err
		}
		word.Or(bit)
	}
	return d.data[off : off+n : off+n], nil
}

// checkBlock compares block i with its checksum.
func (d *Document) checkBlock(i int64, block, sum []byte) error {
	if sum64(d.seal+uint64(i), block) != binary.LittleEndian.Uint64(sum) {
		return errorAt(ErrCorrupt, "document", i<<blockShift, "the block of %d bytes does not match its checksum: it was damaged, or is not from this document", len(block))
	}
	return nil
}

// table finds the section of a table; nil where there is none.
func (d *Document) table(name string) (unit.Section, error) {
	if s := d.find(sectionTable, name); s != nil {
		return s, nil
	}
	return nil, nil
}

func (d *Document) find(kind uint64, name string) *section {
	if d.dir.byName != nil {
		return d.dir.byName[sectionKey{kind, name}]
	}
	for i := range d.dir.sections {
		if s := &d.dir.sections[i]; s.kind == kind && s.name == name {
			return s
		}
	}
	return nil
}

func (s *section) blobSize() int64 { return s.size - int64(s.count)*int64(s.width) }

func (s *section) corrupt(id int, start, end uint64) error {
	return errorAt(ErrCorrupt, s.name, s.off+int64(id)*int64(s.width), "entry %d reaches from %d to %d in %d bytes of entries", id, start, end, s.blobSize())
}

// Len is the number of a table's entries.
func (s *section) Len() int { return s.count }

// Entry gives the bytes of entry id, checked.
func (s *section) Entry(id int) ([]byte, error) {
	start, end, err := s.bounds(id)
	if err != nil {
		return nil, err
	}
	return s.d.view(s.off+int64(s.count)*int64(s.width)+int64(start), int64(end-start))
}

// bounds reads the end of entry id and of the one before.
func (s *section) bounds(id int) (start, end uint64, err error) {
	first := max(id-1, 0)
	ends, err := s.d.view(s.off+int64(first)*int64(s.width), int64(id-first+1)*int64(s.width))
	if err != nil {
		return 0, 0, err
	}
	if id > 0 {
		start = littleEndian(ends[:s.width])
	}
	end = littleEndian(ends[len(ends)-s.width:])
	if start > end || end > uint64(s.blobSize()) || (id == s.count-1 && end != uint64(s.blobSize())) {
		return 0, 0, s.corrupt(id, start, end)
	}
	return start, end, nil
}

func littleEndian(p []byte) (v uint64) {
	for i, b := range p {
		v |= uint64(b) << (8 * i)
	}
	return v
}

// Packed gives the whole table, checked, where it is in memory.
func (s *section) Packed() (p unit.Packed, ok bool, err error) {
	if s.d.file != nil {
		return p, false, nil
	}
	all, err := s.d.view(s.off, s.size)
	if err != nil {
		return p, false, err
	}
	n := s.count * s.width
	if !s.whole.Load() {
		if err := s.checkEnds(0, 0, all[:n]); err != nil {
			return p, false, err
		}
		s.whole.Store(true)
	}
	return unit.Packed{Ends: all[:n:n], Width: s.width, Blob: all[n:]}, true, nil
}

// checkEnds checks the ends of entries from id on, of which last is the one before.
func (s *section) checkEnds(id int, last uint64, ends []byte) error {
	for ; len(ends) > 0; id++ {
		end := littleEndian(ends[:s.width])
		if end < last || end > uint64(s.blobSize()) || (id == s.count-1 && end != uint64(s.blobSize())) {
			return s.corrupt(id, last, end)
		}
		last, ends = end, ends[s.width:]
	}
	return nil
}

// Root decodes the value of a document: every demand makes a new one, of
// which tables share what they hold.
func Root[T any](d *Document, c get.Codec[T]) (*T, error) {
	if d.anySchema {
		if err := checkOwn(d.dir.schema, schemaOf(c)); err != nil {
			return nil, err
		}
	}
	var v *T
	err := d.src.Domain.Do(func(s *unit.Session) error {
		root := &d.dir.sections[0]
		data, err := d.view(root.off, root.size)
		if err != nil {
			return err
		}
		r := access.TakeReader() // a panic of c keeps it from being reused
		u := access.Reader(r)
		u.Begin(&d.src, s, data, d.src.Limits, d.src.Marks, "root", -1)
		v = new(T)
		c.Get(r, v)
		err = u.Done()
		access.GiveReader(r)
		return err
	})
	if err != nil {
		return nil, err
	}
	return v, nil
}

// Decode opens the document data, verifies all of it, and decodes its value.
// data may change afterwards, unless the value has lazy cells or c kept views
// of its bytes.
func Decode[T any](data []byte, c get.Codec[T], o *Options) (*T, error) {
	d, err := Open(data, o)
	if err != nil {
		return nil, err
	}
	if err := d.Verify(); err != nil {
		return nil, err
	}
	return Root(d, c)
}
