package locus

import (
	"testing"
	"time"

	"locus/access"
	"locus/access/accesstest"
)

// Limits pass on an error that wraps io.EOF as an early end.
func TestBoundedEndsEarly(t *testing.T) {
	accesstest.EndsEarly(t, func(e access.Engine) access.Engine {
		return bounded{e, Limits{Bytes: 1 << 20, Total: time.Hour}}
	})
}
