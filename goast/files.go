package goast

import (
	"fmt"
	"go/token"
	"math"
	"reflect"

	"github.com/putget/putget/get"
	"github.com/putget/putget/internal/wire"
	"github.com/putget/putget/put"
)

// fileTable is what a token.File holds.
type fileTable struct {
	name  string
	size  int
	lines []int
	infos []lineInfo
}

// lineInfo is a //line comment's.
type lineInfo struct {
	offset       int
	name         string
	line, column int
}

// newFileTable reads f. Its line infos have no getter, but FileSet.Write shows
// them: to an encoder of a FileSet that holds only f.
func newFileTable(f *token.File) (fileTable, error) {
	t := fileTable{name: f.Name(), size: f.Size(), lines: f.Lines()}
	var one token.FileSet
	one.AddExistingFiles(f)
	err := one.Write(func(x any) error {
		files := reflect.ValueOf(x).FieldByName("Files")
		if !files.IsValid() || files.Len() != 1 {
			return fmt.Errorf("goast: this version of go/token writes a FileSet in a form that goast does not know")
		}
		infos := files.Index(0).FieldByName("Infos")
		for i := range infos.Len() {
			v := infos.Index(i)
			t.infos = append(t.infos, lineInfo{
				offset: int(v.FieldByName("Offset").Int()),
				name:   v.FieldByName("Filename").String(),
				line:   int(v.FieldByName("Line").Int()),
				column: int(v.FieldByName("Column").Int()),
			})
		}
		return nil
	})
	return t, err
}

func (t *fileTable) put(b *put.Builder) {
	names.Put(b, t.name)
	b.Uvarint(uint64(t.size))
	b.Uvarint(uint64(len(t.lines)))
	last := 0
	for _, l := range t.lines {
		b.Uvarint(uint64(l - last))
		last = l
	}
	b.Uvarint(uint64(len(t.infos)))
	for _, i := range t.infos {
		b.Uvarint(uint64(i.offset))
		names.Put(b, i.name)
		b.Varint(int64(i.line))
		b.Varint(int64(i.column))
	}
}

const maxSize = 1<<31 - 2 // positions are ints, of 32 bits on some machines

func (t *fileTable) get(r *get.Reader) bool {
	t.name = names.Get(r)
	size, n := r.Uvarint(), r.Uvarint()
	if r.Err() == nil && (size > maxSize || n > uint64(r.Left())) {
		r.Fail(&wire.Error{Class: wire.ErrCorrupt, Msg: fmt.Sprintf("a file of %d bytes and %d lines", size, n)})
	}
	if r.Err() != nil {
		return false
	}
	t.size = int(size)
	t.lines = make([]int, n)
	last := uint64(0)
	for i := range t.lines {
		d := r.Uvarint()
		if i > 0 && d == 0 || d > size-last {
			r.Fail(&wire.Error{Class: wire.ErrCorrupt, Msg: fmt.Sprintf("line %d of a file of %d bytes starts %d bytes after the one before", i+1, size, d)})
			return false
		}
		last += d
		t.lines[i] = int(last)
	}
	infos := r.Uvarint()
	last = 0
	for n := range infos {
		offset := r.Uvarint()
		if n > 0 && offset <= last || offset >= size {
			r.Fail(&wire.Error{Class: wire.ErrCorrupt, Msg: fmt.Sprintf("a //line comment at %d, behind one at %d, in a file of %d bytes", offset, last, size)})
		}
		last = offset
		i := lineInfo{offset: int(offset), name: names.Get(r), line: r.Int(), column: r.Int()}
		if r.Err() != nil {
			return false
		}
		t.infos = append(t.infos, i)
	}
	return r.Err() == nil
}

// addFiles adds files to fset one behind the other and gives the base of the
// first. Other goroutines may add to fset at the same time: one file of the
// whole size keeps the place until theirs are there.
func addFiles(fset *token.FileSet, tables []fileTable, size int) (files []*token.File, base int, err error) {
	if size > maxSize || fset.Base() > math.MaxInt-size-1 {
		return nil, 0, &wire.Error{Class: wire.ErrLimit, Msg: fmt.Sprintf("no room for files of %d bytes in the FileSet", size)}
	}
	if len(tables) == 1 {
		f := fset.AddFile(tables[0].name, -1, tables[0].size)
		return []*token.File{f}, f.Base(), tables[0].describe(f)
	}
	place := fset.AddFile("", -1, size)
	fset.RemoveFile(place)
	base = place.Base()
	var own token.FileSet
	next := base
	for i := range tables {
		f := own.AddFile(tables[i].name, next, tables[i].size)
		if err := tables[i].describe(f); err != nil {
			return nil, 0, err
		}
		files = append(files, f)
		next += tables[i].size + 1
	}
	fset.AddExistingFiles(files...)
	return files, base, nil
}

func (t *fileTable) describe(f *token.File) error {
	if empty := len(t.lines) == 1 && t.lines[0] == 0; !empty && !f.SetLines(t.lines) { // a new file has line 1
		return &wire.Error{Class: wire.ErrCorrupt, Msg: "the lines of a file do not ascend"}
	}
	for _, i := range t.infos {
		f.AddLineColumnInfo(i.offset, i.name, i.line, i.column)
	}
	return nil
}
