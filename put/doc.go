// Package put makes bytes of Go values. Package get makes values of the bytes
// again: it is this package's mirror image, file by file and name by name.
//
// A codec is a type with a Put and a Get method that read straight down:
//
//	type point struct{ X, Y int }
//
//	type pointCodec struct{}
//
//	func (pointCodec) Put(b *put.Builder, p *point) { b.Int(p.X); b.Int(p.Y) }
//	func (pointCodec) Get(r *get.Reader, p *point)  { p.X = r.Int(); p.Y = r.Int() }
//
//	data, err := put.Append(nil, &point{3, -4}, pointCodec{})
//	p, err := get.Value(data, pointCodec{})
//
// Codecs are made of the methods of [Builder] (numbers, strings, bytes) and of
// functions that take codecs for parts ([Slice], [Map], [Maybe], [Ptr]). Nodes
// that are shared go through packages share and symtab, parts that are decoded
// when asked for through lazy, state of the codec's own through state.
//
// # Properties
//
//   - One value, one encoding. Integers are fixed-width little-endian or in the
//     one shortest form, bools are 0 or 1, maps are sorted.
//   - What goes in comes out: nil and empty slices and maps, every bit of a
//     float, strings that are not UTF-8.
//   - No recursion without bound. [Ptr] writes a body inline to a fixed depth,
//     and defers what is deeper, so lists of ten million nodes work; composites
//     that nest deeper than Limits.Depth are refused by both sides.
//   - The writer refuses what a reader with the same limits would.
//   - Codecs do not know where their bytes go: to a bare unit (this package
//     alone), a document or a stream (package putget).
//
// # What it does not do
//
// The bytes do not describe themselves: a Get must ask for what its Put put.
// Options.Marks makes the bytes say it, for tests: a pair that does not match
// then fails at the first field that differs, with the lines of both.
//
// Hidden capacity of slices, aliasing of sub-slices, and pointers into the
// middle of other values are not kept. Owned pointers to one value become
// pointers to copies; see share for the others.
//
// # Errors
//
// Errors are sticky: after the first, nothing is put, and [Builder.Done]
// reports it with the offset and the path to the value. It is a *putget.Error
// of one of putget's classes. [Builder.Fail] adds those of codecs. A failed
// Builder stays so until Reset; then it is as good as a new one.
//
// # Concurrency
//
// Codecs and keys are safe for concurrent use. A Builder is not.
//
// # Cost
//
// A primitive is a comparison and an append, inlined into the codec; an element
// of a slice is one indirect call more. A slice of ten million Maybe[int64],
// against a loop written by hand with the same bytes and checks:
//
//	                            put    get
//	every third is nothing      3.3    2.1   times the loop
//	random ones are nothing     1.5    1.7
//
// A [Vector] of 100 million int32 takes 1.1 times as long as copy, a
// [VectorBig] 1.3 times. A Builder keeps its memory: reuse it with Reset.
//
// AMD EPYC virtual machine, go1.26.8, go test -bench . -benchtime 1x ./put,
// medians of 9 rounds in turns.
//
// # Coming from Haskell
//
// Every type for which package Data.Binary has an instance, and what takes its
// place. Type parameters become codecs that are passed along.
//
//	()                         nothing
//	Bool                       Builder.Bool
//	Char                       Builder.Rune
//	Int, Int8 .. Int64         Builder.Int, Int8 .. Int64; Varint
//	Word, Word8 .. Word64      Builder.Uint, Uint8 .. Uint64; Uvarint
//	Integer, Natural           BigInt
//	Float, Double              Builder.Float32, Float64
//	Ratio                      BigRat; of small integers two Varints
//	Complex                    Builder.Complex64, Complex128
//	(a, b) .. 10-tuples        a struct, one call a field
//	[a], Seq                   Slice; a linked list with Ptr
//	String                     Builder.String
//	NonEmpty                   Slice; the Get checks the length
//	Maybe                      Maybe, of putget.Maybe
//	Either                     Bool, then one or the other; a tag for wider unions
//	Ordering                   Builder.Int8
//	Map, IntMap                Map
//	Set, IntSet                Map to struct{}, or a sorted Slice
//	Tree                       a struct with a Slice of subtrees or of Ptr
//	Array, UArray              the bounds, then Slice or Array; numbers as Vector
//	ByteString, Lazy, Short    Builder.Bytes
//	Fixed                      Varint or BigInt
//	Version                    Slice of Uint, Strings for its tags
//	Fingerprint                two Uint64, or Raw
//	Identity, Sum, Min, All .. what they wrap
//	First, Last, Option        Maybe
//	Arg                        a struct of two
//	TypeRep, TyCon, KindRep    none: a table of the types that may occur, with
//	and their parts            tags of their own, as derive.Union makes
//	Void                       none: no value to put
//
// Types of Go that Haskell does not have: time.Time ([Time]), what encodes
// itself ([Binary]), pointers with and without identity (share, symtab, [Ptr]).
package put
