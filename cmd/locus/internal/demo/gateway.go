package demo

import (
	"context"
	"net"
	"os"
	"strconv"
	"strings"

	"locus"
	"locus/access"
	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/serve"
	"locus/demo"
	"locus/gateway"
	"locus/proto/ftp"
	"locus/url"
)

// newGateway returns the gateway to a demo. It also opens other URLs. Of the files of
// this machine it opens only the folder of texts.
func newGateway(e *cli.Env, d *demo.Demo, config demo.Config) (*gateway.Gateway, error) {
	root, err := os.OpenRoot(config.Texts) // it stays open while the command runs
	if err != nil {
		return nil, err
	}
	client := &locus.Client{Dial: cli.Dial, Root: root, NewsServer: d.Service("news").Addr}
	client.Engines = func(dial locus.Dial) access.Table {
		received := e.ReceivedMail(config.Mail)
		received.Dial = dial
		files := ftp.Client{Dial: dial, Pool: &ftp.Pool{}, Binary: true}
		return access.Table{
			"ftp": files, "ftps": files,
			"mid": received, "cid": received,
			"urn": demoNames(d),
		}
	}
	g := &gateway.Gateway{Engine: client, Via: cli.Pseudonym(), Web: serve.WebTransport(client), Tunnel: client.DialContext}
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

// demoNames opens the one urn that the demo knows.
func demoNames(d *demo.Demo) access.Engine {
	return access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		if strings.EqualFold(req.URL.String(), demo.Named) {
			return nil, &access.Moved{To: url.MustParse(d.Locate())}
		}
		return nil, &access.Error{Op: "open", URL: req.URL, Err: os.ErrNotExist, Remedy: access.Advice("the one name that is known here is " + demo.Named)}
	})
}
