package ascii

import "strconv"

// Port returns a decimal port as a number. It returns false if text is not a number from 0
// to 65535.
func Port(text string) (uint16, bool) {
	if text == "" {
		return 0, false // without making an error
	}
	n, err := strconv.ParseUint(text, 10, 16)
	return uint16(n), err == nil //nolint:gosec // it has 16 bits
}
