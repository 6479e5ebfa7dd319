package get

import (
	"encoding/binary"
	"math"
	"unsafe"

	"github.com/putget/putget/internal/unit"
	"github.com/putget/putget/internal/wire"
	"github.com/putget/putget/state"
)

// Reader takes bytes and makes values of them: the mirror image of
// put.Builder. Reset begins a bare unit. Documents and streams make Readers of
// their own and hand them to codecs.
//
// Errors are sticky: after the first, every method returns a zero value, loops
// end, and Done reports it. A Reader is not safe for concurrent use.
type Reader struct {
	buf  []byte
	off  int
	lim  int // a primitive that ends at or before it is an ordinary one
	rest unit.ReaderRest
}

// u is the machinery under r. The conversion relies on this rule of package
// unsafe: the two types share one memory layout, which a test compares.
func (r *Reader) u() *unit.Reader { return (*unit.Reader)(unsafe.Pointer(r)) }

const _ = -(unsafe.Sizeof(Reader{}) - unsafe.Sizeof(unit.Reader{}))

// Options of a bare unit. The zero value has the defaults, which are safe for
// hostile input.
type Options struct {
	Limits wire.Limits
	// Marks checks the debug marks that a writer with the same option made: a
	// Get that does not match its Put fails there, naming both lines.
	Marks bool
	// Env binds environment keys.
	Env []state.Binding
}

// Reset begins the bare unit data, which must not change while it is read. It
// drops all references to values got before and keeps the Reader's memory. nil
// options are the defaults.
func (r *Reader) Reset(data []byte, o *Options) {
	if o == nil {
		o = &Options{}
	}
	r.u().Begin(nil, nil, data, o.Limits, o.Marks, "", -1)
	if len(o.Env) > 0 {
		r.u().BindEnv(o.Env)
	}
}

// Done ends the bare unit: what was left for Later is run. Bytes left over are
// an error.
func (r *Reader) Done() error {
	r.u().Begun()
	if err := r.u().Done(); err != nil {
		return err
	}
	if err := r.rest.Session.Finish(); err != nil {
		r.Fail(err)
		return r.rest.Err
	}
	return nil
}

// State is where the keys of package state resolve. Codecs have no use for it.
func (r *Reader) State() *unit.State { return r.u().Begun() }

// Err is the error so far, nil if there is none.
func (r *Reader) Err() error {
	if r.rest.Err == nil {
		return nil
	}
	return r.rest.Err
}

// Fail makes err the error of the unit, if it has none: a codec that cannot
// accept what it got says so.
func (r *Reader) Fail(err error) { r.u().Begun().Fail(err) }

// Offset is the number of bytes of the unit consumed so far.
func (r *Reader) Offset() int64 { return r.u().Offset() }

// The primitives of fixed size are inlined into codecs: the ordinary case is a
// comparison and a load, and all others are behind one call, after which the
// value is before off: a zero where the unit has failed.

// Bool gets 0 or 1; any other byte is corrupt.
func (r *Reader) Bool() bool {
	if off := r.off; off < r.lim {
		if x := r.buf[off]; x <= 1 {
			r.off = off + 1
			return x == 1
		}
	}
	return r.slowBool()
}

// Uint8 gets one byte.
func (r *Reader) Uint8() uint8 {
	if r.off++; r.off > r.lim {
		r.needUint8()
	}
	return r.buf[r.off-1]
}

// Uint16 gets two bytes, little-endian.
func (r *Reader) Uint16() uint16 {
	if r.off += 2; r.off > r.lim {
		r.needUint16()
	}
	return binary.LittleEndian.Uint16(r.buf[r.off-2:])
}

// Uint32 gets four bytes, little-endian.
func (r *Reader) Uint32() uint32 {
	if r.off += 4; r.off > r.lim {
		r.needUint32()
	}
	return binary.LittleEndian.Uint32(r.buf[r.off-4:])
}

// Uint64 gets eight bytes, little-endian.
func (r *Reader) Uint64() uint64 {
	if r.off += 8; r.off > r.lim {
		r.needUint64()
	}
	return binary.LittleEndian.Uint64(r.buf[r.off-8:])
}

// Int8 gets one byte.
func (r *Reader) Int8() int8 {
	if r.off++; r.off > r.lim {
		r.needInt8()
	}
	return int8(r.buf[r.off-1])
}

// Int16 gets two bytes, little-endian.
func (r *Reader) Int16() int16 {
	if r.off += 2; r.off > r.lim {
		r.needInt16()
	}
	return int16(binary.LittleEndian.Uint16(r.buf[r.off-2:]))
}

// Int32 gets four bytes, little-endian.
func (r *Reader) Int32() int32 {
	if r.off += 4; r.off > r.lim {
		r.needInt32()
	}
	return int32(binary.LittleEndian.Uint32(r.buf[r.off-4:]))
}

// Int64 gets eight bytes, little-endian.
func (r *Reader) Int64() int64 {
	if r.off += 8; r.off > r.lim {
		r.needInt64()
	}
	return int64(binary.LittleEndian.Uint64(r.buf[r.off-8:]))
}

