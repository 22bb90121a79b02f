package nntp_test

import (
	"errors"
	"strings"
	"testing"

	"locus/access"
	"locus/access/accesstest"
	"locus/proto/nntp"
	"locus/url"
)

// Server is host or host:port. Other forms are refused before dialing. Errors do not show them,
// because they may have a password.
func TestServerName(t *testing.T) {
	for _, server := range []string{"news://ada:sesame@h", "ada:sesame@h", "ada:sesame@h h:119", "h/misc.test"} {
		c := nntp.Client{Dial: accesstest.Serve(t).Dial, Server: server}
		_, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("news:misc.test")})
		if !errors.Is(err, errors.ErrUnsupported) || access.Hint(err) == "" || strings.Contains(err.Error(), accesstest.Secret) {
			t.Errorf("Open with Server %q = %v, hint %q, want a refusal, a hint and no password", server, err, access.Hint(err))
		}
	}
}
