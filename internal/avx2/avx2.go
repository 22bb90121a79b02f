// Package avx2 reports whether the processor can read 32 bytes at once.
package avx2
