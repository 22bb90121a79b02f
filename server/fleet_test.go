package server_test

import (
	"fmt"
	"html"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"locus"
	"locus/demo"
	"locus/gateway"
	"locus/server"
)

// A counted is a Handler that counts its requests.
type counted struct {
	http.Handler
	count atomic.Int64
}

func (c *counted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.count.Add(1)
	c.Handler.ServeHTTP(w, r)
}

// balanced returns the changes of a sample by which a front asks two servers in turn.
func balanced(a, b string) []string {
	return []string{
		"http://127.0.0.1:1738", "http://gates", // nginx
		"map $http_upgrade", "upstream gates { server " + a + "; server " + b + "; }\nmap $http_upgrade",
		"reverse_proxy 127.0.0.1:1738 {", "reverse_proxy " + a + " " + b + " {\n lb_policy round_robin\n lb_try_duration 30s", // Caddy
		"server gate1 127.0.0.1:1738 check", "server gate1 " + a + "\nserver gate2 " + b, // HAProxy; without check, it does not notice that one has ended
		"server gate1 127.0.0.1:1738 send-proxy-v2-ssl check", "server gate1 " + a + " send-proxy-v2-ssl\nserver gate2 " + b + " send-proxy-v2-ssl",
	}
}

// Two gateways with one Secret are behind a real proxy, which asks them in turn. Each step of a browser may be answered by
// the other gateway. After one has ended, the other answers every request.
func TestFleet(t *testing.T) {
	folder := certificates(t)
	d, err := demo.Start(t.Context(), demo.Config{Listen: net.Listen})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	var dialer net.Dialer
	client := &locus.Client{Dial: dialer.DialContext}
	t.Cleanup(func() { client.Close() })
	motd := "/" + d.Service("gopher").URL + "0/etc/motd"
	for _, test := range fronts {
		gates, handlers := make([]running, 2), make([]*counted, 2)
		for i := range gates {
			g := &gateway.Gateway{Engine: client, Names: []string{"gate.example.org"}, Secret: []byte("the secret of all gateways")}
			handlers[i] = &counted{Handler: server.WithoutRobots(g)}
			gates[i] = start(t, &server.Server{Handler: handlers[i], Names: g.Names, Proxies: proxies, ProxyProtocol: test.isTCP})
		}
		s := test.before(t, "", folder, balanced(gates[0].at, gates[1].at)...)
		own := "Accept: text/html\r\nReferer: https://" + hostAt(s.Addr) + "/-/\r\n"
		for range 3 {
			_, body := throughFront(t, s.Addr, motd, asked{more: "Accept: text/html"})
			_, rest, _ := strings.Cut(body, `action="/-/confirmed?`)
			action, _, asks := strings.Cut(rest, `"`)
			button := asked{method: http.MethodPost, more: own + "Content-Length: 0"}
			resp, _ := answerOfFront(t, s.Addr, "/-/confirmed?"+html.UnescapeString(action), button)
			if cookies := resp.Cookies(); !asks || resp.StatusCode != http.StatusSeeOther || len(cookies) != 1 {
				t.Errorf("%s: the page asks: %v; its button gets %s, %v", test.name, asks, resp.Status, resp.Header)
				continue
			}
			granted := asked{more: own + "Cookie: " + resp.Cookies()[0].Name + "=" + resp.Cookies()[0].Value}
			if status, body := throughFront(t, s.Addr, motd, granted); !strings.HasPrefix(status, "200") || !strings.Contains(body, "read the manual") {
				t.Errorf("%s: the redirect leads to %s, %.300q", test.name, status, body)
			}
		}
		for i, h := range handlers {
			if h.count.Load() == 0 {
				t.Errorf("%s: gateway %d was asked for nothing", test.name, i)
			}
		}
		if err := gates[0].stop(); err != nil {
			t.Errorf("%s: Serve = %v", test.name, err)
		}
		for i := range 6 {
			if status, _ := throughFront(t, s.Addr, fmt.Sprint("/-/?", i), asked{}); !strings.HasPrefix(status, "200") {
				t.Errorf("%s: after the end of one gateway, request %d gets %s", test.name, i, status)
			}
		}
	}
}
