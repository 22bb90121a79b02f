package flags

import "testing"

func TestNearest(t *testing.T) {
	words := []string{"get", "put", "ls", "stat", "output", "output-dir", "timeout", "extract", "check", "cp", "j"}
	for typed, want := range map[string]string{
		"gett": "get", "gte": "get", "get": "get", "outptu": "output", "output-dri": "output-dir", "extarct": "extract", "chekc": "check",
		"sta": "stat", "xyz": "", "open": "", "": "", "l": "ls", "timeouts": "timeout", "verylongword": "",
	} {
		if got := Nearest(typed, words); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", typed, got, want)
		}
	}
}

func TestArgumentsOf(t *testing.T) {
	for usage, want := range map[string]string{
		"locus get [-o FILE|-O] [--answer NAME=VALUE…] [FLAG…] URL…": "URL…",
		"locus edit URL [--set part=value…]":                         "URL",
		"locus send [--smtp SERVER] [FILE|MAILTO-URL]":               "[FILE|MAILTO-URL]",
		"locus put [--x A B] FILE… URL":                              "FILE… URL",
		"locus version":                                              "",
	} {
		if got := argumentsOf(usage); got != want {
			t.Errorf("argumentsOf(%q) = %q, want %q", usage, got, want)
		}
	}
}
