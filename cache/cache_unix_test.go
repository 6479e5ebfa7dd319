//go:build linux || darwin

package cache

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func init() {
	children["endless"] = endless
	children["file size"] = fileSize
	children["no files"] = noFiles
	children["read only"] = readOnly
	children["forbidden"] = forbidden
}

// TestFIFO puts FIFOs, which block whoever opens them, in every place.
func TestFIFO(t *testing.T) {
	key := testKey(1)
	fifo := func(path string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
	}

	dir := t.TempDir()
	c := open(t, dir)
	fifo(filepath.Join(dir, key.file()))
	within(t, "a FIFO as entry", func() {
		wantMiss(t, c, key, "not a regular file: mode prw")
		wantErrors(t, c, 1, "not a regular file")
		put(t, c, key, "data") // replaces it
		wantData(t, c, key, "data")
	})

	dir = t.TempDir()
	c = open(t, dir)
	fifo(filepath.Join(dir, key.file()[:2]))
	within(t, "a FIFO as sub-folder", func() {
		wantMiss(t, c, key, "")
		wantErrors(t, c, 1, "not a folder: mode prw")
		if err := c.Put(key, nil); err == nil {
			t.Error("Put into a FIFO")
		}
	})

	dir = filepath.Join(t.TempDir(), "fifo")
	c = open(t, dir)
	fifo(dir)
	within(t, "a FIFO as folder", func() {
		wantMiss(t, c, key, "")
		wantErrors(t, c, 1, "not a folder")
		if err := c.Put(key, nil); err == nil {
			t.Error("Put into a FIFO")
		}
	})
}

func TestLinks(t *testing.T) {
	key := testKey(1)
	link := func(target, path string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, path); err != nil {
			t.Fatal(err)
		}
	}

	// As an entry: refused even if it leads to a good one.
	there := t.TempDir()
	put(t, open(t, there), key, "theirs")
	for _, target := range []string{filepath.Join(there, key.file()), "/dev/zero", "nowhere", key.String()} {
		dir := t.TempDir()
		c := open(t, dir)
		link(target, filepath.Join(dir, key.file()))
		within(t, "a link to "+target, func() {
			wantMiss(t, c, key, "not a regular file: mode L")
			wantErrors(t, c, 1, "not a regular file")
			put(t, c, key, "mine") // replaces the link, not its target
			wantData(t, c, key, "mine")
			wantData(t, open(t, there), key, "theirs")
		})
	}

	// As a sub-folder: whatever it leads to is verified, but never written.
	dir := t.TempDir()
	c := open(t, dir)
	link(filepath.Join(there, key.file()[:2]), filepath.Join(dir, key.file()[:2]))
	wantData(t, c, key, "theirs")
	if err := c.Put(key, []byte("mine")); err == nil {
		t.Error("Put wrote through a link")
	}
	wantData(t, open(t, there), key, "theirs")
	wantNoTemps(t, there)

	// As the folder itself: the user's choice.
	dir = filepath.Join(t.TempDir(), "link")
	link(there, dir)
	put(t, open(t, dir), key, "new")
	wantData(t, open(t, there), key, "new")
	wantErrors(t, open(t, filepath.Join(dir, key.file())), 1, "not a folder")
}

func TestSocket(t *testing.T) {
	t.Chdir(t.TempDir()) // socket addresses are short
	c := open(t, ".")
	key := testKey(1)
	if err := os.Mkdir(key.file()[:2], 0o700); err != nil {
		t.Fatal(err)
	}
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Skip(err)
	}
	defer syscall.Close(fd)
	if err := syscall.Bind(fd, &syscall.SockaddrUnix{Name: key.file()}); err != nil {
		t.Skip(err)
	}
	within(t, "a socket", func() { wantMiss(t, c, key, "not a regular file: mode S") })
}

func TestModes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	key := testKey(1)
	put(t, open(t, dir), key, "data")
	for path, want := range map[string]fs.FileMode{"": 0o700, key.file()[:2]: 0o700, key.file(): 0o600} {
		info, err := os.Stat(filepath.Join(dir, path))
		if err != nil || info.Mode().Perm()&^want != 0 {
			t.Errorf("%q: mode %v, %v; want %v", path, info.Mode(), err, want)
		}
	}
}

// TestKilled kills a writer in the midst of its work: what is read afterwards
// was put.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	c := open(t, dir)
	rounds := 20
	if testing.Short() {
		rounds = 3
	}
	for range rounds {
		cmd := child(t, "endless", dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		line, _ := bufio.NewReader(out).ReadString('\n')
		time.Sleep(time.Duration(rand.IntN(3000)) * time.Microsecond)
		cmd.Process.Kill()
		cmd.Wait()
		if line != "started\n" {
			t.Fatalf("child: %q", line)
		}
		n := 0
		for entry, err := range c.Verify() {
			n++
			data, _ := c.Get(entry.Key)
			if err != nil || !valid(entry.Key, data) {
				t.Errorf("%v: %.40q, %v", entry, data, err)
			}
		}
		if n == 0 {
			t.Error("no entry")
		}
	}
	t.Logf("%d temporary files left over", len(temps(t, dir)))
	for _, name := range temps(t, dir) { // the recognisable prefix
		if err := os.Remove(name); err != nil {
			t.Error(err)
		}
	}
	put(t, c, testKey(0), "after")
	wantData(t, c, testKey(0), "after")
}

func endless(dir string) error {
	c, err := Open(dir)
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		key := testKey(rand.IntN(5))
		if err := c.Put(key, value(key, rand.IntN(10000))); err != nil {
			return err
		}
		if i == 0 {
			fmt.Println("started")
		}
	}
}

