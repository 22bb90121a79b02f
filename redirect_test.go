package locus

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	neturl "net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"locus/access"
	"locus/access/engine"
	"locus/guard"
	"locus/proto/web"
	"locus/url"
)

// A town has three web servers: a.example, the same with TLS at example.com, and
// b.example. No other address answers.
type town struct {
	client *Client
	table  access.Table // of client

	mu     sync.Mutex
	places map[string]string // dialled address: the address that listens for it
	dialed []string          // dialled addresses without a server
	asked  []string          // requests, in order
	header []http.Header     // of asked
}

// newTown starts the servers. All use the handler answer. They have no WebDAV: an OPTIONS of a folder, which comes before
// an upload, is refused, and is not in asked.
func newTown(t *testing.T, answer http.HandlerFunc) *town {
	t.Helper()
	town := &town{places: map[string]string{}}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodOptions && strings.HasSuffix(r.URL.Path, "/") {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("the body of %s %s: %v", r.Method, r.RequestURI, err)
		}
		town.mu.Lock()
		town.asked = append(town.asked, strings.TrimSpace(r.Method+" "+r.Host+r.RequestURI+" "+string(body)))
		town.header = append(town.header, r.Header.Clone())
		town.mu.Unlock()
		answer(w, r)
	})
	plain, secure := httptest.NewServer(handler), httptest.NewTLSServer(handler)
	t.Cleanup(plain.Close)
	t.Cleanup(secure.Close)
	for _, at := range []string{"a.example:80", "a.example:8080", "b.example:80", "example.com:80"} {
		town.places[at] = plain.Listener.Addr().String()
	}
	town.places["example.com:443"] = secure.Listener.Addr().String()
	config := secure.Client().Transport.(*http.Transport).TLSClientConfig
	town.client = &Client{Dial: town.dial, Retries: -1, Engines: func(dial Dial) map[string]Scheme {
		engine := &web.Client{Dial: dial, TLS: &tls.Config{RootCAs: config.RootCAs, MinVersion: tls.VersionTLS12}}
		return map[string]Scheme{"http": {Engine: engine}, "https": {Engine: engine}}
	}}
	t.Cleanup(func() { town.client.Close() })
	town.client.Schemes() // builds the engines
	town.table = town.client.schemes.Table()
	return town
}

func (town *town) dial(ctx context.Context, network, address string) (net.Conn, error) {
	town.mu.Lock()
	at, known := town.places[address]
	if !known {
		town.dialed = append(town.dialed, address)
	}
	town.mu.Unlock()
	if !known {
		return nil, errors.New("no server at " + address)
	}
	var d net.Dialer
	return d.DialContext(ctx, network, at)
}

// heard returns the requests since the last call.
func (town *town) heard() (asked []string, header []http.Header, dialed []string) {
	town.mu.Lock()
	defer town.mu.Unlock()
	asked, header, dialed = town.asked, town.header, town.dialed
	town.asked, town.header, town.dialed = nil, nil, nil
	return asked, header, dialed
}

// signpost is a handler that answers ".../302?U" with status 302 and the Location U,
// decoded. It answers other requests with their path.
func signpost(w http.ResponseWriter, r *http.Request) {
	code, err := strconv.Atoi(path.Base(r.URL.Path))
	if err != nil {
		io.WriteString(w, r.URL.Path)
		return
	}
	to, _ := neturl.QueryUnescape(r.URL.RawQuery)
	w.Header()["Location"] = []string{to}
	w.WriteHeader(code)
}

// pointing returns the path for which signpost redirects to to.
func pointing(code int, to string) string {
	return fmt.Sprintf("/%d?%s", code, neturl.QueryEscape(to))
}

// newHTTP returns an http.Client of e. It adds access.Follow unless e is a Client.
func newHTTP(e access.Engine) *http.Client {
	if c, ok := e.(*Client); ok {
		return c.HTTP()
	}
	return httpClient(access.Follow{Engine: e})
}

// withoutSend is an Engine whose engine for http lacks Send, as an engine of a program may.
// Its requests are translated like the requests of other schemes.
type withoutSend struct{ access.Engine }

