package wire_test

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
	"testing"

	"github.com/putget/putget/internal/wire"
)

// TestNumbers has the numbers that are in files.
func TestNumbers(t *testing.T) {
	if got := [...]int{wire.MarkNil, wire.MarkInline, wire.MarkDeferred, wire.MarkBack, wire.BlockSize, wire.FloatFinite, wire.FloatInfinite, wire.FloatNegative}; got != [...]int{0, 1, 2, 3, 65536, 16, 32, 128} {
		t.Errorf("a number of the format has changed: %v", got)
	}
}

func TestVarints(t *testing.T) {
	for shift := range 64 {
		for _, v := range []uint64{1<<shift - 1, 1 << shift, 1<<shift + 1, math.MaxUint64 >> shift} {
			if n, want := wire.UvarintLen(v), len(binary.AppendUvarint(nil, v)); n != want {
				t.Errorf("UvarintLen(%d) = %d, want %d", v, n, want)
			}
			s := int64(v)
			z := wire.Zigzag(s)
			if got := wire.Unzigzag(z); got != s || len(binary.AppendVarint(nil, s)) != wire.UvarintLen(z) {
				t.Errorf("Zigzag(%d) = %d, and back %d", s, z, got)
			}
		}
	}
}

func TestError(t *testing.T) {
	cause := errors.New("the cause")
	for _, c := range []struct {
		err  wire.Error
		want string
	}{
		{wire.Error{Class: wire.ErrCorrupt, Unit: "types#17", Offset: 5, Path: ".Funcs[3]", Msg: "what", Err: cause},
			"putget: corrupt: what: the cause (types#17, offset 5, at .Funcs[3])"},
		{wire.Error{Class: wire.ErrTruncated}, "putget: truncated (offset 0)"},
		{wire.Error{Err: cause, Offset: 1}, "putget: the cause (offset 1)"},
		{wire.Error{Class: wire.ErrLimit, Msg: "too deep"}, "putget: limit exceeded: too deep (offset 0)"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
		for _, class := range []error{wire.ErrTruncated, wire.ErrCorrupt, wire.ErrLimit, wire.ErrVersion, wire.ErrSchema, wire.ErrCycle, wire.ErrNotFound, wire.ErrMismatch, wire.ErrValue} {
			if is := errors.Is(&c.err, class); is != (c.err.Class == class) {
				t.Errorf("%v is %v: %v", &c.err, class, is)
			}
		}
		if errors.Is(&c.err, cause) != (c.err.Err == cause) || errors.Is(&c.err, io.ErrUnexpectedEOF) != (c.err.Class == wire.ErrTruncated) {
			t.Errorf("%v: its causes are not what it is", &c.err)
		}
	}
}
