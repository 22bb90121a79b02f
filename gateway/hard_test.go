package gateway_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	neturl "net/url"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/html"

	"locus/access"
	"locus/gateway"
	"locus/internal/weburl"
	"locus/internal/weburl/hard"
	"locus/proto/web"
	"locus/url"
	"locus/url/whatwg"
)

// A recorder is a web server that records the targets of requests, byte by byte.
type recorder struct {
	host string
	mu   sync.Mutex
	got  []string
}

// newRecorder returns a server that answers every request with an HTML page.
func newRecorder(t *testing.T) *recorder {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	o := &recorder{host: l.Addr().String()}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go o.serve(c)
		}
	}()
	return o
}

func (o *recorder) serve(c net.Conn) {
	defer c.Close()
	in := bufio.NewReader(c)
	for first := true; ; first = false {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		if line == "\r\n" {
			break
		}
		if words := strings.SplitN(line, " ", 2); first && len(words) == 2 {
			target := words[1][:strings.LastIndex(words[1], " ")]
			o.mu.Lock()
			o.got = append(o.got, strings.TrimPrefix(target, "http://"+o.host))
			o.mu.Unlock()
		}
	}
	io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
}

// take returns the recorded targets, and forgets them.
func (o *recorder) take() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	got := o.got
	o.got = nil
	return got
}

// newHardGateway returns a gateway that opens http URLs, and its host.
func newHardGateway(t *testing.T, asProxy bool) string {
	t.Helper()
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, address)
	}
	client := &web.Client{Dial: dial}
	t.Cleanup(client.CloseIdleConnections)
	g := &gateway.Gateway{Engine: client}
	if asProxy {
		g.Web = gateway.Checked(gateway.Transport(dial), func(url.URL) error { return nil })
	}
	s := httptest.NewServer(g)
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://")
}

