package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"locus/access"
	"locus/url"
)

// A dying is an Engine whose server can be reached for some requests only.
type dying struct {
	access.Engine
	left *atomic.Int64 // requests
}

func (d dying) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if d.left.Add(-1) < 0 {
		return nil, &access.Error{Op: "open", URL: req.URL, Err: fmt.Errorf("dial: %w", syscall.ECONNREFUSED)}
	}
	return d.Engine.Do(ctx, req)
}

// A copy ends when its server is gone, and the same call goes on later.
func TestServerGone(t *testing.T) {
	files := make(map[string]string)
	for i := range 100 {
		files[fmt.Sprintf("sub/f%d", i)] = "text"
	}
	check := func(name string, failed int, err error) {
		t.Helper()
		// Besides the eight that decide it, those fail that were begun meanwhile.
		if !errors.Is(err, ErrNoAnswer) || failed < 7 || failed > len(files)/2 {
			t.Errorf("%s: %d failed, %v; want a few, and %v", name, failed, err, ErrNoAnswer)
		}
	}
	d := deploy(t, targetServers[0], files)
	to := d.to
	var left atomic.Int64
	left.Store(20)
	d.to.Engine = dying{to.Engine, &left}
	report, err := Send(t.Context(), d.from, d.to, SendOptions{Retry: hasty})
	check("Send", report.Failed, err)
	d.to = to
	d.send(t, SendOptions{}, len(files)-report.Files, report.Files, 0)

	root, name := folder(t)
	left.Store(20)
	reported := 0
	count := func(e Event) {
		if e.Kind == Failed {
			reported++
		}
	}
	back, err := Mirror(t.Context(), dying{to.Engine, &left}, to.URL, root, MirrorOptions{Options: Options{Retry: hasty, Event: count}})
	check("Mirror", back.Failed, err)
	if back.Failed != reported {
		t.Errorf("Mirror counts %d failures, and reports %d", back.Failed, reported)
	}
	if err == nil || !strings.HasSuffix(err.Error(), "the rest was not tried") {
		t.Errorf("Mirror: %v, want it to say what is left", err)
	}
	left.Store(1000)
	if back, err = Mirror(t.Context(), dying{to.Engine, &left}, to.URL, root, MirrorOptions{}); err != nil || back.Failed > 0 {
		t.Errorf("Mirror = %+v, %v", back, err)
	}
	files["sub/"] = ""
	compareTrees(t, contents(t, name), files)
}

// Only failures in a row count, and only those without an answer.
func TestWatchOutage(t *testing.T) {
	u := url.MustParse("ftp://h/f")
	silent := &access.Error{Op: "open", URL: u, Err: access.ErrTemporary}
	for _, tt := range []struct {
		name  string
		event func(i int) Event
		stops bool
	}{
		{"no answer", func(int) Event { return Event{Kind: Failed, Err: silent} }, true},
		{"progress does not count", func(i int) Event { return Event{Kind: []Kind{Failed, Progress}[i%2], Err: silent} }, true},
		{"a file between", func(i int) Event { return Event{Kind: []Kind{Failed, Failed, Done}[i%3], Err: silent} }, false},
		{"answers", func(int) Event {
			return Event{Kind: Failed, Err: &access.Error{Op: "open", URL: u, Reply: &access.Reply{Code: 503}, Err: access.ErrTemporary}}
		}, false},
		{"answers that break off", func(int) Event {
			return Event{Kind: Failed, Err: &access.Error{Op: "read", URL: u, Err: io.ErrUnexpectedEOF}}
		}, false},
		{"sources that break off", func(int) Event {
			read := &access.Error{Op: "read", URL: u, Err: io.ErrUnexpectedEOF}
			return Event{Kind: Failed, Err: &access.Error{Op: "put", URL: u, Err: fmt.Errorf("send: %w", read)}}
		}, false},
		{"a local failure", func(int) Event { return Event{Kind: Failed, Err: fs.ErrPermission} }, false},
		{"another server", func(int) Event { return Event{Kind: Failed, URL: u, Err: silent} }, false},
	} {
		stopped := 0
		watch := watchOutage(func(Event) {}, 4, func(u url.URL) bool { return u.IsZero() }, func(error) { stopped++ })
		for i := range 100 {
			watch(tt.event(i))
		}
		if want := map[bool]int{true: 1}[tt.stops]; stopped != want {
			t.Errorf("%s: stopped %d times, want %d", tt.name, stopped, want)
		}
	}
}
