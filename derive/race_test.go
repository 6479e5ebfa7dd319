//go:build race

package derive_test

const raceEnabled = true
