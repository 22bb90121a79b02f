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

// The links of a silent host take no longer than one of them alone. Other hosts, and
// hosts that answer now and then, are asked for each link.
func TestSilentHost(t *testing.T) {
	for _, tt := range []struct {
		name    string
		policy  check.Policy
		silent  func(n int64) bool
		most    time.Duration
		asked   int64 // at most
		reasons string
	}{
		{"silent", check.Policy{}, func(int64) bool { return true }, 128 * time.Second, 40, "answered none of the last"},
		{"silent, and asked once", check.Policy{Retries: -1}, func(int64) bool { return true }, 61 * time.Second, 16, "answered none of the last"},
		{"silent, one at a time", check.Policy{Retries: -1, PerServer: 1}, func(int64) bool { return true }, 91 * time.Second, 3, "answered none of the last"},
		{"now and then", check.Policy{Retries: -1, PerServer: 1}, func(n int64) bool { return n%3 != 0 }, time.Hour, 40, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var asked atomic.Int64
				engine := access.GetFunc(func(ctx context.Context, req *access.Request) (*access.Resource, error) {
					if req.URL.String() == "ftp://other/" || !tt.silent(asked.Add(1)) {
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
				r := links(t, &check.Checker{Engine: engine, Policy: tt.policy}, text)
				if took := time.Since(start); took > tt.most || asked.Load() > tt.asked {
					t.Errorf("it took %v and %d requests, want %v and %d", took, asked.Load(), tt.most, tt.asked)
				}
				if r.Counts[check.Good] == 0 {
					t.Error("the link to the other host is not good")
				}
				if got := tell(r, ""); tt.reasons != "" && !strings.Contains(got, tt.reasons) {
					t.Errorf("no reason has %q:\n%s", tt.reasons, got)
				}
				if tt.reasons == "" && asked.Load() != 40 {
					t.Errorf("%d links were asked for, want 40", asked.Load())
				}
			})
		})
	}
}
