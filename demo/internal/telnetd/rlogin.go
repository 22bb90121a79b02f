package telnetd

import (
	"bufio"
	"context"
	"net"

	"locus/demo/internal/serve"
)

// ServeRlogin serves a connection by rlogin (RFC 1282), as Serve does by Telnet. It
// does not ask for the window size.
func (s *Server) ServeRlogin(_ context.Context, c net.Conn) {
	c = serve.WithIdle(c, idle)
	name, err := startup(c)
	if err != nil {
		return
	}
	v := &session{Server: s, line: newLine(c), out: bufio.NewWriter(c)}
	_ = v.out.WriteByte(0) // the login is accepted
	_ = v.run(name)        // the client has disconnected
}

// startup reads the start of a connection, and returns the user name at this server:
//
//	NUL its-own-name NUL name NUL terminal/speed NUL
func startup(c net.Conn) (name string, err error) {
	var fields [4]string
	var b [1]byte
	for i := 0; i < len(fields); {
		if _, err := c.Read(b[:]); err != nil {
			return "", err
		}
		switch {
		case b[0] == 0:
			i++
		case len(fields[i]) < maxName:
			fields[i] += string(b[:])
		}
	}
	return fields[2], nil
}
