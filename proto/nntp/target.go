package nntp

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"

	"locus/access"
	"locus/internal/sentinel"
	"locus/proto/internal/wire"
	"locus/scheme"
	"locus/url"
)

// A kind says whether a URL names all groups, a group or an article.
type kind uint8

const (
	allGroups kind = iota
	oneGroup
	oneArticle // by its id, or by its number in a group
)

// A target is the group, the article or the list of groups that a URL names.
type target struct {
	scheme.Host        // the host of the URL; zero means the user's server
	secure      bool   // TLS from the first byte
	numbered    bool   // an nntp URL, in which articles have numbers, not ids
	kind        kind   // the kind of the resource
	group       string // the name of the group, also of the group of an article with a number
	id          string // the id of an article, without angle brackets
	number      uint64 // the number of an article without an id
	isWindow    bool   // the URL has a range of article numbers, from first to last
	first, last uint64
	whole       url.URL // the URL without its range
}

// parse returns the target of u. It returns access.ErrNoScheme for a scheme of another package,
// and an error if a name in u is too long, or cannot be sent in a command.
func parse(u url.URL) (target, error) {
	to := target{last: ^uint64(0)}
	to.whole = to.cutWindow(u)
	switch u.Scheme() {
	case "news", "snews":
		v, err := scheme.ParseNews(to.whole)
		if err != nil {
			return target{}, err
		}
		to.Host, to.secure = v.Host, v.Scheme == "snews"
		to.kind, to.group, to.id = kind(v.Kind), v.Group, v.MessageID
	case "nntp", "nntps":
		v, err := scheme.ParseNNTP(to.whole)
		if err != nil {
			return target{}, err
		}
		to.Host, to.secure, to.numbered = v.Host, v.Scheme == "nntps", true
		to.kind, to.group, to.number = oneGroup, v.Group, v.Number
		if v.Article {
			to.kind = oneArticle
		}
	default:
		return target{}, access.ErrNoScheme
	}
	if err := wire.CheckArgument("group", to.group, " \t"); err != nil {
		return target{}, err
	}
	if err := wire.CheckArgument("message-id", to.id, "<> \t"); err != nil {
		return target{}, err
	}
	const limit = 250 // RFC 3977 §3.6, including the brackets
	if len(to.id) > limit-2 || len(to.group) > limit {
		return target{}, fmt.Errorf("NNTP allows names of at most %d bytes", limit)
	}
	return to, nil
}

// cutWindow returns u without "/FIRST-LAST", the range of article numbers at the end of a group's
// URL, and sets isWindow, first and last. It returns u unchanged if u has no range.
func (to *target) cutWindow(u url.URL) url.URL {
	path := u.Path()
	at := strings.LastIndexByte(path, '/')
	first, last, ok := strings.Cut(path[at+1:], "-")
	if at <= 0 || !ok || strings.Contains(path, "@") {
		return u
	}
	n, err1 := strconv.ParseUint(first, 10, 64)
	m, err2 := strconv.ParseUint(last, 10, 64)
	whole, err3 := u.With(url.Path, url.Some(path[:at]))
	if err1 != nil || err2 != nil || err3 != nil {
		return u
	}
	to.isWindow, to.first, to.last = true, n, m
	return whole
}

var (
	errNoServer = sentinel.New("no news server is configured", errors.ErrUnsupported)
	// errServerName does not show the server because it may have a password.
	errServerName = sentinel.New("the news server must be host or host:port", errors.ErrUnsupported)
	errNotGroup   = sentinel.New("articles can be posted to newsgroups only", errors.ErrUnsupported)
)

// address returns the address to dial for a target: its host, or else Server. An empty or malformed
// Server is an error.
func (c Client) address(to target) (string, error) {
	port := uint16(defaultPort)
	if to.secure {
		port = securePort
	}
	switch {
	case to.Host != scheme.Host{}:
		return to.Host.Address(port), nil
	case c.Server == "":
		return "", access.WithRemedy(errNoServer, access.NeedNewsServer)
	case strings.ContainsAny(c.Server, "@/ "):
		return "", access.WithRemedy(errServerName, access.Advice("write it like news.example.org or news.example.org:119, in NNTPSERVER or in the URL"))
	}
	if _, _, err := net.SplitHostPort(c.Server); err == nil {
		return c.Server, nil
	}
	name := strings.TrimSuffix(strings.TrimPrefix(c.Server, "["), "]")
	return net.JoinHostPort(name, strconv.Itoa(int(port))), nil
}

// articleURL returns the URL of an article in a listing: by its id in a news URL, and by its
// number in an nntp URL. If a news URL is impossible because id is invalid, the number is used.
// The result is zero if neither names the article.
func (to target) articleURL(number uint64, id string) url.URL {
	if !to.numbered {
		if u := to.idURL(id); !u.IsZero() || to.group == "" || number == 0 {
			return u
		}
	}
	v := scheme.NNTP{Scheme: to.schemeFor("nntp", "nntps"), Host: to.Host, Group: to.group, Number: number, Article: true}
	return v.URL()
}

// idURL returns the news URL of the article with this message-id, at the same server. It returns
// the zero URL if id is invalid.
func (to target) idURL(id string) url.URL {
	return to.newsURL(scheme.News{Kind: scheme.NewsArticle, MessageID: id})
}

// groupURL returns the news URL of the group, at the same server. It returns the zero URL if the
// name is invalid.
func (to target) groupURL(name string) url.URL {
	return to.newsURL(scheme.News{Kind: scheme.NewsGroup, Group: name})
}

// newsURL returns the URL of v, with the scheme and host of the target. It returns the zero URL
// if v is invalid, which happens because names come from servers.
func (to target) newsURL(v scheme.News) url.URL {
	v.Scheme, v.Host = to.schemeFor("news", "snews"), to.Host
	u := v.URL()
	if again, err := scheme.ParseNews(u); err != nil || again != v {
		return url.URL{}
	}
	return u
}

// schemeFor returns secure if the target uses TLS from the first byte, else plain.
func (to target) schemeFor(plain, secure string) string {
	if to.secure {
		return secure
	}
	return plain
}

// windowURL returns the URL that lists the articles of the group with numbers from first to
// last, both inclusive.
func (to target) windowURL(first, last uint64) url.URL {
	u, err := to.whole.With(url.Path, url.Some(to.whole.Path()+"/"+strconv.FormatUint(first, 10)+"-"+strconv.FormatUint(last, 10)))
	if err != nil { // cannot happen because a path may end in digits
		return url.URL{}
	}
	return u
}
