package check_test

import (
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"locus/access"
	"locus/check"
	"locus/check/report"
	"locus/url"
)

// A bomb is an Engine that panics for some paths.
type bomb struct{}

func (bomb) Do(_ context.Context, req *access.Request) (*access.Resource, error) {
	r := &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1, Type: "text/html"}, Body: access.NoBody}
	switch req.URL.Path() {
	case "/do":
		panic("in Do")
	case "/read":
		r.Body = io.NopCloser(bomb{})
	case "/list":
		r.List = bomb{}
	}
	return r, nil
}

func (bomb) Read([]byte) (int, error)    { panic("in Read") }
func (bomb) Next() (access.Entry, error) { panic("in Next") }

// A panic of the engine ends one check. The check is not repeated, and the other links are checked.
func TestPanic(t *testing.T) {
	c := &check.Checker{Engine: bomb{}, Policy: check.Policy{Wait: time.Millisecond}}
	r := links(t, c, "[a](http://h/do) [b](http://h/read#x) [c](gopher://h/list) [d](http://h/fine)")
	for _, f := range findings(r) {
		want := "internal error: in "
		if strings.HasSuffix(f.Link, "/fine") {
			want = ""
		}
		if (f.Status == check.Good) != (want == "") || !strings.HasPrefix(f.Reason, want) || f.Tries != 1 {
			t.Errorf("the finding is %v after %d attempts, want %q after one", f, f.Tries, want)
		}
	}
	if got := r.Summary(); got != "4 links: 1 good, 3 dead" {
		t.Errorf("the report says %s", got)
	}
}

func (bomb) LookupMX(context.Context, string) ([]*net.MX, error)  { panic("in LookupMX") }
func (bomb) LookupHost(context.Context, string) ([]string, error) { panic("in LookupHost") }

// A panic outside the engine, such as in a parser, also ends only one check.
func TestPanicElsewhere(t *testing.T) {
	c := &check.Checker{Engine: bomb{}, Resolver: bomb{}}
	r := links(t, c, "[a](mailto:a@mail.example) [b](http://h/fine)")
	if got, want := tell(r, ""), "good http://h/fine\ndead mailto:a@mail.example: internal error: in LookupMX\n"; got != want {
		t.Errorf("the report is\n%swant\n%s", got, want)
	}
}

// If the engine panics for robots.txt, the file could not be fetched for any page that waits for it.
func TestPanicRobots(t *testing.T) {
	o := access.GetFunc(func(ctx context.Context, req *access.Request) (*access.Resource, error) {
		switch req.URL.Path() {
		case "/robots.txt":
			panic("in robots.txt")
		case "/":
			page := "<a href=/a>a</a><a href=/b>b</a>"
			return &access.Resource{Entry: access.Entry{URL: req.URL, Type: "text/html", Size: -1}, Body: io.NopCloser(strings.NewReader(page))}, nil
		}
		return empty(req)
	})
	q := report.NewQueue(nil)
	if err := check.Start(t.Context(), q, url.MustParse("http://h/")); err != nil {
		t.Fatal(err)
	}
	r := run(t, &check.Checker{Engine: o, Policy: check.Policy{Recursive: true, Scope: []string{"http://h/"}}}, q)
	if r.NotCrawled != 2 || r.Failed() {
		t.Errorf("NotCrawled is %d, want 2: %s", r.NotCrawled, tell(r, ""))
	}
}
