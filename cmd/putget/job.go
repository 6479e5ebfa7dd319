package main

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"time"

	"github.com/putget/putget/cache"
	"github.com/putget/putget/goast"
	"github.com/putget/putget/graphtest"
)

// job is one run over packages. It holds the trees of one file at a time.
type job struct {
	trees goast.Cache
	log   *reporter
	figures
}

// cachePackages brings the cache in dir up to date and loads everything from
// it. What concerns one file or package is reported to log, what ends the run is
// the error.
func cachePackages(ctx context.Context, log *reporter, dir string, verify bool, patterns []string) (*figures, error) {
	if dir == "" {
		var err error
		if dir, err = defaultDir(); err != nil {
			return nil, err
		}
	}
	store, err := cache.Open(dir)
	if err != nil {
		return nil, err
	}
	pkgs, err := list(ctx, patterns)
	if err != nil {
		return nil, err
	}
	files := 0
	for _, p := range pkgs {
		files += len(p.files)
	}
	j := &job{
		figures: figures{verify: verify},
		trees:   goast.Cache{Store: store, Mode: parser.ParseComments | parser.SkipObjectResolution},
		log:     log,
	}
	log.start(files)
	defer log.stop()
	for _, p := range pkgs {
		if err := j.pkg(ctx, p); err != nil {
			if ctx.Err() != nil {
				err = fmt.Errorf("stopped after %s of %s files, whose trees are kept: %w", comma(j.Files), comma(files), err)
			}
			return nil, err
		}
	}
	if j.Packages == 0 && log.problems == 0 {
		return nil, fmt.Errorf("%w %q", errNoPackages, patterns)
	}
	if j.Packages == 0 {
		return nil, fmt.Errorf("%w: see above", errNoPackages)
	}
	return &j.figures, nil
}

func (j *job) pkg(ctx context.Context, p listed) error {
	problems := j.log.problems
	current := 0
	for _, name := range p.files {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		hit, err := j.file(name)
		if err != nil {
			return err
		}
		if hit {
			current++
		}
		j.log.advance()
	}
	if len(p.files) > 0 {
		j.Packages++
		if current == len(p.files) {
			j.CachedPackages++
		}
	}
	j.current += current
	if j.log.problems == problems { // else the list repeats what the parser said
		for _, text := range p.errors {
			j.log.problem(text)
		}
	}
	return nil
}

// file does all there is to do for one file, and tells whether its entry was
// current. The error is of a cache that cannot be written.
func (j *job) file(name string) (hit bool, err error) {
	src, err := os.ReadFile(name)
	if err != nil {
		j.log.problem(err.Error())
		return false, nil
	}
	key := j.trees.Key(name, src)
	data, loaded, err := j.load(key)
	hit = err == nil
	if !hit && !errors.Is(err, fs.ErrNotExist) {
		j.log.note(fmt.Sprintf("%s is parsed and stored again: %v", name, err))
	}

	var parsed *goast.File
	if !hit || j.verify {
		fset := token.NewFileSet()
		err := j.parsing.add(func() (err error) {
			parsed, err = j.trees.Parse(fset, name, src)
			return err
		})
		if err != nil {
			j.log.problem(err.Error())
			return hit, nil
		}
		if !hit {
			fresh, err := j.encode(fset, parsed)
			if err != nil {
				j.log.problem(fmt.Sprintf("%s: %v", name, err))
				return false, nil
			}
			if err := j.trees.Store.Put(key, fresh); err != nil {
				return false, err
			}
			if data, loaded, err = j.load(key); err != nil {
				j.log.problem(fmt.Sprintf("%s: loading what was stored: %v", name, err))
				return false, nil
			}
		}
	}

	j.count(len(src), len(data), loaded)
	for _, e := range loaded.Errors {
		j.log.problem(e.Error())
	}
	if err := j.loadDecls(data); err != nil {
		j.log.problem(fmt.Sprintf("%s: loading the declarations: %v", name, err))
	}
	if parsed == nil {
		return true, nil
	}
	if d := difference(parsed, loaded); d != "" {
		j.log.problem(fmt.Sprintf("%s: the stored tree is not the parsed one: %s", name, d))
		return false, j.trees.Store.Put(key, nil) // a miss: better no tree than a wrong one
	}
	j.VerifiedFiles++
	return hit, nil
}

func (j *job) encode(fset *token.FileSet, f *goast.File) (data []byte, err error) {
	err = j.encoding.add(func() (err error) {
		data, err = goast.Encode(fset, []*goast.File{f}, nil)
		return err
	})
	return data, err
}

// load loads a tree into a FileSet of its own, so that it has the positions
// that parsing into another has.
func (j *job) load(key cache.Key) (data []byte, f *goast.File, err error) {
	data, err = j.trees.Store.Get(key)
	if err != nil {
		return nil, nil, err
	}
	var files []*goast.File
	err = j.loading.add(func() (err error) {
		files, err = goast.Decode(token.NewFileSet(), data)
		return err
	})
	if err == nil && len(files) != 1 {
		err = fmt.Errorf("an entry of %d files", len(files))
	}
	if err != nil {
		return nil, nil, err
	}
	return data, files[0], nil
}

func (j *job) loadDecls(data []byte) error {
	return j.loadingDecls.add(func() error {
		_, err := goast.DecodeDecls(token.NewFileSet(), data)
		return err
	})
}

func (j *job) count(source, encoded int, f *goast.File) {
	j.Files++
	j.SourceBytes += source
	j.EncodedBytes += encoded
	ast.Inspect(f.Syntax, func(n ast.Node) bool {
		if n != nil {
			j.Nodes++
		}
		return true
	})
}

// difference is empty if the files are isomorphic: trees, errors, lines and
// //line comments. Both are at the same base in their FileSets. Objects are not
// kept, and parsed without, but a file without a package clause has a Scope.
func difference(parsed, loaded *goast.File) string {
	return graphtest.Diff(parsed, loaded, graphtest.IgnoreField[ast.File]("Scope"))
}

// stopwatch adds up the times of calls that did their work.
type stopwatch struct {
	calls int
	total time.Duration
}

func (s *stopwatch) add(call func() error) error {
	start := time.Now()
	err := call()
	if err == nil {
		s.total += time.Since(start)
		s.calls++
	}
	return err
}
