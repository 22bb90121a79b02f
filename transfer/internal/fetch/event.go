package fetch

import (
	"io/fs"
	"sync"
	"time"

	"locus/access"
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
	Skipped                     // nothing was done, for the reason Err
	Failed                      // the file is not complete
	Listed                      // a directory was listed; Done is the number of its entries
	Deleted                     // a local file or directory was removed
	WouldFetch                  // a dry run would fetch it
	WouldDelete                 // a dry run would delete it
	Missing                     // the page Name loads it, and it is not in the copy
	Omitted                     // a listing has it, and it is not in the copy; this is no failure
)

// String returns the kind as a word, such as "progress". Those of a dry run are
// "planned" and "would-delete".
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

// IsSameFile reports whether a local file has the size and the modification time
// that the server tells. Without a time it reports false.
func IsSameFile(e access.Entry, info fs.FileInfo) bool {
	return e.Size == info.Size() && !e.ModTime.IsZero() && IsSameTime(e.ModTime, info.ModTime())
}

// IsSameTime reports whether a modification time of the server is that of a local
// file. Listings give it to the second, the minute or the day.
func IsSameTime(remote, local time.Time) bool {
	remote, local = remote.UTC(), local.UTC()
	switch {
	case remote.Truncate(time.Second).Equal(local.Truncate(time.Second)):
		return true
	case HasSeconds(remote):
		return false
	case remote.Equal(local.Truncate(time.Minute)):
		return true
	}
	return remote.Equal(remote.Truncate(24*time.Hour)) && remote.Equal(local.Truncate(24*time.Hour))
}

// HasSeconds reports whether t is known to the second, as far as one can see.
func HasSeconds(t time.Time) bool { return t.Second() != 0 || t.Nanosecond() != 0 }
