package gateway

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"locus/access"
	"locus/internal/answer"
	"locus/internal/render"
	"locus/internal/trail"
	"locus/internal/typo"
	"locus/scheme"
	"locus/url"
)

// sentence returns what went wrong with x.url as the first sentence of its page.
func (x *exchange) sentence(err error) string {
	if own, ok := errors.AsType[*refusal](err); ok {
		return asSentence(own.text)
	}
	if refused, ok := access.RemedyFor(err).(access.AllowPort); ok {
		return "This gateway does not open port " + strconv.Itoa(int(refused.Port)) + "."
	}
	host, _ := x.url.Host()
	host = render.Clean(host)
	where := " at " + host
	if host == "" {
		host, where = "The server", ""
	}
	name := "“" + nameOf(x.url) + "”"
	capital := name
	if _, hasParent := trail.Parent(x.url); !hasParent { // its name is its host
		name, capital = "this URL", "This URL"
	}
	if text := connecting(err, host); text != "" && !errors.Is(err, access.ErrLoop) {
		return text
	}
	unsupported := "This gateway cannot open " + name + "."
	if e, ok := errors.AsType[*access.Error](err); ok && e.Reply != nil { // the server says it
		unsupported = host + " does not support what this URL asks for."
	}
	for _, known := range []struct {
		err  error
		text string
	}{
		{access.ErrLoop, "This URL leads back to this gateway."},
		{access.ErrLogin, host + " does not accept the user name or the password."},
		{access.ErrPassword, host + " wants a password."},
		{access.ErrNotPublic, host + " was not found, or is not public."}, // one answer for both: strangers learn no inner names
		{access.ErrNoScheme, "This gateway cannot open “" + x.url.Scheme() + "” URLs."},
		{fs.ErrNotExist, capital + " was not found" + where + "."},
		{fs.ErrPermission, "You may not open " + name + where + "."},
		{fs.ErrInvalid, capital + " is not a valid file name."},
		{access.ErrTooLong, host + " sent more than this gateway accepts."},
		{errors.ErrUnsupported, unsupported},
		{io.ErrUnexpectedEOF, host + " stopped before it had sent everything."},
		{access.ErrBusy, host + " is busy."},
		{access.ErrProtocol, host + " does not answer as a server for “" + x.url.Scheme() + "” URLs."},
		{access.ErrTemporary, host + " cannot answer now."},
		{errPanicked, "The gateway failed because of a bug in it."},
	} {
		if errors.Is(err, known.err) {
			return known.text
		}
	}
	if _, ok := errors.AsType[*url.SyntaxError](err); ok {
		return "This is not a URL."
	}
	if _, ok := spokenAt(x.url, err); ok {
		return host + " does not answer as a server for “" + x.url.Scheme() + "” URLs."
	}
	if code := answer.Replied(err); code != 0 {
		return host + " refused: " + strings.ToLower(http.StatusText(code)) + "."
	}
	return capital + " could not be opened."
}

// connecting returns why host cannot be reached; "" if it was, or if err does not say.
func connecting(err error, host string) string {
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		if dns.IsNotFound {
			return host + " was not found."
		}
		return "The address of " + host + " could not be looked up."
	}
	if strings.HasPrefix(err.Error(), "no such host") { // of a proxy's client, who learns no more
		return host + " was not found."
	}
	if answer.IsTimeout(err) || errors.Is(err, context.DeadlineExceeded) {
		return host + " did not answer in time."
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return host + " does not accept connections."
	}
	return ""
}

// adviceOn returns what the reader of an error page may try; "" if nothing is known.
func adviceOn(err error) string {
	if _, ok := access.RemedyFor(err).(access.AllowPort); ok {
		return "The port belongs to another protocol, so this may be a trick. Whoever runs the gateway can allow the port."
	}
	if hint := access.Hint(err); hint != "" {
		return asSentence(hint)
	}
	if errors.Is(err, access.ErrLoop) {
		return ""
	}
	dns, ok := errors.AsType[*net.DNSError](err)
	op, isOp := errors.AsType[*net.OpError](err)
	switch {
	case ok && dns.IsNotFound:
		return "Check the spelling of the name."
	case ok, answer.IsTimeout(err), errors.Is(err, access.ErrTemporary), errors.Is(err, io.ErrUnexpectedEOF):
		return "Try again later."
	case isOp && op.Op == "dial":
		return "The server may be down, or listen at another port."
	case errors.Is(err, fs.ErrNotExist):
		return "It may have moved: look in the folder above."
	}
	return ""
}

// asSentence returns a text with a capital letter and a period.
func asSentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:] + "."
}

