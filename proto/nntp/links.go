package nntp

import (
	"bufio"
	"errors"
	"io"
	"strings"

	"locus/access"
	"locus/url"
)

// A Link is the Sys of an entry that [Links] found: the name of the header field
// that has it, as it is written; "" for the body.
type Link string

// Links finds what an article leads to (RFC 1630: within an article, the name of
// a group or a message-id is a partial news URL): the groups of Newsgroups and
// Followup-To, the message-ids of References, In-Reply-To and Supersedes, and
// what stands in angle brackets in the body. There an address of mail is taken for
// a message-id, whose shape it has; the name of a group is one only in a hierarchy
// that is known everywhere, or that a group of the article is in, so that <body>,
// <stdio.h> and <www.example.org> are none. Each comes once, as long as there are
// not too many to remember.
//
// The URLs are those of base, the URL that the article was opened by: at the same
// server if that names one. The article is read as the entries are asked for, in
// memory that does not grow with it; the caller closes it.
func Links(article io.Reader, base url.URL) access.Lister {
	to, err := parse(base)
	if err != nil {
		to = target{} // it was a file, say
	}
	l := &links{in: bufio.NewReaderSize(article, maxLine), to: to, seen: map[url.URL]bool{}, hierarchies: map[string]bool{}}
	for _, known := range []string{"alt", "comp", "humanities", "misc", "news", "rec", "sci", "soc", "talk"} {
		l.hierarchies[known] = true
	}
	return l
}

// links are the links of an article that is being read.
type links struct {
	in    *bufio.Reader
	to    target
	body  bool // the header has been read
	found []access.Entry
	seen  map[url.URL]bool

	hierarchies map[string]bool // those of which names in the body are groups
}

// Next returns the next link.
func (l *links) Next() (access.Entry, error) {
	if !l.body {
		l.body = true
		if err := eachField(l.in, l.field); err != nil {
			return access.Entry{}, err
		}
	}
	for len(l.found) == 0 {
		text, err := bracketed(l.in)
		if err != nil {
			return access.Entry{}, err
		}
		l.name(text)
	}
	e := l.found[0]
	l.found = l.found[1:]
	return e, nil
}

// field finds the links of a header field.
func (l *links) field(name, value string) {
	switch strings.ToLower(name) {
	case "newsgroups", "followup-to":
		for _, group := range names(value) {
			if group == "poster" { // mail, and no group (RFC 5536 §3.2.6)
				continue
			}
			l.add(name, group, l.to.groupURL(group), access.Directory)
			if top, _, ok := strings.Cut(group, "."); ok && len(l.hierarchies) < maxSeen {
				l.hierarchies[top] = true
			}
		}
	case "references", "in-reply-to", "supersedes":
		for _, id := range ids(value) {
			l.add(name, id, l.to.idURL(id), access.Object)
		}
	}
}

// name finds the link of what stands in angle brackets in the body: of a
// message-id or a group, alone or as a news URL (RFC 1738, Appendix).
func (l *links) name(text string) {
	text = trimFold(trimFold(text, "URL:"), "news:")
	if u, err := url.Parse(text); err == nil && u.Scheme() != "" { // another URL
		return
	}
	if u := l.to.idURL(text); !u.IsZero() {
		l.add("", text, u, access.Object)
	} else if l.isGroup(text) {
		l.add("", text, l.to.groupURL(text), access.Directory)
	}
}

func trimFold(text, prefix string) string {
	if len(text) >= len(prefix) && strings.EqualFold(text[:len(prefix)], prefix) {
		return text[len(prefix):]
	}
	return text
}

// isGroup reports whether text is the name of a group of a hierarchy that is
// known: components with a period between them (RFC 5536 §3.1.4).
func (l *links) isGroup(text string) bool {
	top, rest, ok := strings.Cut(text, ".")
	if !ok || !l.hierarchies[top] {
		return false
	}
	for component := range strings.SplitSeq(rest, ".") {
		if component == "" || strings.Trim(component, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-_") != "" {
			return false
		}
	}
	return true
}

// maxSeen is how many links are remembered, so that none comes twice.
const maxSeen = 10_000

func (l *links) add(field, title string, u url.URL, kind access.Kind) {
	if u.IsZero() || l.seen[u] {
		return
	}
	if len(l.seen) < maxSeen {
		l.seen[u] = true
	}
	e := access.Entry{Title: title, URL: u, Kind: kind, Size: -1, Sys: Link(field)}
	if kind == access.Object {
		e.Type = mediaType
	}
	l.found = append(l.found, e)
}

// bracketed returns the next text in angle brackets, without them, that may be a
// message-id.
func bracketed(in *bufio.Reader) (string, error) {
	const most = 250 // RFC 3977 §3.6
	var text []byte
	open := false
	for {
		c, err := in.ReadByte()
		switch {
		case errors.Is(err, io.EOF):
			return "", io.EOF
		case err != nil:
			return "", err
		case c == '<':
			open, text = true, text[:0]
		case !open:
		case c == '>' && len(text) > 0:
			return string(text), nil
		case c <= ' ' || c == '>' || len(text) == most:
			open = false
		default:
			text = append(text, c)
		}
	}
}

// ids returns the message-ids in a header field, without their brackets.
func ids(value string) []string {
	var found []string
	in := bufio.NewReader(strings.NewReader(value))
	for {
		id, err := bracketed(in)
		if err != nil { // the end
			return found
		}
		found = append(found, id)
	}
}

// names returns the names in a list of newsgroups.
func names(value string) []string {
	return strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r <= ' ' })
}

// referenceURLs returns the URLs of the message-ids in a References field.
func (to target) referenceURLs(value string) []url.URL {
	return urls(ids(value), to.idURL)
}

// groupURLs returns the URLs of a list of newsgroups.
func (to target) groupURLs(value string) []url.URL {
	return urls(names(value), to.groupURL)
}

// urls returns what has a URL of texts.
func urls(texts []string, of func(string) url.URL) []url.URL {
	var found []url.URL
	for _, text := range texts {
		if u := of(text); !u.IsZero() {
			found = append(found, u)
		}
	}
	return found
}
