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
	name, ok := byteNames()[e.Byte]
	if !ok {
		name = fmt.Sprintf("byte %#02x", e.Byte)
	}
	return fmt.Sprintf("%s has %s at offset %d, which would end the %s", e.What, name, e.Offset, cmp.Or(e.Ends, "command"))
}

func byteNames() map[byte]string {
	return map[byte]string{'\r': "CR", '\n': "LF", 0: "NUL"}
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
	i := strings.IndexAny(text, "\r\n\x00")
	if i < 0 {
		return nil
	}
	ends := "line"
	if text[i] == 0 {
		ends = "text"
	}
	return &ArgumentError{What: what, Byte: text[i], Offset: i, Ends: ends}
}
