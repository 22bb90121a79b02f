package ftp

import (
	"errors"
	"testing"

	"locus/access"
)

// A reply 4yz is temporary (RFC 959 §4.2.1), but for a full disk and a login that
// was refused.
func TestTemporary(t *testing.T) {
	for code := 400; code < 600; code++ {
		want := code < 500 && code != 430 && code != 452
		if got := errors.Is(meaning(access.Reply{Code: code}), access.ErrTemporary); got != want {
			t.Errorf("%d is temporary: %v, want %v", code, got, want)
		}
	}
}
