// Package access is the way from a put.Builder or get.Reader to the machinery
// under it, for the packages of the module that stand above put and get. It is
// internal so that authors of codecs see only what they use.
package access

import (
	"unsafe"

	"github.com/putget/putget/get"
	"github.com/putget/putget/internal/unit"
	"github.com/putget/putget/put"
)

// The conversions rely on this rule of package unsafe: a pointer to a struct
// may be converted to a pointer to a type that is no larger and has the same
// layout. A Builder has the fields of a unit.Writer, in the same order, a Reader
// those of a unit.Reader. The constants below do not compile when the sizes
// differ, and a test of package put compares the fields.

// Writer is the unit that b writes.
func Writer(b *put.Builder) *unit.Writer { return (*unit.Writer)(unsafe.Pointer(b)) }

// Reader is the unit that r reads.
func Reader(r *get.Reader) *unit.Reader { return (*unit.Reader)(unsafe.Pointer(r)) }

const (
	_ = -(unsafe.Sizeof(put.Builder{}) - unsafe.Sizeof(unit.Writer{}))
	_ = -(unsafe.Sizeof(get.Reader{}) - unsafe.Sizeof(unit.Reader{}))
)
