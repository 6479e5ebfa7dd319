//go:build unix

package cache

import (
	"os"
	"syscall"
)

// openEntry opens path for reading. It fails on a symbolic link and never
// waits, for instance for the writer of a FIFO.
func openEntry(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
}
