// Package refuse has the type of the errors by which the gateway itself refuses a request.
package refuse

import (
	"net/http"

	"locus/access"
)

var (
	// ErrNoPage is the error of a page that does not exist.
	ErrNoPage = New(http.StatusNotFound, "the gateway does not have this page", "the front page is at /")
	// ErrTooLarge is the error of a resource that is longer than the gateway passes on.
	ErrTooLarge = New(http.StatusBadGateway, "the resource is larger than this gateway passes on", "")
)

// An Error is the reason why the gateway refuses a request. The response has the Status. The
// gateway does not log it, because an access has not failed.
type Error struct {
	Status int    // the status of HTTP
	Text   string // in lower case, as in any error
	Hint   string // advice for the reader; may be empty
}

// New returns an Error.
func New(status int, text, hint string) *Error { return &Error{status, text, hint} }

func (e *Error) Error() string { return e.Text }

// Suggest returns the Hint as advice.
func (e *Error) Suggest() access.Remedy { return access.Advice(e.Hint) }
