package ftp

import (
	"errors"
	"testing"

	"locus/access"
)

// A 4yz reply is temporary (RFC 959 §4.2.1), except a full disk and a refused
// login.
func TestTemporary(t *testing.T) {
	for code := 400; code < 600; code++ {
		want := code < 500 && code != 430 && code != 452
		if got := errors.Is(replyError(access.Reply{Code: code}), access.ErrTemporary); got != want {
			t.Errorf("%d is temporary: %v, want %v", code, got, want)
		}
	}
}