// TestFailingWrites lets the system refuse at different calls of a Put.
func TestFailingWrites(t *testing.T) {
	for _, name := range []string{"file size", "no files"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			c := open(t, dir)
			put(t, c, testKey(0), "old")
			runChild(t, name, dir)
			wantData(t, c, testKey(0), "old")
			wantNoTemps(t, dir)
		})
	}
}

// fileSize may write no file of more than 100 bytes: the header fits.
func fileSize(dir string) error {
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 100, Max: 100}); err != nil {
		return err
	}
	c, err := Open(dir)
	if err != nil {
		return err
	}
	for i := range 3 { // the first one exists
		if err := c.Put(testKey(i), value(testKey(i), 300)); !errors.Is(err, syscall.EFBIG) {
			return fmt.Errorf("Put %d: %v, want EFBIG", i, err)
		}
	}
	return c.Put(testKey(3), []byte("short"))
}

// noFiles may open no file.
func noFiles(dir string) error {
	c, err := Open(dir)
	if err != nil {
		return err
	}
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &old); err != nil {
		return err
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 0, Max: old.Max}); err != nil {
		return err
	}
	if err := c.Put(testKey(0), []byte("new")); !errors.Is(err, syscall.EMFILE) {
		return fmt.Errorf("Put: %v, want EMFILE", err)
	}
	if _, err := c.Get(testKey(0)); !errors.Is(err, ErrMiss) || !errors.Is(err, syscall.EMFILE) {
		return fmt.Errorf("Get: %v, want EMFILE", err)
	}
	for entry, err := range c.Verify() {
		if entry != (Entry{}) || !errors.Is(err, syscall.EMFILE) {
			return fmt.Errorf("Verify: %v, %v, want EMFILE", entry, err)
		}
	}
	// With files again, it works again: nothing remembers the failure.
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &old); err != nil {
		return err
	}
	_, err = c.Get(testKey(0))
	return err
}

// reachable returns a folder that other users may read.
func reachable(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, d := range []string{dir, filepath.Dir(dir)} { // both made by TempDir
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for d := dir; os.Geteuid() == 0 && d != "/"; d = filepath.Dir(d) {
		if info, err := os.Stat(d); err != nil || info.Mode()&1 == 0 {
			t.Skipf("other users cannot reach %s", d)
		}
	}
	return dir
}

// dropRoot makes a process of root, which no mode stops, one of nobody.
func dropRoot() error {
	if os.Geteuid() != 0 {
		return nil
	}
	const nobody = 65534
	return errors.Join(syscall.Setgroups(nil), syscall.Setgid(nobody), syscall.Setuid(nobody))
}

// TestReadOnly makes a whole cache read-only: of the folder's owner and, if the
// test is run by root, of another user.
func TestReadOnly(t *testing.T) {
	dir := reachable(t)
	c := open(t, dir)
	put(t, c, testKey(0), "data")
	put(t, c, testKey(1), "secret")
	chmod := func(mode fs.FileMode, paths ...string) {
		for _, path := range paths {
			if err := os.Chmod(filepath.Join(dir, path), mode); err != nil {
				t.Fatal(err)
			}
		}
	}
	key, secret := testKey(0).file(), testKey(1).file()
	chmod(0o444, key)
	chmod(0o000, secret)
	chmod(0o555, key[:2], secret[:2], "")
	defer chmod(0o755, "", key[:2], secret[:2])
	runChild(t, "read only", dir)
	wantNoTemps(t, dir)

	chmod(0o000, "")
	runChild(t, "forbidden", dir)
}

func readOnly(dir string) error {
	if err := dropRoot(); err != nil {
		return err
	}
	c, err := Open(dir)
	if err != nil {
		return err
	}
	if data, err := c.Get(testKey(0)); err != nil || string(data) != "data" {
		return fmt.Errorf("Get: %q, %v", data, err)
	}
	_, err = c.Get(testKey(1))
	if !errors.Is(err, ErrMiss) || !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "permission") {
		return fmt.Errorf("Get of an unreadable entry: %v", err)
	}
	for i := range 3 { // two that exist, and one whose sub-folder does not
		if err := c.Put(testKey(i), []byte("new")); !errors.Is(err, fs.ErrPermission) {
			return fmt.Errorf("Put %d: %v, want a lack of permission", i, err)
		}
	}
	n := 0
	for entry, err := range c.Verify() {
		n++
		if (entry.Key == testKey(0)) != (err == nil) {
			return fmt.Errorf("Verify: %v, %v", entry, err)
		}
	}
	if n != 2 {
		return fmt.Errorf("Verify: %d entries, want 2", n)
	}
	below, err := Open(filepath.Join(dir, "below"))
	if err != nil {
		return err
	}
	if err := below.Put(testKey(0), nil); !errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("Put in a folder that cannot be made: %v", err)
	}
	return nil
}

func forbidden(dir string) error {
	if err := dropRoot(); err != nil {
		return err
	}
	c, err := Open(dir)
	if err != nil {
		return err
	}
	if _, err := c.Get(testKey(0)); !errors.Is(err, ErrMiss) || !errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("Get: %v, want a lack of permission", err)
	}
	if err := c.Put(testKey(0), nil); !errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("Put: %v, want a lack of permission", err)
	}
	n := 0
	for entry, err := range c.Verify() {
		n++
		if entry != (Entry{}) || errors.Is(err, ErrMiss) || !errors.Is(err, fs.ErrPermission) {
			return fmt.Errorf("Verify: %v, %v", entry, err)
		}
	}
	if n != 1 {
		return fmt.Errorf("Verify: %d errors, want 1", n)
	}
	return nil
}
