package tn3270d

import "golang.org/x/text/encoding/charmap"

// encode encodes text in EBCDIC, code page 037. It replaces all characters except printable
// ASCII by periods.
func encode(text string) []byte {
	out := make([]byte, len(text))
	for i, c := range []byte(text) {
		out[i], _ = charmap.CodePage037.EncodeRune(printable(rune(c))) // code page 037 has all of ASCII
	}
	return out
}

// decode decodes EBCDIC. It replaces all characters except printable ASCII by periods.
func decode(b []byte) string {
	out := make([]rune, len(b))
	for i, c := range b {
		out[i] = printable(charmap.CodePage037.DecodeByte(c))
	}
	return string(out)
}

// printable returns r if it is printable ASCII, and otherwise a period.
func printable(r rune) rune {
	if r < ' ' || r > '~' {
		return '.'
	}
	return r
}

// sixes are the codes that represent six bits each.
const sixes = "\x40\xC1\xC2\xC3\xC4\xC5\xC6\xC7\xC8\xC9\x4A\x4B\x4C\x4D\x4E\x4F" +
	"\x50\xD1\xD2\xD3\xD4\xD5\xD6\xD7\xD8\xD9\x5A\x5B\x5C\x5D\x5E\x5F" +
	"\x60\x61\xE2\xE3\xE4\xE5\xE6\xE7\xE8\xE9\x6A\x6B\x6C\x6D\x6E\x6F" +
	"\xF0\xF1\xF2\xF3\xF4\xF5\xF6\xF7\xF8\xF9\x7A\x7B\x7C\x7D\x7E\x7F"

// code6 returns the code of the data stream for the low six bits of bits.
func code6(bits byte) byte { return sixes[bits&0x3F] }

// appendAddress appends an address of the screen, in 12 bits.
func appendAddress(to []byte, address int) []byte {
	return append(to, code6(byte(address>>6)), code6(byte(address)))
}

// address decodes the two bytes of an address of the screen, in 12 or in 14 bits.
func address(high, low byte) int {
	if high>>6 == 0 {
		return int(high)<<8 | int(low)
	}
	return int(high&0x3F)<<6 | int(low&0x3F)
}
