package transfer

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"testing"

	"locus/url"
)

func ExampleFileName() {
	fmt.Println(FileName(url.MustParse("ftp://ftp.example.org/pub/a%20b.txt;type=a")))
	fmt.Println(FileName(url.MustParse("https://u:secret@example.org/.profile")))
	// Output:
	// a b.txt <nil>
	//  https://u:xxxxx@example.org/.profile: its end cannot be the name of a file
}

func TestFileNameOfURL(t *testing.T) {
	backslash := `a\b`
	if runtime.GOOS == "windows" {
		backslash = "a%5Cb"
	}
	tests := []struct {
		in, want string // want is "" if there is none
	}{
		{"http://h/a/b.txt", "b.txt"},
		{"http://h/a%20b?q=/x", "a b"},
		{"http://h/caf%C3%A9", "café"},
		{"http://h/caf%E9", "caf%E9"},
		{"http://h/a%2Fb", "a%2Fb"},
		{"http://h/..%2F..%2Fetc%2Fpasswd", ""},
		{"http://h/a%5Cb", backslash},
		{"http://h/a%00b", "a%00b"},
		{"http://h/a%1B%5B2J", "a%1B%5B2J"},
		{"http://h/%E2%80%AEtxt.exe", "%E2%80%AEtxt.exe"},
		{"http://h/-rf", "-rf"},
		{"http://h/", ""},
		{"http://h", ""},
		{"http://h/.bashrc", ""},
		{"http://h/%2Ebashrc", ""},
		{"http://h/.", ""},
		{"http://h/%2E%2e", ""},
		{"ftp://h/pub/a;type=i", "a"},
		{"ftp://h/pub/a%3Btype=i", "a;type=i"},
		{"ftp://h/pub;x=1/a", "a"},
		{"http://h/a;type=i", "a;type=i"},
		{"gopher://h/0/texts/rfc.txt", "rfc.txt"},
		{"gopher://h/0rfc.txt", "rfc.txt"},
		{"gopher://h/0/texts/rfc.txt%09%09+", "rfc.txt"},
		{"gopher://h/0/a%20b%09%09+text/plain%20De_DE", "a b"},
		{"gopher://h/7/find%09words/x", "find"},
		{"gopher://h/%30a", "a"},
		{"gopher://h/0..%2Fx", ""},
		{"gopher://h/0..", ""},
		{"gopher://h/1", ""},
		{"gopher://h", ""},
	}
	for _, test := range tests {
		got, err := FileName(url.MustParse(test.in))
		if got != test.want || errors.Is(err, ErrNoFileName) != (test.want == "") || (err == nil) != (test.want != "") {
			t.Errorf("FileName(%q) = %q, %v, want %q", test.in, got, err, test.want)
		}
	}
}

func FuzzFileNameOfURL(f *testing.F) {
	f.Add("http://h/a%2Fb")
	f.Add("ftp://h/..;type=i")
	f.Fuzz(func(t *testing.T, text string) {
		u, err := url.Parse(text)
		if err != nil {
			return
		}
		name, err := FileName(u)
		if err == nil && (filepath.Base(name) != name || !filepath.IsLocal(name) || name[0] == '.' || !isFileName(name)) {
			t.Errorf("FileName(%q) = %q, which is no safe name", text, name)
		}
	})
}

func TestIsFileName(t *testing.T) {
	for name, want := range map[string]bool{
		"a": true, "a b": true, ".a": true, "ü": true,
		"": false, "..": false, "a/b": false, `a\b`: runtime.GOOS != "windows", "a\x00": false, "a\x1b[2J": false, "/": false,
	} {
		if got := isFileName(name); got != want {
			t.Errorf("isFileName(%q) = %v", name, got)
		}
	}
	if name, err := FileName(url.URL{}); !errors.Is(err, ErrNoFileName) {
		t.Errorf("FileName of the zero URL = %q, %v", name, err)
	}
}

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
