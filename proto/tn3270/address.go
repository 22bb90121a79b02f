package tn3270

// A buffer address is two bytes (GA23-0059 §"Buffer Addressing"):
//
//	0 0 a a a a a a   a a a a a a a a    14 bits
//	x 1 a a a a a a   x x a a a a a a    12 bits; x makes each byte printable
//	1 0                                  reserved; read as 12 bits
//
// Every screen of this package has fewer than 4096 positions, so the client always
// sends 12 bits.

// decodeAddress decodes an address. It may be beyond the screen.
func decodeAddress(high, low byte) int {
	if high&0xC0 == 0 {
		return int(high)<<8 | int(low)
	}
	return int(high&0x3F)<<6 | int(low&0x3F)
}

// appendAddress appends an address below 4096 in 12 bits.
func appendAddress(to []byte, address int) []byte {
	return append(to, graphic(byte(address>>6)), graphic(byte(address)))
}

// graphic encodes the six low bits of b as an EBCDIC character that exists in every
// code page.
func graphic(b byte) byte {
	b &= 0x3F
	switch column := b & 0x0F; {
	case b == 0x21:
		return 0x61 // "/", because not every code page has E1
	case b == 0x30, column >= 1 && column <= 9:
		return b | 0xC0
	}
	return b | 0x40
}