func (e withoutSend) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if req.Op == access.Send {
		return nil, engine.Unsupported(req)
	}
	return e.Engine.Do(ctx, req)
}

// do sends a request by an http.Client of o.
func do(t *testing.T, o access.Engine, method, u, body string, header http.Header) (*http.Response, string, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, u, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(r.Header, header)
	resp, err := newHTTP(o).Do(r)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return resp, string(text), err
}

// Redirects are followed to the end. Endless ones are an error.
func TestClientRedirectsEnd(t *testing.T) {
	town := newTown(t, func(w http.ResponseWriter, r *http.Request) {
		var n int
		if _, err := fmt.Sscanf(r.URL.Path, "/down/%d", &n); err == nil && n > 0 {
			http.Redirect(w, r, fmt.Sprintf("/down/%d", n-1), http.StatusFound)
			return
		}
		switch r.URL.Path {
		case "/self":
			http.Redirect(w, r, "/self", http.StatusFound)
		case "/here":
			http.Redirect(w, r, "http://b.example/there", http.StatusMovedPermanently)
		case "/there":
			http.Redirect(w, r, "http://a.example/here#again", http.StatusTemporaryRedirect)
		case "/on":
			http.Redirect(w, r, "/on?"+r.URL.RawQuery+"x", http.StatusFound)
		default:
			io.WriteString(w, "the end")
		}
	})
	for _, test := range []struct {
		path  string
		max   int
		asked int
		ends  bool
	}{
		{"/down/0", 0, 1, true},
		{"/down/10", 0, 11, true},
		{"/down/11", 0, 11, false},
		{"/down/3", 3, 4, true},
		{"/down/4", 3, 4, false},
		{"/self", 0, 1, false},
		{"/here", 0, 2, false},
		{"/on", 0, 11, false},
	} {
		var o access.Engine = town.client
		if test.max > 0 {
			o = access.Follow{Engine: town.table, Max: test.max}
		}
		for _, method := range []string{"GET", "HEAD"} {
			resp, text, err := do(t, o, method, "http://a.example"+test.path, "", nil)
			asked, _, _ := town.heard()
			if len(asked) != test.asked || (err == nil) != test.ends || err != nil && !errors.Is(err, access.ErrRedirect) {
				t.Errorf("%s %s asks %q, %v, want %d requests, and an end: %v", method, test.path, asked, err, test.asked, test.ends)
			}
			if err == nil && (resp.StatusCode != 200 || method == "GET" && text != "the end") {
				t.Errorf("%s %s = %s, %q, want the end", method, test.path, resp.Status, text)
			}
		}
	}
}

