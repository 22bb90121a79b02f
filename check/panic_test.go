package check_test

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"locus/access"
	"locus/check"
)

// A bomb is an Engine that panics where the path of a URL says.
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

// A panic of an engine ends one check. It is not repeated, and other links are checked.
func TestPanic(t *testing.T) {
	c := &check.Checker{Engine: bomb{}, Policy: check.Policy{Wait: time.Millisecond}}
	r := links(t, c, "[a](http://h/do) [b](http://h/read#x) [c](gopher://h/list) [d](http://h/fine)")
	for _, f := range findings(r) {
		want := "internal error: in "
		if strings.HasSuffix(f.Link, "/fine") {
			want = ""
		}
		if (f.Status == check.Good) != (want == "") || !strings.HasPrefix(f.Reason, want) || f.Tries != 1 {
			t.Errorf("%v after %d attempts, want %q after one", f, f.Tries, want)
		}
	}
	if got := r.Summary(); got != "4 links: 1 good, 3 dead" {
		t.Errorf("the report says %s", got)
	}
}
