package tn3270

import (
	"context"
	"errors"
	"testing"

	"locus/access"
	"locus/access/accesstest"
	"locus/url"
)

// An error of a session names the operation and the host.
func TestSessionErrors(t *testing.T) {
	server := accesstest.ServeAll(t, accesstest.Script{accesstest.Stall()})
	ctx, cancel := context.WithCancel(t.Context())
	u := url.MustParse("tn3270://h/")
	r, err := Client{Dial: server.Dial}.Do(ctx, &access.Request{URL: u})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	cancel()
	_, readErr := r.Body.Read(make([]byte, 1))
	_, writeErr := r.Session.Write([]byte("x"))
	for op, err := range map[string]error{"read": readErr, "write": writeErr, "resize": r.Session.Resize(80, 24)} {
		if e, ok := errors.AsType[*access.Error](err); !ok || e.Op != op || e.URL != u || !errors.Is(err, context.Canceled) {
			t.Errorf("%s after the end = %#v, want an *access.Error of %q", op, err, u)
		}
	}
}
