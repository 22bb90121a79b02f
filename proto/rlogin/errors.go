package rlogin

import (
	"io/fs"

	"locus/access"
	"locus/proto/internal/wire"
)

var (
	// errNoUser says that neither the URL nor the Client has a user name. Nothing
	// has been sent.
	errNoUser = access.WithRemedy(access.Reason("no user name", fs.ErrPermission),
		access.Advice("add the user to the URL, as in rlogin://user@host"))

	// errClosed says that the server closed a connection from a port above 1023 at
	// once.
	errClosed = access.WithRemedy(
		access.Reason("the server closed the connection at once (the client port is above 1023)", fs.ErrPermission),
		access.Advice("most rlogin servers require a client port below 1024: "+
			"run as root, or give the program the capability cap_net_bind_service"))
)

// handshakeError returns the cause of an error before the server has accepted the
// session.
func (s *session) handshakeError(err error) error {
	switch {
	case s.conn.Err() != nil:
		return s.conn.Err()
	case wire.IsTimeout(err):
		return err
	case !s.hasLowPort:
		return errClosed
	}
	return wire.Early(err)
}
