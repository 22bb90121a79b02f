// Package refuse has the error of a request that the gateway itself refuses.
package refuse

import (
	"net/http"

	"locus/access"
)

var (
	// ErrNoPage is the error of a page that does not exist.
	ErrNoPage = New(http.StatusNotFound, "the gateway has no such page", "the front page is at /")
	// ErrTooLarge is the error of a resource that is longer than the gateway passes on.
	ErrTooLarge = New(http.StatusBadGateway, "the resource is larger than this gateway allows", "")
)

// An Error is the reason why the gateway refuses a request. Its page has the Status, and
// the log does not mention it, because no access failed.
type Error struct {
	Status int    // of HTTP
	Text   string // in lower case, as any error
	Hint   string // what the reader may do; "" if nothing
}

// New returns an Error.
func New(status int, text, hint string) *Error { return &Error{status, text, hint} }

func (e *Error) Error() string { return e.Text }

// Suggest returns the Hint as advice.
func (e *Error) Suggest() access.Remedy { return access.Advice(e.Hint) }
