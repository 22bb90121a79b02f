package whatwg

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"locus/url"
)

// allocated returns how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// A pattern of four times the length takes about four times the memory, whatever it repeats.
func TestPatternGrowth(t *testing.T) {
	const n = 4 << 10
	for _, shape := range []string{"a", `\a`, "{a}", "é", "/a", "a*", "{a}?", ":a%d/", "(a)", "{a(b)c}*", "a?"} {
		pattern := func(n int) string {
			if strings.Contains(shape, "%d") {
				var b strings.Builder
				for i := range n {
					fmt.Fprintf(&b, shape, i)
				}
				return b.String()
			}
			return strings.Repeat(shape, n)
		}
		parse := func(n int) func() {
			init := PatternInit{Pathname: url.Some("/" + pattern(n)), Search: url.Some(pattern(n))}
			return func() { _, _ = init.Pattern(PatternOptions{}) } // some patterns are too large for a regular expression
		}
		parse(1)() // makes the tables
		one, four := allocated(parse(n)), allocated(parse(4*n))
		if four > 6*one {
			t.Errorf("%d times %q allocates %d bytes, and %d times %d bytes: %.1f times as much", n, shape, one, 4*n, four, float64(four)/float64(one))
		}
	}
}
