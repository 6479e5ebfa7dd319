package symtab

import (
	"github.com/putget/putget/get"
	"github.com/putget/putget/internal/access"
	"github.com/putget/putget/internal/unit"
)

// demand runs fn in the session that d is being read in, if it is a Reader, and
// otherwise in one of its own.
func demand(d Document, fn func(*unit.Session, *unit.Source) error) error {
	src := d.Source()
	if r, ok := d.(*get.Reader); ok {
		return fn(access.Reader(r).Session, src)
	}
	return src.Domain.Do(func(s *unit.Session) error { return fn(s, src) })
}
