package flags

import "testing"

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

func TestInWords(t *testing.T) {
	for want, values := range map[string][]string{
		"text": {"text"}, "text or json": {"text", "json"}, "a, b, c or d": {"a", "b", "c", "d"}, "one of a, b, c, d, e": {"a", "b", "c", "d", "e"},
	} {
		if got := inWords(values); got != want {
			t.Errorf("inWords(%q) = %q, want %q", values, got, want)
		}
	}
}
