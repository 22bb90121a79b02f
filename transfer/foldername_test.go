package transfer

import (
	"runtime"
	"testing"

	"locus/url"
)

func TestFolderName(t *testing.T) {
	address := "[::1]_1"
	if runtime.GOOS == "windows" { // where no name has a colon
		address = "[%3A%3A1]_1"
	}
	for in, want := range map[string]string{
		"http://h/a/b":     "b",
		"http://h/a/b///":  "b",
		"http://h/":        "h",
		"http://h:8080":    "h_8080",
		"http://h/a/..":    "h",
		"http://h/.git/":   "h",
		"http://h/%2e%2e/": "h",
		"http://h/a%2Fb/":  "a%2Fb",
		"ftp://h/%2F":      "%2F",
		"http://.h/":       "", // a hidden folder
		"http://[::1]:1/":  address,
		"mailto:":          "",
	} {
		got, err := FolderName(url.MustParse(in))
		if got != want || (err != nil) != (want == "") {
			t.Errorf("FolderName(%q) = %q, %v, want %q", in, got, err, want)
		}
	}
}
