//go:build !purego

package avx2

// detect asks the processor.
func detect() bool
