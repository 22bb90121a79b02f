package sync

import (
	"fmt"
	"io"
	"io/fs"
	"testing"

	"locus/access"
	"locus/transfer/internal/fetch"
	"locus/url"
)

// Only failures in a row count, and only those without an answer.
func TestWatchOutage(t *testing.T) {
	u := url.MustParse("ftp://h/f")
	silent := &access.Error{Op: "open", URL: u, Err: access.ErrTemporary}
	for _, test := range []struct {
		name  string
		event func(i int) fetch.Event
		stops bool
	}{
		{"no answer", func(int) fetch.Event { return fetch.Event{Kind: fetch.Failed, Err: silent} }, true},
		{"progress does not count", func(i int) fetch.Event {
			return fetch.Event{Kind: []fetch.Kind{fetch.Failed, fetch.Progress}[i%2], Err: silent}
		}, true},
		{"a file between", func(i int) fetch.Event {
			return fetch.Event{Kind: []fetch.Kind{fetch.Failed, fetch.Failed, fetch.Done}[i%3], Err: silent}
		}, false},
		{"answers", func(int) fetch.Event {
			return fetch.Event{Kind: fetch.Failed, Err: &access.Error{Op: "open", URL: u, Reply: &access.Reply{Code: 503}, Err: access.ErrTemporary}}
		}, false},
		{"answers that break off", func(int) fetch.Event {
			return fetch.Event{Kind: fetch.Failed, Err: &access.Error{Op: "read", URL: u, Err: io.ErrUnexpectedEOF}}
		}, false},
		{"sources that break off", func(int) fetch.Event {
			read := &access.Error{Op: "read", URL: u, Err: io.ErrUnexpectedEOF}
			return fetch.Event{Kind: fetch.Failed, Err: &access.Error{Op: "put", URL: u, Err: fmt.Errorf("send: %w", read)}}
		}, false},
		{"a local failure", func(int) fetch.Event { return fetch.Event{Kind: fetch.Failed, Err: fs.ErrPermission} }, false},
		{"another server", func(int) fetch.Event { return fetch.Event{Kind: fetch.Failed, URL: u, Err: silent} }, false},
	} {
		stopped := 0
		watch := watchOutage(func(fetch.Event) {}, 4, func(u url.URL) bool { return u.IsZero() }, func(error) { stopped++ })
		for i := range 100 {
			watch(test.event(i))
		}
		if want := map[bool]int{true: 1}[test.stops]; stopped != want {
			t.Errorf("%s: stopped %d times, want %d", test.name, stopped, want)
		}
	}
}
