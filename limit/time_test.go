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

// Within returns a TimeoutError only at the end of its own time, and not when the caller's context ends.
func TestWithin(t *testing.T) {
	wait := func(ctx context.Context, _ url.URL) error {
		<-ctx.Done()
		return ctx.Err()
	}
	u := url.MustParse("http://u:secret@h/")
	synctest.Test(t, func(t *testing.T) {
		err := Within(t.Context(), time.Minute, u, wait)
		if !IsTimeout(err) || !errors.Is(err, context.DeadlineExceeded) || err.Error() != "http://u:xxxxx@h/: timed out after 1m0s" {
			t.Errorf("Within = %v, want a TimeoutError", err)
		}
		for _, timeout := range []time.Duration{0, time.Hour} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			if err := Within(ctx, timeout, u, wait); IsTimeout(err) || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("Within(%v) = %v, want the error of the caller's context", timeout, err)
			}
			cancel()
		}
		if err := Within(t.Context(), 0, u, func(context.Context, url.URL) error { return nil }); err != nil {
			t.Errorf("Within = %v, want nil", err)
		}
	})
}

// An observed is an Engine that answers every request and keeps the context.
type observed struct{ ctx context.Context }

func (o *observed) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	o.ctx = ctx
	return &access.Resource{Entry: access.Entry{URL: req.URL}, Body: access.NoBody}, nil
}

// The context of a request without a Body ends when Do returns, because the caller need not close the Body. Otherwise
// each Stat and Put would stay in memory until the end of a long copy.
func TestTimedWithoutBody(t *testing.T) {
	engine := new(observed)
	for _, op := range []access.Op{access.Stat, access.Put, access.Append, access.Delete, access.MakeDir, access.Ask} {
		timed := Timed{Engine: engine, Timeout: time.Hour}
		if _, err := timed.Do(t.Context(), &access.Request{Op: op, URL: url.MustParse("http://h/")}); err != nil || engine.ctx.Err() == nil {
			t.Errorf("Do of %v = %v, want nil and an ended context", op, err)
		}
	}
	r, err := Timed{Engine: engine, Timeout: time.Hour}.Do(t.Context(), &access.Request{URL: url.MustParse("http://h/")})
	if err != nil || engine.ctx.Err() != nil {
		t.Fatalf("Do of Get = %v with the context error %v; want a context that lasts until Close", err, engine.ctx.Err())
	}
	r.Body.Close()
	if engine.ctx.Err() == nil {
		t.Error("the context has not ended after Close")
	}
	if _, err := (Timed{Engine: engine}).Do(t.Context(), &access.Request{URL: url.MustParse("http://h/")}); err != nil || engine.ctx != t.Context() {
		t.Errorf("Do without a Timeout = %v, another context = %v, want the caller's context", err, engine.ctx != t.Context())
	}
}
