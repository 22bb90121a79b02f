package ph

import (
	"errors"
	"testing"

	"locus/access"
)

// Every reply 4yz is temporary.
func TestTemporary(t *testing.T) {
	for code := 400; code < 600; code++ {
		if got := errors.Is(refusal(access.Reply{Code: code}), access.ErrTemporary); got != (code < 500) {
			t.Errorf("the reply %d is temporary: %v", code, got)
		}
	}
}