// Uvarint gets an unsigned LEB128 integer; any but its minimal form is corrupt.
func (r *Reader) Uvarint() uint64 {
	if r.off < r.lim {
		if x := r.buf[r.off]; x < 0x80 {
			r.off++
			return uint64(x)
		}
	}
	return r.u().Uvarint(wire.Uvarint)
}

// Varint gets a signed integer, zigzag and LEB128.
func (r *Reader) Varint() int64 {
	return wire.Unzigzag(r.u().Uvarint(wire.Varint))
}

// Int gets an int as Varint does; a value that int does not hold is corrupt.
func (r *Reader) Int() int {
	v := r.Varint()
	if int64(int(v)) != v {
		r.u().Failf(wire.ErrCorrupt, "the integer %d overflows int", v)
		return 0
	}
	return int(v)
}

// Uint gets a uint as Uvarint does; a value that uint does not hold is corrupt.
func (r *Reader) Uint() uint {
	v := r.Uvarint()
	if uint64(uint(v)) != v {
		r.u().Failf(wire.ErrCorrupt, "the integer %d overflows uint", v)
		return 0
	}
	return uint(v)
}

// Rune gets a rune as Varint does; a value beyond 32 bits is corrupt.
func (r *Reader) Rune() rune {
	v := r.Varint()
	if int64(rune(v)) != v {
		r.u().Failf(wire.ErrCorrupt, "the integer %d overflows rune", v)
		return 0
	}
	return rune(v)
}

// Float32 gets four bytes, little-endian; every bit is kept.
func (r *Reader) Float32() float32 {
	if r.off += 4; r.off > r.lim {
		r.needFloat32()
	}
	return math.Float32frombits(binary.LittleEndian.Uint32(r.buf[r.off-4:]))
}

// Float64 gets eight bytes, little-endian; every bit is kept.
func (r *Reader) Float64() float64 {
	if r.off += 8; r.off > r.lim {
		r.needFloat64()
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(r.buf[r.off-8:]))
}

// Complex64 gets the real and the imaginary part as Float32 does.
func (r *Reader) Complex64() complex64 {
	re := r.Float32()
	return complex(re, r.Float32())
}

// Complex128 gets the real and the imaginary part as Float64 does.
func (r *Reader) Complex128() complex128 {
	re := r.Float64()
	return complex(re, r.Float64())
}

// String gets a string: a copy, one allocation.
func (r *Reader) String() string {
	r.u().Mark("String")
	p := r.u().Raw(r.Uvarint())
	if r.rest.Err != nil {
		return ""
	}
	return string(p)
}

// Bytes gets a byte slice: a copy, one allocation, nil where nil was put.
func (r *Reader) Bytes() []byte {
	r.u().Mark("Bytes")
	n := r.Uvarint()
	if n == 0 {
		return nil
	}
	p := r.u().Raw(n - 1)
	if r.rest.Err != nil {
		return nil
	}
	return append(make([]byte, 0, len(p)), p...)
}

// Raw gets n bytes, a copy.
func (r *Reader) Raw(n int) []byte {
	p := r.u().Raw(uint64(n))
	if r.rest.Err != nil {
		return nil
	}
	return append(make([]byte, 0, len(p)), p...)
}

// View gets n bytes without copying them: they must not be changed, and are
// valid until the next call in a stream, as long as the input otherwise. It has no
// counterpart in package put: what it gets was put by put.Builder.Raw.
func (r *Reader) View(n int) []byte { return r.u().Raw(uint64(n)) }

//go:noinline
func (r *Reader) slowBool() bool {
	r.off++
	r.need(wire.Bool, 1)
	x := r.buf[r.off-1]
	if x > 1 {
		r.u().Failf(wire.ErrCorrupt, "the byte %d stands where a bool is 0 or 1", x)
	}
	return x == 1
}

// need is where a primitive of n bytes goes that advanced past lim.
func (r *Reader) need(k wire.Kind, n int) {
	r.off -= n
	if !r.u().Need(k, n) {
		r.off = 0 // buf is zeros
	}
	r.off += n
}

//go:noinline
func (r *Reader) needUint8() { r.need(wire.Uint8, 1) }

//go:noinline
func (r *Reader) needUint16() { r.need(wire.Uint16, 2) }

//go:noinline
func (r *Reader) needUint32() { r.need(wire.Uint32, 4) }

//go:noinline
func (r *Reader) needUint64() { r.need(wire.Uint64, 8) }

//go:noinline
func (r *Reader) needInt8() { r.need(wire.Int8, 1) }

//go:noinline
func (r *Reader) needInt16() { r.need(wire.Int16, 2) }

//go:noinline
func (r *Reader) needInt32() { r.need(wire.Int32, 4) }

//go:noinline
func (r *Reader) needInt64() { r.need(wire.Int64, 8) }

//go:noinline
func (r *Reader) needFloat32() { r.need(wire.Float32, 4) }

//go:noinline
func (r *Reader) needFloat64() { r.need(wire.Float64, 8) }
