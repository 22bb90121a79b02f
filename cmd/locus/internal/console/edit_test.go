package console

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
)

// Edit keeps the text in a file while run runs, and then removes the file.
func TestEdit(t *testing.T) {
	broken := errors.New("broken")
	for _, test := range []struct {
		name string
		want string
		err  error
		run  func(name string) error
	}{
		{"an edited text", "edited", nil, func(name string) error {
			if text, err := os.ReadFile(name); string(text) != "text" || !strings.HasSuffix(name, ".eml") {
				t.Errorf("Edit calls run with the file %s, which has %q, %v", name, text, err)
			}
			return os.WriteFile(name, []byte("edited"), 0o600)
		}},
		{"no change", "text", nil, func(string) error { return nil }},
		{"a failure", "", broken, func(string) error { return broken }},
		{"a removed file", "", fs.ErrNotExist, os.Remove},
	} {
		file := ""
		got, err := Edit("text", "x-*.eml", func(name string) error {
			file = name
			return test.run(name)
		})
		if got != test.want || !errors.Is(err, test.err) {
			t.Errorf("%s: Edit = %q, %v, want %q, %v", test.name, got, err, test.want, test.err)
		}
		if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: Edit left the file %s: %v", test.name, file, err)
		}
	}
}
