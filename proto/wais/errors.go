package wais

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"locus/access"
	"locus/url"
)

var (
	errRejected = errors.New("the server rejects the Init")
	errRefused  = errors.New("the server refuses the request")
	errTryLater = errors.New("the server cannot do it now: try again later")
	errNothing  = fmt.Errorf("an empty message, of a server that cannot answer: %w", access.ErrProtocol)
	errDropped  = fmt.Errorf("the server closed the connection without an answer: %w", io.ErrUnexpectedEOF)
)

// annotate makes err an [*access.Error] that says what was being done.
func annotate(op string, u url.URL, err error) error {
	if err == nil {
		return nil
	}
	e := &access.Error{Op: op, URL: u, Err: err}
	if said, ok := errors.AsType[*failure](err); ok {
		e.Reply, e.Err = &access.Reply{Text: said.String()}, said.reason()
	}
	if errors.Is(err, errDropped) {
		e.Tip = "some servers end so when they do not know the database"
	}
	return e
}

// annotateRead does what annotate does while a Body is read, whose end is no
// error.
func annotateRead(op string, u url.URL, err error) error {
	if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return io.EOF
	}
	return annotate(op, u, err)
}

// A failure is a diagnostic in place of what was asked for.
type failure struct{ diagnostic }

func (f *failure) Error() string { return f.String() }

// reason says what a diagnostic means, by its code and, where that is one for
// several things, by its text.
//
// QUIRK: freeWAIS uses SF ("present request out of range") for every retrieval
// that fails, and S1 ("permanent system error") for every search.
func (d diagnostic) reason() error {
	text := strings.ToLower(d.text)
	switch d.code {
	case "S1", "SF":
		switch {
		case d.isEnd():
			return access.ErrRange
		case strings.Contains(text, "not available"), strings.Contains(text, "docid in request"):
			return fs.ErrNotExist
		}
	case "ST": // deleted
		return fs.ErrNotExist
	case "SH", "T2", "T3", "T4": // not authorised, access control, security
		return fs.ErrPermission
	case "S2", "SU", "SV", "SY", "SZ", "T1": // temporary, in use, locked, resources exhausted
		return errTryLater
	}
	return errRefused
}
