package archive

import "hash/crc32"

// combine returns the CRC-32 of two texts, one after the other, from the CRC of each. n is
// the length of the second.
//
// A CRC is a polynomial modulo the polynomial of the checksum. Appending n bytes multiplies
// it by x to the power of 8n.
func combine(first, second uint32, n int64) uint32 {
	const x8 = 1 << 23 // x to the power of 8, with the lowest power in the highest bit
	return multiply(first, power(x8, n)) ^ second
}

// power returns base to the power of n.
func power(base uint32, n int64) uint32 {
	result := uint32(1 << 31) // 1
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			result = multiply(result, base)
		}
		base = multiply(base, base)
	}
	return result
}

// multiply returns the product of two polynomials.
func multiply(a, b uint32) uint32 {
	var product uint32
	for bit := uint32(1 << 31); bit != 0; bit >>= 1 {
		if a&bit != 0 {
			product ^= b
		}
		carry := b & 1
		if b >>= 1; carry == 1 {
			b ^= crc32.IEEE
		}
	}
	return product
}
