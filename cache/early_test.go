package cache_test

import (
	"testing"

	"locus/access"
	"locus/access/accesstest"
)

// A Body that ends with an error that wraps io.EOF is not stored.
func TestEndsEarly(t *testing.T) {
	accesstest.EndsEarly(t, func(e access.Engine) access.Engine {
		c, _ := newCache(t, e, 0)
		return c
	})
}
