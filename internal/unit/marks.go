package unit

import (
	"encoding/binary"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/putget/putget/internal/wire"
)

// Debug marks: before every primitive and composite the writer puts a site
// number; a site seen for the first time is followed by its two strings, what
// was put and the place in the source that put it.

type site struct{ what, place string }

type markWriter struct{ ids map[site]uint64 }

func newMarkWriter() *markWriter { return &markWriter{map[site]uint64{}} }

func (m *markWriter) append(buf []byte, what string) []byte {
	s := site{what, caller()}
	id, ok := m.ids[s]
	if !ok {
		id = uint64(len(m.ids))
		m.ids[s] = id
	}
	buf = binary.AppendUvarint(buf, id)
	if !ok {
		for _, text := range [...]string{s.what, s.place} {
			buf = binary.AppendUvarint(buf, uint64(len(text)))
			buf = append(buf, text...)
		}
	}
	return buf
}

type markReader struct{ sites []site }

// check reads a mark at the start of buf and compares it with what is about
// to be got. It returns the mark's length.
func (m *markReader) check(buf []byte, what string) (n int, err *wire.Error) {
	truncated := &wire.Error{Class: wire.ErrTruncated, Msg: "the unit ends in a debug mark"}
	id, n := binary.Uvarint(buf)
	if n <= 0 {
		return 0, truncated
	}
	if id > uint64(len(m.sites)) {
		return 0, &wire.Error{Class: wire.ErrCorrupt, Msg: "a debug mark names a site that was not announced"}
	}
	if id == uint64(len(m.sites)) {
		var s site
		for _, text := range [...]*string{&s.what, &s.place} {
			size, k := binary.Uvarint(buf[n:])
			if k <= 0 || size > uint64(len(buf)-n-k) {
				return 0, truncated
			}
			n += k
			*text = string(buf[n : n+int(size)])
			n += int(size)
		}
		m.sites = append(m.sites, s)
	}
	if s := m.sites[id]; s.what != what {
		return 0, &wire.Error{Class: wire.ErrMismatch, Msg: "put as " + s.what + " by " + s.place + ", got as " + what + " by " + caller()}
	}
	return n, nil
}

const module = "github.com/putget/putget/"

// caller is the first place outside of the packages that codecs are made with:
// the line of the codec.
func caller() string {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	for {
		f, more := frames.Next()
		if !machinery(f.Function) || !more {
			return filepath.Base(f.File) + ":" + strconv.Itoa(f.Line)
		}
	}
}

func machinery(function string) bool {
	rest, ok := strings.CutPrefix(function, module)
	if !ok {
		return false
	}
	for _, p := range [...]string{"internal/", "put.", "get.", "share.", "symtab.", "lazy.", "state.", "derive."} {
		if strings.HasPrefix(rest, p) {
			return true
		}
	}
	return false
}
