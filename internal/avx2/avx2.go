// Package avx2 reports whether the processor can read 32 bytes at once.
package avx2

// Usable reports whether the processor has AVX2 and BMI2, and the system saves their
// registers. It is false with the build tag purego.
func Usable() bool { return usable }

// usable is found out once: a virtual machine stops at each CPUID.
var usable = detect()
