// Package avx2 reports whether the processor can read 32 bytes at once.
package avx2

// Usable reports whether the processor has AVX2 and BMI2, and the system saves their
// registers. It is false with the build tag purego.
func Usable() bool { return usable }

// usable is computed once, because each CPUID interrupts a virtual machine.
var usable = detect()
