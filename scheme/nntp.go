package scheme

import (
	"strconv"
	"strings"

	"locus/internal/ascii"
	"locus/url"
)

// NNTP is what an nntp or nntps URL means.
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
	Scheme  string // "nntp" or "nntps"; "" is "nntp"
	Host           // zero in RFC 1630's form: the user's own server
	Group   string
	Number  uint64 // of the article
	Article bool   // whether the URL names an article, and not the group
}

const nntpRule = "RFC 1738 §3.7"

// ParseNNTP returns the view of an nntp or nntps URL.
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
	if n, want := judgeGroup(v.Group); want != "" {
		return NNTP{}, pathFail(u, start+written(group, n), nntpRule, strings.TrimPrefix(want, `"*", `))
	}
	if !ok {
		return v, nil
	}
	start = len(path) - len(number)
	if n := skip(number, isDigit); n < len(number) || n == 0 {
		return NNTP{}, pathFail(u, start+n, nntpRule, "a digit of the article's number")
	}
	var err error
	if v.Number, err = strconv.ParseUint(number, 10, 64); err != nil {
		return NNTP{}, pathFail(u, start, nntpRule, "the number of an article, below 2^64")
	}
	v.Article = true
	return v, nil
}

// URL returns the URL that means v.
func (v NNTP) URL() url.URL {
	var b builder
	b.scheme(v.Scheme, "nntp")
	if v.Host != (Host{}) {
		b.authority(v.Host, url.Part{}, url.Part{})
		b.WriteByte('/')
	}
	b.escape(v.Group, inPath)
	if v.Article {
		b.WriteByte('/')
		b.WriteString(strconv.FormatUint(v.Number, 10))
	}
	return b.url()
}
