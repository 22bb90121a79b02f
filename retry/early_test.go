package retry

import (
	"testing"

	"locus/access"
	"locus/access/accesstest"
)

// An error that wraps io.EOF is not the end of a Body or a listing.
func TestEndsEarly(t *testing.T) {
	accesstest.EndsEarly(t, func(e access.Engine) access.Engine { return Engine{Engine: e, Policy: Policy{Retries: -1}} })
}
