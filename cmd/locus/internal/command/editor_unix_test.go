//go:build unix

package command

import (
	"os"
	"path/filepath"
	"testing"
)

// The variable has the path of an editor, which may have blanks, or a program with arguments.
func TestEditor(t *testing.T) {
	dir := t.TempDir()
	named := filepath.Join(dir, "my editor")
	if err := os.Symlink("/bin/sh", named); err != nil {
		t.Fatal(err)
	}
	out, err := os.Create(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	const script = `echo "edited with $-" >"$0"` + "\n" // the editor is a shell, which runs the text that it gets
	for _, test := range []struct {
		editor string
		want   bool // the text is edited
	}{
		{"/bin/sh", true},
		{"/bin/sh -e", true},
		{"  /bin/sh\t-e  ", true},
		{named, true},
		{named + " -e", false}, // a shell would not find this program either
		{"missing", false},
		{"", false},
		{"  ", false},
	} {
		e := NewEnv(nil, nil, os.Stderr)
		e.Stdout = out
		e.LookupEnv = func(name string) (string, bool) {
			value, ok := map[string]string{"EDITOR": test.editor, "PATH": dir}[name]
			return value, ok
		}
		got, err := e.EditText(t.Context(), "message", script, ".txt")
		if isEdited := err == nil && got != script; isEdited != test.want {
			t.Errorf("EditText with the editor %q = %q, %v, want edited: %v", test.editor, got, err, test.want)
		}
	}
}
