//go:build !race

package putget_test

const raceEnabled = false
