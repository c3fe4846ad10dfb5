//go:build race

package compare

// The race detector drops from pools at random and allocates on its own.
const raceDetector = true
