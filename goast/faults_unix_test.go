//go:build unix

package goast_test

import "syscall"

// minorFaults is how many pages this process touched for the first time.
func minorFaults() int64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return int64(u.Minflt) // of 32 bits on some machines
}
