package gateway

import (
	"context"
	"net"
	"net/http"
	"strings"

	"locus/access"
	"locus/gateway/internal/dav"
	"locus/gateway/internal/page"
	"locus/url"
)

// An exchange is one request and its response: the URL that is asked for, the client, and how
// much the client may open. Other types do parts of the work, and each embeds the exchange:
//
//	output      writes the response, and takes memory for it: pages, compression, a slow client
//	sender      the bytes of resources
//	viewer      the pages of resources: listings, texts, messages, forms
//	consent     whether a URL may be opened without asking the user, and the page that asks
//	ownPages    the gateway's own pages, such as the front page
//	forwarder   the requests of a proxy's clients for the web, and their tunnels
//	mounted     the requests of WebDAV clients
//	socket      the connection of a terminal's page
//	failure     an error, and the page that explains it
//
// serve chooses one of them. If serve returns an error, it has not begun to answer, and fail
// answers instead. If an answer fails later, broken aborts the connection, because the client
// must not take a part for the whole.
type exchange struct {
	*Gateway
	output
	url url.URL // the URL that is asked for; zero until admit, and for the gateway's own pages

	wanted     string // the URL that the user wants to open, as a ticket proves, without its fragment; may be empty
	publicOnly bool   // Engine may open public addresses only
	publicAway bool   // redirects to another server lead to public addresses only
	bytesOnly  bool   // the client wants bytes, not a page around them
	storeAs    string // the name of the file if stores is set; "" means the resource's name
	stores     bool   // the browser stores the bytes in a file
	typed      string // the text that the user typed into the field; may be empty
}

// origin returns the prefix of links to the gateway's own paths. It is "" for a browser at the
// gateway. For the client of a proxy it is the gateway's scheme and address. With TLS it is the
// first of Names, because the certificate has that name and not the address.
func (x *exchange) origin() string {
	if !x.isProxied() {
		return ""
	}
	host := x.r.Host
	if at, ok := x.r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		host = at.String()
	}
	if x.r.TLS == nil {
		return "http://" + host
	}
	if _, port, err := net.SplitHostPort(host); err == nil && len(x.Names) > 0 {
		host = net.JoinHostPort(x.Names[0], port)
	}
	return "https://" + host
}

// links returns the links of a page about x.url.
func (x *exchange) links() page.Links {
	isOwn := strings.HasPrefix(x.r.RequestURI, page.OwnPath) && x.r.URL.Path != page.OwnPath+"open"
	return page.Links{
		Origin: x.origin(), Proxied: x.isProxied(), URL: x.url, Typed: x.typed, Charset: x.Charset,
		Ticket: x.tickets.issue(forField, ""),
		Shared: x.Shared, Remembered: !x.Shared && !x.isProxied() && !isOwn && x.r.Method == http.MethodGet,
	}
}

// redirectTo redirects the browser to the page of u.
func (x *exchange) redirectTo(u url.URL) { x.redirect(x.links().Href(u)) }

// query returns the value of a name in the query of the path. It does not read the body
// of the request, because only forms bound the body.
func (x *exchange) query(name string) string { return x.r.URL.Query().Get(name) }

// admit sets url to the result of a parser, and decides whether the request may open it. It sets
// publicOnly or publicAway if the request may open only some addresses. It fails if the result is an
// error or a relative URL, or if the user must confirm that it is opened.
func (x *exchange) admit(u url.URL, err error) error {
	if err == nil && !u.IsAbs() {
		err = errNoScheme
	}
	if err != nil {
		return err
	}
	x.url = u
	return consent{x}.checkTrust()
}

// admitQuery is admit for the value of "url" in the query of the path.
func (x *exchange) admitQuery() error { return x.admit(url.Parse(x.query("url"))) }

// mayAskPassword reports whether the response may ask the browser for a password. The path must
// be a URL with more than a host, or a mounted folder of such a URL, because a browser sends the
// password to all paths of the same folder, and "/-/" and "/ftp://" have paths of many servers.
// A picture in a page must not ask. If the URL has a password, asking is useless, because the
// password of the URL is used instead of the browser's.
func (x *exchange) mayAskPassword() bool {
	if _, known := x.url.Password(); known {
		return false
	}
	target, isMounted := strings.CutPrefix(x.r.RequestURI, page.OwnPath+dav.Path)
	if x.isProxied() || strings.HasPrefix(x.r.RequestURI, page.OwnPath) && !isMounted {
		return false
	}
	if dest := x.r.Header.Get("Sec-Fetch-Dest"); dest != "" && dest != "document" && x.r.Header.Get("Authorization") == "" {
		return false
	}
	_, afterScheme, _ := strings.Cut(target, ":/")
	if isMounted { // a client may have escaped its ":" or merged its slashes
		_, afterScheme, _ = strings.Cut(target, "/")
	}
	return strings.Contains(strings.TrimLeft(afterScheme, "/"), "/")
}

// login returns a Request.Login that gives a server the password that the browser
// sent, for the user in the URL. It returns nil if the browser sent no password, or may not be
// asked for a password.
func (x *exchange) login() access.Login {
	_, password, ok := x.r.BasicAuth()
	if !ok || !x.mayAskPassword() {
		return nil
	}
	return func(_ context.Context, c access.Challenge) (access.Credentials, error) {
		if c.User == "" {
			return access.Credentials{}, nil
		}
		return access.Credentials{Password: password}, nil
	}
}

// request returns the Request to do op with x.url for the client.
func (x *exchange) request(op access.Op) *access.Request { return x.requestFor(op, x.url) }

// requestFor is request for another URL.
func (x *exchange) requestFor(op access.Op, u url.URL) *access.Request {
	return &access.Request{Op: op, URL: u, Login: x.login(), Client: x.client, PublicOnly: x.publicOnly, PublicAway: x.publicAway}
}

// do passes req to Engine. A panic of Engine becomes an error.
func (x *exchange) do(req *access.Request) (*access.Resource, error) {
	return x.recovers.Do(x.r.Context(), req)
}
