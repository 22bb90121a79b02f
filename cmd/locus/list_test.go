package main

import (
	"strings"
	"testing"
)

// ls lists everything in a very long listing. This is no script: a script would log all
// that ls writes.
func TestListLong(t *testing.T) {
	t.Parallel()
	status, stdout, stderr := runHere(t, "", "ls", "--json", newGopher(t)+"/1long")
	items := 0
	for line := range strings.Lines(stdout) {
		if strings.HasPrefix(line, `{"title":"Item`) {
			items++
		}
	}
	if status != 0 || items != 100_000 || stderr != "" {
		t.Errorf("ls ends with %d and lists %d items, want 100000; stderr %q", status, items, stderr)
	}
}
