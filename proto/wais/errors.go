package wais

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"locus/access"
)

var (
	errRejected = errors.New("the server rejects the Init")
	errRefused  = errors.New("the server refuses the request")
	errTryLater = access.Reason("the server cannot do it now: try again later", access.ErrTemporary)
	errNothing  = fmt.Errorf("an empty message, of a server that cannot answer: %w", access.ErrProtocol)
	errDropped  = dropped{}
)

// refusal is a diagnostic in place of what was asked for.
func (d diagnostic) refusal() *access.Refusal {
	return &access.Refusal{Reply: access.Reply{Text: d.String()}, Means: d.reason()}
}

// A dropped connection is one that the server closed without an answer.
type dropped struct{}

func (dropped) Error() string { return "the server closed the connection without an answer" }
func (dropped) Unwrap() error { return io.ErrUnexpectedEOF }
func (dropped) Suggest() access.Remedy {
	return access.Advice("some servers end so when they do not know the database")
}

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
