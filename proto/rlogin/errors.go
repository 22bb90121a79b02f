package rlogin

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"locus/access"
	"locus/url"
)

// failure says what was being done; io.EOF is no failure.
func failure(op string, u url.URL, err error) error {
	if err == io.EOF { //nolint:errorlint // as readers want it
		return err
	}
	e := &access.Error{Op: op, URL: u, Err: err}
	if r, ok := errors.AsType[*refusal](err); ok {
		e.Reply, e.Err = &access.Reply{Text: r.text}, fs.ErrPermission
	}
	switch {
	case errors.Is(err, errSilent):
		e.Tip = lowPort
	case errors.Is(err, errNoUser):
		e.Tip = "write the user into the URL, as in rlogin://user@host"
	}
	return e
}

const lowPort = "rlogin servers listen to nobody who comes from a port above 1023: " +
	"become root, or give the program the capability cap_net_bind_service"

var (
	errNoUser = noUser{}
	errSilent = fmt.Errorf("the server closed the connection without a word, and it was not made from a port below 1024: %w", fs.ErrPermission)
)

// noUser says that a server was not asked, as nobody would log in there.
type noUser struct{}

func (noUser) Error() string { return "nobody is said to log in" }
func (noUser) Unwrap() error { return fs.ErrPermission }

// A refusal is what a server says instead of consenting.
type refusal struct{ text string }

func (r *refusal) Error() string { return "refused" }

// refused returns what is behind an error before the server has consented.
func (s *session) refused(err error) error {
	switch {
	case s.conn.Usable() != nil:
		return s.conn.Usable()
	case !s.low:
		return errSilent
	case errors.Is(err, io.EOF):
		return io.ErrUnexpectedEOF
	}
	return err
}
