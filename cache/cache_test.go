package cache

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/putget/putget/internal/testchild"
)

// children are the bodies of child processes, which work on the folder dir.
var children = map[string]func(dir string) error{
	"hammer": hammer,
}

const childVar = "PUTGET_CACHE_CHILD"

func TestMain(m *testing.M) {
	name := os.Getenv(childVar)
	if name == "" {
		os.Exit(m.Run())
	}
	if err := children[name](os.Args[1]); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// child returns the command of a child process.
func child(t testing.TB, name, dir string) *exec.Cmd {
	t.Helper()
	testchild.Need(t)
	cmd := exec.Command(os.Args[0], dir)
	// The race detector would sleep for a second when a child exits.
	cmd.Env = append(os.Environ(), childVar+"="+name, "GORACE=atexit_sleep_ms=0")
	return cmd
}

// runChild runs a child process; its output is its failure.
func runChild(t *testing.T, name, dir string) {
	t.Helper()
	testchild.Need(t)
	if out, err := child(t, name, dir).CombinedOutput(); err != nil {
		t.Errorf("child %s: %v\n%s", name, err, out)
	}
}

func open(t testing.TB, dir string) *Cache {
	t.Helper()
	c, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func put(t testing.TB, c *Cache, key Key, data string) {
	t.Helper()
	if err := c.Put(key, []byte(data)); err != nil {
		t.Fatal(err)
	}
}

func wantData(t testing.TB, c *Cache, key Key, want string) {
	t.Helper()
	if data, err := c.Get(key); err != nil || string(data) != want {
		t.Errorf("Get: %.40q, %v; want %.40q", data, err, want)
	}
}

// wantMiss checks that Get is a miss whose text holds reason.
func wantMiss(t testing.TB, c *Cache, key Key, reason string) {
	t.Helper()
	data, err := c.Get(key)
	if data != nil || !errors.Is(err, ErrMiss) {
		t.Errorf("Get: %.40q, %v; want a miss", data, err)
	} else if !strings.Contains(err.Error(), reason) {
		t.Errorf("the miss %q does not mention %q", err, reason)
	}
}

// wantNoTemps checks that no file of a failed Put is left.
func wantNoTemps(t testing.TB, dir string) {
	t.Helper()
	if temps := temps(t, dir); len(temps) > 0 {
		t.Errorf("left over: %q", temps)
	}
}

func temps(t testing.TB, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*", tempPrefix+"*"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// within fails the test if f blocks.
func within(t testing.TB, what string, f func()) {
	t.Helper()
	done := make(chan bool)
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatalf("%s blocks", what)
	}
}

func testKey(i int) Key { return NewKey("test").AddString(fmt.Sprint(i)).Key() }

func TestPutGet(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	c := open(t, dir)
	key := testKey(1)

	wantMiss(t, c, key, key.String())
	if _, err := c.Get(key); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("absent: %v", err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open or Get made the folder: %v", err)
	}
	for range c.Verify() {
		t.Error("Verify found an entry in an absent folder")
	}

	for _, data := range []string{"first", "", "a longer one", "short", strings.Repeat("x", 1<<20)} {
		put(t, c, key, data)
		wantData(t, c, key, data)
		wantData(t, open(t, dir), key, data)
	}
	wantNoTemps(t, dir)

	data, err := c.Get(key)
	if err != nil {
		t.Fatal(err)
	}
	clear(data)
	wantData(t, c, key, strings.Repeat("x", 1<<20)) // the slice was ours

	// The whole folder may go away.
	if err := os.RemoveAll(filepath.Dir(dir)); err != nil {
		t.Fatal(err)
	}
	wantMiss(t, c, key, "")
	put(t, c, key, "again")
	wantData(t, c, key, "again")
}

func TestOpen(t *testing.T) {
	if _, err := Open(""); err == nil {
		t.Error("Open accepts an empty name")
	}
	dir := t.TempDir()
	t.Chdir(dir)
	c := open(t, "relative")
	t.Chdir(t.TempDir())
	put(t, c, testKey(1), "data")
	wantData(t, open(t, filepath.Join(dir, "relative")), testKey(1), "data")
}

// TestModel compares random operations with a map.
func TestModel(t *testing.T) {
	dir := t.TempDir()
	c := open(t, dir)
	model := map[Key]string{}
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		key := testKey(r.IntN(40))
		want, ok := model[key]
		switch r.IntN(4) {
		case 0:
			data := strings.Repeat(string(rune('a'+r.IntN(26))), r.IntN(300))
			put(t, c, key, data)
			model[key] = data
		case 1: // delete
			if err := os.Remove(filepath.Join(dir, key.file())); (err == nil) != ok {
				t.Fatal(err)
			}
			delete(model, key)
		default:
			if ok {
				wantData(t, c, key, want)
			} else if _, err := c.Get(key); !errors.Is(err, ErrMiss) || !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("absent: %v", err)
			}
		}
	}
	var last Key
	for entry, err := range c.Verify() {
		data, ok := model[entry.Key]
		if err != nil || !ok || entry.Size != int64(len(data)) {
			t.Errorf("Verify: %v, %v; want %v and size %d", entry, err, ok, len(data))
		}
		if bytes.Compare(entry.Key[:], last[:]) <= 0 {
			t.Errorf("Verify: %v after %v", entry.Key, last)
		}
		last = entry.Key
		delete(model, entry.Key)
	}
	if len(model) > 0 {
		t.Errorf("Verify missed %d entries", len(model))
	}
}

