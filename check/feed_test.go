package check_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"locus/access"
	"locus/check"
)

// One worker requests the URLs in the order of the queue.
func TestOrderOfJobs(t *testing.T) {
	t.Parallel()
	const n = 3000
	next := 0
	o := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		if want := fmt.Sprint("/", next); req.URL.Path() != want {
			t.Errorf("%s is requested before %s", req.URL, want)
		}
		next++
		return empty(req)
	})
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "<ftp://h/%d>\n", i)
	}
	links(t, &check.Checker{Engine: o, Policy: check.Policy{Jobs: 1}}, text.String())
	if next != n {
		t.Errorf("%d of %d URLs are requested", next, n)
	}
}
