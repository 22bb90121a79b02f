package nntp

import (
	"fmt"
	"net"
	"strconv"
	"strings"

	"locus/access"
	"locus/proto/internal/wire"
	"locus/scheme"
	"locus/url"
)

// A kind is what a URL names.
type kind uint8

const (
	groups  kind = iota // all of them
	group               // one
	article             // by its id, or by its number in a group
)

// A target is what a URL means to a server.
type target struct {
	scheme.Host        // of the URL; zero is the user's own server
	secure      bool   // TLS from the first octet
	numbered    bool   // nntp: articles are called by their numbers
	what        kind   //
	group       string // of a group, or of an article by its number
	id          string // of an article, without angle brackets
	number      uint64 // of an article, if it has no id
	windowed    bool   // only these numbers of a group:
	first, last uint64
	whole       url.URL // the URL without its window
}

// anywhere reports whether a URL leaves it open where it is looked up.
func (to target) anywhere() bool { return !to.numbered && to.Host == scheme.Host{} }

// parse returns what u means, all of whose parts are fit to be sent.
func parse(u url.URL) (target, error) {
	to, err := read(u)
	if err != nil {
		return target{}, err
	}
	if err := wire.CheckArgument("group", to.group, " \t"); err != nil {
		return target{}, err
	}
	if err := wire.CheckArgument("message-id", to.id, "<> \t"); err != nil {
		return target{}, err
	}
	const most = 250 // RFC 3977 §3.6, with its brackets
	if len(to.id) > most-2 || len(to.group) > most {
		return target{}, fmt.Errorf("NNTP takes no name of more than %d octets", most)
	}
	return to, nil
}

func read(u url.URL) (target, error) {
	to := target{last: ^uint64(0)}
	to.whole = to.cutWindow(u)
	switch u.Scheme() {
	case "news", "snews":
		v, err := scheme.ParseNews(to.whole)
		if err != nil {
			return target{}, err
		}
		to.Host, to.secure = v.Host, v.Scheme == "snews"
		to.what, to.group, to.id = kind(v.Kind), v.Group, v.MessageID
	case "nntp", "nntps":
		v, err := scheme.ParseNNTP(to.whole)
		if err != nil {
			return target{}, err
		}
		to.Host, to.secure, to.numbered = v.Host, v.Scheme == "nntps", true
		to.what, to.group, to.number = group, v.Group, v.Number
		if v.Article {
			to.what = article
		}
	default:
		return target{}, access.ErrNoScheme
	}
	return to, nil
}

// cutWindow takes "/FIRST-LAST" off the end of a group's URL.
func (to *target) cutWindow(u url.URL) url.URL {
	path := u.Path()
	at := strings.LastIndexByte(path, '/')
	first, last, ok := strings.Cut(path[at+1:], "-")
	if at <= 0 || !ok || strings.Contains(path, "@") {
		return u
	}
	n, err1 := strconv.ParseUint(first, 10, 64)
	m, err2 := strconv.ParseUint(last, 10, 64)
	whole, err3 := u.WithPath(path[:at])
	if err1 != nil || err2 != nil || err3 != nil {
		return u
	}
	to.windowed, to.first, to.last = true, n, m
	return whole
}

// address returns where to connect.
func (c Client) address(to target) (string, error) {
	port := uint16(defaultPort)
	if to.secure {
		port = securePort
	}
	switch {
	case to.Host != scheme.Host{}:
		return to.Host.Address(port), nil
	case c.Server == "":
		return "", errNoServer
	case strings.ContainsAny(c.Server, "@/ "):
		return "", errServerName
	}
	if _, _, err := net.SplitHostPort(c.Server); err == nil {
		return c.Server, nil
	}
	name := strings.TrimSuffix(strings.TrimPrefix(c.Server, "["), "]")
	return net.JoinHostPort(name, strconv.Itoa(int(port))), nil
}

// articleURL returns the URL of an article in a listing of what to names; the
// zero URL if there is none.
func (to target) articleURL(number uint64, id string) url.URL {
	if !to.numbered {
		if u := to.idURL(id); !u.IsZero() || to.group == "" || number == 0 {
			return u
		}
	}
	v := scheme.NNTP{Scheme: to.named("nntp", "nntps"), Host: to.Host, Group: to.group, Number: number, Article: true}
	return v.URL()
}

// idURL returns the URL of the article with a message-id; the zero URL if that
// is none.
func (to target) idURL(id string) url.URL {
	return to.newsURL(scheme.News{Kind: scheme.NewsArticle, MessageID: id})
}

// groupURL returns the URL of a group; the zero URL if that is no name of one.
func (to target) groupURL(name string) url.URL {
	return to.newsURL(scheme.News{Kind: scheme.NewsGroup, Group: name})
}

// newsURL returns the URL of v at the server that to is about. Names come from
// servers: one that no URL can have gives the zero URL.
func (to target) newsURL(v scheme.News) url.URL {
	v.Scheme, v.Host = to.named("news", "snews"), to.Host
	u := v.URL()
	if again, err := scheme.ParseNews(u); err != nil || again != v {
		return url.URL{}
	}
	return u
}

func (to target) named(plain, secure string) string {
	if to.secure {
		return secure
	}
	return plain
}

// windowURL returns the URL of the articles from first to last of a group.
func (to target) windowURL(first, last uint64) url.URL {
	u, err := to.whole.WithPath(to.whole.Path() + "/" + strconv.FormatUint(first, 10) + "-" + strconv.FormatUint(last, 10))
	if err != nil { // a path may always go on with digits
		return url.URL{}
	}
	return u
}
