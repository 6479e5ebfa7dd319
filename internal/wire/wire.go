// Package wire holds what both directions of the format agree on: the error
// type and its classes, the limits, the markers of pointers, the names of the
// primitives. It imports nothing of the module; packages put and get both
// stand on it and do not know each other.
package wire

// Markers of pointers. An id that refers back is written as id + MarkBack.
const (
	MarkNil      = 0 // the nil pointer
	MarkInline   = 1 // the body follows
	MarkDeferred = 2 // the body waits: it follows when the outermost pointer is done
	MarkBack     = 3 // and up: the value with id marker-MarkBack
)

// BlockSize is the size at which the root bytes of a stream are cut: a block
// ends before the first primitive that starts at or past it.
const BlockSize = 64 << 10

// MaxDenominator is the length of the longest denominator of a big.Rat: to
// check that a fraction is reduced takes the square of it.
const MaxDenominator = 16 << 10

// Flags of a big.Float, beside its rounding mode.
const (
	FloatMode     = 0x0f
	FloatFinite   = 0x10 // and not zero
	FloatInfinite = 0x20
	FloatNegative = 0x80
)

// Maybe is a value that may be absent, without a pointer.
type Maybe[T any] struct {
	Value T
	OK    bool
}

// Limits bounds what a decode may cost beyond what its input pays for. The
// zero value means the defaults, which are safe for hostile input. A writer
// with the same limits refuses what such a reader would refuse.
type Limits struct {
	// Depth is how deep slices, maps, pointers and other composites may
	// nest within one unit, from 1; 0 means DefaultDepth. It bounds the
	// stack. Pointers beyond the inline depth are deferred and do not nest.
	Depth int
	// Free is how many bytes of memory elements that take no bytes of input
	// (struct{}, structs whose codec writes nothing) may cost, each at least
	// one, in a root with all that it leads to, or in what one demand decodes;
	// 0 means DefaultFree, less means none.
	Free int
}

// The defaults of Limits: 10,000 levels use some megabytes of stack, and no
// input of a hundred bytes costs more than half a mebibyte.
const (
	DefaultDepth = 10_000
	DefaultFree  = 1 << 19
)

// WithDefaults replaces zeros by the defaults.
func (l Limits) WithDefaults() Limits {
	if l.Depth == 0 {
		l.Depth = DefaultDepth
	}
	if l.Free == 0 {
		l.Free = DefaultFree
	}
	return l
}

// Kind names a primitive in debug marks and errors.
type Kind uint8

const (
	Bool Kind = iota
	Uint8
	Uint16
	Uint32
	Uint64
	Int8
	Int16
	Int32
	Int64
	Uvarint
	Varint
	Float32
	Float64
	Raw
)

var kindNames = [...]string{"Bool", "Uint8", "Uint16", "Uint32", "Uint64", "Int8", "Int16",
	"Int32", "Int64", "Uvarint", "Varint", "Float32", "Float64", "Raw"}

func (k Kind) String() string { return kindNames[k] }

// MaxVarint is the length of the longest variable-length integer.
const MaxVarint = 10

// UvarintLen is the number of bytes of v's one minimal form, 1 to 10.
func UvarintLen(v uint64) int {
	n := 1
	for v >= 0x80 {
		v >>= 7
		n++
	}
	return n
}

// Zigzag maps integers of small magnitude to small unsigned ones: 0, -1, 1, -2 to 0, 1, 2, 3.
func Zigzag(v int64) uint64 { return uint64(v<<1) ^ uint64(v>>63) }

// Unzigzag undoes Zigzag.
func Unzigzag(u uint64) int64 { return int64(u>>1) ^ -int64(u&1) }
