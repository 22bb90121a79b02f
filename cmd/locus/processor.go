package main

import (
	"os"
	"runtime"
	"sync"

	"locus/transfer"
)

// fewerProcessors leaves Go no more than n processors, and one at least, until the
// function is called that it returns. Another one that is woken thousands of times
// a second, to find little to do, takes the time of the server, of the disk and of
// what the kernel does for both. GOMAXPROCS overrules it.
func fewerProcessors(n int) (end func()) {
	before := runtime.GOMAXPROCS(0)
	if os.Getenv("GOMAXPROCS") != "" || n >= before {
		return func() {}
	}
	runtime.GOMAXPROCS(max(n, 1))
	return func() { runtime.GOMAXPROCS(before) }
}

// bulky is how many octets a file has that is worth a processor of its own.
const bulky = 16 << 20

// spareProcessors leaves the fetcher one processor for one stream, and for small
// files half of those that there are, until the function is called that it returns.
func (f *fetcher) spareProcessors() (end func()) {
	if f.isStream() {
		return fewerProcessors(1)
	}
	f.allProcessors = sync.OnceFunc(fewerProcessors(runtime.GOMAXPROCS(0) / 2))
	return f.allProcessors
}

// heeding returns tell, but that a bulky file gives back what spareProcessors took.
func (f *fetcher) heeding(tell func(transfer.Event)) func(transfer.Event) {
	return func(e transfer.Event) {
		if e.Kind == transfer.Started && e.Size >= bulky && f.allProcessors != nil {
			f.allProcessors()
		}
		tell(e)
	}
}
