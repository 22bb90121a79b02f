package main

import (
	"net"
	"os"
	"strings"

	"github.com/urfave/cli/v3"

	"locus"
	"locus/url"
)

// proxiesOf returns the proxies that the flags of c and the environment name.
func proxiesOf(c *cli.Command) locus.Proxies {
	if c.Bool("no-proxy") {
		return locus.Proxies{}
	}
	return locus.Proxies{Getenv: os.Getenv, URL: c.String("proxy")}
}

// hostOf returns the host of u without brackets; "" if it has none.
func hostOf(u url.URL) string {
	host, _ := u.Host()
	return strings.Trim(host, "[]")
}

// addressOf returns the host of at and its port, or port if it names none.
func addressOf(at url.URL, port string) string {
	if p, ok := at.Port(); ok && p != "" {
		port = p
	}
	return net.JoinHostPort(hostOf(at), port)
}
