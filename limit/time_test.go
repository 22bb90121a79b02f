package limit

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"locus/url"
)

// Only the end of its own time is a TimeoutError, not that of the caller's context.
func TestWithin(t *testing.T) {
	wait := func(ctx context.Context, _ url.URL) error {
		<-ctx.Done()
		return ctx.Err()
	}
	u := url.MustParse("http://u:secret@h/")
	synctest.Test(t, func(t *testing.T) {
		err := Within(t.Context(), time.Minute, u, wait)
		if !IsTimeout(err) || !errors.Is(err, context.DeadlineExceeded) || err.Error() != "http://u:xxxxx@h/: not done after 1m0s" {
			t.Errorf("Within = %v, want a TimeoutError", err)
		}
		for _, timeout := range []time.Duration{0, time.Hour} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			if err := Within(ctx, timeout, u, wait); IsTimeout(err) || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("Within %v = %v, want the error of the caller's context", timeout, err)
			}
			cancel()
		}
		if err := Within(t.Context(), 0, u, func(context.Context, url.URL) error { return nil }); err != nil {
			t.Errorf("Within = %v, want nil", err)
		}
	})
}
