package nntp

import (
	"bufio"
	"io"
	"strings"

	"locus/access"
	"locus/url"
)

// A Link is the Sys of an entry of [Links]: the name of the header field that has the link; "" for
// the body.
type Link string

// Links returns a Lister of the links of an article. RFC 1630 allows a partial news URL, the name
// of a group or a message-id, within an article.
//
// The Lister finds the groups of Newsgroups and Followup-To, and the message-ids of References,
// In-Reply-To and Supersedes. In the body it finds names in angle brackets. It takes an email
// address for a message-id, because the two look alike. A name is a group only in a well-known
// hierarchy, or in a hierarchy of the article's own groups. So <body>, <stdio.h> and
// <www.example.org> are not groups. The Lister returns each link once, and removes duplicates among
// the first 10 000 links.
//
// base is the URL of the article; links use the same server. The article is read as entries are
// requested, in constant memory. The caller closes the article.
func Links(article io.Reader, base url.URL) access.Lister {
	to, err := parse(base)
	if err != nil {
		to = target{} // another URL, such as a file
	}
	hierarchies := map[string]bool{
		"alt": true, "comp": true, "humanities": true, "misc": true, "news": true, "rec": true, "sci": true, "soc": true, "talk": true,
	}
	return &linkReader{in: bufio.NewReaderSize(article, maxLine), to: to, seen: map[url.URL]bool{}, hierarchies: hierarchies}
}

// A linkReader is the Lister of [Links].
type linkReader struct {
	in         *bufio.Reader
	to         target           // the article
	headerDone bool             // the header was read
	found      []access.Entry   // the next entries
	seen       map[url.URL]bool // the links that were found before

	hierarchies map[string]bool // hierarchies whose names are groups in the body
}

// Next returns the next link of the article: first the links in its header, then the links in
// angle brackets in its text. The error is io.EOF after the last one.
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

// addField adds the links in a header field to found, if the field names groups or message-ids.
// It adds the hierarchies of the article's groups to hierarchies.
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

// addBracketed adds the link in text, which was in angle brackets, to found: a message-id or a
// group, alone or as a news URL (RFC 1738, Appendix). It ignores other texts.
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

// trimFold returns text without prefix, whose case does not matter. It returns text unchanged if
// it lacks the prefix.
func trimFold(text, prefix string) string {
	if len(text) >= len(prefix) && strings.EqualFold(text[:len(prefix)], prefix) {
		return text[len(prefix):]
	}
	return text
}

// isGroup reports whether text is the name of a group in a known hierarchy: components separated by
// periods (RFC 5536 §3.1.4).
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

// maxSeen limits the number of links among which duplicates are removed.
const maxSeen = 10_000

// add adds an entry for u, which was found in a header field (or in the text if field is ""),
// unless u is zero, was found before, or cannot be opened because a name in it is too long.
func (l *linkReader) add(field, title string, u url.URL, kind access.Kind) {
	if u.IsZero() || l.seen[u] {
		return
	}
	if _, err := parse(u); err != nil {
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

// bracketed reads up to the next text in angle brackets that is short enough for a message-id and
// has no spaces. It returns the text without the brackets. The error is io.EOF if no such text
// follows.
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

// splitGroups returns the names of groups in a Newsgroups field. They are separated by commas and
// white space.
func splitGroups(value string) []string {
	return strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r <= ' ' })
}

// validURLs returns the URLs that urlOf returns for texts, without zero URLs.
func validURLs(texts []string, urlOf func(string) url.URL) []url.URL {
	var found []url.URL
	for _, text := range texts {
		if u := urlOf(text); !u.IsZero() {
			found = append(found, u)
		}
	}
	return found
}
