package demo

import (
	"context"
	"io/fs"
	"net"
	"slices"
	"strconv"
	"strings"

	"locus/access"
	"locus/gateway"
	"locus/guard"
	"locus/proto"
	"locus/url"
)

// Gateway returns a gateway to the demo, which is also a proxy. It opens URLs with engine, which
// should know [Demo.Names], and connects with dial for the clients of the proxy. Its front page
// shows the links of [Demo.Examples].
func (d *Demo) Gateway(engine access.Engine, dial proto.Dial) (*gateway.Gateway, error) {
	g := &gateway.Gateway{Engine: engine, Web: gateway.Checked(gateway.Transport(dial), guard.Ports{}.Check), Tunnel: dial, Harmless: d.isOwn}
	if search, err := url.Parse("gopher://" + d.Service("gopher").Addr + "/7/search"); err == nil {
		g.GopherSearch = search
	}
	if _, port, err := net.SplitHostPort(d.Service("gopher").Addr); err == nil { // because curl opens gopher URLs through a tunnel of the proxy
		if n, err := strconv.ParseUint(port, 10, 16); err == nil {
			g.TunnelPorts = []uint16{uint16(n)}
		}
	}
	for _, e := range d.Examples() {
		u, err := url.Parse(e.URL)
		if err != nil {
			return nil, err
		}
		g.FrontLinks = append(g.FrontLinks, gateway.FrontLink{Group: e.Group, Title: e.Title, URL: u, About: e.About})
	}
	return g, nil
}

// isOwn reports whether a URL leads to a server of the demo or, without a host, to the news, the
// mail, the names or the files of the demo.
func (d *Demo) isOwn(u url.URL) bool {
	host, _ := u.Host()
	port, _ := u.Port()
	if host == "" {
		return u.Scheme() != "file" || strings.HasPrefix(u.Path(), "/texts/")
	}
	return slices.ContainsFunc(d.services, func(s Service) bool { return s.Addr == host+":"+port })
}

// Names returns an engine for Named, the one urn that the demo knows. It redirects Named to the URL
// of [Demo.Locate], and returns fs.ErrNotExist for any other URL.
func (d *Demo) Names() access.Engine {
	return access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		if strings.EqualFold(req.URL.String(), Named) {
			return nil, &access.Moved{To: url.MustParse(d.Locate())}
		}
		return nil, &access.Error{Op: "open", URL: req.URL, Err: fs.ErrNotExist, Remedy: access.Advice("the one name that is known here is " + Named)}
	})
}
