package putget_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/putget/putget"
	"github.com/putget/putget/get"
	"github.com/putget/putget/put"
)

func TestStreamRoundTrip(t *testing.T) {
	for _, s := range append(subjects(), streamSubjects()...) {
		for _, n := range []int{0, 1, 2, 5} {
			str := s.stream(t, n)
			again, err := s.resend(str)
			if err != nil || !bytes.Equal(again, str) {
				t.Errorf("%s, %d values: %v\n%x\n%x", s.name, n, err, head(str), head(again))
			}
			list, rest := frames(str)
			if len(rest) > 0 || !bytes.Equal(stream(list), str) {
				t.Errorf("%s, %d values: the blocks are not as documented", s.name, n)
			}
			for i, f := range list {
				if len(f.payload) > 2<<16+100 || f.kind == 4 && len(f.payload) < 1<<16 {
					t.Errorf("%s: block %d has %d bytes", s.name, i, len(f.payload))
				}
			}
		}
	}
}

func head(p []byte) []byte { return p[:min(len(p), 1000)] }

// streamSubjects have roots of several blocks.
func streamSubjects() []subject {
	return []subject{
		newSubject("blob", nil, true, aBlob(300_000), blobCodec{}),
		newSubject("many", nil, true, aMany(3000), recordsCodec{}),
		newSubject("many marked", &putget.Options{Marks: true}, true, aMany(300), recordsCodec{}),
	}
}

type records struct{ List []record }

type recordsCodec struct{}

func (recordsCodec) Put(b *put.Builder, v *records) { put.Slice(b, v.List, recordCodec{}) }
func (recordsCodec) Get(r *get.Reader, v *records)  { v.List = get.Slice(r, recordCodec{}) }

func aMany(n int) *records {
	v := new(records)
	for i := range n {
		r := aRecord
		r.Count = uint(i)
		r.Data = make([]byte, i%50)
		v.List = append(v.List, r)
	}
	return v
}

// However a reader hands the bytes out, the values are the same, and nothing
// past the stream's end is read.
func TestStreamReaders(t *testing.T) {
	list := subjects()
	if !testing.Short() {
		list = append(list, streamSubjects()...)
	}
	for _, s := range list {
		str := s.stream(t, 3)
		for name, wrap := range map[string]func(io.Reader) io.Reader{
			"plain":    func(r io.Reader) io.Reader { return r },
			"one byte": iotest.OneByteReader,
			"half":     iotest.HalfReader,
			"data err": iotest.DataErrReader,
		} {
			const after = "the next thing in the pipe"
			src := strings.NewReader(string(str) + after)
			d := putget.NewDecoder(wrap(src), nil)
			var first any
			for i := range 3 {
				v, err := s.receive(d)
				if err != nil {
					t.Fatalf("%s, %s, value %d: %v", s.name, name, i, err)
				}
				if first == nil {
					first = v
				} else if diff := cmp.Diff(first, v); diff != "" {
					t.Errorf("%s, %s: %s", s.name, name, diff)
				}
			}
			for range 2 {
				if _, err := s.receive(d); err != io.EOF {
					t.Errorf("%s, %s: %v at the end", s.name, name, err)
				}
			}
			if name == "data err" {
				continue // reads ahead on its own
			}
			if rest, _ := io.ReadAll(src); string(rest) != after {
				t.Errorf("%s, %s: %d bytes are left of %d", s.name, name, len(rest), len(after))
			}
		}
	}
}

