package guard

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"locus/access"
	"locus/internal/facts"
	"locus/url"
)

// Ports is an Opener that refuses URLs whose port is known to belong to another
// protocol (RFC 1738 §6): "gopher://h:25/0HELO" is mail that somebody wants the
// user to send. The default ports of the scheme's own protocol, with TLS and
// without, are never refused, nor is a port that no protocol is known for.
//
// It asks nothing of the network. Whatever Opener can do beside opening, Ports
// can do, and it refuses the same ports there. It may be used by several
// goroutines at once.
type Ports struct {
	Opener access.Opener // what opens the rest; nil opens nothing
	Allow  []uint16      // ports that are allowed whatever the scheme; nil for none
}

// Open opens req, or refuses its port with an [*access.Error] that wraps a
// [*PortError].
func (p Ports) Open(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if err := p.check("open", req.URL); err != nil {
		return nil, err
	}
	return p.opener().Open(ctx, req)
}

// Stat finds the attributes of a resource, or refuses its port as Open does.
func (p Ports) Stat(ctx context.Context, req *access.Request) (access.Entry, error) {
	if err := p.check("stat", req.URL); err != nil {
		return access.Entry{}, err
	}
	return access.Stat(ctx, p.opener(), req)
}

// Store replaces a resource, or refuses its port as Open does.
func (p Ports) Store(ctx context.Context, req *access.Request, body io.Reader) error {
	if err := p.check("store", req.URL); err != nil {
		return err
	}
	return access.Store(ctx, p.opener(), req, body)
}

// Append adds to a resource, or refuses its port as Open does.
func (p Ports) Append(ctx context.Context, req *access.Request, body io.Reader) (url.URL, error) {
	if err := p.check("append", req.URL); err != nil {
		return url.URL{}, err
	}
	return access.Append(ctx, p.opener(), req, body)
}

// Delete removes a resource, or refuses its port as Open does.
func (p Ports) Delete(ctx context.Context, req *access.Request) error {
	if err := p.check("delete", req.URL); err != nil {
		return err
	}
	return access.Delete(ctx, p.opener(), req)
}

// MakeDir makes a directory, or refuses its port as Open does.
func (p Ports) MakeDir(ctx context.Context, req *access.Request) error {
	if err := p.check("make", req.URL); err != nil {
		return err
	}
	return access.MakeDir(ctx, p.opener(), req)
}

// Search returns the URL of a search. It connects to nothing and so refuses
// nothing; opening the result may be refused.
func (p Ports) Search(u url.URL, words string) (result url.URL, ok bool) {
	return access.SearchURL(p.opener(), u, words)
}

// Questions fetches the questions of req, or refuses its port as Open does.
func (p Ports) Questions(ctx context.Context, req *access.Request) (*access.Questions, error) {
	if err := p.check("ask", req.URL); err != nil {
		return nil, err
	}
	return access.Ask(ctx, p.opener(), req)
}

// Answer opens req with answers, or refuses its port as Open does.
func (p Ports) Answer(ctx context.Context, req *access.Request, answers []access.Answer) (*access.Resource, error) {
	if err := p.check("answer", req.URL); err != nil {
		return nil, err
	}
	return access.AnswerForm(ctx, p.opener(), req, answers)
}

func (p Ports) opener() access.Opener {
	if p.Opener == nil {
		return access.Table(nil)
	}
	return p.Opener
}

// Check refuses the port of u as Open does, for what opens URLs by other means.
func (p Ports) Check(u url.URL) error { return p.check("open", u) }

func (p Ports) check(op string, u url.URL) error {
	port, ok := u.PortNumber()
	if !ok || slices.Contains(p.Allow, port) {
		return nil
	}
	protocol := protocolAt(port)
	if protocol == "" || isOwn(u.RawScheme(), port) {
		return nil
	}
	return &access.Error{
		Op: op, URL: u,
		Err: &PortError{Port: port, Protocol: protocol},
		Tip: fmt.Sprintf("if you trust this URL, allow the port with --allow-port %d", port),
	}
}

// isOwn reports whether port is the default port of a scheme that uses the same
// protocol as the named one: of nntp and nntps for news, of http and https for
// http.
func isOwn(name string, port uint16) bool {
	protocol := facts.Of(name).Protocol
	for s := range facts.All() {
		if s.Port == port && s.Protocol == protocol && protocol != "" {
			return true
		}
	}
	return false
}

// A PortError says that a port belongs to another protocol than the URL's. It
// wraps fs.ErrPermission.
type PortError struct {
	Port     uint16
	Protocol string // whose servers listen there: "smtp", "ssh"
}

// Error gives "port 25 belongs to another protocol (smtp)".
func (e *PortError) Error() string {
	return fmt.Sprintf("port %d belongs to another protocol (%s)", e.Port, e.Protocol)
}

// Unwrap returns fs.ErrPermission.
func (e *PortError) Unwrap() error { return fs.ErrPermission }
