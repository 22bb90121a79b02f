package serve

import (
	"errors"
	"net"
	"net/netip"
	"strings"
	"testing"

	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/flags"
)

// An address that is not HOST:PORT is a misuse. If another process uses the port, the error has a
// hint.
func TestListen(t *testing.T) {
	for _, address := range []string{"", "nonsense", "1738", "127.0.0.1", "127.0.0.1:http", "127.0.0.1:65536", "127.0.0.1:-1"} {
		l, err := Listen("admin", address)
		if err == nil {
			l.Close()
		}
		if !flags.IsMisuse(err) || !strings.Contains(err.Error(), "--admin must be HOST:PORT") {
			t.Errorf("%q: %v", address, err)
		}
	}
	l, err := Listen("listen", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, err = Listen("listen", l.Addr().String())
	if hint := cli.Hint(err); err == nil || !strings.Contains(hint, "--listen 127.0.0.1:0 takes any free port") {
		t.Errorf("Listen at a port that is in use = %v, hint %q", err, hint)
	}
}

// A listener has the requested address, and not also all IPv6 addresses.
func TestListenIPv4(t *testing.T) {
	l, err := Listen("listen", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if got := l.Addr().String(); !strings.HasPrefix(got, "0.0.0.0:") {
		t.Errorf("Listen at 0.0.0.0 listens on %s", got)
	}
}

// The address of a gateway that listens at every address is an address at which it answers.
func TestShownAddress(t *testing.T) {
	for address, want := range map[string]string{
		"127.0.0.1:1738": "127.0.0.1:1738", "192.0.2.1:80": "192.0.2.1:80", "0.0.0.0:1738": "127.0.0.1:1738", "[::]:1738": "[::1]:1738",
	} {
		if got := shownAddress(net.TCPAddrFromAddrPort(netip.MustParseAddrPort(address))); got != want {
			t.Errorf("shownAddress(%s) = %q, want %q", address, got, want)
		}
	}
}

// Without a host, only this machine can read the metrics.
func TestAdminAddress(t *testing.T) {
	for text, want := range map[string]string{"9100": "127.0.0.1:9100", ":9100": "127.0.0.1:9100", "0.0.0.0:9100": "0.0.0.0:9100", "[::1]:9100": "[::1]:9100"} {
		if got := adminAddress(text); got != want {
			t.Errorf("adminAddress(%q) = %q, want %q", text, got, want)
		}
	}
}

// If the second listener fails, closing toClose closes the first one.
func TestListeners(t *testing.T) {
	var toClose closers
	if _, _, err := (Options{Listen: "127.0.0.1:0", Admin: "nonsense:"}).listeners(&toClose); err == nil || len(toClose) != 1 {
		t.Errorf("listeners() adds %d listeners to toClose, %v", len(toClose), err)
	}
	l, ok := toClose[0].(net.Listener)
	if err := toClose.close(); !ok || err != nil {
		t.Fatalf("toClose.close() = %v", err)
	}
	if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("after close the listener accepts: %v", err)
	}
	broken := errors.New("broken")
	toClose = append(toClose, closeFunc(func() error { return broken }))
	if err := toClose.close(); !errors.Is(err, broken) || errors.Is(err, net.ErrClosed) { // closing a closed listener is not an error
		t.Errorf("toClose.close() = %v, want the other error", err)
	}
}
