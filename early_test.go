package locus

import (
	"testing"
	"time"

	"locus/access"
	"locus/access/accesstest"
)

// An error that wraps io.EOF is no end, within Limits either.
func TestBoundedEndsEarly(t *testing.T) {
	accesstest.EndsEarly(t, func(e access.Engine) access.Engine {
		return bounded{e, Limits{Bytes: 1 << 20, Total: time.Hour}}
	})
}
