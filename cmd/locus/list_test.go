package main

import (
	"strings"
	"testing"
)

// ls lists all entries of a very long listing. This test is not a script, because a script would
// log the whole output.
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
