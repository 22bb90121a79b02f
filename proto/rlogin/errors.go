package rlogin

import (
	"errors"
	"io/fs"
	"net"

	"locus/access"
	"locus/proto/internal/wire"
)

const lowPort = "rlogin servers listen to nobody who comes from a port above 1023: " +
	"become root, or give the program the capability cap_net_bind_service"

var (
	errNoUser = noUser{}
	errSilent = silent{}
)

// noUser says that a server was not asked, as nobody would log in there.
type noUser struct{}

func (noUser) Error() string { return "nobody is said to log in" }
func (noUser) Unwrap() error { return fs.ErrPermission }
func (noUser) Suggest() access.Remedy {
	return access.Advice("write the user into the URL, as in rlogin://user@host")
}

// silent says that a server closed a connection from a port above 1023 at once.
type silent struct{}

func (silent) Error() string {
	return "the server closed the connection without a word, and it was not made from a port below 1024"
}
func (silent) Unwrap() error          { return fs.ErrPermission }
func (silent) Suggest() access.Remedy { return access.Advice(lowPort) }

// refused returns what is behind an error before the server has consented.
func (s *session) refused(err error) error {
	switch {
	case s.conn.Err() != nil:
		return s.conn.Err()
	case isTimeout(err):
		return err
	case !s.low:
		return errSilent
	}
	return wire.Early(err)
}

func isTimeout(err error) bool {
	late, ok := errors.AsType[net.Error](err)
	return ok && late.Timeout()
}
