package putget

import (
	"fmt"
	"io"
	"strings"

	"github.com/putget/putget/internal/wire"
)

// Error is the type of every error that the library makes: what is wrong,
// where, and what to do about it. Errors of codecs, readers and writers are
// its cause. Its fields:
//
//	Class  error  // one of the classes below; nil for an error of the caller's own
//	Unit   string // the unit: "root", "types#17"; empty in a bare unit
//	Offset int64  // in the unit: bytes written, or bytes consumed
//	Path   string // the way from the unit's start to the value: ".Funcs[3].Body"
//	Msg    string // what is wrong and what to do
//	Err    error  // the cause, or nil
type Error = wire.Error

// The classes of errors. An error that the library finds matches exactly one
// of them with errors.Is; an error of a codec, a reader or a writer matches
// what it wraps.
var (
	// ErrTruncated: the bytes end too early. It matches io.ErrUnexpectedEOF, too.
	ErrTruncated = wire.ErrTruncated
	// ErrCorrupt: the bytes are not what any writer makes.
	ErrCorrupt = wire.ErrCorrupt
	// ErrLimit: a value costs more than Limits allow.
	ErrLimit = wire.ErrLimit
	// ErrVersion: the bytes are of a version of the format that this version
	// of the library does not read. To a cache it is a miss.
	ErrVersion = wire.ErrVersion
	// ErrSchema: the schema of the bytes is not that of the options. To a
	// cache it is a miss.
	ErrSchema = wire.ErrSchema
	// ErrCycle: owned pointers, or what must be acyclic, lead back to themselves.
	ErrCycle = wire.ErrCycle
	// ErrNotFound: a section, a table, an environment key or a name is not there.
	ErrNotFound = wire.ErrNotFound
	// ErrMismatch: debug marks found a Get that does not match its Put.
	ErrMismatch = wire.ErrMismatch
	// ErrValue: a value that cannot be put, or options that cannot be right.
	ErrValue = wire.ErrValue
)

func errorAt(class error, unit string, offset int64, format string, args ...any) error {
	return &Error{Class: class, Unit: unit, Offset: offset, Msg: fmt.Sprintf(format, args...)}
}

// errNilValue is for a pointer to the value that leads to none.
func errNilValue(unit string) error {
	return errorAt(ErrValue, unit, 0, "the pointer to the value is nil")
}

// readError is the error of a reader that the library was given. That it ends
// is an error of the input, anything else the reader's own.
func readError(unit string, offset int64, err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errorAt(ErrTruncated, unit, offset, "the input ends here")
	}
	return &Error{Unit: unit, Offset: offset, Msg: "reading failed", Err: err}
}

// versionError is for a format version that is not read.
func versionError(what string, v byte) error {
	age := "newer"
	if v < version {
		age = "older"
	}
	return errorAt(ErrVersion, what, int64(versionOffset), "this is a putget %s of format version %d, %s than version %d, the one that this program reads: write it again with the putget of this program, or read it with the putget that wrote it", what, v, age, version)
}

// schemaOf is the schema that a codec knows of itself, as those of package
// derive do; empty for others.
func schemaOf(c any) string {
	if c, ok := c.(interface{ Schema() string }); ok {
		return c.Schema()
	}
	return ""
}

// checkOwn compares the schema of a document with the codec's own, where the
// options named none. Only schemas of one maker, "derive1:…", can be compared.
func checkOwn(have, own string) error {
	maker, _, ok := strings.Cut(own, ":")
	if !ok || have == own || !strings.HasPrefix(have, maker+":") {
		return nil
	}
	return checkSchema("document", have, &Options{Schema: own})
}

// checkSchema compares the schema of the bytes with the one expected, if any is.
func checkSchema(what, have string, o *Options) error {
	if o.Schema == "" || o.Schema == have {
		return nil
	}
	return errorAt(ErrSchema, what, 0, "the %s has schema %q, this program has schema %q: write it again from its source, or read it with the program that wrote it", what, have, o.Schema)
}
