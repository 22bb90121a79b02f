package page

import (
	"bufio"
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"net/textproto"
	"strings"

	"github.com/a-h/templ"

	"locus/access"
	"locus/gateway/internal/entry"
	"locus/internal/render"
	"locus/scheme"
	"locus/url"
)

// maxMessage is how many bytes of a message its page shows.
const maxMessage = 1 << 20

// messagePage has the data of the page of a message.
type messagePage struct {
	frame
	Fields  []field
	Text    []span
	Parts   []row
	Cut     bool   // the page shows only the beginning
	Problem string // why the message could not be read to its end
}

// MaxMailLines is how many lines and parts of a parsed message its page shows.
const MaxMailLines = 10_000

// A field is a header field of a message.
type field struct {
	Name  string
	Value []span
}

// shownFields are the header fields on the page, in this order.
var shownFields = []string{
	"Subject", "From", "Newsgroups", "To", "Cc", "Date", "Organization", "Followup-To", "References", "In-Reply-To", "Message-Id",
}

// A Mail has the data of the page of an article or a mail.
type Mail struct {
	Header  mail.Header
	Text    string // the first plain text in the message
	Parts   []access.Entry
	Cut     bool   // the message is longer
	Problem string // why the message could not be read to its end
}

// ReadMail reads the beginning of a message. err is an error of the header. textErr is an error of
// the text, and then m has the text before the error.
func ReadMail(body io.Reader) (m Mail, textErr, err error) {
	limited := &io.LimitedReader{R: body, N: maxMessage}
	message, err := mail.ReadMessage(bufio.NewReaderSize(limited, 64<<10))
	if err != nil {
		return m, nil, err
	}
	m.Header = message.Header
	m.Text, textErr = textOf(m.Header.Get, message.Body, 0)
	if errors.Is(textErr, errNoText) {
		textErr = nil
	}
	return m, textErr, nil
}

// GatherMail returns a message that its engine has parsed. The entries are lines of the header,
// lines of the text, and parts.
func GatherMail(entries []access.Entry) Mail {
	m := Mail{Header: make(mail.Header)}
	var text strings.Builder
	inHeader := true
	for _, e := range entries {
		name, value, ok := strings.Cut(e.Title, ": ")
		switch inHeader = inHeader && ok; {
		case e.Kind != access.Info:
			m.Parts = append(m.Parts, e)
		case inHeader:
			m.Header[textproto.CanonicalMIMEHeaderKey(name)] = []string{value}
		case text.Len() > 0 || e.Title != "":
			text.WriteString(e.Title + "\n")
		}
	}
	m.Text = text.String()
	return m
}

// Message is the page of an article or a mail.
func Message(l Links, m Mail) templ.Component {
	p := l.newMessage(m.Header)
	p.Text, p.Cut, p.Problem = l.text(m.Text), m.Cut, m.Problem
	for _, e := range m.Parts {
		p.Parts = append(p.Parts, l.rowOf(e))
	}
	return p.html()
}

// newMessage returns the page of a message with the fields of its header.
func (l Links) newMessage(h mail.Header) messagePage {
	p := messagePage{frame: l.frame(entry.Name(l.URL))}
	l.addNeighbours(&p, h)
	words := mime.WordDecoder{CharsetReader: charsetReader}
	for _, name := range shownFields {
		value := h.Get(name)
		if value == "" {
			continue
		}
		if decoded, err := words.DecodeHeader(value); err == nil {
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

// addNeighbours adds the newsgroup of an article to the trail of its page, and links to the
// articles beside it.
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

// fieldSpans returns the value of a header field as spans.
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

// addressSpans returns a list of mail addresses as spans, with mailto links.
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

var errNoText = errors.New("the message has no text")

// textOf returns the first plain text in a message or a part of it. depth is how deep the part is
// nested. The error is errNoText if all parts have other types.
func textOf(field func(string) string, body io.Reader, depth int) (string, error) {
	mediaType, params, err := mime.ParseMediaType(field("Content-Type"))
	if err != nil {
		mediaType, params = "text/plain", nil
	}
	const maxNesting = 8
	switch {
	case strings.HasPrefix(mediaType, "multipart/") && params["boundary"] != "" && depth < maxNesting:
		return textOfParts(multipart.NewReader(body, params["boundary"]), depth)
	case mediaType != "text/plain":
		return "", errNoText
	}
	switch strings.ToLower(strings.TrimSpace(field("Content-Transfer-Encoding"))) {
	case "base64":
		body = base64.NewDecoder(base64.StdEncoding, body)
	case "quoted-printable":
		body = quotedprintable.NewReader(body)
	}
	if decoded, err := charsetReader(params["charset"], body); err == nil {
		body = decoded
	}
	text, err := io.ReadAll(io.LimitReader(body, maxMessage))
	return string(text), err
}

// textOfParts returns the first plain text in parts.
func textOfParts(parts *multipart.Reader, depth int) (string, error) {
	for {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			return "", errNoText
		}
		if err != nil {
			return "", err
		}
		if text, err := textOf(part.Header.Get, part, depth+1); !errors.Is(err, errNoText) {
			return text, err
		}
	}
}
