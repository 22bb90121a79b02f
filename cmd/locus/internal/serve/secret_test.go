package serve

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"locus/cmd/locus/internal/cli"
)

// The secret is the text of the file without its line end. A file that others can read, or whose
// text is short, is refused, and the error does not show the text.
func TestReadSecret(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("s3cret", 6)
	for _, test := range []struct {
		text      string
		mode      os.FileMode
		want      string
		err, hint string
	}{
		{long + "\n", 0o600, long, "", ""},
		{long + "\r\n", 0o400, long, "", ""},
		{long[:32], 0o600, long[:32], "", ""},
		{long[:31], 0o600, "", "key has 31 bytes, and a secret needs at least 32", "openssl rand"},
		{"", 0o600, "", "key has 0 bytes", "openssl rand"},
		{long, 0o640, "", "key: others can read it", "chmod 600 key"},
		{long, 0o604, "", "key: others can read it", "chmod 600 key"},
		{long, 0o620, "", "key: others can read it", "chmod 600 key"},
	} {
		if runtime.GOOS == "windows" && test.hint == "chmod 600 key" {
			continue
		}
		dir := t.TempDir()
		name := filepath.Join(dir, "key")
		if err := os.WriteFile(name, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(name, test.mode); err != nil {
			t.Fatal(err)
		}
		e, _ := envOf(t, nil)
		e.Dir = dir
		got, err := readSecret(e, "key")
		if test.err == "" {
			if err != nil || string(got) != test.want {
				t.Errorf("readSecret of %q = %q, %v, want %q", test.text, got, err, test.want)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), test.err) || !strings.Contains(cli.Hint(err), test.hint) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("readSecret of %q, mode %v = %v (hint %q), want %q (hint %q)", test.text, test.mode, err, cli.Hint(err), test.err, test.hint)
		}
	}
	e, _ := envOf(t, nil)
	if _, err := readSecret(e, filepath.Join(t.TempDir(), "none")); err == nil || !strings.HasPrefix(err.Error(), "--secret-file: ") {
		t.Errorf("readSecret of a missing file = %v, want an error that names --secret-file", err)
	}
}
