//go:build race

package goast_test

const raceEnabled = true