// The policy decides about redirects in every kind of request.
func TestClientRedirectPolicy(t *testing.T) {
	town := newTown(t, signpost)
	anywhere := access.Follow{Engine: town.table, Allow: func(_, _ url.URL) error { return nil }}
	for _, test := range []struct {
		from, to string
		o        access.Engine
		allowed  bool
	}{
		{from: "http://a.example", to: "http://b.example/x", allowed: true},
		{from: "http://a.example", to: "https://example.com/x", allowed: true},
		{from: "https://example.com", to: "http://b.example/x", allowed: true},
		{from: "https://u:pw@example.com", to: "http://u:pw@example.com/x"},
		{from: "https://u:pw@example.com", to: "http://b.example/x"},
		{from: "http://a.example", to: "ftp://a.example/x"},
		{from: "http://a.example", to: "ftp://a.example:80/x"},
		{from: "http://a.example", to: "gopher://a.example:80/0x"},
		{from: "http://a.example", to: "file:///etc/passwd"},
		{from: "http://a.example", to: "file://a.example/etc/passwd"},
		{from: "http://a.example", to: "news:comp.lang.c"},
		{from: "http://a.example", to: "nntp://a.example/comp.lang.c/1"},
		{from: "http://a.example", to: "wais://a.example/db"},
		{from: "http://a.example", to: "prospero://a.example/x"},
		{from: "http://a.example", to: "telnet://a.example/"},
		{from: "http://a.example", to: "mailto:a@b.example"},
		{from: "http://a.example", to: "mid:x@y"},
		{from: "http://a.example", to: "data:text/plain,x"},
		{from: "http://a.example", to: "javascript:alert(1)"},
		{from: "http://a.example", to: "about:blank"},
		{from: "http://a.example", to: "HTTP://b.example/x", allowed: true},
		{from: "http://a.example", to: "FILE:///etc/passwd"},
		// A program may have another policy. The engines still have theirs.
		{from: "http://a.example", to: "ftp://a.example:80/x%0D%0ADELE%20y", o: anywhere},
		{from: "http://a.example", to: "ftp://none.example/x%0D%0ADELE%20y", o: anywhere},
		{from: "http://a.example", to: "gopher://none.example/0x%0D%0Ay", o: anywhere},
		{from: "http://a.example", to: "telnet://none.example/\x01", o: anywhere},
		{from: "http://a.example", to: "file:///etc/passwd", o: anywhere},
		// Forbidden ports, with guard.Ports as the engine.
		{from: "http://a.example", to: "http://b.example:25/x", o: guard.Ports{Engine: town.table}},
		{from: "http://a.example", to: "http://b.example:80/x", o: guard.Ports{Engine: town.table}, allowed: true},
		{from: "http://a.example", to: "http://b.example:22/x", o: access.Follow{Engine: guard.Ports{Engine: town.table}}},
	} {
		o := test.o
		if o == nil {
			o = town.client
		}
		resp, text, err := do(t, o, "GET", test.from+pointing(302, test.to), "", nil)
		asked, _, dialed := town.heard()
		if len(dialed) > 0 {
			t.Errorf("a redirect from %q to %q dials %q", test.from, test.to, dialed)
		}
		if test.allowed != (err == nil && resp.StatusCode == 200 && text == "/x") {
			t.Errorf("a redirect from %q to %q gives %q, %v, want allowed %v", test.from, test.to, text, err, test.allowed)
		}
		if !test.allowed && len(asked) != 1 {
			t.Errorf("a redirect from %q to %q asks %q, want the first alone", test.from, test.to, asked)
		}
		if err != nil && strings.Contains(err.Error(), "pw@") {
			t.Errorf("a redirect from %q to %q shows the password: %v", test.from, test.to, err)
		}
	}
}

// The body of a request and the login of a URL are not sent to another server.
func TestClientRedirectSecrets(t *testing.T) {
	town := newTown(t, signpost)
	const sent = "Basic dTpwdw==" // u:pw
	for _, test := range []struct {
		from, to string
		auth     []string // Authorization of each request; "" if it has none
	}{
		{"http://u:pw@a.example", "/x", []string{sent, sent}},
		{"http://u:pw@a.example", "http://a.example/x", []string{sent, sent}},
		{"http://u:pw@a.example", "http://a.example:80/x", []string{sent, sent}}, // the same server, with its default port written out
		{"http://u:pw@a.example", "//a.example/x", []string{sent, sent}},
		{"http://u:pw@a.example", "//b.example/x", []string{sent, ""}},
		{"http://u:pw@a.example", "http://a.example:8080/x", []string{sent, ""}},
		{"http://u:pw@example.com", "https://example.com/x", []string{sent, ""}},
		{"https://u:pw@example.com", "/x", []string{sent, sent}},
		{"https://u:pw@example.com", "http://example.com/x", []string{sent}},
		{"http://u:pw@a.example", "http://v:z@b.example/x", []string{sent, "Basic djp6"}},
		{"http://a.example", "http://u:pw@a.example/x", []string{"", sent}},
		// Away and back again: the dropped login does not come back.
		{"http://u:pw@a.example", "http://b.example" + pointing(302, "http://a.example/x"), []string{sent, "", ""}},
	} {
		header := http.Header{"Proxy-Authorization": {"Bearer sesame"}, "X-Api-Key": {"sesame"}, "Referer": {"http://sesame.example/"}}
		for _, method := range []string{"GET", "HEAD", "whole GET"} {
			if method == "whole GET" {
				_, _, _ = do(t, town.client, "GET", test.from+pointing(302, test.to), "", nil)
			} else {
				_, _, _ = do(t, withoutSend{town.client}, method, test.from+pointing(302, test.to), "", header)
			}
			_, got, _ := town.heard()
			var auth []string
			for _, h := range got {
				auth = append(auth, h.Get("Authorization"))
				h.Del("Authorization")
				if method == "whole GET" && !strings.Contains(h.Get("Referer"), "pw@") { // http.Client adds the Referer
					h.Del("Referer")
				}
				for name, values := range h {
					if !slices.Contains([]string{"User-Agent", "Accept", "Accept-Encoding"}, name) || strings.Contains(fmt.Sprint(values), "sesame") {
						t.Errorf("%s: a redirect from %q to %q is asked with %s: %q", method, test.from, test.to, name, values)
					}
				}
			}
			if !slices.Equal(auth, test.auth) {
				t.Errorf("%s: a redirect from %q to %q is asked with Authorization %q, want %q", method, test.from, test.to, auth, test.auth)
			}
		}
	}
}

