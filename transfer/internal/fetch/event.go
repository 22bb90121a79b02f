package fetch

import (
	"sync"
	"time"

	"locus/url"
)

// An Event is one step of a transfer.
type Event struct {
	Kind Kind
	URL  url.URL       // of the resource; it may have a password, see url.URL.Redacted
	Name string        // of the file or directory below the root; "" if it has none yet
	Done int64         // bytes that are here, those of earlier runs included
	Size int64         // bytes in all; -1 if unknown
	Wait time.Duration // of Retrying: the pause before the next attempt
	Err  error         // of Retrying, Restarted, Skipped, Failed, Missing and Omitted: the reason
}

// A Kind says what happened in an [Event].
type Kind uint8

const (
	Started     Kind = iota + 1 // the server has answered; bytes follow, from Done on
	Progress                    // more bytes are here; at most ten times a second
	Retrying                    // a request failed, and is repeated after Wait
	Restarted                   // the part cannot be resumed, so the file is fetched from its start
	Done                        // the file is complete and has its name
	Skipped                     // the file was not copied, for the reason Err
	Failed                      // the file is not complete
	Listed                      // a directory was listed; Done is the number of its entries
	Deleted                     // a local file or directory was removed
	WouldFetch                  // a dry run would fetch it
	WouldDelete                 // a dry run would delete it
	Missing                     // the page Name loads it, and it is not in the copy
	Omitted                     // a listing has it, and it is not in the copy; it does not count as a failure
)

// String returns the kind as a word, such as "progress". WouldFetch is "planned".
func (k Kind) String() string {
	names := [...]string{
		"unknown", "started", "progress", "retrying", "restarted", "done", "skipped", "failed", "listed", "deleted",
		"planned", "would-delete", "missing", "omitted",
	}
	if int(k) < len(names) {
		return names[k]
	}
	return "unknown"
}

// OneAtATime returns a function that calls f, one call at a time. f may be nil.
func OneAtATime(f func(Event)) func(Event) {
	if f == nil {
		return func(Event) {}
	}
	var mu sync.Mutex
	return func(e Event) {
		mu.Lock()
		defer mu.Unlock()
		f(e)
	}
}
