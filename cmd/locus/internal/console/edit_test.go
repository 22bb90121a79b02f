package console

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
)

// The text is in a file while it is edited, which is removed in the end.
func TestEdit(t *testing.T) {
	broken := errors.New("broken")
	for _, tt := range []struct {
		want string
		err  error
		run  func(name string) error
	}{
		{"edited", nil, func(name string) error {
			if text, err := os.ReadFile(name); string(text) != "text" || !strings.HasSuffix(name, ".eml") {
				t.Errorf("the file %s has %q, %v", name, text, err)
			}
			return os.WriteFile(name, []byte("edited"), 0o600)
		}},
		{"text", nil, func(string) error { return nil }},
		{"", broken, func(string) error { return broken }},
		{"", fs.ErrNotExist, os.Remove},
	} {
		file := ""
		got, err := Edit("text", "x-*.eml", func(name string) error {
			file = name
			return tt.run(name)
		})
		if got != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("Edit = %q, %v, want %q, %v", got, err, tt.want, tt.err)
		}
		if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is left: %v", file, err)
		}
	}
}
