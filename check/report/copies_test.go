package report_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"locus/access"
	"locus/check"
	"locus/check/report"
	"locus/url"
)

// An archive is an Engine that has a copy of /a, behind a redirect. Every other page is missing.
type archive struct {
	now, most atomic.Int64
}

func (a *archive) Do(_ context.Context, req *access.Request) (*access.Resource, error) {
	if path, ok := strings.CutPrefix(req.URL.String(), "http://archive.test/"); ok {
		if n := a.now.Add(1); n > a.most.Load() {
			a.most.Store(n)
		}
		defer a.now.Add(-1)
		switch path {
		case "http://h.test/a":
			return nil, &access.Moved{To: url.MustParse("http://archive.test/2024/a")}
		case "2024/a":
			return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: access.NoBody}, nil
		}
	}
	return nil, &access.Error{Op: "open", URL: req.URL, Reply: &access.Reply{Code: 404, Text: "Not Found"}, Err: errors.New("gone")}
}

// deadReport returns the report of a run of c with these links.
func deadReport(t *testing.T, c *check.Checker, links ...string) *check.Report {
	t.Helper()
	q := report.NewQueue(nil)
	var all []check.Link
	for _, link := range links {
		all = append(all, check.Link{URL: link})
	}
	if err := check.Seed(t.Context(), q, check.Source{Document: "list", Links: all}); err != nil {
		t.Fatal(err)
	}
	if err := c.Run(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	r, err := q.Report(t.Context(), check.ReportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// The copy of a dead page is the URL where the archive's redirect ends. FindCopies does not ask for pages with
// passwords.
func TestFindCopies(t *testing.T) {
	a := &archive{}
	notified := 0
	c := &check.Checker{Engine: a, Policy: check.Policy{Retries: -1}}
	r := deadReport(t, c, "http://h.test/a", "http://h.test/a#part", "http://h.test/b", "http://u:p@h.test/c", "ftp://h.test/d")
	c.Notify = func(check.Result) { notified++ }
	propose := func(page string) string { return report.ArchiveURL("http://archive.test/{url}", page) }
	copyOf, err := report.FindCopies(t.Context(), c, r, propose, nil)
	if err != nil {
		t.Fatal(err)
	}
	for page, want := range map[string]string{
		"http://h.test/a": "http://archive.test/2024/a", "http://h.test/b": "", "http://u:p@h.test/c": "", "ftp://h.test/d": "", "http://h.test/other": "",
	} {
		if got := copyOf(page); got != want {
			t.Errorf("the copy of %s is %q, want %q", page, got, want)
		}
	}
	if notified != 0 || a.most.Load() > 2 {
		t.Errorf("FindCopies notified of %d results and sent %d requests at the same time, want 0 and at most 2", notified, a.most.Load())
	}
	found := 0
	for f, err := range report.Archived(r, copyOf).Findings {
		if err != nil {
			t.Fatal(err)
		}
		if f.Archived != "" {
			found++
		}
	}
	if found != 1 {
		t.Errorf("%d findings have a copy, want 1", found)
	}
}

// If ctx is done, FindCopies returns no copyOf, because it would say that the archive has no copies.
func TestFindCopiesInterrupted(t *testing.T) {
	c := &check.Checker{Engine: &archive{}, Policy: check.Policy{Retries: -1}}
	r := deadReport(t, c, "http://h.test/a")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	propose := func(page string) string { return report.ArchiveURL("http://archive.test/{url}", page) }
	if copyOf, err := report.FindCopies(ctx, c, r, propose, nil); !errors.Is(err, context.Canceled) || copyOf != nil {
		t.Errorf("FindCopies with a context that is done = %v, want %v and no copyOf", err, context.Canceled)
	}
}

func ExampleFindCopies() {
	ctx := context.Background()
	c := &check.Checker{Engine: &archive{}, Policy: check.Policy{Retries: -1}}
	q := report.NewQueue(nil)
	_ = check.Seed(ctx, q, check.Source{Links: []check.Link{{URL: "http://h.test/a"}}})
	_ = c.Run(ctx, q)
	r, _ := q.Report(ctx, check.ReportOptions{})
	defer r.Close()
	propose := func(page string) string { return report.ArchiveURL("http://archive.test/{url}", page) }
	copyOf, err := report.FindCopies(ctx, c, r, propose, nil)
	fmt.Println(copyOf("http://h.test/a"), err)
	// Output:
	// http://archive.test/2024/a <nil>
}
