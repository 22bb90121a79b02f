package gopher

import (
	"net/netip"
	"strconv"
	"strings"
	"unicode"

	"locus/access"
	"locus/internal/weburl"
	"locus/proto/internal/wire"
	"locus/scheme"
	"locus/url"
)

// An Item is one item, as a menu line or its Gopher+ attributes describe it. It is the Sys of every
// [access.Entry] of this package.
//
//	T title TAB selector TAB host TAB port [TAB plus]
type Item struct {
	Type     byte   // the item type; 'i' (a line of text) if the line has no item
	Title    string // the name shown to the user
	Selector string // the text that a client sends to get the item
	Host     string // the received text, which may be invalid
	Port     uint16 // 0 if the port is missing or invalid
	Plus     string // "+" for a Gopher+ item, "?" for an item with a form, or ""

	// Attributes are the Gopher+ attributes after +INFO, in the server's order.
	// They are nil in a menu.
	Attributes []Attribute
}

// parseItem parses a menu line without its line end. A line that is not a descriptor becomes an item of type 'i'. A
// line of fewer than four fields becomes an item with only a type and a title.
func parseItem(text string) Item {
	fields := strings.SplitN(text, "\t", 6)
	first := fields[0]
	if first == "" || first[0] <= ' ' || len(fields) == 1 && first[0] != 'i' {
		return Item{Type: 'i', Title: strings.Join(fields, "\t")}
	}
	item := Item{Type: first[0], Title: first[1:]}
	if len(fields) < 4 {
		return item
	}
	item.Selector, item.Host = fields[1], fields[2]
	if port, err := strconv.ParseUint(strings.TrimSpace(fields[3]), 10, 16); err == nil {
		item.Port = uint16(port)
	}
	if len(fields) > 4 && (fields[4] == "+" || fields[4] == "?") {
		item.Plus = fields[4]
	}
	return item
}

// entry returns the entry of the item. Its URL is zero if the item cannot be opened. mirrored is
// the type that an item of type '+' gets, because such an item is a mirror of the item before it.
func (i Item) entry(mirrored byte) access.Entry {
	c := i.Type
	if c == '+' {
		c = mirrored
	}
	t := typeOf(c, i.Selector)
	e := access.Entry{Title: i.Title, Kind: t.kind, Type: t.media, Size: -1, Header: i.fields(), Sys: &i}
	if t.kind == access.Info || t.kind == access.Failure {
		e.Type = ""
		return e
	}
	if i.hasForm() {
		e.Kind = access.Form
	}
	if t.kind == access.Terminal {
		e.URL, e.Type = i.terminalURL(c), ""
	} else if target, isLink := i.link(); isLink {
		e.URL = target
		e.Kind, e.Type = linkKind(target)
	} else {
		e.URL = i.url(c)
	}
	e.ModTime = i.ModTime()
	if views := i.Views(); len(views) > 0 && e.Kind == access.Object {
		e.Type = strings.ToLower(views[0].Type)
	}
	return e
}

// url returns the gopher URL of the item, with the type c. It returns the zero URL if the host,
// port or selector is invalid.
func (i Item) url(c byte) url.URL {
	if i.Port == 0 || !isHost(i.Host) || wire.CheckArgument("", i.Selector, "\t") != nil {
		return url.URL{}
	}
	v := scheme.Gopher{Host: i.host(defaultPort), Type: c, Selector: i.Selector}
	plus := i.Plus
	if i.hasForm() {
		plus = "?"
	}
	if plus != "" {
		v.Search, v.Plus = url.Some(""), url.Some(plus)
	}
	return v.URL()
}

// terminalURL returns the tn3270 URL of the item if c is 'T', else its telnet URL. c is the type of the
// item, or of the item that it mirrors. The selector is the user name. terminalURL returns the zero
// URL if the host is invalid.
func (i Item) terminalURL(c byte) url.URL {
	if !isHost(i.Host) {
		return url.URL{}
	}
	return terminalURL(c, i.host(telnetPort), i.Selector)
}

