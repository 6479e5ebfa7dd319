package cache

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
)

// ErrMiss matches every error that Get returns. The error's text tells the
// entry's file and why it gave no data.
var ErrMiss = errors.New("cache: miss")

// A missError is any failure of a read.
type missError struct {
	path string
	err  error
}

func (e *missError) Error() string        { return ErrMiss.Error() + ": " + e.path + ": " + e.err.Error() }
func (e *missError) Unwrap() error        { return e.err }
func (e *missError) Is(target error) bool { return target == ErrMiss }

// tempPrefix begins the names of files that are being written.
const tempPrefix = "put-"

// A Cache is a folder of entries. It holds no open file and needs no closing.
type Cache struct {
	dir string // absolute
}

// Open returns the cache in the folder dir. It touches no file: that dir is
// absent, not a folder or not readable shows as misses and as errors of Put.
// It fails if dir is empty, or relative to an unknown working directory.
func Open(dir string) (*Cache, error) {
	if dir == "" {
		return nil, errors.New("cache: the folder's name is empty")
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("cache: %w", err)
	}
	return &Cache{dir: abs}, nil
}

// Get returns the contents that were put under key. Its error matches [ErrMiss].
// The slice is the caller's own.
func (c *Cache) Get(key Key) ([]byte, error) {
	path := filepath.Join(c.dir, key.file())
	data, err := read(path, key)
	if err != nil {
		return nil, &missError{path, err}
	}
	return data, nil
}

func read(path string, key Key) ([]byte, error) {
	f, err := openEntry(path)
	if err != nil {
		return nil, openReason(path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, bare(err)
	}
	if !info.Mode().IsRegular() {
		return nil, notRegular(info)
	}
	if info.Size() > headerSize+MaxSize {
		return nil, fmt.Errorf("the file has %d bytes, an entry at most %d", info.Size(), headerSize+MaxSize)
	}
	file := make([]byte, info.Size())
	if n, err := io.ReadFull(f, file); err == io.EOF || err == io.ErrUnexpectedEOF {
		return nil, truncated(n, uint64(info.Size())) // cut since the Stat
	} else if err != nil {
		return nil, bare(err)
	}
	return contents(key, file)
}

// openReason turns an error of openEntry into the reason of a miss. Systems
// answer the opening of a link or socket in different words; all become the one
// for things that are not regular files.
func openReason(path string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		if info, e := os.Lstat(path); e == nil && !info.Mode().IsRegular() {
			return notRegular(info)
		}
	}
	return bare(err)
}

func notRegular(info fs.FileInfo) error {
	return fmt.Errorf("not a regular file: mode %s", info.Mode())
}

// bare strips the operation and path, which a missError tells already.
func bare(err error) error {
	if e, ok := err.(*fs.PathError); ok {
		return e.Err
	}
	return err
}

// Put stores data under key, replacing what was there. It does not keep data.
// If it fails, what was there is still there; data longer than [MaxSize] is
// refused.
func (c *Cache) Put(key Key, data []byte) error {
	if err := c.put(key, data); err != nil {
		return fmt.Errorf("cache: put %s: %w", key, err)
	}
	return nil
}

func (c *Cache) put(key Key, data []byte) error {
	if len(data) > MaxSize {
		return fmt.Errorf("%d bytes, an entry has at most %d", len(data), MaxSize)
	}
	// MkdirAll comes first also because it refuses a FIFO, which OpenRoot would
	// wait for.
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return err
	}
	// A root, so that nothing is written through a link out of the folder.
	root, err := os.OpenRoot(c.dir)
	if err != nil {
		return err
	}
	defer root.Close()

	name := key.file()
	temp := name[:3] + tempPrefix + rand.Text()
	f, err := create(root, temp)
	if errors.Is(err, fs.ErrNotExist) {
		if err := root.Mkdir(name[:2], 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		f, err = create(root, temp)
	}
	if err != nil {
		return err
	}
	err = write(f, header(key, data), data)
	if err == nil {
		err = root.Rename(temp, name)
	}
	if err != nil {
		return errors.Join(err, root.Remove(temp))
	}
	return nil
}

func create(root *os.Root, name string) (*os.File, error) {
	return root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

// write writes the parts to w and closes it in any case.
func write(w io.WriteCloser, parts ...[]byte) error {
	for _, part := range parts {
		if _, err := w.Write(part); err != nil {
			w.Close()
			return err
		}
	}
	return w.Close()
}

// An Entry describes one entry of a cache.
type Entry struct {
	Key  Key
	Size int64 // length of the contents; 0 with an error
}

// Verify reads every entry as [Cache.Get] does, in the order of the keys, and
// yields it with Get's error. A folder that cannot be listed is yielded as an
// error that does not match [ErrMiss], with a zero Entry. Entries put or deleted
// meanwhile may or may not be among them. An absent folder has none.
//
// It holds the names of one sub-folder and the contents of one entry at a time.
func (c *Cache) Verify() iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		folders, err := list(c.dir)
		if err != nil && !yield(Entry{}, err) {
			return
		}
		for _, folder := range folders {
			if len(folder) != 2 || strings.Trim(folder, "0123456789abcdef") != "" {
				continue
			}
			names, err := list(filepath.Join(c.dir, folder))
			if err != nil && !yield(Entry{}, err) {
				return
			}
			for _, name := range names {
				key, ok := parseKey(name)
				if !ok || name[:2] != folder {
					continue
				}
				data, err := c.Get(key)
				if errors.Is(err, fs.ErrNotExist) {
					continue // deleted since it was listed
				}
				if !yield(Entry{key, int64(len(data))}, err) {
					return
				}
			}
		}
	}
}

// list returns the sorted names in a folder, none if it is absent. It looks
// before it opens, since opening a FIFO would block.
func list(path string) ([]string, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s: not a folder: mode %s", path, info.Mode())
	}
	var entries []fs.DirEntry
	if err == nil {
		entries, err = os.ReadDir(path)
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	if err != nil {
		err = fmt.Errorf("cache: %w", err)
	}
	return names, err
}
