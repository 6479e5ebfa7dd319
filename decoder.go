package putget

import (
	"encoding/binary"
	"io"
	"math"

	"github.com/putget/putget/get"
	"github.com/putget/putget/internal/access"
	"github.com/putget/putget/internal/unit"
	"github.com/putget/putget/internal/wire"
)

// Decoder reads a stream that an Encoder wrote, from its start. It never reads
// past the stream's end, and blocks only for bytes that the value at hand
// needs. A Decoder is not safe for concurrent use. The values it returns are,
// lazy cells included, also while it goes on; but a cell that is forced
// meanwhile, or any demand on the same Options.Domain, may wait as long as the
// Decoder waits for its io.Reader.
//
// Memory: one block, what tables hold, and the bytes of their entries.
type Decoder struct {
	r      io.Reader
	o      *Options
	src    unit.Source
	domain Domain // where the options gave none

	buf    []byte // buf[lo:hi] was read and not used
	lo, hi int
	offset int64  // of buf[lo] in the stream
	sum    uint64 // of the block before

	schema  string
	begun   bool
	tables  []*streamTable
	names   map[string]*streamTable
	inRoot  bool // a part of a root was read, and more follows
	partial *streamTable

	err error // of the stream; those of values are not kept
}

// NewDecoder reads a stream from r. Nothing is read before the first value. Of
// the options Env, Limits, Schema and Domain count; nil are the defaults.
func NewDecoder(r io.Reader, o *Options) *Decoder {
	o = o.orDefault()
	d := &Decoder{r: r, o: o, names: map[string]*streamTable{}}
	d.src.Limits = o.Limits
	d.src.Env, d.err = o.env()
	d.src.Section = d.section
	d.src.Domain = &d.domain.d
	if o.Domain != nil {
		d.src.Domain = &o.Domain.d
	}
	return d
}

// DecodeFrom reads the next value of a stream; io.EOF where the writer ended
// it. A stream that is cut anywhere is an error that matches ErrTruncated.
//
// After an error of the stream itself every call returns it again. After an
// error in the value, a codec's for instance, the next call goes on with the
// next value.
func DecodeFrom[T any](d *Decoder, c get.Codec[T]) (*T, error) {
	kind, payload, err := d.nextRoot()
	if err != nil {
		return nil, err
	}
	var v *T
	err = d.src.Domain.Do(func(s *unit.Session) error {
		r := access.TakeReader() // a panic of c keeps it from being reused
		u := access.Reader(r)
		u.Begin(&d.src, s, payload, d.src.Limits, d.src.Marks, "root", -1)
		if kind == blockPart {
			u.Fill = d.fill
		}
		v = new(T)
		c.Get(r, v)
		err := u.Done()
		access.GiveReader(r)
		return err
	})
	if err != nil {
		return nil, err
	}
	return v, nil
}

// Skip passes over the next value without decoding it; io.EOF where the writer
// ended the stream. What the value brought into tables is kept.
func (d *Decoder) Skip() error {
	kind, _, err := d.nextRoot()
	d.inRoot = err == nil && kind == blockPart
	return err
}

// Schema is the schema that the writer gave, known once a value was asked for.
func (d *Decoder) Schema() string { return d.schema }

// nextRoot reads up to the first block of the next root, and over what is left
// of one before that was not read to its end.
func (d *Decoder) nextRoot() (kind byte, payload []byte, err error) {
	for d.inRoot && d.err == nil {
		d.rootBlock(false)
	}
	return d.rootBlock(false)
}

// fill gives the next block of the current root, nil at its end. It is called
// in the root's session.
func (d *Decoder) fill() ([]byte, error) {
	if !d.inRoot {
		return nil, nil
	}
	_, payload, err := d.rootBlock(true)
	return payload, err
}

