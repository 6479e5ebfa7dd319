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

// mode has objects left out, which are deprecated: most tools ask for that.
const mode = parser.ParseComments | parser.SkipObjectResolution

// job is one run over packages. It holds the trees of one file at a time.
type job struct {
	trees goast.Cache
	dir   string // of the cache
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
		trees:   goast.Cache{Store: store, Mode: mode},
		dir:     dir,
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

// pkg goes through the files of a package. The error ends the run.
func (j *job) pkg(ctx context.Context, p listed) error {
	problems := j.log.problems
	current := 0
	for _, name := range p.files {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		hit, err := j.file(name)
		if errors.As(err, new(*failure)) {
			return err
		}
		if err != nil {
			j.log.problem(err.Error())
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
// current. A failure is of the cache's folder, other errors are of the file.
func (j *job) file(name string) (hit bool, err error) {
	src, err := os.ReadFile(name)
	if err != nil {
		return false, err
	}
	key := j.trees.Key(name, src)
	data, loaded, err := j.load(key)
	hit = err == nil
	if !hit && !errors.Is(err, fs.ErrNotExist) {
		j.log.note(fmt.Sprintf("%s is parsed and stored again: %v", name, err))
	}

	fset := token.NewFileSet()
	var parsed *goast.File
	if !hit || j.verify {
		if parsed, err = j.parse(fset, name, src); err != nil {
			return false, err
		}
	}
	if !hit {
		if err := j.store(key, fset, parsed); err != nil {
			return false, err
		}
		if data, loaded, err = j.load(key); err != nil {
			return false, fmt.Errorf("%s: loading what was stored: %w", name, err)
		}
	}

	j.count(len(src), len(data), loaded)
	for _, e := range loaded.Errors {
		j.log.problem(e.Error())
	}
	if err := j.loadDecls(data); err != nil {
		return hit, fmt.Errorf("%s: loading the declarations: %w", name, err)
	}
	if parsed == nil {
		return hit, nil
	}
	if d := difference(parsed, loaded); d != "" {
		// An empty entry is a miss: better no tree than a wrong one.
		if err := j.trees.Store.Put(key, nil); err != nil {
			return false, j.unwritable(err)
		}
		return false, fmt.Errorf("%s: the stored tree is not the parsed one: %s", name, d)
	}
	j.VerifiedFiles++
	return hit, nil
}

func (j *job) parse(fset *token.FileSet, name string, src []byte) (f *goast.File, err error) {
	err = j.parsing.add(func() (err error) {
		f, err = j.trees.Parse(fset, name, src)
		return err
	})
	return f, err
}

func (j *job) store(key cache.Key, fset *token.FileSet, f *goast.File) error {
	var data []byte
	err := j.encoding.add(func() (err error) {
		data, err = goast.Encode(fset, []*goast.File{f}, nil)
		return err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", f.Token.Name(), err)
	}
	if err := j.trees.Store.Put(key, data); err != nil {
		return j.unwritable(err)
	}
	return nil
}

// unwritable is the failure to put an entry. What the system said goes without
// the names of files in the folder.
func (j *job) unwritable(err error) error {
	if e := new(fs.PathError); errors.As(err, &e) {
		err = fmt.Errorf("cannot write in %s: %w; name another folder with --dir", j.dir, e.Err)
	}
	return &failure{err}
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
