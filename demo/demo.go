// Package demo starts small servers for the protocols of locus, on loopback. "locus demo" and
// tests use them.
//
// All of them serve the same files, a small library. Their packages list how they diverge from the
// RFCs.
//
// # How the pieces work together
//
// Start opens a port for each server of the list in servers.go and runs the server (demo.go), which
// is in a package of its own. Most faults of Config.Faults are made in the connections (faults.go),
// so that a server need not know them. mail.go writes a Maildir and a folder of texts. try.go has
// commands for people to try, and examples.go links for the front page of the gateway that
// gateway.go makes and serve.go serves.
package demo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"

	"locus/demo/internal/library"
	"locus/demo/internal/serve"
)

// Config configures Start.
type Config struct {
	// Listen opens ports, including the ports of data connections, as net.Listen does. It is
	// required.
	Listen func(network, address string) (net.Listener, error)
	// ListenPacket opens the ports of servers over UDP, as net.ListenPacket does. If it is nil,
	// Start does not start these servers.
	ListenPacket func(network, address string) (net.PacketConn, error)
	// Host is the address to listen at; "" means 127.0.0.1.
	Host string
	// Ports has the port for each scheme; 0 means any free port. A port in use is an error.
	Ports map[string]uint16
	// Usual serves schemes that are not in Ports on their UsualPort if it is free, and
	// otherwise on any free port.
	Usual bool
	// Files are served; nil means the library. They must be io.Seekers.
	Files fs.FS
	// Mail is a folder in which Start makes a Maildir with a few messages; "" makes no Maildir.
	// The caller removes the folder.
	Mail string
	// Texts is a folder in which Start writes the texts of the library, for file URLs; ""
	// writes no texts. The caller removes the folder.
	Texts string
	// Faults happen in all servers.
	Faults Faults
	// Log is called, by many goroutines, with each command or request line that a server
	// receives, without passwords. It may be nil.
	Log func(scheme, line string)
}

// A Demo has running servers.
type Demo struct {
	services []Service
	folder   string // the Maildir, or ""
	texts    string // the folder with texts, or ""
	cancel   context.CancelFunc
	servers  sync.WaitGroup
	mu       sync.Mutex
	err      error // first error of a server
}

// A Service is a running server.
type Service struct {
	Scheme string
	Addr   string // host and port to dial
	URL    string // of its root
	Try    []Try  // commands to try; empty if Config.Files is set
}

// UsualPorts returns a text for people: the schemes with their usual ports, seven per line.
func UsualPorts() string {
	var ports, lines []string
	for _, scheme := range Schemes() {
		ports = append(ports, fmt.Sprintf("%s %d", scheme, UsualPort(scheme)))
	}
	for line := range slices.Chunk(ports, 7) {
		lines = append(lines, strings.Join(line, ", "))
	}
	return strings.Join(lines, ",\n")
}

// Schemes returns the schemes that Start serves, in the order of Services.
func Schemes() []string {
	var schemes []string
	for _, s := range servers() {
		schemes = append(schemes, s.scheme)
	}
	return schemes
}

// UsualPort returns the usual port of a scheme, or 0 if the demo does not serve it.
func UsualPort(scheme string) uint16 {
	for _, s := range servers() {
		if s.scheme == scheme {
			return s.port
		}
	}
	return 0
}

