package scheme

import (
	"strconv"
	"strings"

	"locus/internal/ascii"
	"locus/url"
)

// News is the view of a news or snews URL.
//
//	news:comp.infosystems.www.misc     news:unique@full.domain     news:*
//	     \_______________________/          \________________/
//	              Group                         MessageID
//
// RFC 1738 §5:
//
//	newsurl   = "news:" grouppart
//	grouppart = "*" | group | article
//	group     = alpha *[ alpha | digit | "-" | "." | "+" | "_" ]
//	article   = 1*[ uchar | ";" | "/" | "?" | ":" | "&" | "=" ] "@" host
//
// RFC 5538 allows a server before the grouppart, "//host/"; snews URLs have no other form.
type News struct {
	Scheme    string // "news" or "snews"; "" means "news"
	Host             // the zero Host means the user's own server
	Kind      NewsKind
	Group     string // the name, for NewsGroup
	MessageID string // without angle brackets, for NewsArticle
}

// A NewsKind is the kind of thing that a news URL names.
type NewsKind uint8

const (
	NewsAll     NewsKind = iota // all groups
	NewsGroup                   // a group
	NewsArticle                 // an article
)

// newsKinds returns the name that each kind has in JSON.
func newsKinds() map[NewsKind]string {
	return map[NewsKind]string{NewsAll: "all", NewsGroup: "group", NewsArticle: "article"}
}

const newsRule = "RFC 1738 §3.6"

// ParseNews returns the view of a news or snews URL. It refuses a user.
func ParseNews(u url.URL) (News, error) {
	if err := wantScheme(u, "news", "snews"); err != nil {
		return News{}, err
	}
	v := News{Scheme: u.Scheme()}
	part, skipped := u.PathAndQuery(), 0
	if _, ok := u.Host(); ok {
		var err error
		if v.Host, err = plainHost(u, newsRule); err != nil {
			return News{}, err
		}
		if part == "" || part == "/" {
			return v, nil
		}
		if part[0] != '/' {
			return News{}, pathFail(u, 0, newsRule, `a "/" before the group or message-id`)
		}
		part, skipped = part[1:], 1
	}
	name := ascii.Unescape(part)
	if part == "*" || name == "*" && u.Standard() != url.RFC1630 { // RFC 1630 reserves "*"
		return v, nil
	}
	if n, want := v.name(name); want != "" {
		return News{}, pathFail(u, skipped+encodedOffset(part, n), newsRule, want)
	}
	return v, nil
}

// name sets Kind and the group or, if the decoded name contains an "@", the message-id. It then checks the name. It
// returns the offset of the first error and the text that is wanted there, or "" if the name is correct.
func (v *News) name(name string) (offset int, want string) {
	at := strings.LastIndexByte(name, '@')
	if at < 0 {
		v.Kind, v.Group = NewsGroup, name
		return checkGroup(name)
	}
	v.Kind, v.MessageID = NewsArticle, name
	return checkID(name)
}

// checkGroup checks the decoded name of a newsgroup, which may start with a digit, as RFC 5536 allows. It returns the
// offset of the first error and the text that is wanted there, or "" if name is correct.
func checkGroup(name string) (offset int, want string) {
	if name == "" {
		return 0, `"*", a group or a message-id`
	}
	for i := range len(name) {
		if !inGroup.Has(name[i]) && (i == 0 || name[i] < 0x80) {
			return i, `a letter, a digit, "-", ".", "+" or "_" of a group`
		}
	}
	return 0, ""
}

var inGroup = url.Set{}.With(plain)

// checkID checks a decoded message-id. The id must contain an "@" with text on both sides, and neither angle brackets
// nor white space. checkID returns the offset of the first error and the text that is wanted there, or "" if id is
// correct.
func checkID(id string) (offset int, want string) {
	at := strings.LastIndexByte(id, '@')
	if i := strings.IndexAny(id, "<> \t\r\n\x00"); i >= 0 {
		return i, "a byte of a message-id, which stands without angle brackets and white space"
	}
	switch {
	case at < 0:
		return len(id), `an "@" in the message-id`
	case at == 0:
		return 0, `the text before the "@" of a message-id`
	case at == len(id)-1:
		return len(id), `the domain after the "@" of a message-id`
	}
	return 0, ""
}

// URL returns the URL whose view is v.
func (v News) URL() url.URL {
	var b builder
	b.scheme(v.Scheme, "news")
	if v.Host != (Host{}) {
		b.server(v.Host)
	}
	switch v.Kind {
	case NewsGroup:
		b.escape(v.Group, inPath)
	case NewsArticle:
		b.escape(v.MessageID, inPath)
	default:
		b.WriteByte('*')
	}
	return b.url()
}

// NNTP is the view of an nntp or nntps URL.
//
//	nntp://host:119/comp.lang.misc/4711
//	                \____________/ \__/
//	                    Group     Number
//
// RFC 1738 §5, RFC 1630:
//
//	nntpurl     = "nntp://" hostport "/" group [ "/" digits ]
//	nntpaddress = "nntp:" group "/" digits                     ; RFC 1630
type NNTP struct {
	Scheme  string // "nntp" or "nntps"; "" means "nntp"
	Host           // the zero Host, in RFC 1630's form, means the user's own server
	Group   string
	Number  uint64 // of the article
	Article bool   // the URL names an article and not the group
}

const nntpRule = "RFC 1738 §3.7"

// ParseNNTP returns the view of an nntp or nntps URL. It refuses a user.
func ParseNNTP(u url.URL) (NNTP, error) {
	if err := wantScheme(u, "nntp", "nntps"); err != nil {
		return NNTP{}, err
	}
	v := NNTP{Scheme: u.Scheme()}
	path := u.PathAndQuery()
	start := 0
	if _, ok := u.Host(); ok {
		var err error
		if v.Host, err = plainHost(u, nntpRule); err != nil {
			return NNTP{}, err
		}
		if path == "" || path[0] != '/' {
			return NNTP{}, pathFail(u, 0, nntpRule, `a "/" before the group`)
		}
		start = 1
	}
	group, number, ok := strings.Cut(path[start:], "/")
	v.Group = ascii.Unescape(group)
	if n, want := checkGroup(v.Group); want != "" {
		return NNTP{}, pathFail(u, start+encodedOffset(group, n), nntpRule, strings.TrimPrefix(want, `"*", `))
	}
	if !ok {
		return v, nil
	}
	start = len(path) - len(number)
	text := ascii.Unescape(number)
	if n := skip(text, isDigit); n < len(text) || n == 0 {
		return NNTP{}, pathFail(u, start+encodedOffset(number, n), nntpRule, "a digit of the article's number")
	}
	var err error
	if v.Number, err = strconv.ParseUint(text, 10, 64); err != nil {
		return NNTP{}, pathFail(u, start, nntpRule, "the number of an article, below 2^64")
	}
	v.Article = true
	return v, nil
}

// URL returns the URL whose view is v.
func (v NNTP) URL() url.URL {
	var b builder
	b.scheme(v.Scheme, "nntp")
	if v.Host != (Host{}) {
		b.server(v.Host)
	}
	b.escape(v.Group, inPath)
	if v.Article {
		b.WriteByte('/')
		b.WriteString(strconv.FormatUint(v.Number, 10))
	}
	return b.url()
}
