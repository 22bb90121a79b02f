package typo_test

import (
	"strings"
	"testing"

	"locus/internal/typo"
)

// A text that is much longer than every word does not take long, because a stranger may
// have written it.
func TestMeantLong(t *testing.T) {
	long := strings.Repeat("a", 1<<20)
	if allocs := testing.AllocsPerRun(1, func() { typo.Meant(long, []string{"get", "put"}) }); allocs > 0 {
		t.Errorf("a long text costs %v allocations, want 0", allocs)
	}
}

func TestMeant(t *testing.T) {
	words := []string{"open", "get", "put", "ls", "stat", "output", "output-dir", "timeout", "extract", "check", "cp", "j"}
	for typed, want := range map[string]string{
		"gett": "get", "gte": "get", "get": "get", "outptu": "output", "output-dri": "output-dir", "extarct": "extract", "chekc": "check",
		"sta": "stat", "xyz": "", "nope": "", "oepn": "open", "": "", "l": "ls", "timeouts": "timeout", "verylongword": "",
	} {
		if got := typo.Meant(typed, words); got != want {
			t.Errorf("Meant(%q) = %q, want %q", typed, got, want)
		}
	}
}
