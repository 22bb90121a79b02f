package telnetd

import (
	"bufio"
	"context"
	"net"
	"time"

	"locus/demo/internal/serve"
)

// ServeRlogin serves a connection by rlogin (RFC 1282) as Serve does by Telnet.
// What the client says of its window is not asked for.
func (s *Server) ServeRlogin(_ context.Context, c net.Conn) {
	idle := s.Idle
	if idle == 0 {
		idle = 10 * time.Minute
	}
	c = serve.Patient(c, idle)
	name, err := startup(c)
	if err != nil {
		return
	}
	v := &visit{Server: s, line: newLine(c), out: bufio.NewWriter(c)}
	_ = v.out.WriteByte(0) // the connection is made
	_ = v.stay(name)       // the client has gone, or has left
}

// startup reads what a client begins with, and returns the name that it wants
// to have here:
//
//	NUL its-own-name NUL name NUL terminal/speed NUL
func startup(c net.Conn) (name string, err error) {
	var fields [4]string
	var octet [1]byte
	for i := 0; i < len(fields); {
		if _, err := c.Read(octet[:]); err != nil {
			return "", err
		}
		switch {
		case octet[0] == 0:
			i++
		case len(fields[i]) < maxName:
			fields[i] += string(octet[:])
		}
	}
	return fields[2], nil
}