// send sends a request with a target as it is, and returns the response with its body.
func send(t *testing.T, host, method, target string) (*http.Response, string) {
	t.Helper()
	c, err := net.Dial("tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	io.WriteString(c, method+" "+target+" HTTP/1.1\r\nHost: "+host+"\r\nConnection: close\r\n\r\n")
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatalf("%s %s: %v", method, target, err)
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	return resp, string(body)
}

// browserTarget returns the target that a browser sends for a URL.
func browserTarget(t *testing.T, text string) string {
	t.Helper()
	u, err := whatwg.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u.PathAndQuery()
}

// hasStrayPercent reports whether net/http refuses a target, because its path has a "%" without two
// digits. Package server lets such a target pass.
func hasStrayPercent(target string) bool {
	_, err := neturl.ParseRequestURI(target)
	return err != nil
}

// written returns the target of a reference in a text that nobody has resolved. A URL of RFC 3986 is sent as it is
// written, because the pages of the gateway have such URLs. Any other text is read as browsers read it.
func written(base, text, target string) string {
	if u, err := url.Parse(base + text); err == nil {
		return u.PathAndQuery()
	}
	return target
}

// A URL of the web reaches its server as a browser would have sent it, by every way into the gateway.
func TestHardURLs(t *testing.T) {
	o := newRecorder(t)
	here, proxy := newHardGateway(t, false), newHardGateway(t, true)
	for _, ref := range hard.References() {
		text := "http://" + o.host + "/" + ref.Text
		for _, test := range []struct{ name, host, method, target string }{
			{"the path", here, "GET", browserTarget(t, "http://"+here+"/"+text)},
			{"a proxy", proxy, "GET", "http://" + o.host + browserTarget(t, text)},
			{"a proxy for the engine", here, "GET", "http://" + o.host + browserTarget(t, text)},
			{"raw", here, "GET", "/-/raw?url=" + neturl.QueryEscape(text)},
			{"download", here, "HEAD", "/-/download?url=" + neturl.QueryEscape(text)},
			{"about", here, "GET", "/-/about?url=" + neturl.QueryEscape(text)},
			{"list", here, "GET", "/-/list?url=" + neturl.QueryEscape(text)},
			{"beside", here, "GET", "/-/beside?url=ftp://h/&in=" + neturl.QueryEscape(text)},
			{"dav", here, "GET", browserTarget(t, "http://"+here+"/-/dav/"+text)},
		} {
			if hasStrayPercent(test.target) {
				continue
			}
			want := ref.Target
			if strings.Contains(test.target, "url=") {
				want = written("http://"+o.host+"/", ref.Text, ref.Target)
			}
			resp, body := send(t, test.host, test.method, test.target)
			if got := o.take(); len(got) == 0 || got[0] != want {
				t.Errorf("%s, %s %s: the server gets %q, want %q (%s %.80q)", test.name, test.method, test.target, got, want, resp.Status, body)
			}
		}
	}
}

// A URL that is typed into the field opens as it would in the field of a browser.
func TestHardTyped(t *testing.T) {
	o := newRecorder(t)
	here := newHardGateway(t, false)
	for _, test := range hard.References() {
		text := "http://" + o.host + "/" + test.Text
		resp, body := send(t, here, "GET", "/-/open?url="+neturl.QueryEscape(text))
		if resp.StatusCode == http.StatusSeeOther {
			target := browserTarget(t, "http://"+here+resp.Header.Get("Location"))
			if hasStrayPercent(target) {
				t.Errorf("%q redirects to %q, which net/http refuses", text, target)
				continue
			}
			resp, body = send(t, here, "GET", target)
		}
		want := written("http://"+o.host+"/", test.Text, test.Target)
		if test.Text == "'?'" {
			want = test.Target // the redirect passes through the browser
		}
		if got := o.take(); len(got) == 0 || got[0] != want {
			t.Errorf("%q: the server gets %q, want %q (%s %.80q)", text, got, want, resp.Status, body)
		}
	}
}

// A link in a page of the gateway leads to the request that its URL stands for: from the page, by a click,
// to the server.
func TestHardLinks(t *testing.T) {
	o := newRecorder(t)
	var entries []access.Entry
	for _, test := range hard.References() {
		u, ok := weburl.Resolve(url.URL{}, "http://"+o.host+"/"+test.Text)
		if !ok {
			t.Fatalf("%q is not a URL", test.Text)
		}
		entries = append(entries, access.Entry{Title: test.Text, URL: u, Kind: access.Object, Type: "text/html", Size: -1})
	}
	client := &web.Client{Dial: new(net.Dialer).DialContext}
	t.Cleanup(client.CloseIdleConnections)
	list := resources{"gopher://h/1": menu(io.EOF, entries...)}
	g := &gateway.Gateway{Engine: access.GetFunc(func(ctx context.Context, req *access.Request) (*access.Resource, error) {
		if req.URL.Scheme() == "http" {
			return client.Do(ctx, req)
		}
		return list.Do(ctx, req)
	})}
	s := httptest.NewServer(g)
	t.Cleanup(s.Close)
	here := strings.TrimPrefix(s.URL, "http://")
	for _, test := range []struct{ target, base string }{{"/gopher://h/1", s.URL}, {"gopher://h/1", ""}} {
		_, body := send(t, here, "GET", test.target)
		links := linksByText(t, body)
		for _, ref := range hard.References() {
			href, ok := links[ref.Text]
			if strings.HasPrefix(href, "/") {
				href = test.base + href
			}
			target := browserTarget(t, href)
			if test.base == "" && ok && target == ref.Target {
				continue
			}
			_, answer := send(t, here, "GET", target)
			if got := o.take(); len(got) == 0 || got[0] != ref.Target {
				t.Errorf("the link to %q is %q, and the server gets %q, want %q (%.200q)", ref.Text, href, got, ref.Target, answer)
			}
		}
	}
}

// The field of a page shows a URL of the web as people read it.
func TestHardShown(t *testing.T) {
	o := newRecorder(t)
	here := newHardGateway(t, false)
	for _, text := range []string{"?a[]=1", "css?family=A|B", "x[1].jpg", "?{1}", "é?é", "100%", "a?b"} {
		_, body := send(t, here, "GET", "/-/about?url="+neturl.QueryEscape("http://"+o.host+"/"+text))
		if want := `value="http://` + o.host + "/" + text + `"`; !strings.Contains(html.UnescapeString(body), want) {
			t.Errorf("the page about %q lacks %q:\n%s", text, want, body)
		}
	}
}

// Checked asks about the server that gets the request, whatever the target looks like.
func TestCheckedTarget(t *testing.T) {
	for _, target := range []neturl.URL{
		{Scheme: "http", Host: "h.example:25", Path: "/a", RawQuery: "a[]=1"},
		{Scheme: "http", Host: "h.example:25", Opaque: "/100%"},
		{Scheme: "http", Host: "h.example:25", Opaque: "//h.example:25//a|b"},
	} {
		asked := ""
		next := roundTripper(func(*http.Request) (*http.Response, error) { return nil, io.EOF })
		checked := gateway.Checked(next, func(u url.URL) error {
			host, _ := u.Host()
			port, _ := u.Port()
			asked = u.Scheme() + " " + host + " " + port
			return nil
		})
		_, err := checked.RoundTrip(&http.Request{Method: http.MethodGet, URL: &target})
		if asked != "http h.example 25" || err != io.EOF {
			t.Errorf("Checked asks about %q for %q, and returns %v", asked, target.String(), err)
		}
	}
}

// linksByText returns the links of a page by their texts.
func linksByText(t *testing.T, text string) map[string]string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]string)
	for n := range root.Descendants() {
		if n.Type != html.ElementNode || n.Data != "a" || n.FirstChild == nil {
			continue
		}
		for _, a := range n.Attr {
			if a.Key == "href" {
				all[n.FirstChild.Data] = a.Val
			}
		}
	}
	return all
}

// A byte that is not UTF-8 reaches the server. The proxy of the web sends it unchanged, and every other way sends its escape.
func TestLatin1URLs(t *testing.T) {
	o := newRecorder(t)
	here, proxy := newHardGateway(t, false), newHardGateway(t, true)
	for _, test := range []struct{ name, host, target, want string }{
		{"the path", here, "/http://" + o.host + "/caf\xe9?\xe9", "/caf%E9?%E9"},
		{"a proxy", proxy, "http://" + o.host + "/caf\xe9?\xe9", "/caf\xe9?\xe9"},
		{"a proxy for the engine", here, "http://" + o.host + "/caf\xe9?\xe9", "/caf%E9?%E9"},
		{"raw", here, "/-/raw?url=http://" + o.host + "/caf%E9%3F%E9", "/caf%E9?%E9"},
	} {
		resp, body := send(t, test.host, "GET", test.target)
		if got := o.take(); len(got) == 0 || got[0] != test.want {
			t.Errorf("%s, GET %q: the server gets %q, want %q (%s %.80q)", test.name, test.target, got, test.want, resp.Status, body)
		}
	}
}
