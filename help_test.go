package putget_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/putget/putget"
	"github.com/putget/putget/get"
	"github.com/putget/putget/internal/testchild"
	"github.com/putget/putget/internal/testdoc"
	"github.com/putget/putget/put"
)

// frame is a block of a stream.
type frame struct {
	kind    byte
	payload []byte
}

// frames takes a stream apart, as far as that goes.
func frames(stream []byte) (list []frame, rest []byte) {
	rest = stream[min(8, len(stream)):]
	for len(rest) > 0 {
		n, k := binary.Uvarint(rest[1:])
		if k <= 0 || n > uint64(len(rest)) || uint64(len(rest)) < 1+uint64(k)+n+8 {
			return list, rest
		}
		list = append(list, frame{rest[0], rest[1+k : 1+k+int(n)]})
		rest = rest[1+k+int(n)+8:]
	}
	return list, rest
}

// stream puts a stream together, with the checksums that belong there.
func stream(list []frame) []byte {
	s := []byte("putgetS\x01")
	sum := uint64(0)
	for _, f := range list {
		at := len(s)
		s = append(binary.AppendUvarint(append(s, f.kind), uint64(len(f.payload))), f.payload...)
		sum = testdoc.Sum64(sum, s[at:])
		s = binary.LittleEndian.AppendUint64(s, sum)
	}
	return s
}

// document puts a document together from sections in the form of the directory.
type rawSection struct {
	kind, count uint64
	name        string
	width       byte
	data        []byte
}

func document(schema string, sections []rawSection) []byte {
	dir := []byte{0, byte(len(schema))}
	dir = append(dir, schema...)
	dir = append(dir, 0)
	dir = binary.AppendUvarint(dir, uint64(len(sections)))
	doc := append([]byte("putgetD\x01"), make([]byte, 8)...)
	for _, s := range sections {
		dir = binary.AppendUvarint(dir, s.kind)
		dir = append(binary.AppendUvarint(dir, uint64(len(s.name))), s.name...)
		dir = binary.AppendUvarint(dir, uint64(len(s.data)))
		if s.kind == 1 {
			dir = append(binary.AppendUvarint(dir, s.count), s.width)
		}
		doc = append(doc, s.data...)
	}
	return assemble(doc, dir)
}

// assemble appends to header and body what follows them.
func assemble(doc, dir []byte) []byte {
	doc = append(doc, make([]byte, (len(doc)+4095)/4096*8)...)
	doc = append(doc, dir...)
	doc = binary.LittleEndian.AppendUint32(doc, uint32(len(dir)))
	doc = append(doc, make([]byte, 8)...)
	binary.LittleEndian.PutUint64(doc[8:], uint64(len(doc)))
	testdoc.Reseal(doc)
	return doc
}

// known reports whether err matches one of the classes.
func known(err error) bool {
	for _, class := range []error{putget.ErrTruncated, putget.ErrCorrupt, putget.ErrLimit, putget.ErrVersion, putget.ErrSchema,
		putget.ErrCycle, putget.ErrNotFound, putget.ErrMismatch, putget.ErrValue} {
		if errors.Is(err, class) {
			return true
		}
	}
	return false
}

// subject is a kind of value to test containers with.
type subject struct {
	name      string
	o         *putget.Options
	canonical bool // whatever decodes encodes to the same bytes
	append    func(dst []byte, o *putget.Options) ([]byte, error)
	// recode decodes a document, all of it, and encodes the value.
	recode func(doc []byte) ([]byte, error)
	// open decodes a document without verifying it first.
	open func(d *putget.Document) (any, error)
	// send and receive are the stream forms of append and open.
	send    func(e *putget.Encoder) error
	receive func(d *putget.Decoder) (any, error)
	// resend decodes a stream and encodes its values.
	resend func(stream []byte) ([]byte, error)
}

func newSubject[T any](name string, o *putget.Options, canonical bool, v *T, c putget.Codec[T]) subject {
	return subject{
		name: name, o: o, canonical: canonical,
		append: func(dst []byte, o *putget.Options) ([]byte, error) { return putget.Append(dst, v, c, o) },
		recode: func(doc []byte) ([]byte, error) {
			d, err := putget.Open(doc, nil)
			if err != nil {
				return nil, err
			}
			if err := d.Verify(); err != nil {
				return nil, err
			}
			v, err := putget.Root(d, c)
			if err != nil {
				return nil, err
			}
			o := &putget.Options{Schema: d.Schema(), Producer: d.Producer(), Marks: d.Marked()}
			_, o.ContentHash = d.ContentHash()
			for _, s := range d.Sections() {
				if s.Kind == "user" {
					data, err := d.Section(s.Name)
					if err != nil {
						return nil, err
					}
					o.Sections = append(o.Sections, putget.Section{Name: s.Name, Data: data})
				}
			}
			again, err := putget.Append(nil, v, c, o)
			if err != nil {
				return nil, reencodeError{err}
			}
			return again, nil
		},
		open:    func(d *putget.Document) (any, error) { return boxed(putget.Root(d, c)) },
		send:    func(e *putget.Encoder) error { return putget.EncodeTo(e, v, c) },
		receive: func(d *putget.Decoder) (any, error) { return boxed(putget.DecodeFrom(d, c)) },
		resend: func(stream []byte) ([]byte, error) {
			d := putget.NewDecoder(bytes.NewReader(stream), nil)
			var values []*T
			for {
				v, err := putget.DecodeFrom(d, c)
				if err == io.EOF {
					break
				}
				if err != nil {
					return nil, err
				}
				values = append(values, v)
			}
			var out bytes.Buffer
			e := putget.NewEncoder(&out, &putget.Options{Schema: d.Schema(), Marks: o != nil && o.Marks})
			for _, v := range values {
				if err := putget.EncodeTo(e, v, c); err != nil {
					return nil, reencodeError{err}
				}
			}
			err := e.Close()
			return out.Bytes(), err
		},
	}
}

