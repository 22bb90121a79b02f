package check_test

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"locus/access"
	"locus/check"
	"locus/check/report"
)

// slowPages is an Engine of pages that answer after random times.
type slowPages map[string]string

func (s slowPages) Do(_ context.Context, req *access.Request) (*access.Resource, error) {
	if req.Op != access.Get {
		return nil, errors.ErrUnsupported
	}
	time.Sleep(time.Duration(rand.IntN(1000)) * time.Millisecond)
	return &access.Resource{Entry: access.Entry{URL: req.URL, Type: "text/html", Size: -1}, Body: io.NopCloser(strings.NewReader(s[req.URL.Path()]))}, nil
}

// The depth of a page is the length of the shortest way to it, even if the shortest way is slow. Therefore a crawl with
// a limit does not depend on the order of the responses.
func TestLevels(t *testing.T) {
	pages := slowPages{
		"/":      "<a href=/a1>a</a><a href=/b1>b</a>",
		"/a1":    "<a href=/a2>a</a>",
		"/a2":    "<a href=/both>a</a>",
		"/b1":    "<a href=/both>b</a>", // the shorter way
		"/both":  "<a href=/last>l</a>",
		"/last":  "<a href=/never>n</a>",
		"/never": "<a href=/never2>n</a>",
	}
	for range 20 {
		synctest.Test(t, func(t *testing.T) {
			q := report.NewQueue(nil)
			l := check.Link{URL: "http://h/"}
			if err := q.Seed(t.Context(), check.Source{Links: []check.Link{l}}, []check.Job{{URL: l.URL, Crawl: true}}); err != nil {
				t.Fatal(err)
			}
			c := &check.Checker{Engine: pages, Policy: check.Policy{Recursive: true, IgnoreRobots: true, Depth: 3, Scope: []string{"http://h/"}}}
			if err := c.Run(t.Context(), q); err != nil {
				t.Fatal(err)
			}
			r, err := q.Report(t.Context(), check.ReportOptions{All: true})
			if err != nil {
				t.Fatal(err)
			}
			// /both is 2 away, /last is 3 and read, /never is 4 and only looked at.
			if got := r.Summary(); got != "7 links: 7 good, 0 dead" {
				t.Errorf("the report says %s, want 7 good links", got)
			}
		})
	}
}
