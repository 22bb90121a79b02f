package gopher

import (
	"errors"
	"testing"

	"locus/access"
)

// The Gopher+ error 2 and every phone book reply 4yz are temporary.
func TestTemporary(t *testing.T) {
	for code := range 10 {
		if got := errors.Is(plusError(code, "some text", nil), access.ErrTemporary); got != (code == 2) {
			t.Errorf("the error %d is temporary: %v", code, got)
		}
	}
	for code := 400; code < 600; code++ {
		if got := errors.Is(phoneBookError(access.Reply{Code: code}), access.ErrTemporary); got != (code < 500) {
			t.Errorf("the reply %d of a phone book is temporary: %v", code, got)
		}
	}
}
