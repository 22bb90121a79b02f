package demo

import (
	"context"
	"io/fs"
	"net"
	"strconv"
	"strings"

	"locus"
	"locus/access"
	"locus/gateway"
	"locus/guard"
	"locus/proto/file"
	"locus/proto/ftp"
	"locus/proto/mail"
	"locus/url"
)

// Gateway returns a gateway to the demo, which is also a proxy. It connects with dial, and
// opens other URLs, too. file URLs are those of root, mid and cid URLs those of received.
func (d *Demo) Gateway(dial locus.Dial, root *file.Root, received *mail.Place) (*gateway.Gateway, error) {
	client := &locus.Client{Dial: dial, Root: root, NewsServer: d.Service("news").Addr}
	client.Engines = func(dial locus.Dial) access.Table {
		received.Dial = dial
		files := ftp.Client{Dial: dial, Pool: &ftp.Pool{}, Binary: true}
		return access.Table{
			"ftp": files, "ftps": files,
			"mid": received, "cid": received,
			"urn": d.Names(),
		}
	}
	web := gateway.Checked(gateway.Transport(client.DialContext), guard.Ports{}.Check)
	g := &gateway.Gateway{Engine: client, Web: web, Tunnel: client.DialContext}
	if search, err := url.Parse("gopher://" + d.Service("gopher").Addr + "/7/search"); err == nil {
		g.GopherSearch = search
	}
	if _, port, err := net.SplitHostPort(d.Service("gopher").Addr); err == nil { // curl asks a proxy for gopher by a tunnel
		if n, err := strconv.ParseUint(port, 10, 16); err == nil {
			g.TunnelPorts = []uint16{uint16(n)}
		}
	}
	for _, at := range d.Places() {
		u, err := url.Parse(at.URL)
		if err != nil {
			return nil, err
		}
		g.Places = append(g.Places, gateway.Place{Group: at.Group, Title: at.Title, URL: u, About: at.About})
	}
	return g, nil
}

// Names returns an engine for the one urn that the demo knows.
func (d *Demo) Names() access.Engine {
	return access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		if strings.EqualFold(req.URL.String(), Named) {
			return nil, &access.Moved{To: url.MustParse(d.Locate())}
		}
		return nil, &access.Error{Op: "open", URL: req.URL, Err: fs.ErrNotExist, Remedy: access.Advice("the one name that is known here is " + Named)}
	})
}
