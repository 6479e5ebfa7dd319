package goast

import (
	"encoding/binary"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"runtime"

	"github.com/putget/putget/cache"
)

// Cache parses files, and keeps their trees on disk: a file that was parsed
// before is loaded. Its ParseFile method fits packages.Config:
//
//	store, err := cache.Open(dir)
//	...
//	trees := goast.Cache{Store: store, Mode: parser.ParseComments | parser.SkipObjectResolution}
//	config.ParseFile = trees.ParseFile
//
// The key of a file is the SHA-256 of its source, name, the mode, the version
// of Go and the format of this package. Trees are fresh each time. A Cache is
// safe for concurrent use.
type Cache struct {
	Store *cache.Cache
	Mode  parser.Mode // without SkipObjectResolution objects are kept
}

// ParseFile gives what parser.ParseFile does: the tree, which may be partial,
// and a scanner.ErrorList if it is. An entry that cannot be read, or a tree that
// cannot be kept, costs the time of parsing and no more.
func (c *Cache) ParseFile(fset *token.FileSet, filename string, src []byte) (*ast.File, error) {
	if f, err := c.Get(fset, filename, src); err == nil {
		return f.Syntax, f.err()
	}
	f, err := c.Parse(fset, filename, src)
	if err != nil {
		return nil, err
	}
	_ = c.Put(fset, filename, src, f) // without it the file is parsed again, that is all
	return f.Syntax, f.err()
}

// Parse parses a file without looking for it, for Put. The error is one that
// left no tree at all.
func (c *Cache) Parse(fset *token.FileSet, filename string, src []byte) (*File, error) {
	tree, err := parser.ParseFile(fset, filename, src, c.Mode)
	f := &File{Syntax: tree}
	if err != nil && (!errors.As(err, &f.Errors) || tree == nil) {
		return nil, err
	}
	f.Token = fset.File(tree.FileStart)
	return f, nil
}

// Get loads a file whose tree was put. The error says why it cannot, and
// matches cache.ErrMiss if the store had no good entry; the other errors are of
// an entry that this package cannot read.
func (c *Cache) Get(fset *token.FileSet, filename string, src []byte) (*File, error) {
	data, err := c.Store.Get(c.Key(filename, src))
	if err != nil {
		return nil, err
	}
	files, err := Decode(fset, data)
	if err != nil {
		return nil, err
	}
	if len(files) != 1 {
		for _, f := range files {
			fset.RemoveFile(f.Token)
		}
		return nil, errors.New("goast: a cache entry of other than one file")
	}
	return files[0], nil
}

// Put keeps the tree of a file, which Parse gave.
func (c *Cache) Put(fset *token.FileSet, filename string, src []byte, f *File) error {
	data, err := Encode(fset, []*File{f}, &Options{Objects: c.objects()})
	if err != nil {
		return err
	}
	return c.Store.Put(c.Key(filename, src), data)
}

func (c *Cache) objects() bool { return c.Mode&parser.SkipObjectResolution == 0 }

// Key is the key in the Store of a file's entry, a document of one file: for
// tools that need the bytes.
func (c *Cache) Key(filename string, src []byte) cache.Key {
	return cache.NewKey("goast").
		AddString(schema).
		AddString(runtime.Version()).
		AddString(filename).
		Add(binary.LittleEndian.AppendUint64(nil, uint64(c.Mode))).
		Add(src).
		Key()
}

// err is the errors as parser.ParseFile returns them.
func (f *File) err() error { return f.Errors.Err() }
