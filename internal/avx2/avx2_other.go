//go:build !amd64 || purego

package avx2

// detect returns false, because this build has no code for AVX2.
func detect() bool { return false }
