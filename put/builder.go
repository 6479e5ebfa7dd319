package put

import (
	"encoding/binary"
	"math"

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
type Builder struct{ u unit.Writer }

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
	b.u.Begin(nil, buf, o.Limits, o.Marks, "", -1)
	if len(o.Env) > 0 {
		b.u.BindEnv(o.Env)
	}
}

// Done ends the bare unit. It returns the buffer given to Reset with the unit
// appended, or, on an error, as it was.
func (b *Builder) Done() ([]byte, error) {
	b.u.Begun()
	return b.u.Done()
}

// State is where the keys of package state resolve. Codecs have no use for it.
func (b *Builder) State() *unit.State { return b.u.Begun() }

// Err is the error so far, nil if there is none.
func (b *Builder) Err() error {
	if b.u.Err == nil {
		return nil
	}
	return b.u.Err
}

// Fail makes err the error of the unit, if it has none: a codec that cannot
// put its value says so.
func (b *Builder) Fail(err error) { b.u.Begun().Fail(err) }

// Offset is the number of bytes of the unit so far.
func (b *Builder) Offset() int64 { return b.u.Offset() }

// Bool puts 0 or 1.
func (b *Builder) Bool(v bool) {
	if len(b.u.Buf) >= b.u.Full {
		b.u.Slow(wire.Bool)
	}
	var x byte
	if v {
		x = 1
	}
	b.u.Buf = append(b.u.Buf, x)
}

// Uint8 puts one byte.
func (b *Builder) Uint8(v uint8) {
	if len(b.u.Buf) >= b.u.Full {
		b.u.Slow(wire.Uint8)
	}
	b.u.Buf = append(b.u.Buf, v)
}

// Uint16 puts two bytes, little-endian.
func (b *Builder) Uint16(v uint16) {
	if len(b.u.Buf) >= b.u.Full {
		b.u.Slow(wire.Uint16)
	}
	b.u.Buf = binary.LittleEndian.AppendUint16(b.u.Buf, v)
}

// Uint32 puts four bytes, little-endian.
func (b *Builder) Uint32(v uint32) {
	if len(b.u.Buf) >= b.u.Full {
		b.u.Slow(wire.Uint32)
	}
	b.u.Buf = binary.LittleEndian.AppendUint32(b.u.Buf, v)
}

// Uint64 puts eight bytes, little-endian.
func (b *Builder) Uint64(v uint64) {
	if len(b.u.Buf) >= b.u.Full {
		b.u.Slow(wire.Uint64)
	}
	b.u.Buf = binary.LittleEndian.AppendUint64(b.u.Buf, v)
}

// Int8 puts one byte.
func (b *Builder) Int8(v int8) {
	if len(b.u.Buf) >= b.u.Full {
		b.u.Slow(wire.Int8)
	}
	b.u.Buf = append(b.u.Buf, byte(v))
}

// Int16 puts two bytes, little-endian.
func (b *Builder) Int16(v int16) {
	if len(b.u.Buf) >= b.u.Full {
		b.u.Slow(wire.Int16)
	}
	b.u.Buf = binary.LittleEndian.AppendUint16(b.u.Buf, uint16(v))
}

// Int32 puts four bytes, little-endian.
func (b *Builder) Int32(v int32) {
	if len(b.u.Buf) >= b.u.Full {
		b.u.Slow(wire.Int32)
	}
	b.u.Buf = binary.LittleEndian.AppendUint32(b.u.Buf, uint32(v))
}

// Int64 puts eight bytes, little-endian.
func (b *Builder) Int64(v int64) {
	if len(b.u.Buf) >= b.u.Full {
		b.u.Slow(wire.Int64)
	}
	b.u.Buf = binary.LittleEndian.AppendUint64(b.u.Buf, uint64(v))
}

// Uvarint puts an unsigned integer as LEB128 in its minimal form, 1 to 10 bytes.
func (b *Builder) Uvarint(v uint64) {
	if v < 0x80 && len(b.u.Buf) < b.u.Full {
		b.u.Buf = append(b.u.Buf, byte(v))
		return
	}
	b.u.Uvarint(v)
}

// Varint puts a signed integer, zigzag and LEB128, 1 to 10 bytes.
func (b *Builder) Varint(v int64) {
	if len(b.u.Buf) >= b.u.Full {
		b.u.Slow(wire.Varint)
	}
	b.u.Buf = binary.AppendUvarint(b.u.Buf, wire.Zigzag(v))
}

// Int puts an int as Varint does.
func (b *Builder) Int(v int) { b.Varint(int64(v)) }

// Uint puts a uint as Uvarint does.
func (b *Builder) Uint(v uint) { b.Uvarint(uint64(v)) }

// Rune puts a rune, any 32-bit value, as Varint does.
func (b *Builder) Rune(v rune) { b.Varint(int64(v)) }

// Float32 puts the bits of v, all of them kept, as four bytes, little-endian.
func (b *Builder) Float32(v float32) {
	if len(b.u.Buf) >= b.u.Full {
		b.u.Slow(wire.Float32)
	}
	b.u.Buf = binary.LittleEndian.AppendUint32(b.u.Buf, math.Float32bits(v))
}

// Float64 puts the bits of v, all of them kept, as eight bytes, little-endian.
func (b *Builder) Float64(v float64) {
	if len(b.u.Buf) >= b.u.Full {
		b.u.Slow(wire.Float64)
	}
	b.u.Buf = binary.LittleEndian.AppendUint64(b.u.Buf, math.Float64bits(v))
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
	b.u.Mark("String")
	b.Uvarint(uint64(len(v)))
	b.u.RawString(v)
}

// Bytes puts length+1 as Uvarint, then the bytes; 0 for a nil slice.
func (b *Builder) Bytes(v []byte) {
	b.u.Mark("Bytes")
	if v == nil {
		b.Uvarint(0)
		return
	}
	b.Uvarint(uint64(len(v)) + 1)
	b.u.Raw(v)
}

// Raw puts bytes without their length, which the codec knows otherwise.
func (b *Builder) Raw(v []byte) { b.u.Raw(v) }
