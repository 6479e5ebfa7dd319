package put

import (
	"encoding/binary"
	"math"
	"unsafe"

	"github.com/putget/putget/internal/unit"
	"github.com/putget/putget/internal/wire"
	"github.com/putget/putget/state"
)

// Builder takes values and makes bytes of them. The zero value is ready to
// make a bare unit: one without a container, in which tables are refused.
// Documents and streams make Builders of their own and hand them to codecs.
//
// Errors are sticky: after the first, nothing more is put, and Done reports it.
// A Builder is not safe for concurrent use.
type Builder struct {
	buf  []byte
	full int // a primitive that starts before it is an ordinary one
	rest unit.WriterRest
}

// u is the machinery under b. The conversion relies on this rule of package
// unsafe: the two types share one memory layout, which a test compares.
func (b *Builder) u() *unit.Writer { return (*unit.Writer)(unsafe.Pointer(b)) }

const _ = -(unsafe.Sizeof(Builder{}) - unsafe.Sizeof(unit.Writer{}))

// Options of a bare unit. The zero value has the defaults.
type Options struct {
	Limits wire.Limits
	// Marks records with every primitive what was put and by which line, for
	// a reader with the same option to check. Ten times the size and time.
	Marks bool
	// Env binds environment keys.
	Env []state.Binding
}

// Reset begins a bare unit at the end of buf, which may be nil. It drops all
// references to values put before and keeps the Builder's memory. nil options
// are the defaults.
func (b *Builder) Reset(buf []byte, o *Options) {
	if o == nil {
		o = &Options{}
	}
	b.u().Begin(nil, buf, o.Limits, o.Marks, "", -1)
	if len(o.Env) > 0 {
		b.u().BindEnv(o.Env)
	}
}

// Done ends the bare unit. It returns the buffer given to Reset with the unit
// appended, or, on an error, as it was.
func (b *Builder) Done() ([]byte, error) {
	b.u().Begun()
	return b.u().Done()
}

// State is where the keys of package state resolve. Codecs have no use for it.
func (b *Builder) State() *unit.State { return b.u().Begun() }

// Err is the error so far, nil if there is none.
func (b *Builder) Err() error {
	if b.rest.Err == nil {
		return nil
	}
	return b.rest.Err
}

// Fail makes err the error of the unit, if it has none: a codec that cannot
// put its value says so.
func (b *Builder) Fail(err error) { b.u().Begun().Fail(err) }

// Offset is the number of bytes of the unit so far.
func (b *Builder) Offset() int64 { return b.u().Offset() }

// The primitives of fixed size are inlined into codecs: the ordinary case is a
// comparison and an append, and all others are behind one call. Returning
// after that call spares the ordinary case the reloads that a call brings.

// Bool puts 0 or 1.
func (b *Builder) Bool(v bool) {
	if len(b.buf) < b.full {
		b.buf = append(b.buf, *(*byte)(unsafe.Pointer(&v))) // a bool is a byte, 0 or 1; this fits the inliner's budget
	} else {
		b.slowBool(v)
	}
}

// Uint8 puts one byte.
func (b *Builder) Uint8(v uint8) {
	if len(b.buf) < b.full {
		b.buf = append(b.buf, v)
	} else {
		b.slowUint8(v)
	}
}

// Uint16 puts two bytes, little-endian.
func (b *Builder) Uint16(v uint16) {
	if len(b.buf) < b.full {
		b.buf = binary.LittleEndian.AppendUint16(b.buf, v)
	} else {
		b.slowUint16(v)
	}
}

// Uint32 puts four bytes, little-endian.
func (b *Builder) Uint32(v uint32) {
	if len(b.buf) < b.full {
		b.buf = binary.LittleEndian.AppendUint32(b.buf, v)
	} else {
		b.slowUint32(v)
	}
}

// Uint64 puts eight bytes, little-endian.
func (b *Builder) Uint64(v uint64) {
	if len(b.buf) < b.full {
		b.buf = binary.LittleEndian.AppendUint64(b.buf, v)
	} else {
		b.slowUint64(v)
	}
}

// Int8 puts one byte.
func (b *Builder) Int8(v int8) {
	if len(b.buf) < b.full {
		b.buf = append(b.buf, byte(v))
	} else {
		b.slowInt8(v)
	}
}

// Int16 puts two bytes, little-endian.
func (b *Builder) Int16(v int16) {
	if len(b.buf) < b.full {
		b.buf = binary.LittleEndian.AppendUint16(b.buf, uint16(v))
	} else {
		b.slowInt16(v)
	}
}

// Int32 puts four bytes, little-endian.
func (b *Builder) Int32(v int32) {
	if len(b.buf) < b.full {
		b.buf = binary.LittleEndian.AppendUint32(b.buf, uint32(v))
	} else {
		b.slowInt32(v)
	}
}

// Int64 puts eight bytes, little-endian.
func (b *Builder) Int64(v int64) {
	if len(b.buf) < b.full {
		b.buf = binary.LittleEndian.AppendUint64(b.buf, uint64(v))
	} else {
		b.slowInt64(v)
	}
}

