// Package testchild is for tests that need a process of their own: what it has
// to survive would take the test process along.
package testchild

import (
	"errors"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
)

// Need skips the test where the test binary cannot start itself again: under
// an emulator of another machine, which the kernel knows nothing of.
func Need(t testing.TB) {
	t.Helper()
	if errors.Is(start(), syscall.ENOEXEC) {
		t.Skip("the test binary cannot start itself: it runs under an emulator")
	}
}

var start = sync.OnceValue(func() error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	return exec.Command(exe, "-test.run=^$").Run()
})
