package typo_test

import (
	"testing"

	"locus/internal/typo"
)

func TestMeant(t *testing.T) {
	words := []string{"get", "put", "ls", "stat", "output", "output-dir", "timeout", "extract", "check", "cp", "j"}
	for typed, want := range map[string]string{
		"gett": "get", "gte": "get", "get": "get", "outptu": "output", "output-dri": "output-dir", "extarct": "extract", "chekc": "check",
		"sta": "stat", "xyz": "", "open": "", "": "", "l": "ls", "timeouts": "timeout", "verylongword": "",
	} {
		if got := typo.Meant(typed, words); got != want {
			t.Errorf("Meant(%q) = %q, want %q", typed, got, want)
		}
	}
}
