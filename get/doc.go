// Package get makes Go values of the bytes that package put made: it is that
// package's mirror image, file by file and name by name. The comments of
// package put say how codecs are made, and the bytes of each primitive.
//
//	func (pointCodec) Get(r *get.Reader, p *point) { p.X = r.Int(); p.Y = r.Int() }
//
//	p, err := get.Value(data, pointCodec{})
//
// # Properties
//
//   - Any bytes at all give a value or an error: no panic, no hang, no stack
//     overflow. Counts are believed as far as the bytes that are left pay for
//     them: a slice or a map of n elements is allocated where n bytes are left
//     that no enclosing slice has counted on, so that all slices of a unit
//     together take no more memory than its bytes times the size of an element.
//     Elements that take no bytes are charged to Limits.Free, nesting to
//     Limits.Depth.
//   - What is read is what a writer writes: numbers in any but their shortest
//     form, bools of 2, keys out of order and bytes left over are errors.
//   - Pointers are handed out before they are filled, which is what makes deep
//     structures and cycles work: a Get never looks inside a pointer that it got.
//     What needs the finished value says so with [Reader.Later].
//
// # What it does not do
//
// A bare unit has no checksum: a flipped bit may be another value. Documents
// have. The order of map keys that are pointers or interfaces is not checked,
// and a body that its writer would have put inline may be deferred.
//
// # Errors
//
// Errors are sticky: after the first, every method returns a zero value and
// loops end, and [Reader.Done] reports it with the offset and the path to the
// value. It is a *putget.Error of one of putget's classes: ErrTruncated (which
// matches io.ErrUnexpectedEOF, too), ErrCorrupt, ErrLimit, or ErrMismatch for
// debug marks. [Reader.Fail] adds those of codecs. What a failed Get returned
// is to be thrown away.
//
// # Concurrency
//
// Codecs and keys are safe for concurrent use. A Reader is not.
//
// # Aliasing
//
// What is got does not refer to the input, but for [Reader.View].
//
// # Cost
//
// See package put.
package get