// TestDamagedFiles repeats a part of TestDamage through the file system, and
// repairs.
func TestDamagedFiles(t *testing.T) {
	dir := t.TempDir()
	c := open(t, dir)
	key := testKey(1)
	path := filepath.Join(dir, key.file())
	put(t, c, key, "contents")
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for n := range good {
		flipped := bytes.Clone(good)
		flipped[n] ^= 0x10
		for _, bad := range [][]byte{good[:n], flipped} {
			if err := os.WriteFile(path, bad, 0o600); err != nil {
				t.Fatal(err)
			}
			wantMiss(t, c, key, path)
			if _, err := c.Get(key); errors.Is(err, fs.ErrNotExist) {
				t.Errorf("damaged, not absent: %v", err)
			}
		}
	}
	n := 0
	for entry, err := range c.Verify() {
		n++
		if entry.Key != key || entry.Size != 0 || !errors.Is(err, ErrMiss) {
			t.Errorf("Verify: %v, %v", entry, err)
		}
	}
	if n != 1 {
		t.Errorf("Verify: %d entries", n)
	}
	put(t, c, key, "contents")
	wantData(t, c, key, "contents")

	// A moved entry is not its new key's.
	other := testKey(2)
	put(t, c, other, "other")
	if err := os.Rename(path, filepath.Join(dir, other.file())); err != nil {
		t.Fatal(err)
	}
	wantMiss(t, c, other, "another key")
}

// TestTooLarge checks that neither a long slice nor a long file costs memory.
func TestTooLarge(t *testing.T) {
	dir := t.TempDir()
	c := open(t, dir)
	key := testKey(1)
	put(t, c, key, "old")
	if ^uint(0)>>32 != 0 {
		long := make([]byte, MaxSize+1) // never touched, so never in memory
		if err := c.Put(key, long); err == nil || !strings.Contains(err.Error(), "at most") {
			t.Errorf("Put of a long slice: %v", err)
		}
		wantData(t, c, key, "old")
	}
	if err := os.Truncate(filepath.Join(dir, key.file()), headerSize+MaxSize+1); err != nil {
		t.Skipf("no sparse file: %v", err)
	}
	if n := allocated(func() { wantMiss(t, c, key, "an entry at most") }); n > 1<<20 {
		t.Errorf("a miss of a long file allocated %d bytes", n)
	}
}

