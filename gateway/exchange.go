package gateway

import (
	"context"
	"net"
	"net/http"
	neturl "net/url"
	"strings"

	"github.com/a-h/templ"

	"locus/access"
	"locus/scheme"
	"locus/url"
)

// An exchange is one request and its response.
type exchange struct {
	*Gateway
	w      http.ResponseWriter
	r      *http.Request
	client string  // for the Limiter
	url    url.URL // what is asked for; zero: nothing, or nothing yet

	publicOnly bool   // Engine may open public addresses only
	bytesOnly  bool   // the client wants bytes, not a page around them
	storeAs    string // the name of the file if stores is set; "": that of the resource
	stores     bool   // the browser stores the bytes in a file
	typed      string // what the user typed into the field; "" if nothing

	out        clientWriter // see toClient
	pageMemory *share       // see ofPage; nil: none yet
	shares     []*share     // of memory: pageMemory, and those of compressors
}

// isProxied reports whether the client uses the gateway as a proxy.
func (x *exchange) isProxied() bool { return !strings.HasPrefix(x.r.RequestURI, "/") }

// origin returns what precedes the gateway's own paths. It is "" for a browser at the
// gateway. For the client of a proxy it is the gateway's scheme and address; with
// TLS, the name in its certificate.
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

// ownURL returns the URL of one of the gateway's own pages, such as "open?url=…".
func (x *exchange) ownURL(page string) string { return x.origin() + ownPath + page }

// own is ownURL as a link.
func (x *exchange) own(page string) templ.SafeURL { return asLink(x.ownURL(page)) }

// rawURL returns the link to the bytes of the resource, which has a page.
func (x *exchange) rawURL() templ.SafeURL { return x.own("raw?url=" + escaped(x.url)) }

// query returns the value of a name in the query of the path. It never reads the body
// of the request, which only forms bound.
func (x *exchange) query(name string) string { return x.r.URL.Query().Get(name) }

// setURL sets url to what a parser returned. It fails if that is an error or not a whole
// URL, or if the user must confirm that it is opened.
func (x *exchange) setURL(u url.URL, err error) error {
	if err == nil && !u.IsAbs() {
		err = errNoScheme
	}
	if err != nil {
		return err
	}
	x.url = u
	return x.checkTrust()
}

// readURL sets url to the value of "url" in the query of the path.
func (x *exchange) readURL() error { return x.setURL(url.Parse(x.query("url"))) }

// href returns the link to u for the client.
func (x *exchange) href(u url.URL) string {
	switch {
	case x.isProxied():
		return u.String()
	case hasDots(u.Path()):
		return x.ownURL("open?url=" + escaped(u))
	}
	return "/" + u.String()
}

// link returns href as a link of a page. It is "" for a relative URL, and for one that a
// browser would run as a script.
func (x *exchange) link(u url.URL) templ.SafeURL {
	if !u.IsAbs() || x.isProxied() && isScript(u.Scheme()) {
		return ""
	}
	return asLink(x.href(u))
}

// asLink returns a URL as a link of a page. It escapes what a browser would drop or
// rewrite: blanks, backslashes, control characters, and bytes that are not ASCII. It escapes
// "%" where no escape follows, because net/http refuses such paths. A browser must not run
// the URL as a script: the caller has checked that.
func asLink(text string) templ.SafeURL {
	const hex = "0123456789ABCDEF"
	first := 0
	for first < len(text) && isOfLink(text, first) {
		first++
	}
	if first == len(text) {
		return templ.SafeURL(text)
	}
	escaped := append(make([]byte, 0, len(text)+16), text[:first]...)
	for i := first; i < len(text); i++ {
		if c := text[i]; isOfLink(text, i) {
			escaped = append(escaped, c)
		} else {
			escaped = append(escaped, '%', hex[c>>4], hex[c&15])
		}
	}
	return templ.SafeURL(escaped)
}

// isOfLink reports whether text[i] stands for itself in a link.
func isOfLink(text string, i int) bool {
	switch c := text[i]; c {
	case '"', '<', '>', '\\', '^', '`', '{', '|', '}':
		return false
	case '%':
		return i+2 < len(text) && isHex(text[i+1]) && isHex(text[i+2])
	default:
		return ' ' < c && c <= '~'
	}
}

func isHex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f' }

// mayAskPassword reports whether the response may ask the browser for a password. A
// browser sends the password to all paths of the same folder. So the path must be a
// URL with more than a host: below "/-/" and "/ftp://" there are other servers. That holds
// for a folder that is mounted, too. A picture in a page must not ask. A password in the URL
// is used instead of the browser's, so asking would be in vain.
func (x *exchange) mayAskPassword() bool {
	if _, known := x.url.Password(); known {
		return false
	}
	target, isMounted := strings.CutPrefix(x.r.RequestURI, ownPath+davPath)
	if x.isProxied() || strings.HasPrefix(x.r.RequestURI, ownPath) && !isMounted {
		return false
	}
	if dest := x.r.Header.Get("Sec-Fetch-Dest"); dest != "" && dest != "document" && x.r.Header.Get("Authorization") == "" {
		return false
	}
	_, afterScheme, _ := strings.Cut(target, ":/")
	if isMounted { // its ":" may be escaped, and its slashes merged
		_, afterScheme, _ = strings.Cut(target, "/")
	}
	return strings.Contains(strings.TrimLeft(afterScheme, "/"), "/")
}

// isScript reports whether a browser would run or show the text of such a URL itself.
func isScript(scheme string) bool {
	switch scheme {
	case "javascript", "vbscript", "data", "blob":
		return true
	}
	return false
}

// login returns a Request.Login that gives a server the password that the browser
// sent, for the user in the URL. It is nil if the browser sent none, or may not be asked
// for one.
func (x *exchange) login() func(context.Context, access.Challenge) (access.Credentials, error) {
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

// escaped returns u escaped for a query.
func escaped(u url.URL) string { return neturl.QueryEscape(u.String()) }

// hasDots reports whether a segment of the path is "." or "..", encoded or not. A
// browser would rewrite such a path.
func hasDots(path string) bool {
	for segment := range strings.SplitSeq(path, "/") {
		switch strings.ReplaceAll(strings.ToLower(segment), "%2e", ".") {
		case ".", "..":
			return true
		}
	}
	return false
}

// hasMergedSlashes reports whether u has lost a slash before its host. Some servers
// before a gateway merge slashes.
func hasMergedSlashes(u url.URL) bool {
	s, _ := scheme.Lookup(u.Scheme())
	_, has := u.Host()
	return s.Port != 0 && !has && strings.HasPrefix(u.Path(), "/")
}

// flagsOf returns the flags of the scheme of u.
func flagsOf(u url.URL) scheme.Flags {
	s, _ := scheme.Lookup(u.Scheme())
	return s.Flags
}

// isSession reports whether u names an interactive service.
func isSession(u url.URL) bool { return flagsOf(u).Has(scheme.Session) }

// isAddress reports whether u names an address: people write to it, nothing opens it.
func isAddress(u url.URL) bool { return flagsOf(u).Has(scheme.Address) }
