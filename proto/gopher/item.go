package gopher

import (
	"net/netip"
	"strconv"
	"strings"

	"locus/access"
	"locus/proto/internal/wire"
	"locus/scheme"
	"locus/url"
)

// An Item is what a menu or Gopher+ attributes say about an item: the Sys of an
// [access.Entry] of this package.
//
//	T title TAB selector TAB host TAB port [TAB plus]
type Item struct {
	Type     byte   // one octet; 'i' if the line is no descriptor of an item
	Title    string // what people call it
	Selector string // what the server calls it
	Host     string // as it came
	Port     uint16 // 0 if there is none that could be used
	Plus     string // "+" of an item of Gopher+, "?" of one with a form, or ""

	// Attributes are the blocks of Gopher+ attributes after +INFO, in the order
	// of the server; nil in a menu.
	Attributes []Attribute
}

// parseItem reads a line of a menu, without its line end. What is no descriptor
// becomes a line of text.
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

// entry makes an entry of the item. mirrored is the type of an item that stands
// for the one before it (type '+').
func (i Item) entry(mirrored byte) access.Entry {
	c := i.Type
	if c == '+' {
		c = mirrored
	}
	t := typeOf(c, i.Selector)
	e := access.Entry{Title: i.Title, Kind: t.kind, Type: t.media, Size: -1, Sys: &i}
	if t.kind == access.Info || t.kind == access.Failure {
		e.Type = ""
		return e
	}
	if i.hasForm() {
		e.Kind = access.Form
	}
	if t.kind == access.Terminal {
		e.URL, e.Type = i.terminal(c), ""
	} else if elsewhere, isLink := i.link(); isLink {
		e.URL = elsewhere
		e.Kind, e.Type = linkKind(elsewhere)
	} else {
		e.URL = i.url(c)
	}
	i.describe(&e)
	return e
}

// describe adds what the attributes tell.
func (i Item) describe(e *access.Entry) {
	e.ModTime = i.ModTime()
	if views := i.Views(); len(views) > 0 && e.Kind == access.Object {
		e.Type = strings.ToLower(views[0].Type)
	}
}

// url returns the URL of the item at a Gopher server; the zero URL if there is
// none, because the line lacks what it needs.
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

// terminal returns the URL of a session, whose selector is the name to log in
// with.
func (i Item) terminal(c byte) url.URL {
	if !isHost(i.Host) {
		return url.URL{}
	}
	return terminalURL(c, i.host(telnetPort), i.Selector)
}

const telnetPort = 23

func terminalURL(c byte, host scheme.Host, user string) url.URL {
	if host.Port == telnetPort {
		host.Port = 0
	}
	login := url.None()
	if user != "" {
		login = url.Some(user)
	}
	if c == 'T' {
		return scheme.TN3270{Host: host, User: login}.URL()
	}
	return scheme.Telnet{Host: host, User: login}.URL()
}

// host returns the host without the port that it would have anyway.
func (i Item) host(usual uint16) scheme.Host {
	h := scheme.Host{Name: strings.Trim(i.Host, "[]"), Port: i.Port}
	if h.Port == usual {
		h.Port = 0
	}
	return h
}

// isHost reports whether a menu's host can be one: a name or an address.
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

// link returns the URL outside Gopher that an item of type h or w stands for.
//
//	URL:http://example.org/          the convention of today
//	GET /index.html                  Minnesota's: HTTP, at the item's host and port
//
// isLink reports whether the item is of that kind. Its URL is zero if it is no
// URL, or one of a scheme that a stranger's menu must not lead to.
func (i Item) link() (u url.URL, isLink bool) {
	if i.Type != 'h' && i.Type != 'H' && i.Type != 'w' {
		return url.URL{}, false
	}
	if path, ok := strings.CutPrefix(i.Selector, "GET "); ok {
		return i.web(path), true
	}
	text, ok := strings.CutPrefix(strings.TrimPrefix(i.Selector, "/"), "URL:")
	if !ok {
		if i.Type != 'w' || !strings.Contains(i.Selector, "://") {
			return url.URL{}, false
		}
		text = i.Selector
	}
	u, err := url.Parse(text)
	if err != nil || !leadsOut(u) {
		return url.URL{}, true
	}
	return u, true
}

// web returns the URL of a path of HTTP at the item's host.
func (i Item) web(path string) url.URL {
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

// leadsOut reports whether a menu may lead to u. It may lead to another server;
// it may not name a file of the reader, nor be a program (javascript, data).
func leadsOut(u url.URL) bool {
	switch u.Scheme() {
	case "file", "cid", "mid":
		return false
	case "gemini", "finger", "irc", "ircs", "xmpp", "magnet":
		return true
	}
	s, known := scheme.Lookup(u.Scheme())
	return known && s.Parse != nil
}

// linkKind returns what a URL outside Gopher leads to, as far as its scheme
// tells.
func linkKind(u url.URL) (access.Kind, string) {
	switch u.Scheme() {
	case "":
		return access.Unknown, ""
	case "http", "https":
		return access.Object, "text/html"
	case "telnet", "tn3270", "rlogin":
		return access.Terminal, ""
	}
	return access.Unknown, ""
}
