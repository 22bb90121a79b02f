package prospero

import (
	"errors"
	"fmt"
	"io/fs"

	"locus/access"
)

const maxError = 8 << 10 // octets of a server's error that are kept

var (
	errSilence    = errors.New("no answer")
	errConnection = errors.New("the server refuses the connection")
	errRefused    = errors.New("the server refuses the request")
	errNotDir     = errors.New("not a directory")
	errLogin      = access.Reason("it wants a proof of who asks, which a URL cannot give", fs.ErrPermission)
	errVersion    = access.Reason("it speaks another version of Prospero than 5", errors.ErrUnsupported)
	errNoMethod   = access.Reason("no access method that can be used", errors.ErrUnsupported)
	errNothing    = fmt.Errorf("an empty reply: %w", access.ErrProtocol)
)

// refusal is what a server said when it did not do what was asked.
func refusal(text string, means error) error {
	return &access.Refusal{Reply: access.Reply{Text: text}, Means: means}
}

// reasons says what the codes of FAILURE mean.
var reasons = map[string]error{
	"NOT-FOUND":               fs.ErrNotExist,
	"NOT-A-DIRECTORY":         errNotDir,
	"NOT-AUTHORIZED":          fs.ErrPermission,
	"AUTHENTICATION-REQUIRED": errLogin,
	"AUTHENTICATION-DATA":     errLogin,
	"UNIMPLEMENTED":           errors.ErrUnsupported,
	"ALREADY-EXISTS":          fs.ErrExist,
}

// reasonOf returns what a line says, if it is one that ends a reply.
func reasonOf(tokens []string) (reason error, ok bool) {
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
