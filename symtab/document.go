package symtab

import (
	"github.com/putget/putget/get"
	"github.com/putget/putget/internal/access"
	"github.com/putget/putget/internal/unit"
)

// demand runs fn in the session that d is being read in, if d is a Reader,
// which fn then gets, and otherwise in one of its own.
func demand(d Document, fn func(*unit.Session, *unit.Reader) error) error {
	if r, ok := d.(*get.Reader); ok {
		u := access.Reader(r)
		return fn(u.Session, u)
	}
	return d.Source().Domain.Do(func(s *unit.Session) error { return fn(s, nil) })
}
