// Package ftpd is a small read-only FTP server (RFC 959, RFC 1123 §4.1, RFC 2389, RFC
// 2428, RFC 3659).
//
// Notable divergences:
//   - Nothing is written: STOR and its kin are answered 550.
//   - No active mode: PORT and EPRT are answered 502, PASV and EPSV must be used.
//   - CWD with an empty argument, which RFC 1738 §3.2.2 sends for "//", goes to
//     the directory in which the login began.
//   - Patterns such as * are names like any other.
package ftpd

import (
	"context"
	"io/fs"
	"net"
	"time"

	"locus/demo/internal/serve"
)

const idle = 2 * time.Minute // how long a client may send nothing, or read nothing

// A Server serves the files of a file system. Change no field while it serves. Several
// goroutines may call Serve at once.
type Server struct {
	Files  fs.FS                                               // required
	Listen func(network, address string) (net.Listener, error) // for data connections; required
	Log    serve.Log                                           // called with each command, PASS without the password; nil: none
	Now    func() time.Time                                    // for the dates of LIST; nil: time.Now
}

// Users can log in besides "anonymous" and "ftp". Those have the root as home and
// accept any password.
var users = map[string]struct{ password, home string }{
	"demo": {"demo", "home/demo"},
}

// Serve serves the control connection c until the client quits, is idle too long, or
// ctx is done. The caller closes c.
func (s *Server) Serve(ctx context.Context, c net.Conn) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	n := &session{
		Server:   s,
		ctx:      ctx,
		ctrl:     c,
		lines:    make(chan input),
		dir:      ".",
		settings: settings{ascii: true, facts: allFacts},
	}
	go n.read()
	defer n.closePassive()
	n.run()
}

func (s *Server) now() time.Time {
	if s.Now == nil {
		return time.Now()
	}
	return s.Now()
}
