package putget

import (
	"crypto/sha256"
	"encoding/binary"
	"io"
	"math"
	"slices"
	"sync"

	"github.com/putget/putget/internal/access"
	"github.com/putget/putget/internal/unit"
	"github.com/putget/putget/put"
)

// Encode writes *v as a document, in one call of Write. nil options are the
// defaults.
func Encode[T any](w io.Writer, v *T, c put.Codec[T], o *Options) error {
	p := buffers.Get().(*[]byte)
	defer buffers.Put(p)
	doc, err := Append((*p)[:0], v, c, o)
	if err != nil {
		return err
	}
	*p = doc
	return write(w, "document", 0, doc)
}

// write writes all of p. A writer that takes less without an error is at fault.
func write(w io.Writer, what string, offset int64, p []byte) error {
	n, err := w.Write(p)
	if err == nil && n != len(p) {
		err = io.ErrShortWrite
	}
	if err != nil {
		return &Error{Unit: what, Offset: offset + int64(n), Msg: "writing failed", Err: err}
	}
	return nil
}

// Append appends *v as a document to dst. On an error dst is returned as it
// was. nil options are the defaults.
//
// The bytes depend on v, c and o alone. Memory is reused between calls: where
// dst has room, a document like those before allocates nothing.
func Append[T any](dst []byte, v *T, c put.Codec[T], o *Options) ([]byte, error) {
	if v == nil {
		return dst, errNilValue("document")
	}
	d := docWriters.Get().(*docWriter) // a panic of c keeps it from being reused
	doc, err := dst, d.begin(dst, o.orDefault())
	if err == nil {
		d.schema = d.o.Schema
		if own := schemaOf(c); d.schema == "" {
			d.schema = own
		}
		c.Put(&d.b, v)
		doc, err = d.finish()
	}
	d.end()
	if err != nil {
		return dst, err
	}
	return doc, nil
}

var (
	docWriters = sync.Pool{New: func() any { return new(docWriter) }}
	buffers    = sync.Pool{New: func() any { return new([]byte) }}
)

// docWriter writes one document at a time.
type docWriter struct {
	b      put.Builder // the root
	run    unit.Run
	o      *Options
	start  int    // of the document in the buffer
	schema string // the options', or the codec's own
	list   []byte // the directory's list of sections
	dir    []byte
}

func (d *docWriter) begin(dst []byte, o *Options) error {
	env, err := o.env()
	if err != nil {
		return err
	}
	for i, s := range o.Sections {
		if slices.ContainsFunc(o.Sections[:i], func(t Section) bool { return t.Name == s.Name }) {
			return errorAt(ErrValue, "options", 0, "two sections are named %q", s.Name)
		}
	}
	d.o, d.start = o, len(dst)
	d.run.Env, d.run.Limits, d.run.Marks = env, o.Limits, o.Marks
	dst = append(dst, magic...)
	dst = append(dst, kindDocument, version)
	dst = append(dst, 0, 0, 0, 0, 0, 0, 0, 0) // the length, in finish
	access.Writer(&d.b).Begin(&d.run, dst, o.Limits, o.Marks, "root", -1)
	return nil
}

// finish appends what follows the root.
func (d *docWriter) finish() ([]byte, error) {
	buf, err := access.Writer(&d.b).Done()
	if err != nil {
		return nil, err
	}
	if err := d.run.Finish(); err != nil {
		return nil, err
	}
	tables := d.run.Order()
	d.list = binary.AppendUvarint(d.list[:0], uint64(1+len(tables)+len(d.o.Sections)))
	d.section(sectionRoot, "", len(buf)-d.start-headerSize)
	for _, t := range tables {
		entries := t.Entries()
		size := len(buf)
		buf = appendTable(buf, entries)
		d.section(sectionTable, t.Name(), len(buf)-size)
		d.list = binary.AppendUvarint(d.list, uint64(entries.Len()))
		d.list = append(d.list, byte(widthOf(uint64(len(entries.Blob)))))
	}
	for _, s := range d.o.Sections {
		buf = append(buf, s.Data...)
		d.section(sectionUser, s.Name, len(s.Data))
	}
	return d.seal(buf)
}

func (d *docWriter) section(kind uint64, name string, size int) {
	d.list = binary.AppendUvarint(d.list, kind)
	d.list = appendString(d.list, name)
	d.list = binary.AppendUvarint(d.list, uint64(size))
}

// appendTable appends the ends of the entries and the entries.
func appendTable(buf []byte, t *unit.Entries) []byte {
	width := widthOf(uint64(len(t.Blob)))
	n := len(t.Ends) * width
	buf = slices.Grow(buf, n+8+len(t.Blob))
	ends := buf[len(buf) : len(buf)+n+8] // the last end writes up to 7 bytes too many
	for i, end := range t.Ends {
		binary.LittleEndian.PutUint64(ends[i*width:], end)
	}
	return append(buf[:len(buf)+n], t.Blob...)
}

// seal appends checksums, directory and trailer.
func (d *docWriter) seal(buf []byte) ([]byte, error) {
	body := buf[d.start:]
	var flags uint64
	if d.o.Marks {
		flags |= flagMarks
	}
	if d.o.ContentHash {
		flags |= flagHash
	}
	d.dir = binary.AppendUvarint(d.dir[:0], flags)
	d.dir = appendString(d.dir, d.schema)
	d.dir = appendString(d.dir, d.o.Producer)
	if d.o.ContentHash {
		h := sha256.New()
		h.Write(body[headerSize:])
		h.Write(d.list)
		d.dir = h.Sum(d.dir)
	}
	d.dir = append(d.dir, d.list...)
	if uint64(len(d.dir)) > math.MaxUint32 {
		return nil, errorAt(ErrLimit, "directory", 0, "the names in the directory take %d bytes", len(d.dir))
	}
	n := blocks(int64(len(body)))
	binary.LittleEndian.PutUint64(body[versionOffset+1:], uint64(len(body)+int(n)*sumSize+len(d.dir)+trailerSize))
	seal := sum64(0, body[:headerSize], d.dir)
	for i := range n {
		block := body[i<<blockShift : min((i+1)<<blockShift, int64(len(body)))]
		buf = binary.LittleEndian.AppendUint64(buf, sum64(seal+uint64(i), block))
	}
	buf = append(buf, d.dir...)
	buf = binary.LittleEndian.AppendUint32(buf, uint32(len(d.dir)))
	return binary.LittleEndian.AppendUint64(buf, seal), nil
}

// end drops every reference and makes d ready for another document.
func (d *docWriter) end() {
	access.Writer(&d.b).Begin(nil, nil, Limits{}, false, "", -1)
	d.run.Reset()
	d.o = nil
	docWriters.Put(d)
}
