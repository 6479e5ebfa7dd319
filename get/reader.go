package get

import (
	"encoding/binary"
	"math"

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
type Reader struct{ u unit.Reader }

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
	r.u.Begin(nil, nil, data, o.Limits, o.Marks, "", -1)
	if len(o.Env) > 0 {
		r.u.BindEnv(o.Env)
	}
}

// Done ends the bare unit: what was left for Later is run. Bytes left over are
// an error.
func (r *Reader) Done() error {
	r.u.Begun()
	if err := r.u.Done(); err != nil {
		return err
	}
	if err := r.u.Session.Finish(); err != nil {
		r.Fail(err)
		return r.u.Err
	}
	return nil
}

// State is where the keys of package state resolve. Codecs have no use for it.
func (r *Reader) State() *unit.State { return r.u.Begun() }

// Err is the error so far, nil if there is none.
func (r *Reader) Err() error {
	if r.u.Err == nil {
		return nil
	}
	return r.u.Err
}

// Fail makes err the error of the unit, if it has none: a codec that cannot
// accept what it got says so.
func (r *Reader) Fail(err error) { r.u.Begun().Fail(err) }

// Offset is the number of bytes of the unit consumed so far.
func (r *Reader) Offset() int64 { return r.u.Offset() }

// Bool gets 0 or 1; any other byte is corrupt.
func (r *Reader) Bool() bool {
	if r.u.Off >= r.u.Lim && !r.u.Need(wire.Bool, 1) {
		return false
	}
	x := r.u.Buf[r.u.Off]
	r.u.Off++
	if x > 1 {
		r.badBool(x)
		return false
	}
	return x == 1
}

func (r *Reader) badBool(x byte) {
	r.u.Failf(wire.ErrCorrupt, "the byte %d stands where a bool is 0 or 1", x)
}

// Uint8 gets one byte.
func (r *Reader) Uint8() uint8 {
	if r.u.Off >= r.u.Lim && !r.u.Need(wire.Uint8, 1) {
		return 0
	}
	x := r.u.Buf[r.u.Off]
	r.u.Off++
	return x
}

// Uint16 gets two bytes, little-endian.
func (r *Reader) Uint16() uint16 {
	if r.u.Off+2 > r.u.Lim && !r.u.Need(wire.Uint16, 2) {
		return 0
	}
	v := binary.LittleEndian.Uint16(r.u.Buf[r.u.Off:])
	r.u.Off += 2
	return v
}

// Uint32 gets four bytes, little-endian.
func (r *Reader) Uint32() uint32 {
	if r.u.Off+4 > r.u.Lim && !r.u.Need(wire.Uint32, 4) {
		return 0
	}
	v := binary.LittleEndian.Uint32(r.u.Buf[r.u.Off:])
	r.u.Off += 4
	return v
}

// Uint64 gets eight bytes, little-endian.
func (r *Reader) Uint64() uint64 {
	if r.u.Off+8 > r.u.Lim && !r.u.Need(wire.Uint64, 8) {
		return 0
	}
	v := binary.LittleEndian.Uint64(r.u.Buf[r.u.Off:])
	r.u.Off += 8
	return v
}

// Int8 gets one byte.
func (r *Reader) Int8() int8 {
	if r.u.Off >= r.u.Lim && !r.u.Need(wire.Int8, 1) {
		return 0
	}
	x := r.u.Buf[r.u.Off]
	r.u.Off++
	return int8(x)
}

// Int16 gets two bytes, little-endian.
func (r *Reader) Int16() int16 {
	if r.u.Off+2 > r.u.Lim && !r.u.Need(wire.Int16, 2) {
		return 0
	}
	v := binary.LittleEndian.Uint16(r.u.Buf[r.u.Off:])
	r.u.Off += 2
	return int16(v)
}

