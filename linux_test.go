//go:build linux

package putget_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/putget/putget"
	"github.com/putget/putget/get"
	"github.com/putget/putget/put"
)

// manyMaybes is a root that is never in memory as a whole.
type manyMaybes struct{ n, sum int64 }

type manyCodec struct{}

func (manyCodec) Put(b *put.Builder, m *manyMaybes) {
	b.Uvarint(uint64(m.n))
	for i := range m.n {
		if b.Bool(i%3 != 0); i%3 != 0 {
			b.Int64(i)
			m.sum += i
		}
	}
}

func (manyCodec) Get(r *get.Reader, m *manyMaybes) {
	m.n = int64(r.Uvarint())
	for i := int64(0); i < m.n && r.Err() == nil; i++ {
		if r.Bool() {
			m.sum += r.Int64()
		}
	}
}

// TestStreamMemory sends 100 million values through a pipe from one process
// to another, each within 32 MiB.
func TestStreamMemory(t *testing.T) {
	const many = 100_000_000
	switch os.Getenv(childVar) {
	case "encode":
		e := putget.NewEncoder(os.Stdout, nil)
		m := manyMaybes{n: many}
		if err := putget.EncodeTo(e, &m, manyCodec{}); err != nil {
			t.Fatal(err)
		}
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(os.Stderr, peakKB(t), m.sum)
		os.Exit(0)
	case "decode":
		d := putget.NewDecoder(os.Stdin, nil)
		m, err := putget.DecodeFrom(d, manyCodec{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := putget.DecodeFrom(d, manyCodec{}); err != io.EOF {
			t.Fatal(err)
		}
		fmt.Fprintln(os.Stderr, peakKB(t), m.sum)
		os.Exit(0)
	}
	if testing.Short() {
		t.Skip("takes seconds")
	}
	encode, encodeSays := child(t, "TestStreamMemory", "encode")
	decode, decodeSays := child(t, "TestStreamMemory", "decode")
	pipe, err := encode.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	decode.Stdin = pipe
	for _, c := range []*exec.Cmd{encode, decode} {
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
	}
	if err := decode.Wait(); err != nil {
		t.Fatal(err, decodeSays)
	}
	if err := encode.Wait(); err != nil {
		t.Fatal(err, encodeSays)
	}
	var sums [2]int
	for i, says := range []*bytes.Buffer{encodeSays, decodeSays} {
		var kb int
		if _, err := fmt.Sscan(says.String(), &kb, &sums[i]); err != nil {
			t.Fatal(err, says)
		}
		t.Logf("%s: %d KB at the peak", [...]string{"encode", "decode"}[i], kb)
		if kb > 32<<10 && !raceEnabled {
			t.Errorf("%d KB", kb)
		}
	}
	if sums[0] != sums[1] || sums[0] == 0 {
		t.Error(sums)
	}
}

// peakKB is the largest resident size that the process had.
func peakKB(t *testing.T) int {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, err := strconv.Atoi(strings.Fields(rest)[0])
			if err != nil {
				t.Fatal(err)
			}
			return kb
		}
	}
	t.Fatal("no VmHWM")
	return 0
}

// A FIFO in place of a document is refused; to open it would block.
func TestOpenFileFIFO(t *testing.T) {
	path := t.TempDir() + "/fifo"
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	if _, err := putget.OpenFile(path, nil); !errors.Is(err, putget.ErrCorrupt) {
		t.Error(err)
	}
}
