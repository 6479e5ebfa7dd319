package putget

import (
	"crypto/sha256"
	"encoding/binary"
	"io"
	"sync"

	"github.com/putget/putget/internal/access"
	"github.com/putget/putget/internal/unit"
	"github.com/putget/putget/internal/wire"
	"github.com/putget/putget/put"
)

// Encoder writes a stream: a sequence of values that share their tables. What
// one value brought into a table, those after it only refer to. An Encoder is
// not safe for concurrent use.
//
// Memory: one block of 64 KiB, and what tables hold to know what they have
// seen.
type Encoder struct {
	w    io.Writer
	o    *Options
	b    put.Builder
	run  unit.Run
	root []byte // buffer for the root's block
	out  []byte // blocks not written yet

	sum       uint64 // of the block before
	offset    int64  // of out in the stream
	announced int    // tables
	busy      bool   // in a Put
	long      error  // a block that no reader takes waits in out
	err       error
}

var errClosed error = &Error{Class: ErrValue, Unit: "stream", Msg: "the stream is closed"}

// NewEncoder begins a stream. Nothing is written before the first value or
// Close. Of the options Env, Limits, Schema and Marks count; nil are the
// defaults.
func NewEncoder(w io.Writer, o *Options) *Encoder {
	e := new(Encoder)
	e.begin(w, o.orDefault())
	return e
}

// begin makes e new, but for its memory.
func (e *Encoder) begin(w io.Writer, o *Options) {
	e.run.Reset()
	*e = Encoder{w: w, o: o, b: e.b, run: e.run, root: e.root, out: e.out}
	e.run.Limits, e.run.Marks = o.Limits, o.Marks
	e.run.Env, e.err = o.env()
	e.out = append(e.out[:0], magic...)
	e.out = append(e.out, kindStream, version)
	var flags uint64
	if o.Marks {
		flags |= flagMarks
	}
	at := e.openBlock(blockBegin, wire.UvarintLen(flags)+wire.UvarintLen(uint64(len(o.Schema)))+len(o.Schema))
	e.out = binary.AppendUvarint(e.out, flags)
	e.out = appendString(e.out, o.Schema)
	e.closeBlock(at)
}

// EncodeTo writes *v to a stream. When it returns, all of v has been handed to
// the stream's io.Writer, so that the other side can decode it.
//
// A failure may have written a part of v, and keeps the Encoder from being
// used again: every later call returns the same error.
func EncodeTo[T any](e *Encoder, v *T, c put.Codec[T]) error {
	if e.err == nil && e.busy {
		e.err = errorAt(ErrValue, "stream", e.offset, "a Put used the stream that it is part of, or panicked")
	}
	if e.err == nil && v == nil {
		e.err = errNilValue("stream")
	}
	if e.err != nil {
		return e.err
	}
	e.busy = true
	e.run.Spent = 0
	u := access.Writer(&e.b)
	u.Begin(&e.run, e.root[:0], e.o.Limits, e.o.Marks, "root", -1)
	u.SetFlush(e.part)
	c.Put(&e.b, v)
	e.err = e.finish(u)
	u.Begin(nil, nil, Limits{}, false, "", -1) // drops all references
	e.busy = false
	return e.err
}

// part sends a part of the root.
func (e *Encoder) part(root []byte) ([]byte, error) {
	if e.err != nil { // a Put used the stream that it is part of
		return nil, e.err
	}
	return root[:0], e.send(blockPart, root)
}

func (e *Encoder) finish(u *unit.Writer) error {
	root, err := u.Done()
	if err != nil {
		return err
	}
	if e.err != nil {
		return e.err
	}
	e.root = root
	return e.send(blockRoot, root)
}

// send sends what tables have got, then bytes of the root, which may refer to it.
func (e *Encoder) send(kind byte, root []byte) error {
	if err := e.run.Drain(); err != nil {
		return err
	}
	for i, t := range e.run.Order() {
		if i == e.announced {
			e.block(blockTable, []byte(t.Name()))
			e.announced++
		}
		if err := e.entries(uint64(i), t.Entries()); err != nil {
			return err
		}
	}
	e.block(kind, root)
	return e.flush()
}

