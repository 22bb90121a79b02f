package transfer

import (
	"sync"
	"time"

	"locus/url"
)

// An Event is something that happened to a transfer.
type Event struct {
	Kind Kind
	URL  url.URL       // of what; it may have a password: see url.URL.Redacted
	Name string        // of the file or directory, below the root; "" if it has none yet
	Done int64         // octets of it that are here, those of earlier runs included
	Size int64         // octets that it has; -1 if unknown
	Wait time.Duration // before the next try, of Retrying
	Err  error         // why, of Retrying, Restarted, Skipped and Failed
}

// A Kind is what an [Event] tells.
type Kind uint8

const (
	Started   Kind = iota + 1 // the server has answered; octets come, from Done on
	Progress                  // more octets are here; at most ten times a second
	Retrying                  // it failed, and is tried again after Wait
	Restarted                 // it begins from its start again, since what is here cannot be gone on with
	Done                      // it is complete, and has its name
	Skipped                   // nothing was to be done, for the reason Err
	Failed                    // it is not complete
	Listed                    // a directory was read to its end; Done is how many entries it has
	Deleted                   // a local file or directory was removed
	Planned                   // a dry run would fetch it
	Doomed                    // a dry run would delete it
)

// String returns the kind in lower case, such as "progress".
func (k Kind) String() string {
	names := [...]string{
		"unknown", "started", "progress", "retrying", "restarted", "done", "skipped", "failed", "listed", "deleted",
		"planned", "doomed",
	}
	if int(k) < len(names) {
		return names[k]
	}
	return "unknown"
}

// emit calls f, if there is one.
func emit(f func(Event), e Event) {
	if f != nil {
		f(e)
	}
}

// oneAtATime returns f for the use of several goroutines.
func oneAtATime(f func(Event)) func(Event) {
	if f == nil {
		return nil
	}
	var mu sync.Mutex
	return func(e Event) {
		mu.Lock()
		defer mu.Unlock()
		f(e)
	}
}

// sameTime reports whether the time of change that a server tells is that of a
// file here. Listings tell it to the second, the minute or the day.
func sameTime(there, here time.Time) bool {
	there, here = there.UTC(), here.UTC()
	switch {
	case there.Truncate(time.Second).Equal(here.Truncate(time.Second)):
		return true
	case there.Second() != 0 || there.Nanosecond() != 0:
		return false
	case there.Equal(here.Truncate(time.Minute)):
		return true
	}
	return there.Equal(there.Truncate(24*time.Hour)) && there.Equal(here.Truncate(24*time.Hour))
}
