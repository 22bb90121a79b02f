package stream_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"locus/access"
	"locus/check"
	"locus/check/stream"
)

// A graph is a site without a network: the page n of a host links to 2n+1 and
// 2n+2, and to the same page of another host.
type graph struct {
	size   int
	hosts  int
	opened func(u string)
}

func (g graph) Open(_ context.Context, req *access.Request) (*access.Resource, error) {
	g.opened(req.URL.String())
	var host, n int
	_, err := fmt.Sscanf(req.URL.String(), "http://h%d.test/%d", &host, &n)
	if err != nil || n >= g.size || n%10 == 9 {
		return nil, &access.Error{Op: "open", URL: req.URL, Reply: &access.Reply{Code: 404, Text: "Not Found"}, Err: errors.New("it is not there")}
	}
	page := fmt.Sprintf("<a href=/%d>a</a> <a href=/%d>b</a> <a href=http://h%d.test/%d>c</a>", 2*n+1, 2*n+2, (host+1)%g.hosts, n)
	return &access.Resource{URL: req.URL, Type: "text/html", Size: -1, Body: io.NopCloser(strings.NewReader(page))}, nil
}

func (g graph) policy() check.Policy {
	return check.Policy{Recursive: true, IgnoreRobots: true, Scope: []string{"http://"}, Jobs: 16}
}

// report gives what is found, by each URL, without times.
func report(t *testing.T, q check.Queue) string {
	t.Helper()
	r, err := check.NewReport(t.Context(), q, check.ReportOptions{All: true})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := r.Text(&b); err != nil {
		t.Fatal(err)
	}
	return b.String() + r.Summary()
}

func seed(t *testing.T, q check.Queue) {
	t.Helper()
	s := check.Source{Document: "list", Links: []check.Link{{URL: "http://h0.test/0", Line: 1, Column: 1}, {URL: "news:x", Bad: "bad", Line: 2}}}
	jobs := []check.Job{{URL: "http://h0.test/0", Walk: true}, {URL: "news:x", Bad: "bad"}}
	if err := q.Seed(t.Context(), s, jobs); err != nil {
		t.Fatal(err)
	}
}

func embed(t *testing.T, dir string) *stream.Server {
	t.Helper()
	s, err := stream.Embed(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func open(t *testing.T, s *stream.Server, o stream.Options) *stream.Queue {
	t.Helper()
	q, err := stream.Open(t.Context(), s.Conn(), "run", o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = q.Close() })
	return q
}

// A run in a stream gives the report of one in memory.
func TestSameAsMemory(t *testing.T) {
	g := graph{size: 300, hosts: 5, opened: func(string) {}}
	m := check.NewMemory()
	seed(t, m)
	if err := (&check.Checker{Opener: g, Policy: g.policy()}).Run(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	want := report(t, m)
	for _, shards := range []int{1, 4} {
		q := open(t, embed(t, t.TempDir()), stream.Options{Shards: shards, Lease: 200 * time.Millisecond})
		seed(t, q)
		if err := q.Seeded(t.Context()); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if err := (&check.Checker{Opener: g, Policy: g.policy()}).Run(t.Context(), q); err != nil {
			t.Fatal(err)
		}
		t.Logf("%d shards: %v", shards, time.Since(start))
		if got := report(t, q); got != want {
			t.Errorf("with %d shards the report is\n%s\nwant\n%s", shards, got, want)
		}
		if err := q.Delete(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

func newContext() context.Context { return context.Background() }
