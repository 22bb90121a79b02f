package sync

import (
	"sync"
	"time"

	"locus/internal/spill"
)

// sentFiles are the files that a run has sent, by name. It keeps a file as three numbers, because a
// spill.Table has no larger values.
type sentFiles struct {
	mu      sync.Mutex
	numbers *spill.Table
}

// A sentVersion is the version of a file when it was opened to be sent.
type sentVersion struct {
	version
	wasCompared bool // it is the version that was compared with the target
}

// Suffixes of names in sentFiles.numbers.
const (
	sizeSuffix    = "\x00size"    // the size plus 1
	secondsSuffix = "\x00seconds" // the seconds of the time since year 1
	restSuffix    = "\x00rest"    // its nanoseconds times 2, plus 1 if wasCompared
)

// add records that the version v of the named file was sent.
func (f *sentFiles) add(name string, v sentVersion) {
	rest := uint64(v.ModTime.Nanosecond()) << 1
	if v.wasCompared {
		rest++
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.numbers.Put(spill.KeyOf(name+sizeSuffix), uint64(v.Size+1))
	f.numbers.Put(spill.KeyOf(name+secondsSuffix), uint64(v.ModTime.Unix()-time.Time{}.Unix()))
	f.numbers.Put(spill.KeyOf(name+restSuffix), rest)
}

// find returns the version of the named file that was sent. ok is false if the file was not sent.
// After the store has failed ok is true.
func (f *sentFiles) find(name string) (v sentVersion, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	size, ok := f.numbers.Get(spill.KeyOf(name + sizeSuffix))
	if !ok {
		return v, false
	}
	seconds, _ := f.numbers.Get(spill.KeyOf(name + secondsSuffix))
	rest, _ := f.numbers.Get(spill.KeyOf(name + restSuffix))
	v.Size = int64(size) - 1
	v.ModTime = time.Unix(int64(seconds)+time.Time{}.Unix(), int64(rest>>1)).UTC()
	v.wasCompared = rest&1 != 0
	return v, true
}
