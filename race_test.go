//go:build race

package putget_test

const raceEnabled = true