// rootBlock reads up to a block of a root. io.EOF is the stream's end.
func (d *Decoder) rootBlock(inSession bool) (kind byte, payload []byte, err error) {
	for d.err == nil {
		kind, payload, err := d.block()
		if err == nil && inSession {
			err = d.take(kind, payload)
		} else if err == nil {
			err = d.takeLocked(kind, payload)
		}
		if d.err = err; err == nil && (kind == blockPart || kind == blockRoot) {
			return kind, payload, nil
		}
	}
	return 0, nil, d.err
}

// takeLocked is take outside of a session: cells of values that came before may
// be asked for at the same time, and then read tables.
func (d *Decoder) takeLocked(kind byte, payload []byte) (err error) {
	if kind != blockTable && kind != blockEntries && kind != blockMore {
		return d.take(kind, payload)
	}
	return d.src.Domain.Do(func(*unit.Session) error { return d.take(kind, payload) })
}

// take acts on a block.
func (d *Decoder) take(kind byte, payload []byte) error {
	p := parser{buf: payload, unit: "stream", base: d.offset - int64(len(payload)) - sumSize}
	if (d.partial != nil) != (kind == blockMore) || (kind == blockBegin) == d.begun {
		return p.failed("a block of kind %d cannot come here", kind)
	}
	switch kind {
	case blockBegin:
		d.begin(&p)
	case blockTable:
		d.table(&p)
	case blockEntries:
		d.entries(&p)
	case blockMore:
		d.more(d.partial, &p)
	case blockPart, blockRoot:
		d.inRoot = kind == blockPart
	case blockEnd:
		if d.inRoot || len(payload) > 0 {
			return p.failed("the stream ends within a value")
		}
		return io.EOF
	default:
		return p.failed("there is no block of kind %d", kind)
	}
	return p.err
}

func (d *Decoder) begin(p *parser) {
	d.begun = true
	flags := p.uvarint()
	d.schema = p.text()
	if flags&^flagMarks != 0 {
		p.fail("unknown flags %#x", flags)
	}
	p.end()
	d.src.Marks = flags&flagMarks != 0
	if p.err == nil {
		p.err = checkSchema("stream", d.schema, d.o)
	}
}

// block reads a block and checks it. The payload is valid until the next call.
func (d *Decoder) block() (kind byte, payload []byte, err error) {
	if d.offset == 0 {
		if err := d.header(); err != nil {
			return 0, nil, err
		}
	}
	// What is read too much of one block is never more than the shortest of
	// the blocks that must follow.
	if err := d.need(minFrame, 0); err != nil {
		if e, ok := err.(*Error); ok && e.Class == ErrTruncated && d.hi == d.lo {
			e.Msg += "; a stream ends with Encoder.Close"
		}
		return 0, nil, err
	}
	frame := d.buf[d.lo : d.lo+minFrame]
	kind = frame[0]
	n, k := unit.Uvarint(frame[1:])
	if k <= 0 || n > maxPayload {
		return 0, nil, errorAt(ErrCorrupt, "stream", d.offset, "a block of kind %d has no length of at most %d", kind, maxPayload)
	}
	head, ahead := 1+k, minFrame
	if kind == blockEnd {
		ahead = 0
	}
	size := head + int(n) + sumSize
	if err := d.need(size, ahead); err != nil {
		return 0, nil, err
	}
	frame = d.buf[d.lo : d.lo+size]
	sum := sum64(d.sum, frame[:head+int(n)])
	if sum != binary.LittleEndian.Uint64(frame[head+int(n):]) {
		return 0, nil, errorAt(ErrCorrupt, "stream", d.offset, "a block of kind %d and %d bytes does not match its checksum: it was damaged, or blocks before it are missing", kind, size)
	}
	d.sum = sum
	d.lo += size
	d.offset += int64(size)
	return kind, frame[head : head+int(n) : head+int(n)], nil
}

