package cache

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func init() {
	children["disk full"] = diskFull
}

// cannotMount is what diskFull answers where it may not be tested.
const cannotMount = "cannot mount"

// TestDiskFull fills a file system of 256 KiB, in a mount namespace of the
// child's own.
func TestDiskFull(t *testing.T) {
	cmd := child(t, "disk full", t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	out, err := cmd.CombinedOutput()
	switch {
	case errors.Is(err, syscall.EPERM) || strings.HasPrefix(string(out), cannotMount):
		t.Skipf("this process may not mount a file system: %v %s", err, out)
	case err != nil:
		t.Errorf("child: %v\n%s", err, out)
	}
}

func diskFull(dir string) error {
	if err := syscall.Mount("", "/", "", syscall.MS_PRIVATE|syscall.MS_REC, ""); err != nil {
		return fmt.Errorf("%s: %v", cannotMount, err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=256k,nr_inodes=100"); err != nil {
		return fmt.Errorf("%s: %v", cannotMount, err)
	}
	c, err := Open(dir)
	if err != nil {
		return err
	}
	var full int // the first entry that did not fit
	big := strings.Repeat("x", 100<<10)
	for full = 0; full < 5; full++ {
		err := c.Put(testKey(full), []byte(big))
		if errors.Is(err, syscall.ENOSPC) {
			break
		} else if err != nil {
			return err
		}
	}
	if full == 0 || full == 5 {
		return fmt.Errorf("%d entries fitted", full)
	}
	for i := range full { // overwriting fails too, and harms nothing
		if err := c.Put(testKey(i), []byte(strings.Repeat("y", 150<<10))); !errors.Is(err, syscall.ENOSPC) {
			return fmt.Errorf("Put %d: %v, want ENOSPC", i, err)
		}
		if data, err := c.Get(testKey(i)); err != nil || string(data) != big {
			return fmt.Errorf("Get %d: %.10q, %v", i, data, err)
		}
	}
	if temps, err := filepath.Glob(filepath.Join(dir, "*", tempPrefix+"*")); err != nil || len(temps) > 0 {
		return fmt.Errorf("left over: %q, %v", temps, err)
	}
	// Then all inodes: creating fails.
	for i := 10; i < 200; i++ {
		err := c.Put(testKey(i), nil)
		if errors.Is(err, syscall.ENOSPC) {
			return nil
		} else if err != nil {
			return err
		}
	}
	return errors.New("inodes did not run out")
}

func TestDevice(t *testing.T) {
	dir := t.TempDir()
	key := testKey(1)
	if err := os.Mkdir(filepath.Join(dir, key.file()[:2]), 0o700); err != nil {
		t.Fatal(err)
	}
	const zero = 1<<8 | 5 // the number of /dev/zero
	if err := syscall.Mknod(filepath.Join(dir, key.file()), syscall.S_IFCHR|0o600, zero); err != nil {
		t.Skipf("this process may not make a device: %v", err)
	}
	within(t, "a device", func() { wantMiss(t, open(t, dir), key, "not a regular file") })
}