// Start writes Config.Mail and Config.Texts if they are set, starts every server, and returns when
// their ports are open. The servers run until ctx is done or Close is called. The caller must call
// Close or Wait.
func Start(ctx context.Context, cfg Config) (*Demo, error) {
	if cfg.Listen == nil {
		return nil, errors.New("start demo: Config.Listen is nil")
	}
	files := cfg.Files
	if files == nil {
		files = library.Files()
	}
	index, err := library.NewIndex(files)
	if err != nil {
		err = fmt.Errorf("index the texts: %w", err)
	}
	if err == nil && cfg.Mail != "" {
		err = writeMail(cfg.Mail, library.Files())
	}
	if err == nil && cfg.Texts != "" {
		err = writeTexts(cfg.Texts, library.Files())
	}
	var all []listening
	if err == nil {
		all, err = cfg.listen()
	}
	if err != nil {
		return nil, fmt.Errorf("start demo: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	d := &Demo{cancel: cancel, folder: cfg.Mail, texts: cfg.Texts}
	var links []serve.Link
	for _, s := range all {
		d.services = append(d.services, s.service(cfg.Files == nil))
		links = append(links, s.link())
	}
	for i, s := range all {
		r := setup{files: files, index: index, listen: cfg.listenTCP, faults: cfg.Faults, log: cfg.logOf(s.scheme), links: slices.Concat(links[:i], links[i+1:])}
		d.servers.Go(func() { d.fail(s.scheme, s.run(ctx, r)) })
	}
	return d, nil
}

// fail records err, the error of a scheme's server, unless an earlier error is recorded, and stops
// all servers. A nil err has no effect.
func (d *Demo) fail(scheme string, err error) {
	if err == nil {
		return
	}
	d.mu.Lock()
	d.err = cmp.Or(d.err, fmt.Errorf("serve %s: %w", scheme, err))
	d.mu.Unlock()
	d.cancel()
}

// Letters returns commands to try with the messages in Config.Mail. It returns nil if Config.Mail
// is "".
func (d *Demo) Letters() []Try {
	if d.folder == "" {
		return nil
	}
	return tryMail(d.folder)
}

// Services returns the running servers, in the order of Schemes.
func (d *Demo) Services() []Service { return d.services }

// Service returns the server for a scheme, or the zero Service if the demo does not serve it.
func (d *Demo) Service(scheme string) Service {
	for _, s := range d.services {
		if s.Scheme == scheme {
			return s
		}
	}
	return Service{}
}

// Wait waits until every server has ended. It returns the first error of a server.
func (d *Demo) Wait() error {
	d.servers.Wait()
	d.cancel()
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.err
}

// Close stops every server, waits until they have ended, and returns the first error of a server.
func (d *Demo) Close() error {
	d.cancel()
	return d.Wait()
}

// A listening is a server with its open port. at is a net.Listener, or a net.PacketConn for a
// server over UDP.
type listening struct {
	server
	at interface{ Close() error }
}

// addr returns the host:port at which clients on this machine dial the server.
func (l listening) addr() string {
	if c, ok := l.at.(net.PacketConn); ok {
		return dialable(c.LocalAddr())
	}
	return dialable(l.at.(net.Listener).Addr())
}

// run serves the packets or the connections of the server until ctx is done. It returns nil then,
// and the error of the server if that fails before.
func (l listening) run(ctx context.Context, r setup) error {
	if l.packets != nil {
		return l.packets(ctx, l.at.(net.PacketConn), r)
	}
	return l.serve(ctx, l.at.(net.Listener), r)
}

// service returns the description of the server. If withTries is set, it includes commands to try.
func (l listening) service(withTries bool) Service {
	s := Service{Scheme: l.scheme, Addr: l.addr(), URL: l.scheme + "://" + l.login() + l.addr() + "/"}
	if withTries {
		s.Try = tryAt(l.scheme, l.login()+s.Addr)
	}
	return s
}

// link returns the link to this server that other servers show.
func (l listening) link() serve.Link {
	at, _ := netip.ParseAddrPort(l.addr())
	return serve.Link{Title: l.title, Scheme: l.scheme, Login: l.login(), Port: at.Port()}
}

// listen opens the port of every server. It leaves out the servers over UDP if ListenPacket is nil.
// If a port cannot be opened, it closes the others and returns an error that names the scheme.
func (cfg Config) listen() ([]listening, error) {
	var all []listening
	for _, s := range servers() {
		if s.packets != nil && cfg.ListenPacket == nil {
			continue
		}
		l, err := cfg.listenFor(s)
		if err != nil {
			for _, l := range all {
				l.at.Close()
			}
			return nil, fmt.Errorf("listen for %s: %w", s.scheme, err)
		}
		all = append(all, l)
	}
	return all, nil
}

// listenFor opens the port of a server: the port in Ports, or else its usual port if Usual is set
// and the port is free, or else any free port.
func (cfg Config) listenFor(s server) (l listening, err error) {
	l.server = s
	at := func(port uint16) error {
		address := net.JoinHostPort(cmp.Or(cfg.Host, "127.0.0.1"), strconv.Itoa(int(port)))
		if s.packets != nil {
			l.at, err = cfg.listenUDP("udp", address)
		} else {
			l.at, err = cfg.listenTCP("tcp", address)
		}
		return err
	}
	port, isSet := cfg.Ports[s.scheme]
	if !isSet && cfg.Usual && at(s.port) == nil {
		return l, nil
	}
	err = at(port)
	return l, err
}

// listenTCP listens on a TCP address. The connections that it accepts have the faults of
// cfg.Faults.
func (cfg Config) listenTCP(network, address string) (net.Listener, error) {
	l, err := cfg.Listen(network, address)
	if err != nil {
		return nil, err
	}
	return cfg.Faults.listener(l), nil
}

// listenUDP listens on a UDP address. The datagrams of the connection have the faults of
// cfg.Faults.
func (cfg Config) listenUDP(network, address string) (net.PacketConn, error) {
	c, err := cfg.ListenPacket(network, address)
	if err != nil {
		return nil, err
	}
	return cfg.Faults.packets(c), nil
}

// logOf returns a function that logs lines of the server of a scheme; nil if cfg.Log is nil.
func (cfg Config) logOf(scheme string) serve.Log {
	if cfg.Log == nil {
		return nil
	}
	return func(line string) { cfg.Log(scheme, line) }
}

// dialable returns the address at which this machine can dial a listener. It is loopback if the
// listener accepts connections at every address.
func dialable(addr net.Addr) string {
	a, err := netip.ParseAddrPort(addr.String())
	if err != nil || !a.Addr().IsUnspecified() {
		return addr.String()
	}
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), a.Port()).String()
}
