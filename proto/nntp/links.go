package nntp

import (
	"bufio"
	"io"
	"strings"

	"locus/access"
	"locus/url"
)

// A Link is the Sys of an entry of [Links]: the name of its header field; ""
// for the body.
type Link string

// Links returns a Lister of the links of an article. RFC 1630 allows a partial
// news URL, the name of a group or a message-id, within an article.
//
// It finds the groups of Newsgroups and Followup-To, and the message-ids of
// References, In-Reply-To and Supersedes. In the body it finds names in angle
// brackets. An email address there is taken for a message-id, since it looks
// like one. A name is a group only in a well-known hierarchy, or in one of the
// article's own groups. So <body>, <stdio.h> and <www.example.org> are not
// groups. Each link comes once, up to 10 000 links.
//
// base is the URL of the article; links use the same server. The article is
// read as entries are requested, in constant memory. The caller closes it.
func Links(article io.Reader, base url.URL) access.Lister {
	to, err := parse(base)
	if err != nil {
		to = target{} // not a news URL, such as a file
	}
	hierarchies := map[string]bool{
		"alt": true, "comp": true, "humanities": true, "misc": true, "news": true, "rec": true, "sci": true, "soc": true, "talk": true,
	}
	return &linkReader{in: bufio.NewReaderSize(article, maxLine), to: to, seen: map[url.URL]bool{}, hierarchies: hierarchies}
}

type linkReader struct {
	in         *bufio.Reader
	to         target
	headerDone bool // the header was read
	found      []access.Entry
	seen       map[url.URL]bool

	hierarchies map[string]bool // hierarchies whose names are groups in the body
}

func (l *linkReader) Next() (access.Entry, error) {
	if !l.headerDone {
		l.headerDone = true
		if err := eachField(l.in, l.addField); err != nil {
			return access.Entry{}, err
		}
	}
	for len(l.found) == 0 {
		text, err := bracketed(l.in)
		if err != nil {
			return access.Entry{}, err
		}
		l.addBracketed(text)
	}
	e := l.found[0]
	l.found = l.found[1:]
	return e, nil
}

func (l *linkReader) addField(name, value string) {
	switch strings.ToLower(name) {
	case "newsgroups", "followup-to":
		for _, group := range splitGroups(value) {
			if group == "poster" { // replies go to the author by mail (RFC 5536 §3.2.6)
				continue
			}
			l.add(name, group, l.to.groupURL(group), access.Directory)
			if top, _, ok := strings.Cut(group, "."); ok && len(l.hierarchies) < maxSeen {
				l.hierarchies[top] = true
			}
		}
	case "references", "in-reply-to", "supersedes":
		for _, id := range messageIDs(value) {
			l.add(name, id, l.to.idURL(id), access.Object)
		}
	}
}

// addBracketed adds the link in a text from angle brackets: a message-id or a
// group, alone or as a news URL (RFC 1738, Appendix).
func (l *linkReader) addBracketed(text string) {
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

// isGroup reports whether text is the name of a group in a known hierarchy:
// components separated by periods (RFC 5536 §3.1.4).
func (l *linkReader) isGroup(text string) bool {
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

// maxSeen limits the links that are remembered to remove duplicates.
const maxSeen = 10_000

func (l *linkReader) add(field, title string, u url.URL, kind access.Kind) {
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

// bracketed returns the next text in angle brackets, without them, that may be
// a message-id.
func bracketed(in *bufio.Reader) (string, error) {
	const limit = 250 // RFC 3977 §3.6
	var text []byte
	open := false
	for {
		c, err := in.ReadByte()
		switch {
		case access.IsEnd(err):
			return "", io.EOF
		case err != nil:
			return "", err
		case c == '<':
			open, text = true, text[:0]
		case !open:
		case c == '>' && len(text) > 0:
			return string(text), nil
		case c <= ' ' || c == '>' || len(text) == limit:
			open = false
		default:
			text = append(text, c)
		}
	}
}

// messageIDs returns the message-ids in a header field, without their brackets.
func messageIDs(value string) []string {
	var found []string
	in := bufio.NewReader(strings.NewReader(value))
	for {
		id, err := bracketed(in)
		if err != nil { // only io.EOF
			return found
		}
		found = append(found, id)
	}
}

func splitGroups(value string) []string {
	return strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r <= ' ' })
}

// validURLs returns the URLs of texts. It omits texts that have none.
func validURLs(texts []string, of func(string) url.URL) []url.URL {
	var found []url.URL
	for _, text := range texts {
		if u := of(text); !u.IsZero() {
			found = append(found, u)
		}
	}
	return found
}