// reencodeError: what was decoded could not be encoded.
type reencodeError struct{ error }

func boxed[T any](v *T, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return v, nil
}

// step is how many bits a test of flipped bits goes on at once: marks are long.
func (s subject) step() int {
	step := 1
	if s.o != nil && s.o.Marks {
		step = 11
	}
	if testing.Short() {
		step *= 13
	}
	return step
}

func (s subject) document(t testing.TB) []byte {
	t.Helper()
	doc, err := s.append(nil, s.o)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// stream is a stream with n times the value.
func (s subject) stream(t testing.TB, n int) []byte {
	t.Helper()
	var out bytes.Buffer
	e := putget.NewEncoder(&out, s.o)
	for range n {
		if err := s.send(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// record is a flat value, with at least one of every primitive.
type record struct {
	Flag  bool
	Small int8
	Wide  uint64
	Count uint
	Delta int
	Ratio float64
	Name  string
	Data  []byte
	List  []uint16
	Maybe putget.Maybe[int32]
}

type recordCodec struct{}

func (recordCodec) Put(b *put.Builder, v *record) {
	b.Bool(v.Flag)
	b.Int8(v.Small)
	b.Uint64(v.Wide)
	b.Uint(v.Count)
	b.Int(v.Delta)
	b.Float64(v.Ratio)
	b.String(v.Name)
	b.Bytes(v.Data)
	put.Slice(b, v.List, put.Func[uint16](func(b *put.Builder, x *uint16) { b.Uint16(*x) }))
	put.Maybe(b, &v.Maybe, put.Func[int32](func(b *put.Builder, x *int32) { b.Int32(*x) }))
}

func (recordCodec) Get(r *get.Reader, v *record) {
	v.Flag = r.Bool()
	v.Small = r.Int8()
	v.Wide = r.Uint64()
	v.Count = r.Uint()
	v.Delta = r.Int()
	v.Ratio = r.Float64()
	v.Name = r.String()
	v.Data = r.Bytes()
	v.List = get.Slice(r, get.Func[uint16](func(r *get.Reader, x *uint16) { *x = r.Uint16() }))
	v.Maybe = get.Maybe(r, get.Func[int32](func(r *get.Reader, x *int32) { *x = r.Int32() }))
}

var aRecord = record{true, -3, 1 << 60, 300, -70000, 0.1, "name", []byte{}, []uint16{1, 65535}, putget.Maybe[int32]{Value: -1, OK: true}}

// tree has owned pointers.
type tree struct {
	Label       string
	Left, Right *tree
}

type treeCodec struct{}

func (c treeCodec) Put(b *put.Builder, v *tree) {
	b.String(v.Label)
	put.Ptr(b, v.Left, c)
	put.Ptr(b, v.Right, c)
}

func (c treeCodec) Get(r *get.Reader, v *tree) {
	v.Label = r.String()
	v.Left = get.Ptr(r, c)
	v.Right = get.Ptr(r, c)
}

// aTree has n nodes, most on a path to the left.
func aTree(n int) *tree {
	t := &tree{Label: "leaf"}
	for i := 1; i < n; i++ {
		if i%3 == 0 {
			t = &tree{"r", nil, t}
		} else {
			t = &tree{"l", t, nil}
		}
	}
	return t
}

// blob is raw bytes, to fill blocks with.
type blob struct{ Data []byte }

type blobCodec struct{}

func (blobCodec) Put(b *put.Builder, v *blob) { b.Bytes(v.Data) }
func (blobCodec) Get(r *get.Reader, v *blob)  { v.Data = r.Bytes() }

func aBlob(n int) *blob {
	v := &blob{make([]byte, n)}
	for i := range v.Data {
		v.Data[i] = byte(i * i >> 5)
	}
	return v
}

func subjects() []subject {
	sections := []putget.Section{{Name: "notes", Data: []byte("remember the milk")}, {Name: "empty"}}
	return []subject{
		newSubject("record", nil, true, &aRecord, recordCodec{}),
		newSubject("sections", &putget.Options{Schema: "records 1", Producer: "test", Sections: sections}, true, &aRecord, recordCodec{}),
		newSubject("hashed", &putget.Options{ContentHash: true, Sections: sections[:1]}, true, &aRecord, recordCodec{}),
		newSubject("tree", nil, false, aTree(30), treeCodec{}),
		newSubject("marks", &putget.Options{Marks: true}, false, aTree(3), treeCodec{}),
		newSubject("empty", nil, true, &struct{}{}, emptyCodec{}),
		newSubject("module", nil, false, aModule(3), moduleCodec{}),
		newSubject("marked module", &putget.Options{Marks: true}, false, aModule(2), moduleCodec{}),
	}
}

// emptyCodec makes units without bytes.
type emptyCodec struct{}

func (emptyCodec) Put(*put.Builder, *struct{}) {}
func (emptyCodec) Get(*get.Reader, *struct{})  {}

const childVar = "PUTGET_TEST_CHILD"

// child is this test binary, to run one test with the environment variable set.
func child(t *testing.T, test, role string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	testchild.Need(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(exe, "-test.run=^"+test+"$")
	c.Env = append(os.Environ(), childVar+"="+role)
	var says bytes.Buffer
	c.Stderr = &says
	return c, &says
}
