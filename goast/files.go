package goast

import (
	"encoding/binary"
	"fmt"
	"go/token"
	"math"
	"reflect"

	"github.com/putget/putget/get"
	"github.com/putget/putget/internal/unit"
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

// putTables puts what the files are, the number of all lines first.
func putTables(b *put.Builder, files []*writerFile) {
	lines := 0
	for _, f := range files {
		lines += len(f.table.lines)
	}
	b.Uvarint(uint64(lines))
	for _, f := range files {
		f.table.put(b)
	}
}

func (t *fileTable) put(b *put.Builder) {
	names.Put(b, t.name)
	b.Uvarint(uint64(t.size))
	b.Uvarint(uint64(len(t.lines)))
	var starts []byte // in one piece: a line in thirty bytes of source is worth a loop of its own
	last := 0
	for _, l := range t.lines {
		starts = binary.AppendUvarint(starts, uint64(l-last))
		last = l
	}
	b.Uvarint(uint64(len(starts)))
	b.Raw(starts)
	b.Uvarint(uint64(len(t.infos)))
	for _, i := range t.infos {
		b.Uvarint(uint64(i.offset))
		names.Put(b, i.name)
		b.Varint(int64(i.line))
		b.Varint(int64(i.column))
	}
}

const maxSize = 1<<31 - 2 // positions are ints, of 32 bits on some machines

// getTables gets n files, and the room they take in a FileSet.
func getTables(r *get.Reader, n int) (tables []fileTable, size int) {
	count := r.Uvarint()
	if count > uint64(r.Left()) {
		corrupt(r, "%d lines are announced, the unit has %d bytes left", count, r.Left())
	}
	if r.Err() != nil {
		return nil, 0
	}
	lines := make([]int, count)
	tables = make([]fileTable, n)
	for i := range tables {
		t := &tables[i]
		if lines = t.get(r, lines); r.Err() != nil {
			return nil, 0
		}
		if t.size >= maxSize-size {
			corrupt(r, "file %d, of %d bytes, is one too many behind %d bytes", i, t.size, size)
			return nil, 0
		}
		size += t.size + 1
	}
	if len(lines) > 0 {
		corrupt(r, "%d lines less than announced", len(lines))
	}
	return tables, size
}

// get gets one file; its lines take the first of those given, the others are returned.
func (t *fileTable) get(r *get.Reader, lines []int) []int {
	t.name = names.Get(r)
	size, n := r.Uvarint(), r.Uvarint()
	if size > maxSize || n > uint64(len(lines)) {
		corrupt(r, "a file of %d bytes and %d lines, with %d left", size, n, len(lines))
	}
	if r.Err() != nil {
		return nil
	}
	t.size = int(size)
	t.lines = lines[:n:n]
	length := r.Uvarint()
	if length > uint64(r.Left()) {
		corrupt(r, "the lines of a file take %d bytes, the unit has %d left", length, r.Left())
		return nil
	}
	starts := r.View(int(length))
	last := uint64(0)
	for i := range t.lines {
		var d uint64
		if len(starts) > 0 && starts[0] < 0x80 {
			d, starts = uint64(starts[0]), starts[1:]
		} else {
			v, n := unit.Uvarint(starts)
			if n <= 0 {
				corrupt(r, "line %d of a file is cut short or not in its minimal form", i+1)
				return nil
			}
			d, starts = v, starts[n:]
		}
		if i > 0 && d == 0 || d > size-last {
			corrupt(r, "line %d of a file of %d bytes starts %d bytes after the one before", i+1, size, d)
			return nil
		}
		last += d
		t.lines[i] = int(last)
	}
	if len(starts) > 0 {
		corrupt(r, "%d bytes are left over after the lines of a file", len(starts))
	}
	infos := r.Uvarint()
	last = 0
	for i := range infos {
		offset := r.Uvarint()
		if i > 0 && offset <= last || offset >= size {
			corrupt(r, "a //line comment at %d, behind one at %d, in a file of %d bytes", offset, last, size)
		}
		last = offset
		info := lineInfo{offset: int(offset), name: names.Get(r), line: r.Int(), column: r.Int()}
		if r.Err() != nil {
			return nil
		}
		t.infos = append(t.infos, info)
	}
	return lines[n:]
}

func corrupt(r *get.Reader, format string, args ...any) {
	r.Fail(&wire.Error{Class: wire.ErrCorrupt, Offset: r.Offset(), Msg: fmt.Sprintf(format, args...)})
}

// addFiles adds files to fset one behind the other, gives them, and the base
// of the first.
func addFiles(fset *token.FileSet, tables []fileTable, size int) (files []*token.File, base int, err error) {
	if fset.Base() > math.MaxInt-size-1 {
		return nil, 0, &wire.Error{Class: wire.ErrLimit, Msg: fmt.Sprintf("no room for files of %d bytes in the FileSet", size)}
	}
	files = make([]*token.File, len(tables))
	next := 0
	for i := range tables {
		t := &tables[i]
		files[i] = fset.AddFile(t.name, -1, t.size)
		if i > 0 && files[i].Base() != next { // another goroutine came between
			for _, f := range files[:i+1] {
				fset.RemoveFile(f)
			}
			files = addTogether(fset, tables, size)
			break
		}
		next = files[i].Base() + t.size + 1
	}
	for i := range tables {
		if err := tables[i].describe(files[i]); err != nil {
			return files, 0, err
		}
	}
	if len(files) > 0 {
		base = files[0].Base()
	}
	return files, base, nil
}

// addTogether adds files while other goroutines do: one file of the whole size
// keeps the place until they are there.
func addTogether(fset *token.FileSet, tables []fileTable, size int) (files []*token.File) {
	place := fset.AddFile("", -1, size)
	fset.RemoveFile(place)
	var own token.FileSet
	next := place.Base()
	for _, t := range tables {
		files = append(files, own.AddFile(t.name, next, t.size))
		next += t.size + 1
	}
	fset.AddExistingFiles(files...)
	return files
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
