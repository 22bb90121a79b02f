package savefile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWrite(t *testing.T) {
	errBroken := errors.New("broken off")
	tests := []struct {
		name   string
		before string // the content of the file; "": the file does not exist
		err    error
		want   string // the content afterwards; "": the file does not exist
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
				t.Fatalf("%s: %v", test.name, err)
			}
		}
		err := Write(name, func(w io.Writer) error {
			if got, _ := os.ReadFile(name); string(got) != test.before {
				t.Errorf("%s: during Write the file has %q, want %q", test.name, got, test.before)
			}
			io.WriteString(w, "new content")
			return test.err
		})
		got, readErr := os.ReadFile(name)
		if !errors.Is(err, test.err) || string(got) != test.want || (readErr == nil) != (test.want != "") {
			t.Errorf("%s: Write = %v, and the file has %q, want %v, %q", test.name, err, got, test.err, test.want)
		}
		if left, _ := fs.Glob(os.DirFS(dir), ".*"); len(left) > 0 {
			t.Errorf("%s: Write left %q", test.name, left)
		}
	}
}

// An error has the name of the file, because the user does not know the name of the temporary file.
func TestErrorNamesFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "folder")
	err := Write(name, func(io.Writer) error { return os.Mkdir(name, 0o777) }) // so that the file cannot be replaced
	if err == nil || strings.Contains(err.Error(), ".locus-") || !strings.Contains(err.Error(), name) {
		t.Errorf("Write = %v, want an error with the name of the file", err)
	}
}

// Write replaces the target of a symbolic link. Check does not change the file.
func TestWriteThroughLink(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("file", link); err != nil {
		t.Skip(err)
	}
	if err := Check(link); err != nil {
		t.Error(err)
	}
	if got, _ := os.ReadFile(file); string(got) != "old" {
		t.Errorf("Check wrote %q", got)
	}
	write := func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err }
	if err := Write(link, write); err != nil {
		t.Error(err)
	}
	got, _ := os.ReadFile(file)
	if target, err := os.Readlink(link); string(got) != "new" || target != "file" || err != nil {
		t.Errorf("after Write through a link, the file has %q, and the link leads to %q, %v", got, target, err)
	}
	for _, err := range []error{Write(dir, write), Check(dir)} {
		if !errors.Is(err, ErrFolder) {
			t.Errorf("Write and Check of a folder = %v, want %v", err, ErrFolder)
		}
	}
	if err := Write(os.DevNull, write); err != nil {
		t.Error(err)
	}
}
