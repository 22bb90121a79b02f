package archive

import "hash/crc32"

// combineCRC returns the CRC-32 of the concatenation of two texts. first and second are the CRCs
// of the texts, and n is the length of the second text in bytes.
//
// A CRC is a polynomial modulo the polynomial of the checksum. Appending n bytes to the text
// multiplies it by x to the power of 8n.
func combineCRC(first, second uint32, n int64) uint32 {
	const x8 = 1 << 23 // x to the power of 8, with the lowest power in the highest bit
	return multiply(first, power(x8, n)) ^ second
}

// power returns the polynomial base to the power of n, modulo the polynomial of the CRC.
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

// multiply returns the product of two polynomials, modulo the polynomial of the CRC.
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
