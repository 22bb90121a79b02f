package nntp

import (
	"errors"
	"testing"

	"locus/access"
)

// Only replies that mean "later" are temporary (RFC 3977 §3.2.1, §6.3.2).
func TestTemporary(t *testing.T) {
	temporary := map[int]bool{400: true, 403: true, 436: true}
	for code := 400; code < 600; code++ {
		if got := errors.Is(replyError(access.Reply{Code: code}), access.ErrTemporary); got != temporary[code] {
			t.Errorf("%d is temporary: %v, want %v", code, got, temporary[code])
		}
	}
}
