package wais_test

import (
	"errors"
	"testing"

	"locus/access"
	"locus/proto/wais"
	"locus/url"
)

// A URL of another scheme is refused without dialing.
func TestOtherScheme(t *testing.T) {
	_, err := wais.Client{}.Do(t.Context(), &access.Request{URL: url.MustParse("x-none://h/")})
	if !errors.Is(err, access.ErrNoScheme) {
		t.Errorf("Open of another scheme = %v, want access.ErrNoScheme", err)
	}
}
