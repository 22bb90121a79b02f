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
	errRejected     = errors.New("the server rejects the Init")
	errRefused      = errors.New("the server refuses the request")
	errTryLater     = access.Reason("the server cannot do it now: try again later", access.ErrTemporary)
	errEmptyMessage = fmt.Errorf("the server sent an empty message: %w", access.ErrProtocol)

	// errDropped says that the server closed the connection without a reply.
	errDropped = access.WithRemedy(
		access.Reason("the server closed the connection without an answer", io.ErrUnexpectedEOF),
		access.Advice("some servers close the connection if they do not have the database"))
)

func (d diagnostic) refusal() *access.Refusal {
	return &access.Refusal{Reply: access.Reply{Text: d.String()}, Means: d.reason()}
}

// reason returns what a diagnostic means. Some codes have several meanings, which
// only the text tells apart.
//
// QUIRK: freeWAIS uses SF ("present request out of range") for every failed
// retrieval, and S1 ("permanent system error") for every failed search.
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
