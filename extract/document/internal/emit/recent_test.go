package emit

import (
	"strings"
	"testing"
)

// A text that is in the cache is not copied again. A long text is not cached.
func TestRecentTexts(t *testing.T) {
	r := recentTexts{seed: buffers.New().(*buffer).texts.seed}
	long := strings.Repeat("x", maxRecentText+1)
	for range 2 {
		for _, text := range []string{"", "a.html", "b.html", "a.html", long} {
			if got := r.intern([]byte(text)); got != text {
				t.Errorf("of(%q) = %q", text, got)
			}
		}
	}
	again := []byte("a.html")
	if n := testing.AllocsPerRun(100, func() { r.intern(again) }); n > 0 {
		t.Errorf("of a text in the cache takes %v allocations, want 0", n)
	}
	size := 0
	for _, text := range r.all {
		size = max(size, len(text))
	}
	if size > maxRecentText {
		t.Errorf("a text of %d bytes is in the cache", size)
	}
	if got := (*recentTexts)(nil).intern(again); got != "a.html" {
		t.Errorf("without recentTexts, of returns %q", got)
	}
}
