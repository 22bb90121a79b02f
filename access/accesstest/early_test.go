package accesstest

import (
	"testing"

	"locus/access"
)

// The wrappers of package access pass on an early end.
func TestEndsEarly(t *testing.T) {
	for name, wrap := range map[string]func(access.Engine) access.Engine{
		"nothing": func(e access.Engine) access.Engine { return e },
		"a Table": func(e access.Engine) access.Engine { return access.Table{"gopher": e} },
		"Follow":  func(e access.Engine) access.Engine { return access.Follow{Engine: e} },
		"Recover": func(e access.Engine) access.Engine { return access.Recover{Engine: e} },
	} {
		t.Run(name, func(t *testing.T) { EndsEarly(t, wrap) })
	}
}
