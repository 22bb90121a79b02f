// Package demo starts small, honest servers of the protocols that locus speaks,
// on loopback: for "locus demo", and for tests that need one without a network.
//
// All of them serve one [locus/demo/library]. What they do by their documents,
// and what they do not, their packages say.
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

// Config says what is started, and where.
type Config struct {
	// Listen opens every port, of data connections too. Required: without it
	// Start is refused. net.Listen is one.
	Listen func(network, address string) (net.Listener, error)
	// ListenPacket opens the port of every server that speaks over UDP; nil
	// starts none of these. net.ListenPacket is one.
	ListenPacket func(network, address string) (net.PacketConn, error)
	// Host is where to listen; "" is 127.0.0.1.
	Host string
	// Ports says on which port to serve a scheme; 0 is any that is free. A port
	// that is taken is an error.
	Ports map[string]uint16
	// Usual serves a scheme that is not in Ports on its UsualPort, or on any
	// that is free where that one is taken. Otherwise it is any that is free.
	Usual bool
	// Files is what is served; nil is the library. Its files are io.Seekers.
	Files fs.FS
	// Mail is a folder, which need not be there, in which a Maildir of a few
	// letters is made; "" is none. Whoever names it removes it.
	Mail string
	// Texts is a folder, which need not be there, in which the texts of the
	// library are written, for file URLs; "" is none. Whoever names it removes it.
	Texts string
	// Log is called with each command or request line that a server of the scheme
	// is sent, without passwords, from many goroutines; nil is none.
	Log func(scheme, line string)
}

// A Demo is servers that have been started.
type Demo struct {
	services []Service
	folder   string // the Maildir; "" if there is none
	texts    string // the folder with texts; "" if there is none
	cancel   context.CancelFunc
	servers  sync.WaitGroup
	mu       sync.Mutex
	err      error // of the server that failed first
}

// A Service is a server that can be tried.
type Service struct {
	Scheme string
	Addr   string // host and port, to be dialled
	URL    string // of its root
	Try    []Try  // what it shows; none where Config.Files was given
}

// Schemes gives the schemes that Start serves, in the order of Services.
func Schemes() []string {
	var schemes []string
	for _, s := range servers() {
		schemes = append(schemes, s.scheme)
	}
	return schemes
}

// UsualPort gives the port on which people find a scheme's server; 0 if there
// is no such server.
func UsualPort(scheme string) uint16 {
	for _, s := range servers() {
		if s.scheme == scheme {
			return s.port
		}
	}
	return 0
}

// Start starts every server. They serve until ctx is done or Close is called;
// the caller calls Close or Wait.
func Start(ctx context.Context, cfg Config) (*Demo, error) {
	if cfg.Listen == nil {
		return nil, errors.New("start demo: Config.Listen is nil")
	}
	listeners, err := cfg.listen()
	if err != nil {
		return nil, fmt.Errorf("start demo: %w", err)
	}
	files := cfg.Files
	if files == nil {
		files = library.Files()
	}
	index, err := library.NewIndex(files)
	if err != nil {
		closeAll(listeners)
		return nil, fmt.Errorf("start demo: index the texts: %w", err)
	}
	if cfg.Mail != "" {
		if err := writeMail(cfg.Mail, library.Files()); err != nil {
			closeAll(listeners)
			return nil, fmt.Errorf("start demo: %w", err)
		}
	}
	if cfg.Texts != "" {
		if err := writeTexts(cfg.Texts, library.Files()); err != nil {
			closeAll(listeners)
			return nil, fmt.Errorf("start demo: %w", err)
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	d := &Demo{cancel: cancel, services: cfg.services(listeners), folder: cfg.Mail, texts: cfg.Texts}
	for i, s := range cfg.servers() {
		r := room{files: files, index: index, listen: cfg.Listen, log: cfg.logOf(s.scheme), links: cfg.links(d.services, s.scheme)}
		d.servers.Go(func() { d.fail(s.scheme, s.run(ctx, listeners[i], r)) })
	}
	return d, nil
}

// servers gives the servers that there is something to listen for.
func (cfg Config) servers() []server {
	return slices.DeleteFunc(servers(), func(s server) bool { return s.packets != nil && cfg.ListenPacket == nil })
}

// run serves what was opened for the server.
func (s server) run(ctx context.Context, at listener, r room) error {
	if s.packets != nil {
		return s.packets(ctx, at.(net.PacketConn), r)
	}
	return s.serve(ctx, at.(net.Listener), r)
}

// fail remembers the first error, and ends all servers with the one that had
// it.
func (d *Demo) fail(scheme string, err error) {
	if err == nil {
		return
	}
	d.mu.Lock()
	d.err = cmp.Or(d.err, fmt.Errorf("serve %s: %w", scheme, err))
	d.mu.Unlock()
	d.cancel()
}

// Letters gives what the mail in Config.Mail shows; nothing if there is none.
func (d *Demo) Letters() []Try {
	if d.folder == "" {
		return nil
	}
	return tryMail(d.folder)
}

// Services gives what was started, in the order of Schemes.
func (d *Demo) Services() []Service { return d.services }

// Service gives what was started for a scheme; the zero Service if nothing.
func (d *Demo) Service(scheme string) Service {
	for _, s := range d.services {
		if s.Scheme == scheme {
			return s
		}
	}
	return Service{}
}

// Wait waits until every server has ended and gives the error of the one that
// failed first; nil if none did.
func (d *Demo) Wait() error {
	d.servers.Wait()
	d.cancel()
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.err
}

// Close ends every server and its connections, and waits as Wait does.
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
			closeAll(listeners)
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

func (cfg Config) logOf(scheme string) func(string) {
	if cfg.Log == nil {
		return nil
	}
	return func(line string) { cfg.Log(scheme, line) }
}

func closeAll(listeners []listener) {
	for _, l := range listeners {
		l.Close()
	}
}

func (cfg Config) services(listeners []listener) []Service {
	var all []Service
	for i, s := range cfg.servers() {
		addr := dialable(addrOf(listeners[i]))
		service := Service{Scheme: s.scheme, Addr: addr, URL: s.scheme + "://" + addr + "/"}
		if cfg.Files == nil {
			service.Try = s.try(addr)
		}
		all = append(all, service)
	}
	return all
}

// dialable gives the address at which this machine reaches a listener: one that
// listens at every address is reached by loopback.
func dialable(addr string) string {
	a, err := netip.ParseAddrPort(addr)
	if err != nil || !a.Addr().IsUnspecified() {
		return addr
	}
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), a.Port()).String()
}

// links gives the way from one server to the others.
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
