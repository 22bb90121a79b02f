// Package line keeps what a URL means from ending a command of a line
// protocol (RFC 1738 §6).
//
// A decoded part of a URL may hold any octet. In a protocol whose commands are
// lines, CR, LF or NUL in an argument would end the command and start another
// one. Every engine calls [Check] on each decoded argument before it connects.
package line

import (
	"cmp"
	"fmt"
)

// An Error says that an argument has an octet that would end a command, or what
// else it is to be part of.
type Error struct {
	What   string // what the argument is: "file name", "selector"
	Octet  byte   // the octet
	Offset int    // its place in the decoded argument
	Ends   string // what the octet would end; "" is the command
}

// Error gives "file name has LF at offset 3, which would end the command". It
// does not show the argument, which may be a password.
func (e *Error) Error() string {
	return fmt.Sprintf("%s has %s at offset %d, which would end the %s", e.What, name(e.Octet), e.Offset, cmp.Or(e.Ends, "command"))
}

func name(c byte) string {
	switch c {
	case '\r':
		return "CR"
	case '\n':
		return "LF"
	case 0:
		return "NUL"
	}
	return fmt.Sprintf("octet %#02x", c)
}

// Check returns an [*Error] if arg has CR, LF, NUL, or one of the octets in
// also, which delimit the arguments of the protocol. What says what arg is.
func Check(what, arg, also string) error {
	for i := range len(arg) {
		if c := arg[i]; c == '\r' || c == '\n' || c == 0 || has(also, c) {
			return &Error{What: what, Octet: c, Offset: i}
		}
	}
	return nil
}

// CheckText is Check for a text that is to stand on a line of a message, where
// CR and LF would end the line, and NUL the text.
func CheckText(what, text string) error {
	for i := range len(text) {
		switch text[i] {
		case '\r', '\n':
			return &Error{What: what, Octet: text[i], Offset: i, Ends: "line"}
		case 0:
			return &Error{What: what, Octet: 0, Offset: i, Ends: "text"}
		}
	}
	return nil
}

func has(set string, c byte) bool {
	for i := range len(set) {
		if set[i] == c {
			return true
		}
	}
	return false
}
