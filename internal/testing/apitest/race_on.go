//go:build race

package apitest

const raceDetector = true
