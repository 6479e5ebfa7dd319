package symtab

import (
	"cmp"
	"fmt"

	"github.com/putget/putget/internal/unit"
	"github.com/putget/putget/internal/wire"
)

// Verify checks what decoding does not need: that no two entries of a document
// are the same string, and none is a known one. A writer never makes such a
// table. It costs a map of all strings.
func (k *Strings) Verify(d Document) error { return distinct(&k.key, d, k.fresh.find) }

// Verify checks what decoding does not need: that no two entries of a document
// have the same bytes. It costs a map of all entries.
func (k *Cons[V]) Verify(d Document) error {
	return distinct(&k.b.key, d, func(string) (uint32, bool) { return 0, false })
}

func distinct(k *key, d Document, known func(string) (uint32, bool)) error {
	return k.demand(d, func(*unit.Session, *unit.Reader) error {
		sec, err := d.Source().Section(k.name)
		if err != nil || sec == nil {
			return err
		}
		seen := make(map[string]int, sec.Len())
		for id := range sec.Len() {
			data, err := sec.Entry(id)
			if err != nil {
				return err
			}
			if other, ok := seen[string(data)]; ok {
				return corruptEntry(k.name, id, "the entry is the same as entry %d", other)
			}
			if _, ok := known(string(data)); ok {
				return corruptEntry(k.name, id, "the entry is a known string")
			}
			seen[string(data)] = id
		}
		return nil
	})
}

// Verify checks what a search does not need: that the index is in order.
func (k *Index) Verify(d Document) error {
	var last Hit
	i := 0
	for hit, err := range k.All(d) {
		if err != nil {
			return err
		}
		if i > 0 && cmp.Or(cmp.Compare(last.Name, hit.Name), cmp.Compare(last.Kind, hit.Kind), cmp.Compare(last.ID, hit.ID)) >= 0 {
			return corruptEntry(k.name, i/leafLen, "%q stands before %q", last.Name, hit.Name)
		}
		if i > 0 && hit.Name == last.Name {
			// found already: hits of one name are found together
		} else if found, err := k.Find(d, hit.Name); err != nil {
			return err
		} else if len(found) == 0 {
			return corruptEntry(k.name, i/leafLen, "%q is not found", hit.Name)
		}
		last = hit
		i++
	}
	return nil
}

func corruptEntry(table string, id int, format string, args ...any) error {
	return &wire.Error{Class: wire.ErrCorrupt, Unit: unit.UnitName(table, id), Msg: fmt.Sprintf(format, args...)}
}
