//go:build linux || darwin || windows

package sync

import (
	"testing"
)

// The system says how much fits on the disk.
func TestFreeSpace(t *testing.T) {
	root, _ := tempRoot(t)
	n, ok := FreeSpace(root)
	if !ok || n < 1<<20 {
		t.Errorf("FreeSpace = %d, %v, want a megabyte at least", n, ok)
	}
}
