package prospero

import (
	"errors"
	"fmt"
	"io/fs"

	"locus/access"
	"locus/url"
)

const maxError = 8 << 10 // octets of a server's error that are kept

var (
	errSilence    = errors.New("no answer")
	errConnection = errors.New("the server refuses the connection")
	errRefused    = errors.New("the server refuses the request")
	errNotDir     = errors.New("not a directory")
	errLogin      = fmt.Errorf("it wants a proof of who asks, which a URL cannot give: %w", fs.ErrPermission)
	errVersion    = fmt.Errorf("it speaks another version of Prospero than 5: %w", errors.ErrUnsupported)
	errNoMethod   = fmt.Errorf("no access method that can be used: %w", errors.ErrUnsupported)
	errNothing    = fmt.Errorf("an empty reply: %w", access.ErrProtocol)
)

// annotate makes err an [*access.Error] that says what was being done, but for
// an [*access.Moved].
func annotate(op string, u url.URL, err error) error {
	if moved, ok := errors.AsType[*access.Moved](err); ok {
		return moved
	}
	e := &access.Error{Op: op, URL: u, Err: err}
	if said, ok := errors.AsType[*failure](err); ok {
		e.Reply, e.Err = &access.Reply{Text: said.text}, said.reason
	}
	return e
}

// A failure is what a server said when it did not do what was asked.
type failure struct {
	text   string
	reason error
}

func (f *failure) Error() string { return f.text + ": " + f.reason.Error() }

func (f *failure) Unwrap() error { return f.reason }

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
