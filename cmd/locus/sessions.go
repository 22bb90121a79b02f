package main

import (
	"context"
	"errors"
	"net"
	"os"
	"os/user"
	"runtime"
	"syscall"

	"locus/access"
	"locus/proto/rlogin"
	"locus/proto/telnet"
)

// withSessions lets the sessions that t opens know what this machine knows: the
// terminal, the user, and ports below 1024.
func withSessions(t access.Table, sendUser bool) access.Table {
	var dialer net.Dialer
	terminal := os.Getenv("TERM")
	t["telnet"] = telnet.Client{Dial: dialer.DialContext, Terminal: terminal, SendUser: sendUser}
	t["rlogin"] = rlogin.Client{Dial: dialer.DialContext, DialLow: dialLow, LocalUser: userName(), Terminal: terminal}
	return t
}

// userName is who runs this command; "" if nobody knows.
func userName() string {
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return u.Username
}

// dialLow connects from a port from 512 to 1023, the highest that is free.
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
