package checkconfig

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// A file that a stranger put into a folder where everybody may write, such as /tmp, is not found: not from the
// folder itself, nor from a folder or file of the user below it.
func TestAttackStrangersFile(t *testing.T) {
	// attack: A `locus-check.toml` of a stranger lies where `check` looks for one | a folder that everybody may
	// write is skipped; a file that was found reads no variables of the environment, writes no files and chooses
	// no servers
	if runtime.GOOS == "windows" {
		t.Skip("the modes of Windows do not tell who may write")
	}
	top := t.TempDir()
	shared := filepath.Join(top, "tmp")
	mine := filepath.Join(shared, "mine", "doc")
	if err := os.MkdirAll(mine, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{filepath.Join(shared, Name), filepath.Join(mine, "page.md")} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, mode := range []os.FileMode{0o777, 0o777 | os.ModeSticky, 0o703} {
		if err := os.Chmod(shared, mode); err != nil {
			t.Fatal(err)
		}
		for _, from := range []string{shared, mine, filepath.Join(mine, "page.md"), filepath.Join(mine, "missing.md")} {
			if got := Find(from); got != "" {
				t.Errorf("Find(%q) = %q, want nothing of the folder with mode %v", from, got, mode)
			}
		}
	}
	if err := os.Chmod(shared, 0o755); err != nil {
		t.Fatal(err)
	}
	if got, want := Find(mine), filepath.Join(shared, Name); got != want {
		t.Errorf("Find(%q) = %q, want %q, because only the user may write there", mine, got, want)
	}
}
