//go:build race

package main

// raceDetector reports whether the tests are built with the race detector.
const raceDetector = true