// Cookies of a redirect's target are not stored for the host of the request.
func TestClientRedirectCookies(t *testing.T) {
	town := newTown(t, func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "at", Value: r.Host})
		signpost(w, r)
	})
	for _, test := range []struct {
		from, to string
		want     string // the cookie for from afterwards
	}{
		{"http://a.example", "/x", "a.example"},
		{"http://a.example", "http://a.example:8080/x", ""}, // cookies ignore the port, but origins differ
		{"http://a.example", "http://b.example/x", ""},
		{"http://example.com", "https://example.com/x", ""},
		{"https://example.com", "http://example.com/x", ""},
	} {
		jar, err := cookiejar.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		client := newHTTP(withoutSend{town.client})
		client.Jar = jar
		resp, err := client.Get(test.from + pointing(302, test.to))
		if err != nil {
			t.Errorf("a redirect from %q to %q = %v", test.from, test.to, err)
			continue
		}
		resp.Body.Close()
		from, err := neturl.Parse(test.from)
		if err != nil {
			t.Fatalf("%q: %v", test.from, err)
		}
		got := ""
		for _, c := range jar.Cookies(from) {
			got += c.Value
		}
		if got != test.want {
			t.Errorf("a redirect to %q leaves %q the cookie %q, want %q", test.to, test.from, got, test.want)
		}
	}
}

// A redirect of a change is followed only with 307 or 308, with the same method and the
// same bytes.
func TestClientRedirectMethods(t *testing.T) {
	town := newTown(t, signpost)
	for _, code := range []int{300, 301, 302, 303, 307, 308} {
		for _, method := range []string{"GET", "HEAD", "PUT", "POST", "DELETE", "MKCOL"} {
			reads := method == "GET" || method == "HEAD"
			body := "what is sent"
			if reads || method == "DELETE" || method == "MKCOL" {
				body = ""
			}
			from, to := "http://a.example"+pointing(code, "http://b.example/x"), "b.example/x"
			resp, _, err := do(t, withoutSend{town.client}, method, from, body, nil)
			asked, _, _ := town.heard()
			want := []string{strings.TrimSpace(method + " " + from[len("http://"):] + " " + body)}
			follows := reads || code == 307 || code == 308
			if follows {
				want = append(want, strings.TrimSpace(method+" "+to+" "+body))
			}
			if !slices.Equal(asked, want) {
				t.Errorf("%s answered with %d asks %q, want %q", method, code, asked, want)
			}
			if follows && (err != nil || resp.StatusCode/100 != 2) || !follows && !errors.Is(err, access.ErrRedirect) {
				t.Errorf("%s answered with %d = %v, %v, want to follow: %v", method, code, resp, err, follows)
			}
			if reads && err == nil && resp.Request.URL.String() != "http://b.example/x" {
				t.Errorf("%s answered with %d has found %q", method, code, resp.Request.URL)
			}
		}
	}
}

