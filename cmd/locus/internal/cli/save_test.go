package cli

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

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
