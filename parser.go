package putget

import "github.com/putget/putget/internal/unit"

// parser takes a directory or a block apart. Errors are sticky.
type parser struct {
	buf  []byte
	off  int
	unit string // for errors
	base int64  // offset of buf
	str  string // buf, where texts are to be parts of one string
	err  error
}

func (p *parser) rest() []byte { return p.buf[p.off:] }

func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = errorAt(ErrCorrupt, p.unit, p.base+int64(p.off), format, args...)
		p.off = len(p.buf)
	}
}

func (p *parser) failed(format string, args ...any) error {
	p.fail(format, args...)
	return p.err
}

// end fails where bytes are left over.
func (p *parser) end() {
	if n := len(p.rest()); n > 0 {
		p.fail("%d bytes are left over", n)
	}
}

func (p *parser) byte() byte {
	if b := p.bytes(1); len(b) == 1 {
		return b[0]
	}
	return 0
}

func (p *parser) uvarint() uint64 {
	v, n := unit.Uvarint(p.rest())
	if n <= 0 {
		p.fail("an integer is cut short or not in its minimal form")
		return 0
	}
	p.off += n
	return v
}

func (p *parser) bytes(n uint64) []byte {
	if n > uint64(len(p.rest())) {
		p.fail("%d bytes are announced, %d are left", n, len(p.rest()))
		return nil
	}
	b := p.rest()[:n]
	p.off += int(n)
	return b
}

func (p *parser) text() string {
	b := p.bytes(p.uvarint())
	if p.str != "" && p.err == nil {
		return p.str[p.off-len(b) : p.off]
	}
	return string(b)
}
