package transfer

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"locus/url"
)

func TestEventJSON(t *testing.T) {
	u := url.MustParse("http://u:secret@h/a")
	for _, test := range []struct {
		event Event
		want  string
	}{
		{Event{Kind: Started, URL: u, Name: "a", Size: -1}, `{"event":"started","url":"http://u:xxxxx@h/a","name":"a","done":0,"size":null}`},
		{Event{Kind: Progress, URL: u, Name: "a", Done: 3, Size: 9}, `{"event":"progress","url":"http://u:xxxxx@h/a","name":"a","done":3,"size":9}`},
		{Event{Kind: Retrying, URL: u, Size: -1, Wait: 1500 * time.Millisecond, Err: errors.New("x")}, `{"event":"retrying","url":"http://u:xxxxx@h/a","name":null,"done":0,"size":null,"wait":1.5,"error":"x"}`},
		{Event{Kind: Failed, URL: u, Size: -1, Err: errors.New("x")}, `{"event":"failed","url":"http://u:xxxxx@h/a","name":null,"done":0,"size":null,"error":"x","exit":1}`},
		{Event{Kind: Done, URL: u, Name: "a", Done: 9, Size: 9}, `{"event":"done","url":"http://u:xxxxx@h/a","name":"a","done":9,"size":9,"exit":0}`},
		{Event{Kind: Deleted, Name: "a", Size: -1}, `{"event":"deleted","url":null,"name":"a","done":0,"size":null}`},
	} {
		got, err := json.Marshal(test.event.JSON())
		if err != nil || string(got) != test.want {
			t.Errorf("JSON of %+v = %s, %v, want %s", test.event, got, err, test.want)
		}
	}
}

// Of the progress of a URL one event a second is written, of other events each.
func TestEventWriter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := url.MustParse("http://h/a"), url.MustParse("http://h/b")
		var out strings.Builder
		w := NewEventWriter(&out)
		write := func(e Event) {
			t.Helper()
			if err := w.Write(e); err != nil {
				t.Error(err)
			}
		}
		write(Event{Kind: Started, URL: a})
		for done := range int64(5) {
			write(Event{Kind: Progress, URL: a, Done: done})
			write(Event{Kind: Progress, URL: b, Done: done})
			time.Sleep(400 * time.Millisecond)
		}
		write(Event{Kind: Done, URL: a})
		write(Event{Kind: Done, URL: a})
		var got []string
		for line := range strings.Lines(out.String()) {
			var e struct {
				Event, URL string
				Done       int
			}
			if err := json.Unmarshal([]byte(line), &e); err != nil {
				t.Fatalf("Unmarshal(%q): %v", line, err)
			}
			got = append(got, fmt.Sprint(e.Event, " ", e.URL[len(e.URL)-1:], e.Done))
		}
		want := "started a0, progress a0, progress b0, progress a3, progress b3, done a0, done a0"
		if strings.Join(got, ", ") != want {
			t.Errorf("= %q, want %q", got, want)
		}
	})
}

// However many URLs make progress, few are remembered.
func TestEventWriterForgets(t *testing.T) {
	var out strings.Builder
	w := NewEventWriter(&out)
	for i := range 3 * maxShown {
		u := url.MustParse(fmt.Sprintf("http://h/%d", i))
		if err := w.Write(Event{Kind: Progress, URL: u}); err != nil {
			t.Fatalf("Write of event %d: %v", i, err)
		}
	}
	if n := strings.Count(out.String(), "\n"); n != 3*maxShown || len(w.shown) > maxShown+1 {
		t.Errorf("%d events are written, and %d remembered", n, len(w.shown))
	}
}
