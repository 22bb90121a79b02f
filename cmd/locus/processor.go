package main

import (
	"os"
	"runtime"
)

// oneProcessor leaves Go one processor until the function is called that it
// returns. What comes in one stream is read by one goroutine: another processor
// would wake up thousands of times a second to find nothing to do, and take the
// time of the server or the disk. GOMAXPROCS overrules it.
func oneProcessor() (end func()) {
	if os.Getenv("GOMAXPROCS") != "" {
		return func() {}
	}
	before := runtime.GOMAXPROCS(1)
	return func() { runtime.GOMAXPROCS(before) }
}