// TestGetAllocates pins the one buffer of Get.
func TestGetAllocates(t *testing.T) {
	c := open(t, t.TempDir())
	key := testKey(1)
	put(t, c, key, strings.Repeat("x", 1<<20))
	if n := allocated(func() { c.Get(key) }); n > 1<<20+1<<16 {
		t.Errorf("Get of 1 MiB allocated %d bytes", n)
	}
}

// allocated returns the bytes allocated by f.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestStrangers puts other things into the folder.
func TestStrangers(t *testing.T) {
	dir := t.TempDir()
	c := open(t, dir)
	key := testKey(1)
	put(t, c, key, "data")
	name := key.file()
	for _, stranger := range []string{"README", "zz/" + key.String(), "AB/x", name[:3] + "x", name[:3] + tempPrefix + "X", "000/x",
		name[:3] + strings.ToUpper(key.String())[:63] + "F", name[:3] + strings.Repeat("0", 63)} {
		path := filepath.Join(dir, stranger)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for entry, err := range c.Verify() {
		if err != nil || entry != (Entry{key, 4}) {
			t.Errorf("Verify: %v, %v", entry, err)
		}
	}
}

// TestInPlace puts files and folders where the others should be.
func TestInPlace(t *testing.T) {
	key := testKey(1)
	t.Run("folder as entry", func(t *testing.T) {
		dir := t.TempDir()
		c := open(t, dir)
		if err := os.MkdirAll(filepath.Join(dir, key.file()), 0o700); err != nil {
			t.Fatal(err)
		}
		wantMiss(t, c, key, "not a regular file")
		if err := c.Put(key, []byte("data")); err == nil {
			t.Error("Put replaced a folder")
		}
		wantNoTemps(t, dir)
		wantErrors(t, c, 1, "not a regular file")
	})
	t.Run("file as sub-folder", func(t *testing.T) {
		dir := t.TempDir()
		c := open(t, dir)
		if err := os.WriteFile(filepath.Join(dir, key.file()[:2]), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		wantMiss(t, c, key, "")
		if err := c.Put(key, []byte("data")); err == nil {
			t.Error("Put into a file")
		}
		wantErrors(t, c, 1, "not a folder")
	})
	t.Run("file as folder", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
		c := open(t, path)
		wantMiss(t, c, key, "")
		if err := c.Put(key, []byte("data")); err == nil {
			t.Error("Put into a file")
		}
		wantErrors(t, c, 1, "not a folder")
		if b, err := os.ReadFile(path); err != nil || string(b) != "mine" {
			t.Errorf("the file became %q, %v", b, err)
		}
	})
}

// wantErrors checks that Verify yields n errors, each with reason.
func wantErrors(t testing.TB, c *Cache, n int, reason string) {
	t.Helper()
	for _, err := range c.Verify() {
		if n--; err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("Verify: %v; want %q", err, reason)
		}
	}
	if n != 0 {
		t.Errorf("Verify: %d errors too few", n)
	}
}

func TestVerifyStops(t *testing.T) {
	c := open(t, t.TempDir())
	for i := range 10 {
		put(t, c, testKey(i), "data")
	}
	n := 0
	for range c.Verify() {
		if n++; n == 3 {
			break
		}
	}
	if n != 3 {
		t.Errorf("%d entries", n)
	}
}

// A failingWriter fails at its k-th operation, of which the last is Close.
type failingWriter struct {
	k      int
	closed bool
}

var errFailing = errors.New("failing")

func (w *failingWriter) Write(b []byte) (int, error) {
	if w.k--; w.k == 0 {
		return len(b) / 2, errFailing
	}
	return len(b), nil
}

func (w *failingWriter) Close() error {
	w.closed = true
	if w.k--; w.k == 0 {
		return errFailing
	}
	return nil
}

