//go:build !unix

package goast_test

// minorFaults is not known here.
func minorFaults() int64 { return 0 }