const telnetPort = 23

// terminalURL returns the URL of a terminal session at host: a tn3270 URL for type T, else a telnet URL.
func terminalURL(c byte, host scheme.Host, user string) url.URL {
	if host.Port == telnetPort {
		host.Port = 0
	}
	v := scheme.Telnet{Host: host}
	if user != "" {
		v.User = url.Some(user)
	}
	if c == 'T' {
		v.Scheme = "tn3270"
	}
	return v.URL()
}

// host returns the host and port of the item, for a URL whose scheme has the default port
// defaultPort. The port is 0 if it is defaultPort.
func (i Item) host(defaultPort uint16) scheme.Host {
	h := scheme.Host{Name: strings.Trim(i.Host, "[]"), Port: i.Port}
	if h.Port == defaultPort {
		h.Port = 0
	}
	return h
}

// isHost reports whether s may be a host name or an IP address, which may have brackets. It is
// false for "".
func isHost(s string) bool {
	if strings.IndexByte(s, ':') >= 0 {
		_, err := netip.ParseAddr(strings.Trim(s, "[]"))
		return err == nil
	}
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c|0x20 && c|0x20 <= 'z', '0' <= c && c <= '9', c == '-', c == '.', c == '_':
		default:
			return false
		}
	}
	return s != ""
}

// link returns the target of an item of type h or w that links outside Gopher:
//
//	URL:http://example.org/          the usual convention
//	GET /index.html                  Minnesota's: HTTP at the item's host and port
//
// isLink reports whether the item is such a link. The target is the zero URL if it is invalid, or
// if a menu must not link to its scheme.
func (i Item) link() (u url.URL, isLink bool) {
	if i.Type != 'h' && i.Type != 'H' && i.Type != 'w' {
		return url.URL{}, false
	}
	if path, ok := strings.CutPrefix(i.Selector, "GET "); ok {
		return i.httpURL(path), true
	}
	text, ok := strings.CutPrefix(strings.TrimPrefix(i.Selector, "/"), "URL:")
	if !ok {
		if i.Type != 'w' || !strings.Contains(i.Selector, "://") {
			return url.URL{}, false
		}
		text = i.Selector
	}
	// A browser would drop control characters, but no honest menu has them.
	if strings.ContainsFunc(text, unicode.IsControl) {
		return url.URL{}, true
	}
	u, err := weburl.Link(text)
	if err != nil || !isAllowedTarget(u) {
		return url.URL{}, true
	}
	return u, true
}

// httpURL returns the http URL of path at the item's host and port. It returns the zero URL if one
// of them is invalid.
func (i Item) httpURL(path string) url.URL {
	if !strings.HasPrefix(path, "/") || i.Port == 0 || !isHost(i.Host) {
		return url.URL{}
	}
	host := i.host(80)
	text := "http://" + host.Name
	if strings.Contains(host.Name, ":") {
		text = "http://[" + host.Name + "]"
	}
	if host.Port != 0 {
		text += ":" + strconv.Itoa(int(host.Port))
	}
	u, err := url.Parse(text + path)
	if err != nil {
		return url.URL{}
	}
	return u
}

// isAllowedTarget reports whether a menu may link to u: to a scheme that the scheme table knows, or
// to one of a few other schemes. Links to local files and to content within the URL (data,
// javascript) are not allowed.
func isAllowedTarget(u url.URL) bool {
	switch u.Scheme() {
	case "file", "afs", "cid", "mid", "data":
		return false
	case "gemini", "irc", "ircs", "xmpp", "magnet":
		return true
	}
	s, known := scheme.Lookup(u.Scheme())
	return known && s.Parse != nil
}

// linkKind returns the kind and media type of the resource at u, as far as its scheme determines
// them. The type may be "".
func linkKind(u url.URL) (access.Kind, string) {
	switch u.Scheme() {
	case "http", "https":
		return access.Object, "text/html"
	case "telnet", "tn3270", "rlogin":
		return access.Terminal, ""
	}
	return access.Unknown, ""
}