func TestWriteReportsAll(t *testing.T) {
	for k := range 5 {
		w := &failingWriter{k: k}
		err := write(w, []byte("header"), []byte("contents"))
		if wantErr := 1 <= k && k <= 3; errors.Is(err, errFailing) != wantErr || (err != nil) != wantErr {
			t.Errorf("operation %d fails: %v", k, err)
		}
		if !w.closed {
			t.Errorf("operation %d fails: not closed", k)
		}
	}
}

// value returns contents for key whose every byte tells of key and version.
func value(key Key, version int) []byte {
	return bytes.Repeat([]byte(fmt.Sprintf("%.8s %d\n", key, version)), 1+version%500)
}

// valid reports whether data is some value of key.
func valid(key Key, data []byte) bool {
	line, _, _ := bytes.Cut(data, []byte("\n"))
	var version int
	if _, err := fmt.Sscanf(string(line), key.String()[:8]+" %d", &version); err != nil {
		return false
	}
	return bytes.Equal(data, value(key, version))
}

// hammer puts and gets a few keys at random: every Get must give a value that
// was put, or an absence. Nothing else can be seen of a Put under way.
func hammer(dir string) error {
	c, err := Open(dir)
	if err != nil {
		return err
	}
	for i := range 400 {
		key := testKey(rand.IntN(5))
		if i%4 == 0 {
			if err := c.Put(key, value(key, rand.IntN(10000))); err != nil {
				return err
			}
			continue
		}
		if data, err := c.Get(key); err == nil && !valid(key, data) {
			return fmt.Errorf("a wrong value of %v: %q", key, data)
		} else if err != nil && !(errors.Is(err, ErrMiss) && errors.Is(err, fs.ErrNotExist)) {
			return err
		}
	}
	return nil
}

func TestGoroutinesAndProcesses(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache") // made by whoever comes first
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { runChild(t, "hammer", dir) })
	}
	for range 8 {
		wg.Go(func() {
			if err := hammer(dir); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	wantNoTemps(t, dir)
	n := 0
	for _, err := range open(t, dir).Verify() {
		if n++; err != nil {
			t.Error(err)
		}
	}
	if n != 5 {
		t.Errorf("%d entries, want 5", n)
	}
}

// TestOneCache shares one Cache between goroutines, for the race detector.
func TestOneCache(t *testing.T) {
	c := open(t, t.TempDir())
	key := testKey(1)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 30 {
				if err := c.Put(key, value(key, 100*i+j)); err != nil {
					t.Error(err)
				}
				if data, err := c.Get(key); err != nil || !valid(key, data) {
					t.Errorf("Get: %.40q, %v", data, err)
				}
				for _, err := range c.Verify() {
					if err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
}

// TestRewrittenInPlace reads while someone who does not keep to the rules
// truncates and rewrites the file itself.
func TestRewrittenInPlace(t *testing.T) {
	dir := t.TempDir()
	c := open(t, dir)
	key := testKey(1)
	put(t, c, key, "")
	path := filepath.Join(dir, key.file())
	stop := make(chan bool)
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			data := value(key, i)
			if err := os.WriteFile(path, append(header(key, data), data...), 0o600); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for range 500 {
		data, err := c.Get(key)
		if err == nil && len(data) > 0 && !valid(key, data) {
			t.Errorf("a wrong value: %q", data)
		} else if err != nil && !errors.Is(err, ErrMiss) {
			t.Error(err)
		}
	}
	close(stop)
	wg.Wait()
}

func BenchmarkGet(b *testing.B) {
	for _, size := range []int{1 << 10, 1 << 13, 1 << 16, 1 << 20} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			c := open(b, b.TempDir())
			key := testKey(1)
			put(b, c, key, strings.Repeat("x", size))
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.Get(key); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("absent", func(b *testing.B) {
		c := open(b, b.TempDir())
		b.ReportAllocs()
		for b.Loop() {
			c.Get(Key{})
		}
	})
}

func BenchmarkPut(b *testing.B) {
	c := open(b, b.TempDir())
	data := make([]byte, 1<<13)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if err := c.Put(Key{}, data); err != nil {
			b.Fatal(err)
		}
	}
}
