//go:build !unix

package cache

import (
	"os"
	"path/filepath"
)

// openEntry opens path for reading. It looks before it opens, for want of
// portable flags that refuse links and do not wait. It goes through a root
// because on Windows only that lets Put replace the file meanwhile.
func openEntry(path string) (*os.File, error) {
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	name := filepath.Base(path)
	info, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, notRegular(info)
	}
	return root.Open(name)
}