// A Location is relative to the last URL (RFC 9110 §10.2.2). Characters that a URL cannot
// have are escaped.
func TestClientLocation(t *testing.T) {
	town := newTown(t, signpost)
	for _, test := range []struct {
		location string
		asked    string // the requests; "" if the redirect is refused
		found    string // the final URL; "" if it is asked
	}{
		{location: "x", asked: "a.example/d/e/x"},
		{location: "./x", asked: "a.example/d/e/x"},
		{location: "../x", asked: "a.example/d/x"},
		{location: "../../../x", asked: "a.example/x"},
		{location: "/x", asked: "a.example/x"},
		{location: "//b.example/x", asked: "b.example/x"},
		{location: "//b.example", asked: "b.example/"},
		{location: "x?q#f", asked: "a.example/d/e/x?q", found: "http://a.example/d/e/x?q#f"},
		{location: "x#", asked: "a.example/d/e/x", found: "http://a.example/d/e/x"},
		{location: "HTTP://b.example/x", asked: "b.example/x"},
		{location: "//b.example/" + pointing(302, "y")[1:], asked: "b.example/y"},
		{location: "/a b", asked: "a.example/a%20b"},
		{location: "/a\tb", asked: "a.example/ab"}, // as in browsers (URL Standard §4.4)
		{location: "/a\x01b"},
		{location: "/\xe9日", asked: "a.example/%E9%E6%97%A5"},
		{location: "/x%0d%0aX-Sesame:%20y", asked: "a.example/x%0d%0aX-Sesame:%20y"},
		{location: ""},
		{location: "http:///b.example/x", asked: "b.example/x"}, // as browsers read it
		{location: "http:/x", asked: "a.example/x"},
		{location: "/x[1]?a|b", asked: "a.example/x[1]?a|b"},
		{location: "http://b.example:x/"},
		{location: "http://b.example:0x50/"},
		{location: "http://b\x01.example/"},
		{location: "http://b%0d%0a.example/"},
		{location: "http://b%2Fexample/"},
		{location: "http://[::1/x"},
	} {
		resp, _, err := do(t, withoutSend{town.client}, "GET", "http://a.example/d/e"+pointing(302, test.location), "", nil)
		asked, header, dialed := town.heard()
		whole, _, wholeErr := do(t, town.client, "GET", "http://a.example/d/e"+pointing(302, test.location), "", nil)
		if same, _, _ := town.heard(); !slices.Equal(same, asked) || test.location != "" && (err == nil) != (wholeErr == nil) || err == nil && whole.Request.URL.String() != resp.Request.URL.String() {
			t.Errorf("Location %q, followed by the http.Client, asks %q, %v, want %q, %v", test.location, same, wholeErr, asked, err)
		}
		last, _ := strings.CutPrefix(asked[len(asked)-1], "GET ")
		if test.asked == "" {
			if err == nil || len(asked) != 1 || len(dialed) > 0 {
				t.Errorf("Location %q = %v, %v after %q and dials of %q, want an error", test.location, resp, err, asked, dialed)
			}
			continue
		}
		if err != nil || last != test.asked {
			t.Errorf("Location %q asks %q, %v, want %q", test.location, asked, err, test.asked)
			continue
		}
		if test.found == "" {
			test.found = "http://" + strings.TrimSuffix(test.asked, "/")
		}
		if got := strings.TrimSuffix(resp.Request.URL.String(), "/"); !strings.EqualFold(got, test.found) {
			t.Errorf("Location %q has found %q, want %q", test.location, got, test.found)
		}
		if header[len(header)-1].Get("X-Sesame") != "" {
			t.Errorf("Location %q writes the header field of the next request", test.location)
		}
	}
}

// A redirect that a policy refuses is an error with the policy's reason.
func TestClientRedirectRefused(t *testing.T) {
	town := newTown(t, signpost)
	for _, why := range []error{errors.New("no"), fs.ErrPermission, fs.ErrNotExist, errors.ErrUnsupported, access.ErrTemporary} {
		o := access.Follow{Engine: town.table, Allow: func(_, _ url.URL) error { return why }}
		for _, method := range []string{"GET", "HEAD", "PUT"} {
			resp, _, err := do(t, o, method, "http://a.example"+pointing(307, "http://b.example/x"), "", nil)
			if !errors.Is(err, access.ErrRedirect) || !errors.Is(err, why) {
				t.Errorf("%s of a redirect that Allow refuses with %v = %v, %v, want access.ErrRedirect", method, why, resp, err)
			}
		}
	}
}

