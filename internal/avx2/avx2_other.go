//go:build !amd64 || purego

package avx2

func detect() bool { return false }
