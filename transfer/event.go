package transfer

import (
	"io"
	"io/fs"
	"sync"
	"time"

	"locus/access"
	"locus/internal/render"
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
// "planned" and "doomed".
func (k Kind) String() string {
	names := [...]string{
		"unknown", "started", "progress", "retrying", "restarted", "done", "skipped", "failed", "listed", "deleted",
		"planned", "doomed", "missing", "omitted",
	}
	if int(k) < len(names) {
		return names[k]
	}
	return "unknown"
}

// An eventJSON is an event in JSON. Exit is 0 or 1 in the last event of a file.
type eventJSON struct {
	Event string   `json:"event"`
	URL   any      `json:"url"`
	Name  any      `json:"name"`
	Done  int64    `json:"done"`
	Size  *int64   `json:"size"`
	Wait  *float64 `json:"wait,omitempty"`
	Error *string  `json:"error,omitempty"`
	Exit  *int     `json:"exit,omitempty"`
}

// JSON returns a value for encoding/json: an object with the keys event, url, name, done and
// size, and wait, error and exit where they apply. The URL has no password. What is unknown is
// null.
func (e Event) JSON() any {
	v := eventJSON{Event: e.Kind.String(), Done: e.Done}
	if !e.URL.IsZero() {
		v.URL = render.Value(e.URL.Redacted())
	}
	if e.Name != "" {
		v.Name = render.Value(e.Name)
	}
	if e.Size >= 0 {
		v.Size = &e.Size
	}
	if e.Err != nil {
		v.Error = new(e.Err.Error())
	}
	switch e.Kind {
	case Retrying:
		v.Wait = new(e.Wait.Seconds())
	case Failed:
		v.Exit = new(1)
	case Done, Skipped:
		v.Exit = new(0)
	}
	return v
}

// An EventWriter writes events as lines of JSON: see [Event.JSON]. Of the [Progress] of a URL it
// writes one event a second at most. One goroutine may use it at a time.
type EventWriter struct {
	json  *render.Encoder
	shown map[string]time.Time // the time of the last Progress, by URL
}

// NewEventWriter returns an EventWriter that writes to w.
func NewEventWriter(w io.Writer) *EventWriter {
	return &EventWriter{render.NewEncoder(w), make(map[string]time.Time)}
}

// maxShown is how many URLs are remembered.
const maxShown = 1000

// Write writes an event. The error is that of w.
func (w *EventWriter) Write(e Event) error {
	if e.Kind == Progress {
		key := e.URL.String()
		if time.Since(w.shown[key]) < time.Second {
			return nil
		}
		if len(w.shown) > maxShown {
			clear(w.shown)
		}
		w.shown[key] = time.Now()
	}
	return w.json.Encode(e.JSON())
}

// oneAtATime returns a function that calls f, one call at a time. f may be nil.
func oneAtATime(f func(Event)) func(Event) {
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

// isSameFile reports whether a local file has the size and the modification time
// that the server tells. Without a time it reports false.
func isSameFile(e access.Entry, info fs.FileInfo) bool {
	return e.Size == info.Size() && !e.ModTime.IsZero() && isSameTime(e.ModTime, info.ModTime())
}

// isSameTime reports whether a modification time of the server is that of a local
// file. Listings give it to the second, the minute or the day.
func isSameTime(remote, local time.Time) bool {
	remote, local = remote.UTC(), local.UTC()
	switch {
	case remote.Truncate(time.Second).Equal(local.Truncate(time.Second)):
		return true
	case hasSeconds(remote):
		return false
	case remote.Equal(local.Truncate(time.Minute)):
		return true
	}
	return remote.Equal(remote.Truncate(24*time.Hour)) && remote.Equal(local.Truncate(24*time.Hour))
}

// hasSeconds reports whether t is known to the second, as far as one can see.
func hasSeconds(t time.Time) bool { return t.Second() != 0 || t.Nanosecond() != 0 }
