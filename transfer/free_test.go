//go:build linux || darwin || windows

package transfer

import "testing"

// The system says how much fits on the disk.
func TestFreeSpace(t *testing.T) {
	root, _ := folder(t)
	n, ok := freeSpace(root)
	if !ok || n < 1<<20 {
		t.Errorf("freeSpace = %d, %v, want a megabyte at least", n, ok)
	}
}
