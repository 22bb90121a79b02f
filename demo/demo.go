// Package demo starts small servers for the protocols of locus, on loopback. "locus
// demo" and tests use them.
//
// All serve the same [locus/demo/library]. Their packages list how they diverge from
// the RFCs.
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
	"sync"

	"locus/demo/internal/serve"
	"locus/demo/library"
)

// Config says which servers to start, and where.
type Config struct {
	// Listen opens ports, also for data connections; net.Listen is one. It is required.
	Listen func(network, address string) (net.Listener, error)
	// ListenPacket opens the ports of servers over UDP; net.ListenPacket is one. nil:
	// these are not started.
	ListenPacket func(network, address string) (net.PacketConn, error)
	// Host is the address to listen at; "": 127.0.0.1.
	Host string
	// Ports has the port for each scheme; 0: any free port. A port in use is an error.
	Ports map[string]uint16
	// Usual serves schemes that are not in Ports on their UsualPort if it is free.
	// Otherwise they get any free port.
	Usual bool
	// Files are served; nil: the library. They must be io.Seekers.
	Files fs.FS
	// Mail is a folder to make for a Maildir with a few messages; "": none. The caller
	// removes it.
	Mail string
	// Texts is a folder to make for the texts of the library, for file URLs; "": none.
	// The caller removes it.
	Texts string
	// Log is called for each command or request line that a server receives, without
	// passwords, from many goroutines; nil: no log.
	Log func(scheme, line string)
}

// A Demo has running servers.
type Demo struct {
	services []Service
	folder   string // the Maildir; "" if there is none
	texts    string // the folder with texts; "" if there is none
	cancel   context.CancelFunc
	servers  sync.WaitGroup
	mu       sync.Mutex
	err      error // of the server that failed first
}

// A Service is a running server.
type Service struct {
	Scheme string
	Addr   string // host and port, to be dialled
	URL    string // of its root
	Try    []Try  // commands to try; none if Config.Files is set
}

// Schemes returns the schemes that Start serves, in the order of Services.
func Schemes() []string {
	var schemes []string
	for _, s := range servers() {
		schemes = append(schemes, s.scheme)
	}
	return schemes
}

// UsualPort returns the usual port of a scheme; 0 if there is no server for it.
func UsualPort(scheme string) uint16 {
	for _, s := range servers() {
		if s.scheme == scheme {
			return s.port
		}
	}
	return 0
}

// Start starts every server. They run until ctx is done or Close is called. The caller
// calls Close or Wait.
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
	var listeners []listener
	if err == nil {
		listeners, err = cfg.listen()
	}
	if err != nil {
		return nil, fmt.Errorf("start demo: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	d := &Demo{cancel: cancel, services: cfg.services(listeners), folder: cfg.Mail, texts: cfg.Texts}
	for i, s := range cfg.servers() {
		r := room{files: files, index: index, listen: cfg.Listen, log: cfg.logOf(s.scheme), links: cfg.links(d.services, s.scheme)}
		d.servers.Go(func() { d.fail(s.scheme, s.run(ctx, listeners[i], r)) })
	}
	return d, nil
}

// servers returns the servers that cfg can start.
func (cfg Config) servers() []server {
	return slices.DeleteFunc(servers(), func(s server) bool { return s.packets != nil && cfg.ListenPacket == nil })
}

// run serves on the listener of the server.
func (s server) run(ctx context.Context, at listener, r room) error {
	if s.packets != nil {
		return s.packets(ctx, at.(net.PacketConn), r)
	}
	return s.serve(ctx, at.(net.Listener), r)
}

// fail records the first error, and stops all servers.
func (d *Demo) fail(scheme string, err error) {
	if err == nil {
		return
	}
	d.mu.Lock()
	d.err = cmp.Or(d.err, fmt.Errorf("serve %s: %w", scheme, err))
	d.mu.Unlock()
	d.cancel()
}

// Letters returns commands to try with Config.Mail; none without it.
func (d *Demo) Letters() []Try {
	if d.folder == "" {
		return nil
	}
	return tryMail(d.folder)
}

// Services returns the running servers, in the order of Schemes.
func (d *Demo) Services() []Service { return d.services }

// Service returns the server for a scheme; the zero Service if there is none.
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

// Close stops every server, and then does what Wait does.
func (d *Demo) Close() error {
	d.cancel()
	return d.Wait()
}

// A listener is a net.Listener, or a net.PacketConn for a server over UDP.
type listener interface{ Close() error }

func addrOf(l listener) string {
	if c, ok := l.(net.PacketConn); ok {
		return c.LocalAddr().String()
	}
	return l.(net.Listener).Addr().String()
}

// listen opens the port of every server.
func (cfg Config) listen() ([]listener, error) {
	var listeners []listener
	for _, s := range cfg.servers() {
		l, err := cfg.listenFor(s)
		if err != nil {
			for _, l := range listeners {
				l.Close()
			}
			return nil, fmt.Errorf("listen for %s: %w", s.scheme, err)
		}
		listeners = append(listeners, l)
	}
	return listeners, nil
}

func (cfg Config) listenFor(s server) (listener, error) {
	at := func(port uint16) (listener, error) {
		address := net.JoinHostPort(cmp.Or(cfg.Host, "127.0.0.1"), strconv.Itoa(int(port)))
		if s.packets != nil {
			return cfg.ListenPacket("udp", address)
		}
		return cfg.Listen("tcp", address)
	}
	if port, ok := cfg.Ports[s.scheme]; ok {
		return at(port)
	}
	if !cfg.Usual {
		return at(0)
	}
	if l, err := at(s.port); err == nil {
		return l, nil
	}
	return at(0)
}

func (cfg Config) logOf(scheme string) serve.Log {
	if cfg.Log == nil {
		return nil
	}
	return func(line string) { cfg.Log(scheme, line) }
}

func (cfg Config) services(listeners []listener) []Service {
	var all []Service
	for i, s := range cfg.servers() {
		addr := dialable(addrOf(listeners[i]))
		service := Service{Scheme: s.scheme, Addr: addr, URL: s.scheme + "://" + addr + "/"}
		if cfg.Files == nil {
			service.Try = tryAt(s.scheme, addr)
		}
		all = append(all, service)
	}
	return all
}

// dialable returns the address for this machine to dial a listener: loopback if it
// listens at every address.
func dialable(addr string) string {
	a, err := netip.ParseAddrPort(addr)
	if err != nil || !a.Addr().IsUnspecified() {
		return addr
	}
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), a.Port()).String()
}

// links returns links from one server to the others.
func (cfg Config) links(all []Service, from string) []serve.Link {
	var links []serve.Link
	for i, s := range cfg.servers() {
		_, port, _ := net.SplitHostPort(all[i].Addr)
		if n, err := strconv.ParseUint(port, 10, 16); err == nil && s.scheme != from {
			links = append(links, serve.Link{Title: s.title, Scheme: s.scheme, Port: uint16(n)})
		}
	}
	return links
}
