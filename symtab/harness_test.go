package symtab_test

import (
	"encoding/binary"

	"github.com/putget/putget/get"
	"github.com/putget/putget/internal/access"
	"github.com/putget/putget/internal/unit"
	"github.com/putget/putget/internal/wire"
	"github.com/putget/putget/put"
)

// file is a document in memory without a format: the root's bytes and the
// tables by name. What a test wants damaged it can reach.
type file struct {
	root   []byte
	tables map[string]*unit.Entries
	packed bool // tables give their packed form

	limits wire.Limits
	marks  bool
}

// encode puts a root and all that it refers to.
func encode(fn func(*put.Builder)) (*file, error) { return encodeWith(&file{packed: true}, fn) }

func encodeWith(f *file, fn func(*put.Builder)) (*file, error) {
	run := &unit.Run{Limits: f.limits, Marks: f.marks}
	var b put.Builder
	w := access.Writer(&b)
	w.Begin(run, nil, f.limits, f.marks, "root", -1)
	fn(&b)
	root, err := w.Done()
	if err != nil {
		return nil, err
	}
	if err := run.Finish(); err != nil {
		return nil, err
	}
	f.root, f.tables = root, map[string]*unit.Entries{}
	for _, t := range run.Order() {
		f.tables[t.Name()] = t.Entries()
	}
	return f, nil
}

// section counts what is read of a table.
type section struct {
	*unit.Entries
	packed bool
	reads  int
}

func (s *section) Entry(id int) ([]byte, error) { s.reads++; return s.Entries.Entry(id) }

func (s *section) Packed() (p unit.Packed, ok bool, err error) {
	if !s.packed {
		return p, false, nil
	}
	const width = 4
	for _, end := range s.Ends {
		p.Ends = binary.LittleEndian.AppendUint32(p.Ends, uint32(end))
	}
	return unit.Packed{Ends: p.Ends, Width: width, Blob: s.Blob}, true, nil
}

// document is a file that is open.
type document struct {
	src      unit.Source
	root     []byte
	sections map[string]*section
}

func (d *document) Source() *unit.Source { return &d.src }

func (f *file) open(domain *unit.Domain) *document {
	if domain == nil {
		domain = new(unit.Domain)
	}
	d := &document{root: f.root, sections: map[string]*section{}}
	for name, e := range f.tables {
		d.sections[name] = &section{Entries: e, packed: f.packed}
	}
	d.src = unit.Source{Limits: f.limits, Marks: f.marks, Domain: domain, Section: func(name string) (unit.Section, error) {
		if s := d.sections[name]; s != nil {
			return s, nil
		}
		return nil, nil
	}}
	return d
}

// read gets the root.
func (d *document) read(fn func(*get.Reader)) error {
	return d.src.Domain.Do(func(s *unit.Session) error {
		var r get.Reader
		u := access.Reader(&r)
		u.Begin(&d.src, s, d.root, d.src.Limits, d.src.Marks, "root", -1)
		fn(&r)
		return u.Done()
	})
}
