package cli

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"locus/url"
)

func TestFileName(t *testing.T) {
	tests := []struct {
		in, want string // want is "" if there is none
	}{
		{"http://h/a/b.txt", "b.txt"},
		{"http://h/a%20b?q=/x", "a b"},
		{"http://h/caf%C3%A9", "café"},
		{"http://h/caf%E9", "caf%E9"},
		{"http://h/a%2Fb", "a%2Fb"},
		{"http://h/..%2F..%2Fetc%2Fpasswd", ""},
		{"http://h/a%5Cb", "a%5Cb"},
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
		if got != test.want || (err != nil) != (test.want == "") {
			t.Errorf("FileName(%q) = %q, %v, want %q", test.in, got, err, test.want)
		}
	}
}

func FuzzFileName(f *testing.F) {
	f.Add("http://h/a%2Fb")
	f.Add("ftp://h/..;type=i")
	f.Fuzz(func(t *testing.T, text string) {
		u, err := url.Parse(text)
		if err != nil {
			return
		}
		name, err := FileName(u)
		if err == nil && (filepath.Base(name) != name || !filepath.IsLocal(name) || name[0] == '.' || !IsShown(name)) {
			t.Errorf("FileName(%q) = %q, which is no safe name", text, name)
		}
	})
}

func TestSaveAs(t *testing.T) {
	errBroken := errors.New("broken off")
	tests := []struct {
		name   string
		before string // what the file has; none if it is empty
		err    error
		want   string // what the file has then; none if it is empty
	}{
		{name: "new", want: "new content"},
		{name: "over", before: "old", want: "new content"},
		{name: "fails", err: errBroken},
		{name: "fails over", before: "old", err: errBroken, want: "old"},
	}
	for _, test := range tests {
		dir := t.TempDir()
		name := filepath.Join(dir, test.name)
		if test.before != "" {
			if err := os.WriteFile(name, []byte(test.before), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		err := new(Env).SaveAs(name, func(w io.Writer) error {
			if got, _ := os.ReadFile(name); string(got) != test.before {
				t.Errorf("%s: while it is written the file has %q, want %q", test.name, got, test.before)
			}
			io.WriteString(w, "new content")
			return test.err
		})
		got, readErr := os.ReadFile(name)
		if !errors.Is(err, test.err) || string(got) != test.want || (readErr == nil) != (test.want != "") {
			t.Errorf("%s: saveAs = %v, and the file has %q, want %v, %q", test.name, err, got, test.err, test.want)
		}
		if left, _ := fs.Glob(os.DirFS(dir), ".*"); len(left) > 0 {
			t.Errorf("%s: saveAs left %q", test.name, left)
		}
	}
}
