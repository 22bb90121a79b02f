package cache_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"locus/access"
	"locus/url"
)

// A resource that is not stored yet is opened only if it is the version of IfMatch.
func TestIfMatchOfNothingStored(t *testing.T) {
	engine := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		if req.IfMatch.ETag != "" && req.IfMatch.ETag != `"2"` {
			return nil, &access.Error{Op: "open", URL: req.URL, Err: access.ErrChanged}
		}
		return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, ETag: `"2"`, Body: io.NopCloser(strings.NewReader("two"))}, nil
	})
	c, _ := newCache(t, engine, 1<<20)
	for _, want := range []error{access.ErrChanged, nil} {
		req := &access.Request{URL: url.MustParse("http://h/x")}
		if want != nil {
			req.IfMatch.ETag = `"1"`
		}
		r, err := c.Do(t.Context(), req)
		if !errors.Is(err, want) {
			t.Errorf("IfMatch %q of version 2 = %v, want %v", req.IfMatch.ETag, err, want)
		}
		if err == nil {
			r.Body.Close()
		}
	}
}
