package wire

import (
	"cmp"
	"fmt"
	"strings"
)

// An ArgumentError says that an argument has a byte that would end its command
// or line (RFC 1738 §6).
type ArgumentError struct {
	What   string // kind of argument: "file name", "selector"
	Byte   byte
	Offset int    // position in the decoded argument
	Ends   string // what the byte would end; "" means the command
}

// Error returns "file name has LF at offset 3, which would end the command". It
// does not show the argument, which may be a password.
func (e *ArgumentError) Error() string {
	return fmt.Sprintf("%s has %s at offset %d, which would end the %s", e.What, byteName(e.Byte), e.Offset, cmp.Or(e.Ends, "command"))
}

func byteName(c byte) string {
	switch c {
	case '\r':
		return "CR"
	case '\n':
		return "LF"
	case 0:
		return "NUL"
	}
	return fmt.Sprintf("byte %#02x", c)
}

// CheckArgument returns an [*ArgumentError] if arg has CR, LF, NUL, or one of
// the bytes in also, which delimit arguments in the protocol. A decoded part of
// a URL may have any byte, so an engine checks each argument before it
// connects.
func CheckArgument(what, arg, also string) error {
	for i := range len(arg) {
		if c := arg[i]; c == '\r' || c == '\n' || c == 0 || strings.IndexByte(also, c) >= 0 {
			return &ArgumentError{What: what, Byte: c, Offset: i}
		}
	}
	return nil
}

// CheckText is [CheckArgument] for text in a message. CR and LF would end the
// line, and NUL the text.
func CheckText(what, text string) error {
	for i := range len(text) {
		switch text[i] {
		case '\r', '\n':
			return &ArgumentError{What: what, Byte: text[i], Offset: i, Ends: "line"}
		case 0:
			return &ArgumentError{What: what, Byte: 0, Offset: i, Ends: "text"}
		}
	}
	return nil
}
