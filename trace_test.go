package locus

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"locus/access"
)

// A traceLog has a Trace whose hooks write lines.
type traceLog struct {
	mu    sync.Mutex
	lines []string
}

type spanKey struct{}

func (l *traceLog) add(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, fmt.Sprintf(format, args...))
}

// since returns the lines since the last call.
func (l *traceLog) since() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	lines := l.lines
	l.lines = nil
	return lines
}

func (l *traceLog) trace() *Trace {
	start := func(kind string) func(context.Context, TraceInfo) context.Context {
		return func(ctx context.Context, i TraceInfo) context.Context {
			l.add("%s %v %s %s %d in %v", kind, i.Op, i.Scheme, i.Host, i.Attempt, ctx.Value(spanKey{}))
			return context.WithValue(ctx, spanKey{}, kind)
		}
	}
	done := func(kind string) func(context.Context, TraceInfo, TraceDone) {
		return func(ctx context.Context, i TraceInfo, d TraceDone) {
			l.add("%s done %d: %d bytes, %d entries, failed %v, timed %v, in %v", kind, i.Attempt, d.Bytes, d.Entries, d.Err != nil, d.Duration > 0, ctx.Value(spanKey{}))
		}
	}
	return &Trace{
		StartRequest: start("request"), StartAttempt: start("attempt"),
		Connected: func(ctx context.Context, i TraceInfo, c access.Connection) {
			l.add("connected %d, reused %v, an address %v, in %v", i.Attempt, c.Reused, c.Address != "", ctx.Value(spanKey{}))
		},
		AttemptDone: done("attempt"), RequestDone: done("request"),
	}
}

// The hooks see requests, attempts and connections in order, each in the context of the one
// that it belongs to.
func TestTrace(t *testing.T) {
	busy := true
	town := newTown(t, func(w http.ResponseWriter, r *http.Request) {
		if busy {
			busy = false
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		signpost(w, r)
	})
	log := new(traceLog)
	c := &Client{Dial: town.dial, Retries: 2, Trace: log.trace()}
	defer c.Close()
	r, err := c.Open(t.Context(), "http://a.example"+pointing(302, "http://b.example/x"))
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, r.Body)
	r.Body.Close()
	want := []string{
		"request open http a.example 0 in <nil>",
		"attempt open http a.example 1 in request", "connected 1, reused false, an address true, in attempt",
		"attempt done 1: 0 bytes, 0 entries, failed true, timed true, in attempt",
		"attempt open http a.example 2 in request", "connected 2, reused true, an address true, in attempt",
		"attempt done 2: 0 bytes, 0 entries, failed true, timed true, in attempt",
		"attempt open http b.example 1 in request", "connected 1, reused false, an address true, in attempt",
		"attempt done 1: 2 bytes, 0 entries, failed false, timed true, in attempt",
		"request done 0: 2 bytes, 0 entries, failed false, timed true, in request",
	}
	if got := log.since(); !slices.Equal(got, want) {
		t.Errorf("the hooks see\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	resp, err := c.HTTP().Post("http://b.example/x", "text/plain", strings.NewReader("sent"))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	got := strings.Join(log.since(), "\n")
	if !strings.Contains(got, "attempt send http b.example 1 in request\nconnected 1, reused true") || strings.Count(got, "done") != 2 {
		t.Errorf("POST by an http.Client: the hooks see\n%s", got)
	}
	if _, err := c.Open(t.Context(), "http://a.example:25/"); err == nil {
		t.Fatal("no error")
	}
	want = []string{"request open http a.example 0 in <nil>", "request done 0: 0 bytes, 0 entries, failed true, timed true, in request"}
	if got := log.since(); !slices.Equal(got, want) {
		t.Errorf("for a request that is refused the hooks see %q, want %q", got, want)
	}
}

// A listing counts entries, and a Body that breaks off is a failure.
func TestTraceEnds(t *testing.T) {
	log := new(traceLog)
	c := &Client{Trace: log.trace(), Retries: -1, Engines: func(Dial) map[string]Scheme {
		return map[string]Scheme{"ftp": {Engine: toy{
			"ftp://h/short": short, "ftp://h/text": text,
			"ftp://h/list": func(req *access.Request) (*access.Resource, error) {
				return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: access.NoBody, List: &twoEntries{}}, nil
			},
		}}}
	}}
	for _, test := range []struct {
		url  string
		read func(*access.Resource)
		want string
	}{
		{"ftp://h/short", func(r *access.Resource) { _, _ = io.ReadAll(r.Body) }, "request done 0: 3 bytes, 0 entries, failed true"},
		{"ftp://h/text", func(*access.Resource) {}, "request done 0: 0 bytes, 0 entries, failed false"},
		{"ftp://h/list", func(r *access.Resource) {
			_ = access.Entries(r.List, func(access.Entry) error { return nil })
		}, "request done 0: 0 bytes, 2 entries, failed false"},
	} {
		r, err := c.Open(t.Context(), test.url)
		if err != nil {
			t.Fatalf("%s: %v", test.url, err)
		}
		test.read(r)
		r.Body.Close()
		r.Body.Close()
		got := log.since()
		if last := got[len(got)-1]; !strings.HasPrefix(last, test.want) || len(got) != 4 {
			t.Errorf("%s: the hooks see %q, want %q at last", test.url, got, test.want)
		}
	}
}

// twoEntries is a listing.
type twoEntries struct{ n int }

func (l *twoEntries) Next() (access.Entry, error) {
	if l.n++; l.n > 2 {
		return access.Entry{}, io.EOF
	}
	return access.Entry{Title: "x"}, nil
}

// A Client without a Trace, or with a Trace without hooks, does not add an Engine for it.
func TestTraceIsFree(t *testing.T) {
	for _, trace := range []*Trace{nil, {}} {
		var engine access.Engine = things
		for _, got := range []access.Engine{trace.traceRequests(engine), trace.traceAttempts(engine)} {
			if _, ok := got.(toy); !ok {
				t.Errorf("with the Trace %v the Engine is %T", trace, got)
			}
		}
	}
}
