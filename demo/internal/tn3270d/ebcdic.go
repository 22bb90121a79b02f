package tn3270d

import "strings"

// letters are the letters and digits of ASCII, and codes those of EBCDIC for
// them, in the same order; signs are the rest, in code page 037.
const (
	letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	codes   = "\x81\x82\x83\x84\x85\x86\x87\x88\x89\x91\x92\x93\x94\x95\x96\x97\x98\x99\xA2\xA3\xA4\xA5\xA6\xA7\xA8\xA9" +
		"\xC1\xC2\xC3\xC4\xC5\xC6\xC7\xC8\xC9\xD1\xD2\xD3\xD4\xD5\xD6\xD7\xD8\xD9\xE2\xE3\xE4\xE5\xE6\xE7\xE8\xE9" +
		"\xF0\xF1\xF2\xF3\xF4\xF5\xF6\xF7\xF8\xF9"
	signs     = " .<(+|&!$*);-/,%_>?`:#@'=\"~^[]{}\\"
	signCodes = "\x40\x4B\x4C\x4D\x4E\x4F\x50\x5A\x5B\x5C\x5D\x5E\x60\x61\x6B\x6C\x6D\x6E\x6F\x79\x7A\x7B\x7C\x7D\x7E\x7F\xA1\xB0\xBA\xBB\xC0\xD0\xE0"
)

// encode encodes text in EBCDIC.
func encode(text string) []byte {
	return translate([]byte(text), letters+signs, codes+signCodes, 0x4B)
}

// decode decodes EBCDIC.
func decode(b []byte) string {
	return string(translate(b, codes+signCodes, letters+signs, '.'))
}

func translate(b []byte, from, to string, other byte) []byte {
	out := make([]byte, len(b))
	for i, c := range b {
		out[i] = other
		if at := strings.IndexByte(from, c); at >= 0 {
			out[i] = to[at]
		}
	}
	return out
}

// sixes are the characters that stand for six bits each.
const sixes = " ABCDEFGHI\x00.<(+|&JKLMNOPQR!$*);\x00-/STUVWXYZ\x00,%_>?0123456789:#@'=\""

// code6 returns the character for six bits.
func code6(bits byte) byte {
	switch bits &= 0x3F; bits {
	case 0x0A: // a sign that ASCII does not have
		return 0x4A
	case 0x1F:
		return 0x5F
	case 0x2A:
		return 0x6A
	}
	return encode(sixes[bits : bits+1])[0]
}

// appendAddress appends an address of the screen.
func appendAddress(to []byte, address int) []byte {
	return append(to, code6(byte(address>>6)), code6(byte(address)))
}

// address reads an address of the screen, in 12 or in 14 bits.
func address(high, low byte) int {
	if high>>6 == 0 {
		return int(high)<<8 | int(low)
	}
	return int(high&0x3F)<<6 | int(low&0x3F)
}
