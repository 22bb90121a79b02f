//go:build !amd64 || purego

package avx2

// Usable reports whether the processor has AVX2 and BMI2, and the system keeps
// what they use. It is false, too, in programs built with the tag purego.
func Usable() bool { return false }
