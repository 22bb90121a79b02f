package check_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"locus/access"
	"locus/check"
)

// The links to a silent host take no longer than one such link. A host that answers some requests, and other hosts, are
// asked for each link.
func TestSilentHost(t *testing.T) {
	for _, test := range []struct {
		name    string
		policy  check.Policy
		silent  func(n int64) bool
		most    time.Duration
		asked   int64 // the maximum number of requests
		reasons string
	}{
		{"silent", check.Policy{}, func(int64) bool { return true }, 128 * time.Second, 40, "answered none of the last"},
		{"silent, and asked once", check.Policy{Retries: -1}, func(int64) bool { return true }, 61 * time.Second, 16, "answered none of the last"},
		{"silent, one at a time", check.Policy{Retries: -1, PerServer: 1}, func(int64) bool { return true }, 91 * time.Second, 3, "answered none of the last"},
		{"now and then", check.Policy{Retries: -1, PerServer: 1}, func(n int64) bool { return n%3 != 0 }, time.Hour, 40, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var asked atomic.Int64
				engine := access.GetFunc(func(ctx context.Context, req *access.Request) (*access.Resource, error) {
					if req.URL.String() == "ftp://other/" || !test.silent(asked.Add(1)) {
						return empty(req)
					}
					<-ctx.Done()
					return nil, &access.Error{Op: "open", URL: req.URL, Err: context.Cause(ctx)}
				})
				text := "<ftp://other/>"
				for i := range 40 {
					text += fmt.Sprintf(" <ftp://h/%d>", i)
				}
				start := time.Now()
				r := links(t, &check.Checker{Engine: engine, Policy: test.policy}, text)
				if took := time.Since(start); took > test.most || asked.Load() > test.asked {
					t.Errorf("the run took %v and %d requests, want at most %v and %d", took, asked.Load(), test.most, test.asked)
				}
				if r.Counts[check.Good] == 0 {
					t.Error("the link to the other host is not good")
				}
				if got := tell(r, ""); test.reasons != "" && !strings.Contains(got, test.reasons) {
					t.Errorf("no reason contains %q:\n%s", test.reasons, got)
				}
				if test.reasons == "" && asked.Load() != 40 {
					t.Errorf("%d links were requested, want 40", asked.Load())
				}
			})
		})
	}
}
