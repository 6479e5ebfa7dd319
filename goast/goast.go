package goast

import (
	"crypto/sha256"
	"fmt"
	"go/ast"
	"go/scanner"
	"go/token"

	"github.com/putget/putget"
	"github.com/putget/putget/state"
	"github.com/putget/putget/symtab"
)

// File is a file's syntax tree, with what else parsing it gives.
type File struct {
	Syntax *ast.File
	Errors scanner.ErrorList // of a file that did not parse as a whole
	Token  *token.File       // nil for Encode: the one that the tree begins in
}

// Options of Encode. nil and the zero value are the defaults.
type Options struct {
	// Objects keeps Ident.Obj, File.Scope and File.Unresolved, which are
	// deprecated and dropped otherwise. Such a document is larger, and its
	// function bodies cannot be loaded alone.
	Objects bool
}

// schema changes with the node types and with everything that this package
// writes around them.
var schema = fmt.Sprintf("goast1:%.16x", sha256.Sum256(fmt.Appendf(nil, "%s%s%s%s%q%q",
	treeCodec.Schema(), objectCodec.Schema(), groupsCodec.Schema(), errorsCodec.Schema(), frequent, tokenNames())))

// tokenNames are the names of the tokens that have numbers: Go may renumber them.
func tokenNames() (list []string) {
	for _, t := range tokens {
		list = append(list, t.String())
	}
	return list
}

// Encode makes one document of the files, which fset describes. It does not
// change the trees.
//
// A tree in which a node hangs in two places is refused with an error that
// names the node's type, except comment groups, import specs and bodies of
// function declarations, which come back in both places: with Objects bodies
// are refused, and expressions and what else objects lead to come back. The
// bytes depend on nothing but the files and their order: not on where they lie
// in fset.
func Encode(fset *token.FileSet, files []*File, o *Options) ([]byte, error) {
	return Append(nil, fset, files, o)
}

// Append is Encode that appends to dst. On an error dst is returned as it was.
func Append(dst []byte, fset *token.FileSet, files []*File, o *Options) ([]byte, error) {
	if o == nil {
		o = &Options{}
	}
	w := &writer{objects: o.Objects, owner: map[*ast.BlockStmt]int{}}
	at := 1
	for i, f := range files {
		if f.Syntax == nil {
			return dst, fmt.Errorf("goast: file %d has no syntax tree", i)
		}
		tf := f.Token
		if tf == nil {
			tf = fset.File(f.Syntax.FileStart)
		}
		if tf == nil {
			tf = fset.File(f.Syntax.Package)
		}
		if tf == nil {
			return dst, fmt.Errorf("goast: file %d (package %v) is not in the FileSet", i, f.Syntax.Name)
		}
		table, err := newFileTable(tf)
		if err != nil {
			return dst, err
		}
		w.files = append(w.files, &writerFile{syntax: f.Syntax, errors: f.Errors, table: table, base: tf.Base(), at: at, number: i})
		at += table.size + 1
	}
	doc, err := putget.Append(dst, &root{}, rootCodec{}, &putget.Options{
		Schema: schema,
		Env:    []state.Binding{writing.Bind(w)},
	})
	if err == nil && w.lost != token.NoPos {
		return dst, &putget.Error{Class: putget.ErrValue, Unit: "goast", Msg: fmt.Sprintf("the position %d (%v) lies before the files of the document", w.lost, fset.Position(w.lost))}
	}
	return doc, err
}

// Decode loads all trees of a document and adds their files to fset, one behind
// the other. The trees are fresh: the caller may change them. data must not
// change before Decode returns.
//
// The nodes of a document lie in a few slabs, one a type, and its names in one
// string: keeping one of them keeps all. Cost: about 25 ns a node, and 80
// allocations a document.
func Decode(fset *token.FileSet, data []byte) ([]*File, error) {
	rd := &reader{fset: fset}
	if _, err := rd.open(data); err != nil {
		return nil, err
	}
	return rd.files, nil
}

// Decls is the declarations of a document's files: trees whose function bodies
// are left out until asked for.
type Decls struct {
	Files []*File // with FuncDecl.Body nil

	rd  *reader
	doc *putget.Document
	ids map[**ast.BlockStmt]symtab.ID
}

// DecodeDecls is Decode without the function bodies, of which not a byte is
// looked at: three to four times faster. A document with objects comes whole.
// data must not change while the result is in use.
func DecodeDecls(fset *token.FileSet, data []byte) (*Decls, error) {
	rd := &reader{fset: fset, decls: true}
	doc, err := rd.open(data)
	if err != nil {
		return nil, err
	}
	return &Decls{Files: rd.files, rd: rd, doc: doc}, nil
}

// Body loads the body of a function declaration of the document. It is the same
// each time; fn.Body is left as it is. A function whose body was not left out,
// because it has none, is of a document with objects, or of no document at all,
// has fn.Body. Not safe for concurrent use.
func (d *Decls) Body(fn *ast.FuncDecl) (*ast.BlockStmt, error) {
	if d.ids == nil {
		d.ids = make(map[**ast.BlockStmt]symtab.ID, len(d.rd.bodies))
		for _, b := range d.rd.bodies {
			d.ids[b.at] = b.id
		}
	}
	id, ok := d.ids[&fn.Body]
	if !ok {
		return fn.Body, nil
	}
	return bodies.Load(d.doc, id)
}

// open decodes the root. On an error no file stays in the FileSet.
func (rd *reader) open(data []byte) (*putget.Document, error) {
	doc, err := putget.Open(data, &putget.Options{
		Schema: schema,
		Env:    []state.Binding{reading.Bind(rd)},
	})
	if err == nil {
		_, err = putget.Root[root](doc, rootCodec{})
	}
	if err != nil {
		for _, f := range rd.added {
			rd.fset.RemoveFile(f)
		}
		return nil, err
	}
	return doc, nil
}
