package goast

import (
	"go/ast"
	"go/scanner"
	"go/token"
	"math"
	"slices"

	"github.com/putget/putget/derive"
	"github.com/putget/putget/get"
	"github.com/putget/putget/internal/wire"
	"github.com/putget/putget/put"
	"github.com/putget/putget/symtab"
)

// The root of a document is the list of its files. Positions are those of a
// FileSet that has the files one behind the other from base 1, and differ from
// the FileSet's at hand by a constant for each file: on reading by one constant
// for all, since the reader adds the files in that order, too.

// writer is what the codecs need to know of the files being written.
type writer struct {
	files   []*writerFile
	objects bool
	lost    token.Pos                      // a position that the document has no place for
	owner   map[*ast.BlockStmt]int         // the file of each body
	strays  map[*ast.CommentGroup]int      // the file of each
	groups  map[*ast.CommentGroup]groupRef // of all files, once a file names one that it does not have
}

// groupRef is a comment group's place.
type groupRef struct{ file, index int }

type writerFile struct {
	syntax  *ast.File
	errors  scanner.ErrorList
	table   fileTable
	base    int // of its positions
	at      int // its base in the document
	number  int
	outside func(int64) int64
}

// reader is what the codecs need to know of the files being read.
type reader struct {
	fset  *token.FileSet
	decls bool // leave the bodies out

	files  []*File
	added  []*token.File // to fset
	base   int           // added to positions in the document
	bodies []lazyBody
}

// lazyBody is a body that was left out.
type lazyBody struct {
	at **ast.BlockStmt
	id symtab.ID
}

// fileState is what a unit knows of the file it belongs to.
type fileState struct {
	number   int
	comments []*ast.CommentGroup
	next     int                       // the comment group that is likely next
	index    map[*ast.CommentGroup]int // once a group was not where its position says
}

// enter makes file f the one that the unit goes on with. Positions in f are put
// as they are: to the reader they differ by a constant. If that is negative, the
// files are in another order than in the FileSet, and a position in another file
// could come out as 0, which stands for none: then all positions are translated.
func (w *writer) enter(b *put.Builder, f *writerFile) {
	last := position.Of(b)
	last.Low, last.High = int64(f.base), int64(f.base+f.table.size)
	by := int64(f.base - f.at)
	if by < 0 {
		by, last.Low, last.High = 0, 1, 0
	}
	last.Value = by
	if f.outside == nil {
		f.outside = func(p int64) int64 { return w.translate(f, p) + by }
	}
	last.Outside = f.outside
	*current.Of(b) = fileState{number: f.number, comments: f.syntax.Comments}
}

// translate gives the place in the document of a position in one of the files.
// Others are kept at their distance from f, unless that leads before the first
// file of the document.
func (w *writer) translate(f *writerFile, p int64) int64 {
	if p < int64(f.base) || p > int64(f.base+f.table.size) {
		for _, g := range w.files {
			if int64(g.base) <= p && p <= int64(g.base+g.table.size) {
				f = g
				break
			}
		}
	}
	at := p - int64(f.base-f.at)
	if at < 1 { // a reader could not tell it from no position
		w.lost = token.Pos(p)
		return 1
	}
	return at
}

func (rd *reader) enter(r *get.Reader, number int) {
	*position.Of(r) = derive.Last{Value: int64(rd.base), Low: int64(rd.base) + 1, High: math.MaxInt}
	*current.Of(r) = fileState{number: number, comments: rd.files[number].Syntax.Comments}
}

// rootCodec codes the document's root, which is all in the environment.
type rootCodec struct{}

type root struct{}

func (rootCodec) Put(b *put.Builder, _ *root) {
	w := writing.Of(b)
	if b.Err() != nil {
		return
	}
	b.Bool(w.objects)
	b.Uvarint(uint64(len(w.files)))
	putTables(b, w.files)
	for _, f := range w.files {
		if b.Bool(f.errors != nil); f.errors != nil {
			errorsCodec.Put(b, &f.errors)
		}
		w.enter(b, f)
		groupsCodec.Put(b, &f.syntax.Comments)
	}
	for _, f := range w.files {
		w.enter(b, f)
		if w.objects {
			objectCodec.Put(b, f.syntax)
		} else {
			treeCodec.Put(b, f.syntax)
		}
	}
}

