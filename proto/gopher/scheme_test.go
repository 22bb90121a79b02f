package gopher_test

import (
	"errors"
	"testing"

	"locus/access"
	"locus/proto/gopher"
	"locus/url"
)

// A URL with another scheme is refused without a dial.
func TestOtherScheme(t *testing.T) {
	_, err := gopher.Client{}.Do(t.Context(), &access.Request{URL: url.MustParse("x-none://h/")})
	if !errors.Is(err, access.ErrNoScheme) {
		t.Errorf("Open of another scheme = %v, want access.ErrNoScheme", err)
	}
}