// entries sends the entries of table number i that were not sent yet, as many
// in a block as fit. A large one has a block of its own and goes on in others.
func (e *Encoder) entries(i uint64, t *unit.Entries) error {
	start := uint64(0)
	for ends := t.Ends; len(ends) > 0; {
		n, lengths := pack(start, ends)
		end := ends[n-1]
		first := min(end, start+wire.BlockSize)
		at := e.openBlock(blockEntries, wire.UvarintLen(i)+wire.UvarintLen(uint64(n))+lengths+int(first-start))
		e.out = binary.AppendUvarint(e.out, i)
		e.out = binary.AppendUvarint(e.out, uint64(n))
		from := start
		for _, to := range ends[:n] {
			e.out = binary.AppendUvarint(e.out, to-from)
			from = to
		}
		e.out = append(e.out, t.Blob[start:first]...)
		e.closeBlock(at)
		for start = first; start < end; start = first {
			first = min(end, start+wire.BlockSize)
			e.block(blockMore, t.Blob[start:first])
			if err := e.flush(); err != nil {
				return err
			}
		}
		ends = ends[n:]
		if len(e.out) >= wire.BlockSize {
			if err := e.flush(); err != nil {
				return err
			}
		}
	}
	t.Sent()
	return nil
}

// pack is how many of the entries that end at ends go into one block, at least
// one, and the size of their lengths.
func pack(start uint64, ends []uint64) (n, lengths int) {
	from := start
	for _, to := range ends {
		size := wire.UvarintLen(to - from)
		if n > 0 && to-start+uint64(lengths+size) > wire.BlockSize {
			break
		}
		n, lengths, from = n+1, lengths+size, to
	}
	return n, lengths
}

func (e *Encoder) block(kind byte, payload []byte) {
	at := e.openBlock(kind, len(payload))
	e.out = append(e.out, payload...)
	e.closeBlock(at)
}

// openBlock begins a block with a payload of n bytes.
func (e *Encoder) openBlock(kind byte, n int) (at int) {
	if n > maxPayload { // a name or a schema, or one in a debug mark
		e.long = errorAt(ErrLimit, "stream", e.offset, "a block of %d bytes: names of tables and schemas are shorter", n)
	}
	at = len(e.out)
	e.out = append(e.out, kind)
	e.out = binary.AppendUvarint(e.out, uint64(n))
	return at
}

// closeBlock appends the checksum of the block that begins at at. The sum of
// each is the seed of the next, so that a block fits only where it was made for.
func (e *Encoder) closeBlock(at int) {
	e.sum = sum64(e.sum, e.out[at:])
	e.out = binary.LittleEndian.AppendUint64(e.out, e.sum)
}

// flush writes the blocks that wait.
func (e *Encoder) flush() error {
	if e.long != nil {
		return e.long
	}
	err := write(e.w, "stream", e.offset, e.out)
	e.offset += int64(len(e.out))
	e.out = e.out[:0]
	return err
}

// Close ends the stream; without it readers take it for cut short. It does not
// close the io.Writer. After a failure it writes nothing and returns the error.
func (e *Encoder) Close() error {
	if e.err == errClosed {
		return nil
	}
	if e.err == nil && e.busy {
		e.err = errorAt(ErrValue, "stream", e.offset, "a Put used the stream that it is part of, or panicked")
	}
	if e.err == nil {
		e.block(blockEnd, nil)
		e.err = e.flush()
	}
	if !e.busy { // or its tables may be in use
		e.run.Reset()
	}
	if e.err == nil {
		e.err = errClosed
		return nil
	}
	return e.err
}

// Fingerprint is the SHA-256 of *v written as a stream, which is hashed as it
// is written and stored nowhere. It depends on nothing but the value, its
// identities, the codec, and the options' Schema and Env as far as the codec
// reads it: two values that putget cannot tell apart have one fingerprint.
// Marks are ignored.
func Fingerprint[T any](v *T, c put.Codec[T], o *Options) ([32]byte, error) {
	plain := *o.orDefault()
	plain.Marks = false
	h := sha256.New()
	e := encoders.Get().(*Encoder) // a panic of c keeps it from being reused
	e.begin(h, &plain)
	err := EncodeTo(e, v, c)
	if err == nil {
		err = e.Close()
	}
	e.begin(nil, &defaults) // drops all references
	encoders.Put(e)
	if err != nil {
		return [32]byte{}, err
	}
	return [32]byte(h.Sum(nil)), nil
}

var encoders = sync.Pool{New: func() any { return new(Encoder) }}
