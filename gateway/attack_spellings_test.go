package gateway_test

import (
	"net/http"
	neturl "net/url"
	"strings"
	"testing"

	"locus"
	"locus/gateway"
)

// No request of a page, a link or an old browser dials this machine, by any page of the gateway, with any method, and by
// any spelling of the address.
func TestAttackSpellings(t *testing.T) {
	// attack: A link of another site leads to a session, or to a loopback or private address, also by a name
	i := &internet{asked: 1} // every name is this machine
	g := &gateway.Gateway{Engine: &locus.Client{Dial: i.dial, Resolver: i}}
	hosts := []string{
		"127.0.0.3", "127.3", "2130706435", "0x7f000003", "017700000003", "0177.0.0.3", "127.0.0.03", "127.0.0.3.", "0", "0.0.0.0",
		"localhost", "LOCALHOST.", "x.localhost", "rebound.example", "%31%32%37.0.0.3", "127%2e0.0.3", "127.0.0.3%00", "１２７.0.0.3", "127。0。0。3",
		"[::1]", "[::]", "[::ffff:127.0.0.3]", "[::ffff:7f00:3]", "[::127.0.0.3]", "[64:ff9b::7f00:3]", "[fe80::1%25lo]", "[fd00::1]",
		"u:p@127.0.0.3", "8.8.8.8@127.0.0.3", `127.0.0.3\@8.8.8.8`, "169.254.169.254", "10.0.0.1", "192.168.1.1", "100.64.0.1",
	}
	routes := []string{
		"/URL", "/-/raw?url=QUERY", "/-/download?url=QUERY", "/-/text?url=QUERY", "/-/about?url=QUERY", "/-/list?sort=name&url=QUERY", "/-/open?url=QUERY",
		"/-/archive?format=zip&url=QUERY", "/-/archive?format=tar&url=QUERY", "/-/beside?step=next&in=QUERY&url=QUERY", "/-/search?words=x&url=QUERY",
		"/-/session?url=QUERY", "/-/dav/URL", "/view-source:URL", "/-/%72aw?url=QUERY", "/-/newsserver?url=news:a.b&server=HOST:7070",
	}
	methods := map[string][]string{
		"gopher": {http.MethodGet, http.MethodHead, http.MethodPost, http.MethodOptions, "PROPFIND", http.MethodDelete},
		"http":   {http.MethodGet}, "ftp": {http.MethodGet}, "telnet": {http.MethodGet},
	}
	for _, fields := range []string{typed, clickedOff, scriptedOff, clickedHere, clickedHere + "\nReferer: http://localhost/http://8.8.8.8/", picture, inClear, "Accept: text/html\nUser-Agent: w3m/0.5.3"} {
		fields := strings.ReplaceAll(fields, "192.0.2.1", "localhost")
		for _, host := range hosts {
			for scheme := range methods {
				u := scheme + "://" + host + ":7070/1/x"
				for _, route := range routes {
					path := strings.NewReplacer("URL", u, "QUERY", neturl.QueryEscape(u), "HOST", neturl.QueryEscape(host)).Replace(route)
					for _, method := range methods[scheme] {
						record(g, method, path, fields+"\nDepth: 1", "")
						if len(i.dialed) > 0 {
							t.Errorf("%s %s (%q) dials %q", method, path, fields, i.dialed)
							i.dialed = nil
						}
					}
				}
			}
		}
	}
}