// Uvarint puts an unsigned integer as LEB128 in its minimal form, 1 to 10 bytes.
func (b *Builder) Uvarint(v uint64) {
	if v < 0x80 && len(b.buf) < b.full {
		b.buf = append(b.buf, byte(v))
	} else {
		b.slowUvarint(v)
	}
}

// Varint puts a signed integer, zigzag and LEB128, 1 to 10 bytes.
func (b *Builder) Varint(v int64) {
	if len(b.buf) >= b.full {
		b.u().Slow(wire.Varint)
	}
	b.buf = binary.AppendUvarint(b.buf, wire.Zigzag(v))
}

// Int puts an int as Varint does.
func (b *Builder) Int(v int) { b.Varint(int64(v)) }

// Uint puts a uint as Uvarint does.
func (b *Builder) Uint(v uint) { b.Uvarint(uint64(v)) }

// Rune puts a rune, any 32-bit value, as Varint does.
func (b *Builder) Rune(v rune) { b.Varint(int64(v)) }

// Float32 puts the bits of v, all of them kept, as four bytes, little-endian.
func (b *Builder) Float32(v float32) {
	if len(b.buf) < b.full {
		b.buf = binary.LittleEndian.AppendUint32(b.buf, math.Float32bits(v))
	} else {
		b.slowFloat32(v)
	}
}

// Float64 puts the bits of v, all of them kept, as eight bytes, little-endian.
func (b *Builder) Float64(v float64) {
	if len(b.buf) < b.full {
		b.buf = binary.LittleEndian.AppendUint64(b.buf, math.Float64bits(v))
	} else {
		b.slowFloat64(v)
	}
}

// Complex64 puts the real and the imaginary part as Float32 does.
func (b *Builder) Complex64(v complex64) {
	b.Float32(real(v))
	b.Float32(imag(v))
}

// Complex128 puts the real and the imaginary part as Float64 does.
func (b *Builder) Complex128(v complex128) {
	b.Float64(real(v))
	b.Float64(imag(v))
}

// String puts the length as Uvarint, then the bytes: a string is bytes, valid
// UTF-8 or not. Names that recur belong in a symtab.Strings.
func (b *Builder) String(v string) {
	b.u().Mark("String")
	b.Uvarint(uint64(len(v)))
	b.u().RawString(v)
}

// Bytes puts length+1 as Uvarint, then the bytes; 0 for a nil slice.
func (b *Builder) Bytes(v []byte) {
	b.u().Mark("Bytes")
	if v == nil {
		b.Uvarint(0)
		return
	}
	b.Uvarint(uint64(len(v)) + 1)
	b.u().Raw(v)
}

// Raw puts bytes without their length, which the codec knows otherwise.
func (b *Builder) Raw(v []byte) { b.u().Raw(v) }

//go:noinline
func (b *Builder) slowBool(v bool) {
	b.u().Slow(wire.Bool)
	var x byte
	if v {
		x = 1
	}
	b.buf = append(b.buf, x)
}

//go:noinline
func (b *Builder) slowUint8(v uint8) {
	b.u().Slow(wire.Uint8)
	b.buf = append(b.buf, v)
}

//go:noinline
func (b *Builder) slowUint16(v uint16) {
	b.u().Slow(wire.Uint16)
	b.buf = binary.LittleEndian.AppendUint16(b.buf, v)
}

//go:noinline
func (b *Builder) slowUint32(v uint32) {
	b.u().Slow(wire.Uint32)
	b.buf = binary.LittleEndian.AppendUint32(b.buf, v)
}

//go:noinline
func (b *Builder) slowUint64(v uint64) {
	b.u().Slow(wire.Uint64)
	b.buf = binary.LittleEndian.AppendUint64(b.buf, v)
}

//go:noinline
func (b *Builder) slowInt8(v int8) {
	b.u().Slow(wire.Int8)
	b.buf = append(b.buf, byte(v))
}

//go:noinline
func (b *Builder) slowInt16(v int16) {
	b.u().Slow(wire.Int16)
	b.buf = binary.LittleEndian.AppendUint16(b.buf, uint16(v))
}

//go:noinline
func (b *Builder) slowInt32(v int32) {
	b.u().Slow(wire.Int32)
	b.buf = binary.LittleEndian.AppendUint32(b.buf, uint32(v))
}

//go:noinline
func (b *Builder) slowInt64(v int64) {
	b.u().Slow(wire.Int64)
	b.buf = binary.LittleEndian.AppendUint64(b.buf, uint64(v))
}

//go:noinline
func (b *Builder) slowFloat32(v float32) {
	b.u().Slow(wire.Float32)
	b.buf = binary.LittleEndian.AppendUint32(b.buf, math.Float32bits(v))
}

//go:noinline
func (b *Builder) slowFloat64(v float64) {
	b.u().Slow(wire.Float64)
	b.buf = binary.LittleEndian.AppendUint64(b.buf, math.Float64bits(v))
}

//go:noinline
func (b *Builder) slowUvarint(v uint64) { b.u().Uvarint(v) }
