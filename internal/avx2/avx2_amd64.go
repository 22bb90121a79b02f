//go:build !purego

package avx2

// detect asks the processor and the system for the result of Usable.
func detect() bool
