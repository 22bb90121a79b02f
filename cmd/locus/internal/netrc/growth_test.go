package netrc_test

import (
	"strconv"
	"strings"
	"testing"

	"locus/cmd/locus/internal/netrc"
	"locus/internal/growth"
)

// The cost of Parse grows no faster than the text.
func TestParseGrowth(t *testing.T) {
	for _, piece := range []string{"machine a login b password c\n", "machine ", "default ", "\"", "\"a\" ", "\\\"", "macdef a\n", "# a\n", "\n", " ", "a", "login a "} {
		growth.Check(t, strconv.Quote(piece), 1000, func(n int) func() {
			text := strings.Repeat(piece, n)
			return func() { netrc.Parse(text) }
		})
	}
}
