package limit

import (
	"testing"
	"time"

	"locus/access"
	"locus/access/accesstest"
)

// An error that wraps io.EOF is not the end of a Body or a listing.
func TestEndsEarly(t *testing.T) {
	for name, wrap := range map[string]func(access.Engine) access.Engine{
		"Engine": func(e access.Engine) access.Engine {
			return Engine{Engine: e, Limiter: new(Limiter), Rate: &Rate{PerSecond: 1 << 20}, MinRate: 1}
		},
		"Timed": func(e access.Engine) access.Engine { return Timed{e, time.Hour} },
	} {
		t.Run(name, func(t *testing.T) { accesstest.EndsEarly(t, wrap) })
	}
}
