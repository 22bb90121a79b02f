package main

import (
	"context"
	"errors"
	"net"
	"os"
	"os/user"
	"runtime"
	"syscall"

	"github.com/urfave/cli/v3"

	"locus"
	"locus/access"
	"locus/proto/rlogin"
	"locus/proto/telnet"
)

// sessionClient returns a client whose sessions know the terminal and the user, and can
// use ports below 1024.
func (p *process) sessionClient(c *cli.Command) (*locus.Client, error) {
	client, e, err := p.newClient(c)
	if err != nil {
		return nil, err
	}
	screen, err := display(c)
	if err != nil {
		return nil, err
	}
	name := os.Getenv("TERM")
	e.more = func(dial locus.Dial) access.Table {
		screen.Dial, screen.Idle = dial, e.idle
		remote := rlogin.Client{Dial: dial, Idle: e.idle, LocalUser: userName(), Terminal: name}
		if e.direct {
			remote.DialLow = dialLow
		}
		return access.Table{
			"telnet": telnet.Client{Dial: dial, Idle: e.idle, Terminal: name, SendUser: c.Bool("send-user")},
			"rlogin": remote,
			"tn3270": screen,
		}
	}
	return client, nil
}

// userName returns the user who runs this command; "" if unknown.
func userName() string {
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return u.Username
}

// dialLow connects from the highest free port from 512 to 1023.
func dialLow(ctx context.Context, network, address string) (net.Conn, error) {
	const lowest, highest = 512, 1023
	for port := highest; ; port-- {
		d := net.Dialer{LocalAddr: &net.TCPAddr{Port: port}}
		conn, err := d.DialContext(ctx, network, address)
		if port == lowest || !isTaken(err) {
			return conn, err
		}
	}
}

// isTaken reports whether err says that a port is in use.
func isTaken(err error) bool {
	if runtime.GOOS == "windows" {
		const inUse, notAvailable = syscall.Errno(10048), syscall.Errno(10049)
		return errors.Is(err, inUse) || errors.Is(err, notAvailable)
	}
	return errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, syscall.EADDRNOTAVAIL)
}