// A redirect of a gopher server may lead only over the network.
func TestClientRedirectFromGopher(t *testing.T) {
	town := newTown(t, signpost)
	for _, test := range []struct {
		item string // the target, as a line of a menu
		want string // the second request; "" if the redirect is refused
	}{
		{"hX\tURL:http://a.example/x\ta.example\t80", "GET a.example/x"},
		{"hX\tURL:https://example.com/x\ta.example\t80", "GET example.com/x"},
		{"hX\tGET /x\ta.example\t80", "GET a.example/x"},
		{"hX\tURL:file:///etc/passwd\ta.example\t80", ""},
		{"hX\tURL:javascript:alert(1)\ta.example\t80", ""},
		{"hX\tURL:http://a.example/x%0d%0a\x01\ta.example\t80", ""},
		{"8X\troot\ta.example\t80", ""},
		{"TX\troot\ta.example\t80", ""},
	} {
		town.places["old.example:70"] = gopherMoved(t, test.item)
		resp, text, err := do(t, town.client, "GET", "gopher://old.example/1x%09%09+", "", nil)
		asked, _, dialed := town.heard()
		if got := strings.Join(asked, ", "); got != test.want || len(dialed) > 0 {
			t.Errorf("the move to %q asks %q and dials %q, want %q alone", test.item, got, dialed, test.want)
		}
		if (err == nil && resp.StatusCode == 200 && text == "/x") != (test.want != "") {
			t.Errorf("the move to %q gives %q, %v", test.item, text, err)
		}
	}
}

// gopherMoved starts a server that redirects every request, by Gopher+. It returns its
// address.
func gopherMoved(t *testing.T, item string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = bufio.NewReader(conn).ReadString('\n')
			_, _ = io.WriteString(conn, "--2\r\n3 It has moved to\r\n"+item+"\r\n")
			conn.Close()
		}
	}()
	return l.Addr().String()
}

// A Location without a redirect status is not followed.
func TestClientLocationStays(t *testing.T) {
	town := newTown(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", "http://b.example/x")
		code, err := strconv.Atoi(path.Base(r.URL.Path))
		if err == nil {
			w.WriteHeader(code)
		}
	})
	for _, method := range []string{"GET", "HEAD", "PUT", "POST", "DELETE", "MKCOL"} {
		for _, code := range []int{200, 201, 202, 304, 305, 306, 404, 503} {
			resp, _, err := do(t, town.client, method, "http://a.example/"+strconv.Itoa(code), "", nil)
			if asked, _, dialed := town.heard(); len(asked) != 1 || len(dialed) > 0 {
				t.Errorf("%s that is answered with %d asks %q and dials %q, want one request", method, code, asked, dialed)
			}
			if err == nil && method == "POST" && code == 201 && resp.Header.Get("Location") != "http://b.example/x" {
				t.Errorf("%s that is answered with %d has the Location %q, want \"http://b.example/x\"", method, code, resp.Header.Get("Location"))
			}
		}
	}
	adder := added{url: url.MustParse("http://b.example/x")}
	resp, _, err := do(t, access.Table{"ftp": adder, "http": town.table}, "POST", "ftp://a.example/x", "binary", nil)
	if asked, _, _ := town.heard(); err != nil || resp.StatusCode != 201 || resp.Header.Get("Location") != "http://b.example/x" || len(asked) > 0 {
		t.Errorf("POST to ftp = %v, %v after %q, want 201 with a Location, which is not followed", resp, err, asked)
	}
}

// added is an Engine whose Append returns a URL.
type added struct{ url url.URL }

func (a added) Do(_ context.Context, req *access.Request) (*access.Resource, error) {
	if req.Op != access.Append {
		return nil, engine.Unsupported(req)
	}
	_, err := io.Copy(io.Discard, engine.Content(req))
	return engine.Done(a.url, err)
}
