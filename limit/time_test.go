package limit

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"locus/access"
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

// An observed is an Engine that answers everything, and keeps the context.
type observed struct{ ctx context.Context }

func (o *observed) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	o.ctx = ctx
	return &access.Resource{Entry: access.Entry{URL: req.URL}, Body: access.NoBody}, nil
}

// A request without a Body is done when Do returns. Its context ends then, since nobody closes a
// Body: else each Stat and Put of a copy of a tree would stay in memory to its end.
func TestTimedWithoutBody(t *testing.T) {
	engine := new(observed)
	for _, op := range []access.Op{access.Stat, access.Put, access.Append, access.Delete, access.MakeDir, access.Ask} {
		timed := Timed{Engine: engine, Timeout: time.Hour}
		if _, err := timed.Do(t.Context(), &access.Request{Op: op, URL: url.MustParse("http://h/")}); err != nil || engine.ctx.Err() == nil {
			t.Errorf("%v: %v, and the context has not ended", op, err)
		}
	}
	r, err := Timed{Engine: engine, Timeout: time.Hour}.Do(t.Context(), &access.Request{URL: url.MustParse("http://h/")})
	if err != nil || engine.ctx.Err() != nil {
		t.Fatalf("Get: %v, %v; want a context until Close", err, engine.ctx.Err())
	}
	r.Body.Close()
	if engine.ctx.Err() == nil {
		t.Error("after Close the context has not ended")
	}
	if _, err := (Timed{Engine: engine}).Do(t.Context(), &access.Request{URL: url.MustParse("http://h/")}); err != nil || engine.ctx != t.Context() {
		t.Errorf("without a Timeout: %v, another context %v", err, engine.ctx != t.Context())
	}
}
