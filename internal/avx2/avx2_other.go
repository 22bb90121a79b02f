//go:build !amd64 || purego

package avx2

// Usable reports whether the processor has AVX2 and BMI2, and the system saves their
// registers. It is false with the build tag purego.
func Usable() bool { return false }
