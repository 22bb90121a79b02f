package prospero

import (
	"errors"
	"fmt"
	"io/fs"

	"locus/access"
)

const maxError = 8 << 10 // how many bytes of a server's error are kept

var (
	errSilence    = errors.New("no reply")
	errConnection = errors.New("the server refuses the connection")
	errRefused    = errors.New("the server refuses the request")
	errNotDir     = errors.New("not a directory")
	errLogin      = access.Reason("the server requires a login, which a URL cannot give", fs.ErrPermission)
	errVersion    = access.Reason("the server does not support version 5 of Prospero", errors.ErrUnsupported)
	errNoMethod   = access.Reason("no supported access method", errors.ErrUnsupported)
	errNothing    = fmt.Errorf("an empty reply: %w", access.ErrProtocol)
)

// refusal returns the error for a server's message text.
func refusal(text string, means error) error {
	return &access.Refusal{Reply: access.Reply{Text: text}, Means: means}
}

// reasons maps the codes of FAILURE to errors.
var reasons = map[string]error{
	"NOT-FOUND":               fs.ErrNotExist,
	"NOT-A-DIRECTORY":         errNotDir,
	"NOT-AUTHORIZED":          fs.ErrPermission,
	"AUTHENTICATION-REQUIRED": errLogin,
	"AUTHENTICATION-DATA":     errLogin,
	"UNIMPLEMENTED":           errors.ErrUnsupported,
	"ALREADY-EXISTS":          fs.ErrExist,
}

// failureOf returns the error of a line that ends a reply with a failure. ok is
// false for other lines.
func failureOf(tokens []string) (reason error, ok bool) {
	switch tokens[0] {
	case "FAILURE":
		if len(tokens) > 1 && reasons[tokens[1]] != nil {
			return reasons[tokens[1]], true
		}
		return errRefused, true
	case "ERROR":
		return errRefused, true
	case "VERSION-NOT-SUPPORTED":
		return errVersion, true
	}
	return nil, false
}
