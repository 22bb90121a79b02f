package page

import (
	"net/mail"
	"strings"

	"github.com/a-h/templ"

	"locus/gateway/internal/content"
	"locus/gateway/internal/entry"
	"locus/internal/encodedword"
	"locus/internal/render"
	"locus/scheme"
	"locus/url"
)

// messagePage has the data of the page of a message.
type messagePage struct {
	frame
	Fields  []field
	Text    []span
	Parts   []row
	Cut     bool   // the page shows only the beginning
	Problem string // why the message could not be read to its end
}

// A field is a header field of a message.
type field struct {
	Name  string
	Value []span
}

// shownFields are the header fields on the page, in this order.
var shownFields = []string{
	"Subject", "From", "Newsgroups", "To", "Cc", "Date", "Organization", "Followup-To", "References", "In-Reply-To", "Message-Id",
}

// Message returns the page of an article or a mail.
func Message(l Links, m content.Mail) templ.Component {
	p := l.newMessage(m.Header)
	text, tools := l.body(m.Text)
	p.Text, p.Cut, p.Problem = text, m.Cut, m.Problem
	p.Tools = append(p.Tools, tools...)
	for _, e := range m.Parts {
		p.Parts = append(p.Parts, l.rowOf(e))
	}
	return p.html()
}

// newMessage returns the page of a message with the shown fields of its header h, and without
// its text.
func (l Links) newMessage(h mail.Header) messagePage {
	p := messagePage{frame: l.frame(entry.Name(l.URL))}
	l.addNeighbours(&p, h)
	for _, name := range shownFields {
		value := h.Get(name)
		if value == "" {
			continue
		}
		if decoded, err := encodedword.Decode(value, content.CharsetReader); err == nil {
			value = decoded
		}
		if name == "Subject" {
			p.Title = render.Clean(value)
			if n := len(p.Trail); n > 0 {
				p.Trail[n-1].Title = value
			}
			continue
		}
		p.Fields = append(p.Fields, field{name, l.fieldSpans(name, value)})
	}
	return p
}

// addNeighbours adds the newsgroup of an article to the trail of its page p, and links to the
// articles before and after it. h is the header of the article. It also adds the link to the
// source.
func (l Links) addNeighbours(p *messagePage, h mail.Header) {
	groups := strings.FieldsFunc(h.Get("Newsgroups"), func(r rune) bool { return r == ',' || r == ' ' })
	if group := l.groupOf(groups); group != "" {
		p.Tools = l.besideIn(group, strings.Trim(h.Get("Message-Id"), " <>"))
		if u, err := url.Parse(group); err == nil && len(p.Trail) == 2 {
			p.Up = l.to(u)
			p.Trail = []crumb{p.Trail[0], {entry.Name(u), p.Up}, p.Trail[1]}
		}
	}
	p.Tools = append(p.Tools, link{Title: "View source", Href: l.raw()})
}

// fieldSpans returns value, the value of the named header field, as spans, with links for
// addresses, newsgroups and message-ids.
func (l Links) fieldSpans(name, value string) []span {
	switch name {
	case "From", "To", "Cc":
		return l.addressSpans(value)
	case "Newsgroups", "Followup-To":
	case "References", "In-Reply-To", "Message-Id":
		return l.linkCitations(value)
	default:
		return plain(value)
	}
	var spans []span
	for group := range strings.SplitSeq(value, ",") {
		group = strings.TrimSpace(group)
		if len(spans) > 0 {
			spans = append(spans, span{Text: ", "})
		}
		s := span{Text: render.Clean(group)}
		if u, ok := scheme.Cite(l.URL, group); ok {
			s.Href = l.to(u)
		}
		spans = append(spans, s)
	}
	return spans
}

// addressSpans returns a list of mail addresses as spans, with mailto links. It returns a list
// that cannot be parsed as plain text.
func (l Links) addressSpans(value string) []span {
	all, err := mail.ParseAddressList(value)
	if err != nil {
		return plain(value)
	}
	var spans []span
	for _, a := range all {
		if len(spans) > 0 {
			spans = append(spans, span{Text: ", "})
		}
		if a.Name != "" {
			spans = append(spans, span{Text: render.Clean(a.Name) + " "})
		}
		s := span{Text: render.Clean(a.Address)}
		if u := (scheme.Mailto{Address: a.Address}).URL(); !u.IsZero() {
			s.Href = l.to(u)
		}
		spans = append(spans, s)
	}
	return spans
}