// ways returns what the reader of an error page can do.
func (x *exchange) ways(err error) []link {
	var ways []link
	add := func(title string, u url.URL) {
		if href := x.link(u); href != "" {
			ways = append(ways, link{Title: title, Href: href})
		}
	}
	if u, ok := spokenAt(x.url, err); ok {
		add("Open it as "+u.Scheme(), u)
	}
	if u, ok := withoutPassword(x.url); ok && errors.Is(err, access.ErrLogin) {
		add("Log in again", u)
	}
	isUnknown := errors.Is(err, access.ErrNoScheme)
	_, isRefusedPort := access.RemedyFor(err).(access.AllowPort)
	if !x.url.IsZero() && x.r.Method != http.MethodPost && !isUnknown && !isRefusedPort {
		add("Try again", x.url)
	}
	if parent, ok := trail.Parent(x.url); ok {
		add("Go up to "+nameOf(parent), parent)
	}
	if isUnknown {
		if u, ok := meantScheme(x.url); ok {
			add("Open it as "+u.Scheme(), u)
		}
		ways = append(ways, link{Title: "See the schemes that it knows", Href: x.own("schemes")})
	}
	if u, ok := newsgroupNamed(x.url, err); ok {
		add("Open the newsgroup "+nameOf(u), u)
	}
	if u, ok := x.archived(); ok {
		add("Look for an archived copy", u)
	}
	return ways
}

// withoutPassword returns u without its password: the browser is asked for one there. ok is
// false if u has none.
func withoutPassword(u url.URL) (without url.URL, ok bool) {
	if _, ok := u.Password(); !ok {
		return u, false
	}
	without, err := u.Without(url.Password)
	return without, err == nil
}

// archived returns the URL of an archived copy of x.url. ok is false if no archive is
// configured, or none can have it.
func (x *exchange) archived() (copied url.URL, ok bool) {
	if x.Archive == "" || x.url.IsZero() || isInner(x.url) || isSession(x.url) || x.isProxied() {
		return url.URL{}, false
	}
	if _, has := x.url.Host(); !has {
		return url.URL{}, false
	}
	copied, err := url.Parse(strings.ReplaceAll(x.Archive, "{url}", x.url.Redacted()))
	return copied, err == nil && copied.IsAbs()
}

// greetings are how servers begin a connection or an answer, and the schemes of such servers.
var greetings = []struct{ start, scheme string }{{"220", "ftp"}, {"200", "news"}, {"201", "news"}, {"HTTP/", "http"}}

// spokenAt returns u with the scheme that its server speaks, if the server greeted a web
// client as another kind of server does. A server that speaks no TLS may be one for http.
func spokenAt(u url.URL, err error) (other url.URL, ok bool) {
	begin := ""
	record, isClear := errors.AsType[tls.RecordHeaderError](err)
	if _, reply, isOdd := strings.Cut(err.Error(), `malformed HTTP response "`); isOdd {
		begin = reply
	} else if isClear {
		begin = string(record.RecordHeader[:])
	}
	for _, g := range greetings {
		if begin != "" && strings.HasPrefix(begin, g.start) {
			return withScheme(u, g.scheme)
		}
	}
	if isClear && u.Scheme() == "https" {
		return withScheme(u, "http")
	}
	return url.URL{}, false
}

// withScheme returns u with another scheme; only its server, if that scheme has no such
// paths. ok is false if u names no server.
func withScheme(u url.URL, name string) (other url.URL, ok bool) {
	host, ok := u.Host()
	if !ok {
		return url.URL{}, false
	}
	var err error
	if s, _ := scheme.Lookup(name); !s.Flags.Has(scheme.Hierarchical) {
		if port, has := u.Port(); has {
			host += ":" + port
		}
		other, err = url.Parse(name + "://" + host + "/")
	} else {
		other, err = u.With(url.Scheme, url.Some(name))
	}
	return other, err == nil
}

// meantScheme returns u with the scheme that somebody probably meant who wrote an unknown one.
func meantScheme(u url.URL) (meant url.URL, ok bool) {
	names := []string{"https", "http"} // rather than others that are as near
	for _, s := range scheme.All() {
		names = append(names, s.Name)
	}
	name := typo.Meant(u.Scheme(), names)
	if name == "" || name == u.Scheme() {
		return url.URL{}, false
	}
	return withScheme(u, name)
}

// hierarchies are the first labels of the names of most newsgroups.
var hierarchies = []string{"alt", "comp", "humanities", "misc", "news", "rec", "sci", "soc", "talk"}

// newsgroupNamed returns the newsgroup that a URL may mean whose host does not exist, such as
// https://comp.lang.c. People type that into the field without its scheme.
func newsgroupNamed(u url.URL, err error) (group url.URL, ok bool) {
	host, _ := u.Host()
	first, _, _ := strings.Cut(host, ".")
	dns, isName := errors.AsType[*net.DNSError](err)
	if !isName || !dns.IsNotFound || u.Scheme() != "https" || !isBare(u) || !slices.Contains(hierarchies, first) {
		return url.URL{}, false
	}
	group, err = url.Parse("news:" + host)
	return group, err == nil
}
