package wire

import (
	"errors"
	"io"
	"strconv"
	"strings"
)

// The classes of errors. Every error that putget makes matches exactly one of
// them with errors.Is.
var (
	ErrTruncated error = truncated{}
	ErrCorrupt         = errors.New("corrupt")
	ErrLimit           = errors.New("limit exceeded")
	ErrVersion         = errors.New("unsupported version")
	ErrSchema          = errors.New("schema differs")
	ErrCycle           = errors.New("cycle")
	ErrNotFound        = errors.New("not found")
	ErrMismatch        = errors.New("put and get do not match")
	ErrValue           = errors.New("value cannot be put")
)

// truncated also matches io.ErrUnexpectedEOF, which is what callers that know
// nothing of putget test for.
type truncated struct{}

func (truncated) Error() string        { return "truncated" }
func (truncated) Is(target error) bool { return target == io.ErrUnexpectedEOF }

// Error is the one error type of the library: what is wrong, where, and what
// to do about it.
type Error struct {
	Class  error  // one of the sentinels above; nil for an error of the caller's own
	Unit   string // the unit: "root", "types#17"; empty in a bare unit
	Offset int64  // offset in the unit: bytes written, or bytes consumed
	Path   string // the way from the unit's start to the value: ".Funcs[3].Body"
	Msg    string // what is wrong and what to do
	Err    error  // the cause, or nil
}

func (e *Error) Error() string {
	var s strings.Builder
	s.WriteString("putget: ")
	if e.Class != nil {
		s.WriteString(e.Class.Error())
	}
	for _, part := range [...]string{e.Msg, causeText(e.Err)} {
		if part == "" {
			continue
		}
		if s.Len() > len("putget: ") {
			s.WriteString(": ")
		}
		s.WriteString(part)
	}
	s.WriteString(" (")
	if e.Unit != "" {
		s.WriteString(e.Unit + ", ")
	}
	s.WriteString("offset " + strconv.FormatInt(e.Offset, 10))
	if e.Path != "" {
		s.WriteString(", at " + e.Path)
	}
	s.WriteString(")")
	return s.String()
}

func causeText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// Unwrap gives the class and the cause, so that errors.Is and errors.As find both.
func (e *Error) Unwrap() []error {
	var list []error
	if e.Class != nil {
		list = append(list, e.Class)
	}
	if e.Err != nil {
		list = append(list, e.Err)
	}
	return list
}