// A value can be decoded as soon as its EncodeTo has returned.
func TestStreamIsPrompt(t *testing.T) {
	pr, pw := io.Pipe()
	e := putget.NewEncoder(pw, nil)
	d := putget.NewDecoder(pr, nil)
	done := make(chan error)
	for i := range 10 {
		v := record{Delta: i}
		go func() { done <- putget.EncodeTo(e, &v, recordCodec{}) }()
		got, err := putget.DecodeFrom(d, recordCodec{})
		if err != nil || got.Delta != i {
			t.Fatal(got, err)
		}
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	go func() { done <- e.Close() }()
	if _, err := putget.DecodeFrom(d, recordCodec{}); err != io.EOF {
		t.Error(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// Cut anywhere, a stream gives the values before the cut, then ErrTruncated.
func TestStreamCut(t *testing.T) {
	for _, s := range append(subjects(), streamSubjects()...) {
		str := s.stream(t, 2)
		for n := range str {
			if n > 300 && n < len(str)-50 && n%4999 != 0 {
				continue
			}
			d := putget.NewDecoder(bytes.NewReader(str[:n]), nil)
			var err error
			for range 3 {
				if _, err = s.receive(d); err != nil {
					break
				}
			}
			if !errors.Is(err, putget.ErrTruncated) || !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Fatalf("%s, cut at %d of %d: %v", s.name, n, len(str), err)
			}
			if _, again := s.receive(d); again == nil || again.Error() != err.Error() {
				if _, again2 := s.receive(d); again2 == nil || again2.Error() != again.Error() {
					t.Fatalf("%s, cut at %d: then %v", s.name, n, again)
				}
			}
		}
	}
}

// Every flipped bit is found before a value is returned that has it.
func TestStreamFlip(t *testing.T) {
	for _, s := range subjects() {
		str := s.stream(t, 2)
		want, err := s.receive(putget.NewDecoder(bytes.NewReader(str), nil))
		if err != nil {
			t.Fatal(err)
		}
		for bit := 0; bit < 8*len(str); bit += s.step() {
			bad := bytes.Clone(str)
			bad[bit/8] ^= 1 << (bit % 8)
			d := putget.NewDecoder(bytes.NewReader(bad), nil)
			var err error
			for range 3 {
				var got any
				if got, err = s.receive(d); err != nil {
					break
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("%s, bit %d: %s", s.name, bit, diff)
				}
			}
			if err == nil || err == io.EOF || !known(err) {
				t.Fatalf("%s, bit %d of %d flipped: %v", s.name, bit, 8*len(str), err)
			}
		}
	}
}

// With checksums that are right, what decodes is a value of its own.
func TestStreamFlipResealed(t *testing.T) {
	for _, s := range subjects() {
		list, _ := frames(s.stream(t, 2))
		for i := range list {
			good := list[i]
			for bit := 0; bit < 8*(len(good.payload)+1); bit += s.step() {
				bad := frame{good.kind, bytes.Clone(good.payload)}
				if bit < 8 {
					bad.kind ^= 1 << bit
				} else {
					bad.payload[bit/8-1] ^= 1 << (bit % 8)
				}
				list[i] = bad
				checkResent(t, s, stream(list))
			}
			list[i] = good
		}
	}
}

// checkResent is checkRecoded for a stream.
func checkResent(t testing.TB, s subject, str []byte) {
	t.Helper()
	again, err := s.resend(str)
	if err != nil {
		if reencode := (reencodeError{}); errors.As(err, &reencode) || !known(err) {
			t.Fatalf("%s: %v\n%x", s.name, err, str)
		}
		return
	}
	once := again
	if again, err = s.resend(once); err != nil || !bytes.Equal(again, once) {
		t.Fatalf("%s: %v: decoded and encoded\n%x\nthe same again\n%x", s.name, err, once, again)
	}
}

func TestStreamRefused(t *testing.T) {
	begin, end := frame{0, []byte{0, 0}}, frame{6, nil}
	name, name2 := frame{1, []byte("names")}, frame{1, []byte("types")}
	root := frame{5, []byte{1}}
	large := func(n int) frame {
		return frame{2, append([]byte{0, 1, byte(n&0x7f | 0x80), byte(n>>7&0x7f | 0x80), byte(n >> 14)}, make([]byte, 1<<16)...)}
	}
	read := func(list []frame) error {
		d := putget.NewDecoder(bytes.NewReader(stream(list)), nil)
		var err error
		for err == nil {
			err = d.Skip()
		}
		return err
	}
	for what, list := range map[string][]frame{
		"only an end":       {begin, end},
		"tables":            {begin, name, {2, []byte{0, 2, 1, 2, 'a', 'b', 'b'}}, name2, root, end},
		"a large entry":     {begin, name, large(1<<16 + 5), {3, []byte("aaaaa")}, root, end},
		"an entry of none":  {begin, name, {2, []byte{0, 1, 0}}, root, end},
		"a root in parts":   {begin, {4, []byte{1}}, {4, []byte{1}}, name, root, end},
		"entries in a root": {begin, name, {4, []byte{1}}, {2, []byte{0, 1, 0}}, root, end},
	} {
		if err := read(list); err != io.EOF {
			t.Errorf("%s: %v", what, err)
		}
	}
	for what, list := range map[string][]frame{
		"no begin":              {root, end},
		"begin twice":           {begin, begin, end},
		"unknown flags":         {{0, []byte{2, 0}}, end},
		"a byte after begin":    {{0, []byte{0, 0, 0}}, end},
		"unknown kind":          {begin, {7, nil}, end},
		"unknown kind 255":      {begin, {255, nil}, end},
		"end with a payload":    {begin, {6, []byte{0}}},
		"end in a root":         {begin, {4, []byte{1}}, end},
		"name twice":            {begin, name, name, end},
		"no such table":         {begin, name, {2, []byte{1, 1, 0}}, end},
		"no entries":            {begin, name, {2, []byte{0, 0}}, end},
		"many entries":          {begin, name, {2, []byte{0, 100, 0}}, end},
		"huge entry":            {begin, name, {2, []byte{0, 1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1}}, end},
		"huge sum":              {begin, name, {2, append(bytes.Repeat([]byte{255, 255, 255, 255, 255, 255, 255, 255, 127}, 3), 0)}, end},
		"entry too short":       {begin, name, {2, []byte{0, 1, 2, 'a'}}, end},
		"two entries too short": {begin, name, {2, []byte{0, 2, 1, 2, 'a', 'b'}}, end},
		"entry too long":        {begin, name, {2, []byte{0, 1, 1, 'a', 'b'}}, end},
		"more of nothing":       {begin, name, {3, []byte("a")}, end},
		"more is too much":      {begin, name, large(1<<16 + 5), {3, []byte("aaaaaa")}, end},
		"more is missing":       {begin, name, large(1<<16 + 5), root, end},
		"more is too short":     {begin, name, large(1<<16 + 5), {3, []byte("aaaa")}, {3, []byte("a")}, end},
		"more is empty":         {begin, name, large(1<<16 + 5), {3, nil}, end},
		"end is missing more":   {begin, name, large(1<<16 + 5), end},
	} {
		if err := read(list); !errors.Is(err, putget.ErrCorrupt) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := read([]frame{begin, root}); !errors.Is(err, putget.ErrTruncated) {
		t.Errorf("no end: %v", err)
	}
}

// Blocks that are intact but not in their place are found.
func TestStreamBlocksMoved(t *testing.T) {
	s := newSubject("", nil, true, &aRecord, recordCodec{})
	str := s.stream(t, 4)
	list, _ := frames(str)
	size := len(list[1].payload) + 10 // of a root's block
	at := 8 + 12
	cut := func(from, to int) []byte { return append(bytes.Clone(str[:from]), str[to:]...) }
	twice := append(append(bytes.Clone(str[:at+size]), str[at:at+size]...), str[at+size:]...)
	for name, bad := range map[string][]byte{
		"dropped": cut(at+size, at+2*size),
		"doubled": twice,
	} {
		d := putget.NewDecoder(bytes.NewReader(bad), nil)
		var err error
		for err == nil {
			_, err = s.receive(d)
		}
		if !errors.Is(err, putget.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNotAStream(t *testing.T) {
	s := newSubject("", &putget.Options{Schema: "mine 1"}, true, &aRecord, recordCodec{})
	str := s.stream(t, 2)
	other := func(at int, b byte) []byte { d := bytes.Clone(str); d[at] = b; return d }
	for _, test := range []struct {
		name string
		data []byte
		want error
		text string
	}{
		{"nothing", nil, putget.ErrTruncated, "ends here"},
		{"zeros", make([]byte, 100), putget.ErrCorrupt, "not the start of a putget stream"},
		{"text", []byte("hi"), putget.ErrCorrupt, "not the start of a putget stream"},
		{"the second value", str[8+20:], putget.ErrCorrupt, "not the start of a putget stream"},
		{"newer", other(7, 9), putget.ErrVersion, "format version 9, newer than version 1"},
		{"kind", other(6, 'X'), putget.ErrCorrupt, "not a putget stream"},
		{"document", s.document(t), putget.ErrCorrupt, "read it with Open"},
	} {
		d := putget.NewDecoder(bytes.NewReader(test.data), nil)
		if _, err := s.receive(d); !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.text) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	d := putget.NewDecoder(bytes.NewReader(str), &putget.Options{Schema: "mine 2"})
	for range 2 {
		if _, err := s.receive(d); !errors.Is(err, putget.ErrSchema) || !strings.Contains(err.Error(), "mine 1") {
			t.Error(err)
		}
	}
	if d.Schema() != "mine 1" {
		t.Error(d.Schema())
	}
}

// A reader's own error is passed on, and stays.
func TestStreamReaderFails(t *testing.T) {
	str := newSubject("", nil, true, &aRecord, recordCodec{}).stream(t, 2)
	mine := errors.New("mine")
	for n := range str {
		d := putget.NewDecoder(io.MultiReader(bytes.NewReader(str[:n]), iotest.ErrReader(mine)), nil)
		var err error
		for err == nil {
			_, err = putget.DecodeFrom(d, recordCodec{})
		}
		_, again := putget.DecodeFrom(d, recordCodec{})
		if !errors.Is(err, mine) || err != again {
			t.Errorf("at %d: %v, then %v", n, err, again)
		}
	}
}

func TestStreamWriterFails(t *testing.T) {
	s := newSubject("", nil, true, &aRecord, recordCodec{})
	str := s.stream(t, 2)
	for n := range len(str) + 1 {
		for _, short := range []bool{false, true} {
			w := &limitedWriter{n: n, short: short}
			e := putget.NewEncoder(w, nil)
			var err error
			for i := 0; i < 2 && err == nil; i++ {
				err = s.send(e)
			}
			closed := e.Close()
			if n == len(str) {
				if err != nil || closed != nil {
					t.Error(err, closed)
				}
				continue
			}
			if err != nil && closed != err {
				t.Errorf("at %d: %v, then %v", n, err, closed)
			}
			if want := map[bool]error{false: errFull, true: io.ErrShortWrite}[short]; !errors.Is(closed, want) {
				t.Errorf("at %d: %v", n, closed)
			}
		}
	}
}

// After a codec's error an Encoder stays failed; a Decoder goes on with the
// next value.
func TestStreamCodecFails(t *testing.T) {
	var out bytes.Buffer
	e := putget.NewEncoder(&out, nil)
	if err := putget.EncodeTo(e, &aRecord, recordCodec{}); err != nil {
		t.Fatal(err)
	}
	err := putget.EncodeTo(e, &aRecord, failing{})
	if !errors.Is(err, errFailing) {
		t.Error(err)
	}
	if again := putget.EncodeTo(e, &aRecord, recordCodec{}); again != err {
		t.Error(again)
	}
	if again := e.Close(); again != err {
		t.Error(again)
	}
	d := putget.NewDecoder(&out, nil)
	if _, err := putget.DecodeFrom(d, recordCodec{}); err != nil {
		t.Error(err)
	}
	if _, err := putget.DecodeFrom(d, recordCodec{}); !errors.Is(err, putget.ErrTruncated) {
		t.Error(err)
	}

	many := newSubject("", nil, true, aMany(5000), recordsCodec{}).stream(t, 3)
	d = putget.NewDecoder(bytes.NewReader(many), nil)
	if v, err := putget.DecodeFrom(d, failing{}); !errors.Is(err, errFailing) || v != nil {
		t.Error(v, err)
	}
	func() {
		defer func() { recover() }()
		putget.DecodeFrom(d, failing{true})
	}()
	if v, err := putget.DecodeFrom(d, recordsCodec{}); err != nil || len(v.List) != 5000 {
		t.Error(err)
	}
	if _, err := putget.DecodeFrom(d, recordsCodec{}); err != io.EOF {
		t.Error(err)
	}
}

func TestStreamSkip(t *testing.T) {
	many := newSubject("", nil, true, aMany(5000), recordsCodec{}).stream(t, 3)
	d := putget.NewDecoder(bytes.NewReader(many), nil)
	if err := d.Skip(); err != nil {
		t.Fatal(err)
	}
	if v, err := putget.DecodeFrom(d, recordsCodec{}); err != nil || len(v.List) != 5000 {
		t.Error(err)
	}
	if err := d.Skip(); err != nil {
		t.Fatal(err)
	}
	if err := d.Skip(); err != io.EOF {
		t.Error(err)
	}
}

// reentrant puts itself into the stream that it is put into.
type reentrant struct{ e *putget.Encoder }

func (c reentrant) Put(b *put.Builder, v *record) {
	b.Fail(putget.EncodeTo(c.e, v, recordCodec{}))
}

func TestEncoderMisused(t *testing.T) {
	e := putget.NewEncoder(io.Discard, nil)
	if err := putget.EncodeTo(e, &aRecord, reentrant{e}); !errors.Is(err, putget.ErrValue) {
		t.Error(err)
	}
	e = putget.NewEncoder(io.Discard, nil)
	func() {
		defer func() { recover() }()
		putget.EncodeTo(e, &aRecord, failing{true})
	}()
	if err := putget.EncodeTo(e, &aRecord, recordCodec{}); !errors.Is(err, putget.ErrValue) {
		t.Error(err)
	}
	e = putget.NewEncoder(io.Discard, nil)
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if err := putget.EncodeTo(e, &aRecord, recordCodec{}); !errors.Is(err, putget.ErrValue) {
		t.Error(err)
	}
}

func TestFingerprint(t *testing.T) {
	sum := func(v *record, o *putget.Options) [32]byte {
		t.Helper()
		f, err := putget.Fingerprint(v, recordCodec{}, o)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	want := sum(&aRecord, nil)
	same := aRecord
	same.Data = []byte{}
	if sum(&same, &putget.Options{Producer: "x", Marks: true}) != want {
		t.Error("an equal value has another fingerprint")
	}
	same.Ratio = -same.Ratio
	if sum(&same, nil) == want {
		t.Error("another value has the same fingerprint")
	}
	if sum(&aRecord, &putget.Options{Schema: "x"}) == want {
		t.Error("another schema has the same fingerprint")
	}
	if _, err := putget.Fingerprint(&aRecord, failing{}, nil); !errors.Is(err, errFailing) {
		t.Error(err)
	}
}

func BenchmarkStream(b *testing.B) {
	for _, size := range []int{10, 10_000} {
		v := aBlob(size)
		b.Run(fmt.Sprint("encode/", size), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(size))
			e := putget.NewEncoder(io.Discard, nil)
			for b.Loop() {
				putget.EncodeTo(e, v, blobCodec{})
			}
		})
		b.Run(fmt.Sprint("decode/", size), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(size))
			str := newSubject("", nil, true, v, blobCodec{}).stream(b, 100)
			src := bytes.NewReader(str)
			d := putget.NewDecoder(src, nil)
			for i := 0; b.Loop(); i++ {
				if i%100 == 0 {
					src.Reset(str)
					d = putget.NewDecoder(src, nil)
				}
				if _, err := putget.DecodeFrom(d, blobCodec{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
