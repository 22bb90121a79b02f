package transfer

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"locus/internal/spill"
)

// Two mirrors at once into one folder, on a file system without locks between
// machines, never give a name to an incomplete file. Nor do they if there is a part of
// an earlier run.
func TestMirrorUnlocked(t *testing.T) {
	key := spill.HashOf("ftp://h/f;type=i")
	oldPart := hex.EncodeToString(key[:])
	for _, test := range []struct {
		name string
		here map[string]string
	}{
		{"from the start", nil},
		{"with a part of an older version", map[string]string{stateDir + "/" + oldPart + partSuffix: "1", stateDir + "/" + oldPart + partSuffix + stateSuffix: "{}"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			root, dir := folder(t)
			fill(t, dir, test.here)
			text := noise(100_000)
			together(t, root, &shelf{files: map[string]string{"f": text}}, func() { unlock(t, dir) }, text)
			if got := contents(t, dir)["f"]; got != text {
				t.Errorf("after both, f has %d bytes, %.20q", len(got), got)
			}
		})
	}
}

// unlock removes all locks of this process below a folder.
func unlock(t *testing.T, dir string) {
	t.Helper()
	open, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Error(err)
	}
	for _, name := range open {
		if to, err := os.Readlink(name); err == nil && filepath.Dir(to) == dir {
			var fd int
			if _, err := fmt.Sscan(filepath.Base(name), &fd); err != nil {
				t.Error(err)
			}
			if err := syscall.Flock(fd, syscall.LOCK_UN); err != nil {
				t.Error(err)
			}
		}
	}
}
