package main

import (
	"context"
	"net"
	"os"
	"strconv"
	"strings"

	"locus"
	"locus/access"
	"locus/demo"
	"locus/gateway"
	"locus/guard"
	"locus/proto/file"
	"locus/proto/nntp"
	"locus/url"
)

// demoGateway returns the gateway to a demo. It opens whatever else the user
// could, but of this machine only the folder of texts.
func demoGateway(d *demo.Demo, config demo.Config) (*gateway.Gateway, error) {
	root, err := os.OpenRoot(config.Texts) // it stays open while the command runs
	if err != nil {
		return nil, err
	}
	var dialer net.Dialer
	t := locus.Standard(dialer.DialContext)
	passFiles(t)
	for _, scheme := range []string{"news", "snews", "nntp", "nntps"} {
		t[scheme] = nntp.Client{Dial: dialer.DialContext, Server: d.Service("news").Addr}
	}
	received := newReceivedMail(config.Mail, dialer.DialContext)
	t["mid"], t["cid"] = received, received
	t["file"] = file.System{Root: root}
	t["urn"] = access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		if strings.EqualFold(req.URL.String(), demo.Named) {
			return nil, &access.Moved{To: url.MustParse(d.Locate())}
		}
		return nil, &access.Error{Op: "open", URL: req.URL, Err: os.ErrNotExist, Tip: "the one name that is known here is " + demo.Named}
	})
	g := &gateway.Gateway{
		Engine: access.Follow{Engine: guard.Ports{Engine: t}},
		Via:    pseudonym(),
		Web:    portChecked{gateway.Transport(dialer.DialContext), guard.Ports{}},
		Tunnel: dialer.DialContext,
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
