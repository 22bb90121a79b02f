package gopher

import (
	"errors"
	"testing"

	"locus/access"
)

// The Gopher+ error 2 is temporary.
func TestTemporary(t *testing.T) {
	for code := range 10 {
		if got := errors.Is(plusError(code, "some text", nil), access.ErrTemporary); got != (code == 2) {
			t.Errorf("the error %d is temporary: %v", code, got)
		}
	}
}