// header reads and checks the stream's first bytes.
func (d *Decoder) header() error {
	if err := d.need(streamHeader, minFrame); err != nil && d.hi == 0 {
		return err // not a byte
	} else if h := d.buf[:min(d.hi, streamHeader)]; string(h[:min(len(h), len(magic))]) != magic[:min(len(h), len(magic))] {
		return errorAt(ErrCorrupt, "stream", 0, "this is not the start of a putget stream: it begins with % x", h)
	} else if err != nil {
		return err
	} else if h[kindOffset] == kindDocument {
		return errorAt(ErrCorrupt, "stream", int64(kindOffset), "this is a putget document, not a stream: read it with Open")
	} else if h[kindOffset] != kindStream {
		return errorAt(ErrCorrupt, "stream", int64(kindOffset), "this is not a putget stream: its kind is %q", h[kindOffset])
	} else if h[versionOffset] != version {
		return versionError("stream", h[versionOffset])
	}
	d.lo += streamHeader
	d.offset += int64(streamHeader)
	return nil
}

// need reads until buf[lo:hi] has n bytes, and up to ahead more where they come
// along. The buffer grows with what arrives.
func (d *Decoder) need(n, ahead int) error {
	if d.hi-d.lo >= n {
		return nil
	}
	d.hi = copy(d.buf, d.buf[d.lo:d.hi])
	d.lo = 0
	for d.hi < n {
		if d.hi == len(d.buf) {
			grown := make([]byte, min(max(2*len(d.buf), 512), 2*minFrame+maxPayload))
			copy(grown, d.buf)
			d.buf = grown
		}
		to := min(n+ahead, len(d.buf))
		m, err := io.ReadAtLeast(d.r, d.buf[d.hi:to], min(n, to)-d.hi)
		d.hi += m
		if err != nil {
			return readError("stream", d.offset+int64(d.hi), err)
		}
	}
	return nil
}

// streamTable is what has come of a table.
type streamTable struct {
	name    string
	entries unit.Entries
	missing uint64 // bytes of the entry that has come in part
}

// table takes the name of a new table.
func (d *Decoder) table(p *parser) {
	name := string(p.bytes(uint64(len(p.buf))))
	if d.names[name] != nil {
		p.fail("two tables are named %q", name)
		return
	}
	t := &streamTable{name: name}
	d.names[name] = t
	d.tables = append(d.tables, t)
}

func (d *Decoder) section(name string) (unit.Section, error) {
	if t := d.names[name]; t != nil {
		return &t.entries, nil
	}
	return nil, nil
}

// entries takes new entries of a table. Of the last, the end may be missing.
func (d *Decoder) entries(p *parser) {
	i, n := p.uvarint(), p.uvarint()
	if i >= uint64(len(d.tables)) {
		p.fail("table number %d was not announced", i)
		return
	}
	if n == 0 || n > uint64(len(p.rest())) {
		p.fail("%d entries in %d bytes", n, len(p.rest()))
		return
	}
	t := d.tables[i]
	e := &t.entries
	ends := len(e.Ends)
	start := uint64(len(e.Blob))
	end := start
	for range n {
		size := p.uvarint()
		if size > math.MaxInt-end {
			p.fail("an entry of %d bytes", size)
			size = 0
		}
		end += size
		e.Ends = append(e.Ends, end)
	}
	if got := uint64(len(p.rest())); got > end-start || (got < end-start && (n > 1 || got < wire.BlockSize)) {
		p.fail("%d entries of %d bytes in a block of %d", n, end-start, got)
	}
	if p.err != nil {
		e.Ends = e.Ends[:ends]
		return
	}
	e.Ends = e.Ends[:len(e.Ends)-1] // more adds the last, once it is whole
	t.missing = end - start
	d.more(t, p)
}

// more takes bytes of entries.
func (d *Decoder) more(t *streamTable, p *parser) {
	got := p.rest()
	if n := uint64(len(got)); n > t.missing || n < min(t.missing, wire.BlockSize) {
		p.fail("%d bytes of entries, of which %d are missing", n, t.missing)
		return
	}
	t.entries.Blob = append(t.entries.Blob, got...)
	t.missing -= uint64(len(got))
	if d.partial = t; t.missing == 0 {
		d.partial = nil
		t.entries.End()
	}
}
