package symtab

import (
	"github.com/putget/putget/get"
	"github.com/putget/putget/internal/access"
	"github.com/putget/putget/internal/unit"
)

// demand runs fn in the session that d is being read in, if d is a Reader,
// which fn then gets and which fails as fn does, and otherwise in one of its own.
func (k *key) demand(d Document, fn func(*unit.Session, *unit.Reader) error) error {
	r, ok := d.(*get.Reader)
	if !ok {
		return d.Source().Domain.Do(func(s *unit.Session) error { return fn(s, nil) })
	}
	u := access.Reader(r)
	if u.Err != nil {
		return u.Err
	}
	u.Begun()
	err := k.bare()
	if u.Source != nil {
		err = fn(u.Session, u)
	}
	u.Fail(err)
	return err
}
