package flags

import "testing"

func TestHideLogin(t *testing.T) {
	for in, want := range map[string]string{
		"ftp://u:secret@h/[x": "ftp://…@h/[x",
		"ftp://u:s@e@h[":      "ftp://…@h[",
		"http://h/a@b[":       "http://…@b[",
		"http://h/{u:s@}{":    "http://…@}{",
		"[u:s@h":              "…@h",
		"x{":                  "x{",
	} {
		if got := HideLogin(in); got != want {
			t.Errorf("HideLogin(%q) = %q, want %q", in, got, want)
		}
	}
}
