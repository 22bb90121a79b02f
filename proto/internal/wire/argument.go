package wire

import (
	"cmp"
	"fmt"
	"strings"
)

// An ArgumentError means that an argument has a byte that would end its command or line (RFC 1738
// §6).
type ArgumentError struct {
	What   string // the kind of argument: "file name", "selector"
	Byte   byte
	Offset int    // the position in the decoded argument
	Ends   string // the thing that the byte would end; "" means the command
}

// Error returns a text such as "file name has LF at offset 3, which would end the command". It does
// not show the argument, which may be a password.
func (e *ArgumentError) Error() string {
	name, ok := byteNames()[e.Byte]
	if !ok {
		name = fmt.Sprintf("byte %#02x", e.Byte)
	}
	return fmt.Sprintf("%s has %s at offset %d, which would end the %s", e.What, name, e.Offset, cmp.Or(e.Ends, "command"))
}

// byteNames maps control characters to their names.
func byteNames() map[byte]string {
	return map[byte]string{'\r': "CR", '\n': "LF", 0: "NUL"}
}

// CheckArgument returns an [*ArgumentError] if arg has CR, LF, NUL, or a byte in also, which
// delimits arguments in the protocol. An engine checks each argument before it connects, because a
// decoded part of a URL may have any byte. kind names the argument in the error.
func CheckArgument(kind, arg, also string) error {
	for i := range len(arg) {
		if c := arg[i]; c == '\r' || c == '\n' || c == 0 || strings.IndexByte(also, c) >= 0 {
			return &ArgumentError{What: kind, Byte: c, Offset: i}
		}
	}
	return nil
}

// CheckText returns an [*ArgumentError] if text, a part of a message, has CR or LF, which would end
// the line, or NUL, which would end the text. kind names the text in the error.
func CheckText(kind, text string) error {
	i := strings.IndexAny(text, "\r\n\x00")
	if i < 0 {
		return nil
	}
	ends := "line"
	if text[i] == 0 {
		ends = "text"
	}
	return &ArgumentError{What: kind, Byte: text[i], Offset: i, Ends: ends}
}
