package open

import (
	"context"
	"errors"
	"net"
	"os/user"
	"runtime"
	"strconv"
	"syscall"

	"locus"
	"locus/access"
	"locus/cmd/locus/internal/cli"
	"locus/proto/rlogin"
	"locus/proto/telnet"
	"locus/proto/tn3270"
)

// sessionClient returns a client whose sessions know the terminal and the user, and can
// use ports below 1024.
func sessionClient(e *cli.Env, o Options) (*cli.Client, error) {
	client, err := e.Client(cli.Access{Connect: o.Connect}, o.URL)
	if err != nil {
		return nil, err
	}
	terminal := e.Getenv("TERM")
	model, _ := strconv.Atoi(o.Model) // "" if it is not given
	client.Engines.More = func(dial locus.Dial) access.Table {
		remote := rlogin.Client{Dial: dial, Idle: o.Idle, LocalUser: userName(), Terminal: terminal}
		if client.Engines.Direct {
			remote.DialLow = DialLow
		}
		return access.Table{
			"telnet": telnet.Client{Dial: dial, Idle: o.Idle, Terminal: terminal, SendUser: o.SendUser},
			"rlogin": remote,
			"tn3270": tn3270.Client{
				Dial: dial, Idle: o.Idle, Model: model, CodePage: o.CodePage, Monochrome: e.Getenv("NO_COLOR") != "",
			},
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

// DialLow connects from the highest free port from 512 to 1023.
func DialLow(ctx context.Context, network, address string) (net.Conn, error) {
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
