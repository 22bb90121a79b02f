package transfer

import (
	"io"
	"time"

	"locus/internal/render"
	"locus/transfer/internal/fetch"
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
	Started     = Kind(fetch.Started)     // the server has answered; bytes follow, from Done on
	Progress    = Kind(fetch.Progress)    // more bytes are here; at most ten times a second
	Retrying    = Kind(fetch.Retrying)    // a request failed, and is repeated after Wait
	Restarted   = Kind(fetch.Restarted)   // the part cannot be resumed, so the file is fetched from its start
	Done        = Kind(fetch.Done)        // the file is complete and has its name
	Skipped     = Kind(fetch.Skipped)     // the file was not copied, for the reason Err
	Failed      = Kind(fetch.Failed)      // the file is not complete
	Listed      = Kind(fetch.Listed)      // a directory was listed; Done is the number of its entries
	Deleted     = Kind(fetch.Deleted)     // a local file or directory was removed
	WouldFetch  = Kind(fetch.WouldFetch)  // a dry run would fetch it
	WouldDelete = Kind(fetch.WouldDelete) // a dry run would delete it
	Missing     = Kind(fetch.Missing)     // the page Name loads it, and it is not in the copy
	Omitted     = Kind(fetch.Omitted)     // a listing has it, and it is not in the copy; it does not count as a failure
)

// String returns the kind as a word, such as "progress". WouldFetch is "planned".
func (k Kind) String() string { return fetch.Kind(k).String() }

// listener returns a function that calls f with each event of package fetch that it gets. It
// returns nil if f is nil.
func listener(f func(Event)) func(fetch.Event) {
	if f == nil {
		return nil
	}
	return func(e fetch.Event) {
		f(Event{Kind: Kind(e.Kind), URL: e.URL, Name: e.Name, Done: e.Done, Size: e.Size, Wait: e.Wait, Err: e.Err})
	}
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

// JSON returns e as a value for encoding/json: an object with the keys event, url, name, done and
// size, and where they apply wait (in seconds), error and exit (0 or 1, in the last event of a
// file). The password of the URL is hidden. An unknown url, name or size is null.
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

// Write writes e as one line of JSON, and returns the error of the writer. Within a second after
// a Progress event of a URL, it leaves out further Progress events of that URL.
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
