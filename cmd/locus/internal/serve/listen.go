package serve

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"syscall"

	"github.com/coreos/go-systemd/v22/activation"

	"locus/cmd/locus/internal/cli"
	"locus/internal/errno"
)

// listeners returns the listener of the gateway and the listener of --admin, which is nil without --admin. It adds
// both to toClose.
func (o Options) listeners(toClose *closers) (l, admin net.Listener, err error) {
	if o.Listen == "systemd" {
		l, err = passedListener()
	} else {
		l, err = Listen("listen", o.Listen)
	}
	if err != nil {
		return nil, nil, err
	}
	*toClose = append(*toClose, l)
	if o.Admin == "" {
		return l, nil, nil
	}
	if admin, err = Listen("admin", adminAddress(o.Admin)); err != nil {
		return nil, nil, err
	}
	*toClose = append(*toClose, admin)
	return l, admin, nil
}

// passedListener returns the socket that systemd passed to this process (sd_listen_fds(3)). Any
// other number of sockets than one is an error. systemd keeps the socket open while the gateway
// restarts, so that clients wait and are not refused.
func passedListener() (net.Listener, error) {
	all, err := activation.Listeners()
	if err != nil {
		return nil, fmt.Errorf("take the socket from systemd: %w", err)
	}
	if len(all) != 1 || all[0] == nil {
		for _, l := range all {
			if l != nil {
				_ = l.Close() // close the sockets that are not used
			}
		}
		return nil, &cli.Hinted{
			Err:  fmt.Errorf("--listen systemd needs one stream socket from systemd, not %d sockets", len(all)),
			Hint: "locus.socket passes one to locus.service; in a shell use --listen HOST:PORT",
		}
	}
	return all[0], nil
}

// Listen listens on address, HOST:PORT. flag is the name of the flag whose value is the address, for errors. An
// invalid address is a UsageError.
func Listen(flag, address string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(address)
	if _, err2 := strconv.ParseUint(port, 10, 16); err != nil || err2 != nil {
		return nil, &cli.UsageError{
			Text: fmt.Sprintf("--%s must be HOST:PORT, not %q", flag, address),
			Hint: "use 127.0.0.1:1738 for this machine only, or 127.0.0.1:0 for any free port",
		}
	}
	network := "tcp"
	if ip, err := netip.ParseAddr(host); err == nil && ip.Is4() {
		network = "tcp4" // because with tcp, 0.0.0.0 also means every IPv6 address
	}
	l, err := net.Listen(network, address)
	if errno.Is(err, syscall.EADDRINUSE) {
		return nil, &cli.Hinted{Err: err, Hint: "--" + flag + " " + net.JoinHostPort(host, "0") + " takes any free port"}
	}
	return l, err
}

// adminAddress returns HOST:PORT for the value of --admin. If the value has only a port, the host is 127.0.0.1.
func adminAddress(text string) string {
	port := strings.TrimPrefix(text, ":")
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return text
	}
	return "127.0.0.1:" + port
}

// shownAddress returns the address at which a browser on this machine reaches the listener at an address. It differs from
// the address of the listener if that is 0.0.0.0 or [::], at which the gateway does not answer.
func shownAddress(at net.Addr) string {
	addr, err := netip.ParseAddrPort(at.String())
	if err != nil || !addr.Addr().IsUnspecified() {
		return at.String()
	}
	host := "127.0.0.1"
	if addr.Addr().Is6() {
		host = "::1"
	}
	return net.JoinHostPort(host, strconv.Itoa(int(addr.Port())))
}