func (rootCodec) Get(r *get.Reader, _ *root) {
	rd := reading.Of(r)
	objects := r.Bool()
	n := r.Uvarint()
	if n > uint64(r.Left()) {
		corrupt(r, "%d files are announced, the unit has %d bytes left", n, r.Left())
	}
	if r.Err() != nil {
		return
	}
	if !rd.decls {
		treeCodec.Reserve(r)
	}
	tables, size := getTables(r, int(n))
	if r.Err() != nil {
		return
	}
	files, base, err := addFiles(rd.fset, tables, size)
	rd.added = files
	if err != nil {
		r.Fail(err)
		return
	}
	rd.base = base - 1
	rd.files = make([]*File, n)
	all := make([]struct {
		file File
		tree ast.File
	}, n)
	for i := range rd.files {
		f := &all[i].file
		f.Token, f.Syntax = files[i], &all[i].tree
		rd.files[i] = f
		if r.Bool() {
			errorsCodec.Get(r, &f.Errors)
		}
		rd.enter(r, i)
		groupsCodec.Get(r, &f.Syntax.Comments)
		if r.Err() != nil {
			return
		}
	}
	for i, f := range rd.files {
		rd.enter(r, i)
		if objects {
			objectCodec.Get(r, f.Syntax)
		} else {
			treeCodec.Get(r, f.Syntax)
		}
		if r.Err() != nil {
			return
		}
	}
}

// bodyField codes FuncDecl.Body as an entry of the table of bodies.
type bodyField struct{}

func (bodyField) Put(b *put.Builder, body **ast.BlockStmt) {
	w := writing.Of(b)
	if b.Err() == nil && *body != nil {
		if _, ok := w.owner[*body]; !ok {
			w.owner[*body] = current.Of(b).number
		}
	}
	bodies.Put(b, *body)
}

func (bodyField) Get(r *get.Reader, body **ast.BlockStmt) {
	rd := reading.Of(r)
	if !rd.decls {
		*body = bodies.Get(r)
		return
	}
	if id, ok := bodies.ID(r); ok {
		rd.bodies = append(rd.bodies, lazyBody{body, id})
	}
}

// bodyCodec codes a body as a unit of its own: the number of its file, the block.
type bodyCodec struct{}

func (bodyCodec) Put(b *put.Builder, body *ast.BlockStmt) {
	w := writing.Of(b)
	if b.Err() != nil {
		return
	}
	n := w.owner[body]
	b.Uvarint(uint64(n))
	w.enter(b, w.files[n])
	blockCodec.Claim(b, body)
	blockCodec.Put(b, body)
}

func (bodyCodec) Get(r *get.Reader, body *ast.BlockStmt) {
	if reading.Of(r).enterFile(r) {
		blockCodec.Get(r, body)
	}
}

// enterFile gets the number of the unit's file and enters it.
func (rd *reader) enterFile(r *get.Reader) bool {
	n := r.Uvarint()
	if r.Err() == nil && n >= uint64(len(rd.files)) {
		corrupt(r, "an entry of file %d, of %d", n, len(rd.files))
	}
	if r.Err() != nil {
		return false
	}
	rd.enter(r, int(n))
	return true
}

// New gives a block from the slabs of the run.
func (bodyCodec) New(r *get.Reader) *ast.BlockStmt { return blockCodec.New(r) }

// commentRef codes a Doc or Comment field: 0 for nil, 1 and a stray, 2 and the
// place of a group that another file has, or from 3 on the distance from the
// group after the last one, zigzag.
type commentRef struct{}

const (
	refNil = iota
	refStray
	refOther
	refIndex
)

