package fetch

import (
	"sync"
	"time"

	"locus/url"
)

// An Event is one step of a transfer. See transfer.Event.
type Event struct {
	Kind Kind
	URL  url.URL
	Name string
	Done int64
	Size int64
	Wait time.Duration
	Err  error
}

// A Kind says what happened in an [Event]. See transfer.Kind.
type Kind uint8

const (
	Started Kind = iota + 1
	Progress
	Retrying
	Restarted
	Done
	Skipped
	Failed
	Listed
	Deleted
	WouldFetch
	WouldDelete
	Missing
	Omitted
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

// OneAtATime returns a function that calls f, one call at a time. If f is nil, the function
// does nothing.
func OneAtATime[E any](f func(E)) func(E) {
	if f == nil {
		return func(E) {}
	}
	var mu sync.Mutex
	return func(e E) {
		mu.Lock()
		defer mu.Unlock()
		f(e)
	}
}