// Int32 gets four bytes, little-endian.
func (r *Reader) Int32() int32 {
	if r.u.Off+4 > r.u.Lim && !r.u.Need(wire.Int32, 4) {
		return 0
	}
	v := binary.LittleEndian.Uint32(r.u.Buf[r.u.Off:])
	r.u.Off += 4
	return int32(v)
}

// Int64 gets eight bytes, little-endian.
func (r *Reader) Int64() int64 {
	if r.u.Off+8 > r.u.Lim && !r.u.Need(wire.Int64, 8) {
		return 0
	}
	v := binary.LittleEndian.Uint64(r.u.Buf[r.u.Off:])
	r.u.Off += 8
	return int64(v)
}

// Uvarint gets an unsigned LEB128 integer; any but its minimal form is corrupt.
func (r *Reader) Uvarint() uint64 {
	if r.u.Off < r.u.Lim {
		if x := r.u.Buf[r.u.Off]; x < 0x80 {
			r.u.Off++
			return uint64(x)
		}
	}
	return r.u.Uvarint(wire.Uvarint)
}

// Varint gets a signed integer, zigzag and LEB128.
func (r *Reader) Varint() int64 {
	return wire.Unzigzag(r.u.Uvarint(wire.Varint))
}

// Int gets an int as Varint does; a value that int does not hold is corrupt.
func (r *Reader) Int() int {
	v := r.Varint()
	if int64(int(v)) != v {
		r.u.Failf(wire.ErrCorrupt, "the integer %d overflows int", v)
		return 0
	}
	return int(v)
}

// Uint gets a uint as Uvarint does; a value that uint does not hold is corrupt.
func (r *Reader) Uint() uint {
	v := r.Uvarint()
	if uint64(uint(v)) != v {
		r.u.Failf(wire.ErrCorrupt, "the integer %d overflows uint", v)
		return 0
	}
	return uint(v)
}

// Rune gets a rune as Varint does; a value beyond 32 bits is corrupt.
func (r *Reader) Rune() rune {
	v := r.Varint()
	if int64(rune(v)) != v {
		r.u.Failf(wire.ErrCorrupt, "the integer %d overflows rune", v)
		return 0
	}
	return rune(v)
}

// Float32 gets four bytes, little-endian; every bit is kept.
func (r *Reader) Float32() float32 {
	if r.u.Off+4 > r.u.Lim && !r.u.Need(wire.Float32, 4) {
		return 0
	}
	v := binary.LittleEndian.Uint32(r.u.Buf[r.u.Off:])
	r.u.Off += 4
	return math.Float32frombits(v)
}

// Float64 gets eight bytes, little-endian; every bit is kept.
func (r *Reader) Float64() float64 {
	if r.u.Off+8 > r.u.Lim && !r.u.Need(wire.Float64, 8) {
		return 0
	}
	v := binary.LittleEndian.Uint64(r.u.Buf[r.u.Off:])
	r.u.Off += 8
	return math.Float64frombits(v)
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
	r.u.Mark("String")
	p := r.u.Raw(r.Uvarint())
	if r.u.Err != nil {
		return ""
	}
	return string(p)
}

// Bytes gets a byte slice: a copy, one allocation, nil where nil was put.
func (r *Reader) Bytes() []byte {
	r.u.Mark("Bytes")
	n := r.Uvarint()
	if n == 0 {
		return nil
	}
	p := r.u.Raw(n - 1)
	if r.u.Err != nil {
		return nil
	}
	return append(make([]byte, 0, len(p)), p...)
}

// Raw gets n bytes, a copy.
func (r *Reader) Raw(n int) []byte {
	p := r.u.Raw(uint64(n))
	if r.u.Err != nil {
		return nil
	}
	return append(make([]byte, 0, len(p)), p...)
}

// View gets n bytes without copying them: they must not be changed, and are
// valid until the next call in a stream, as long as the input otherwise.
func (r *Reader) View(n int) []byte { return r.u.Raw(uint64(n)) }