func (commentRef) Put(b *put.Builder, g **ast.CommentGroup) {
	if *g == nil {
		b.Uvarint(refNil)
		return
	}
	f := current.Of(b)
	if i, ok := f.find(*g); ok {
		b.Uvarint(wire.Zigzag(int64(i-f.next)) + refIndex)
		f.next = i + 1
		return
	}
	w := writing.Of(b)
	if b.Err() != nil {
		return
	}
	if at, ok := w.group(*g); ok {
		b.Uvarint(refOther)
		b.Uvarint(uint64(at.file))
		b.Uvarint(uint64(at.index))
		return
	}
	if _, ok := w.strays[*g]; !ok {
		if w.strays == nil {
			w.strays = map[*ast.CommentGroup]int{}
		}
		w.strays[*g] = f.number
	}
	b.Uvarint(refStray)
	strays.Put(b, *g)
}

func (commentRef) Get(r *get.Reader, g **ast.CommentGroup) {
	f := current.Of(r)
	switch c := r.Uvarint(); c {
	case refNil:
	case refStray:
		if *g = strays.Get(r); *g == nil && r.Err() == nil {
			corrupt(r, "a stray comment group that is nil")
		}
	case refOther:
		rd := reading.Of(r)
		if n := r.Uvarint(); n >= uint64(len(rd.files)) || n == uint64(f.number) {
			corrupt(r, "a comment group of file %d, of %d", n, len(rd.files))
		} else {
			*g = pick(r, rd.files[n].Syntax.Comments, r.Uvarint())
		}
	default:
		i := int64(f.next) + wire.Unzigzag(c-refIndex)
		*g = pick(r, f.comments, uint64(i))
		f.next = int(i) + 1
	}
}

// pick gives group i of a file's.
func pick(r *get.Reader, comments []*ast.CommentGroup, i uint64) *ast.CommentGroup {
	if i >= uint64(len(comments)) {
		corrupt(r, "comment group %d of a file that has %d", i, len(comments))
		return nil
	}
	return comments[i]
}

// group finds a comment group in the lists of all files.
func (w *writer) group(g *ast.CommentGroup) (at groupRef, ok bool) {
	if w.groups == nil {
		w.groups = map[*ast.CommentGroup]groupRef{}
		for _, f := range w.files {
			for i, g := range f.syntax.Comments {
				w.groups[g] = groupRef{f.number, i}
			}
		}
	}
	at, ok = w.groups[g]
	return at, ok
}

// strayCodec codes a stray as bodyCodec does a body.
type strayCodec struct{}

func (strayCodec) Put(b *put.Builder, g *ast.CommentGroup) {
	w := writing.Of(b)
	if b.Err() != nil {
		return
	}
	n := w.strays[g]
	b.Uvarint(uint64(n))
	w.enter(b, w.files[n])
	groupCodec.Put(b, g)
}

func (strayCodec) Get(r *get.Reader, g *ast.CommentGroup) {
	if reading.Of(r).enterFile(r) {
		groupCodec.Get(r, g)
	}
}

// find gives the place of g among the file's comments. They lie in order of
// position, as the parser leaves them, and mostly g is the next or soon after.
func (f *fileState) find(g *ast.CommentGroup) (int, bool) {
	for i := f.next; i < len(f.comments) && i < f.next+4; i++ {
		if f.comments[i] == g {
			return i, true
		}
	}
	if f.index == nil {
		if len(g.List) > 0 && g.List[0] != nil {
			i, _ := slices.BinarySearchFunc(f.comments, g.List[0].Slash, func(g *ast.CommentGroup, p token.Pos) int {
				if g == nil || len(g.List) == 0 || g.List[0] == nil {
					return -1
				}
				return int(g.List[0].Slash - p)
			})
			if i < len(f.comments) && f.comments[i] == g {
				return i, true
			}
		}
		f.index = make(map[*ast.CommentGroup]int, len(f.comments))
		for i, g := range slices.Backward(f.comments) {
			f.index[g] = i
		}
	}
	i, ok := f.index[g]
	return i, ok
}
