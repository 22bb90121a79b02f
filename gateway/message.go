package gateway

import (
	"bufio"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/http"
	"net/mail"
	"net/textproto"
	"strings"

	"github.com/a-h/templ"

	"locus/access"
	"locus/extract"
	"locus/internal/charset"
	"locus/internal/render"
	"locus/scheme"
	"locus/url"
)

// maxMessage is how many bytes of a message its page shows.
const maxMessage = 1 << 20

// messagePage has the data of the page of a message.
type messagePage struct {
	page
	Fields  []field
	Text    []span
	Parts   []row
	Cut     bool   // the page does not show all
	Source  string // the path of the bytes of the message
	Problem string // why the message could not be read to its end
}

// maxMessageLines is how many lines and parts of a message its page shows.
const maxMessageLines = 10_000

// A field is a header field of a message.
type field struct {
	Name  string
	Value []span
}

// isMessage reports whether a media type is that of an article or a mail.
func isMessage(mediaType string) bool {
	switch baseType(mediaType) {
	case "message/rfc822", "message/news", "message/global":
		return true
	}
	return false
}

// shownFields are the header fields on the page, in this order.
var shownFields = []string{
	"Subject", "From", "Newsgroups", "To", "Cc", "Date", "Organization", "Followup-To", "References", "In-Reply-To", "Message-Id",
}

// message answers with the page of a message, which it parses.
func (x *exchange) message(resource *access.Resource) error {
	in := bufio.NewReaderSize(x.reserving(io.LimitReader(resource.Body, maxMessage)), 64<<10)
	m, err := mail.ReadMessage(in)
	if err != nil {
		return err
	}
	p := x.newMessage(m.Header)
	text, err := textOf(m.Header.Get, m.Body, 0)
	if isPanic(err) || errors.Is(err, errFull) {
		return err
	}
	if err != nil && !errors.Is(err, errNoText) {
		p.Problem = err.Error()
	}
	p.Text = x.text(text)
	rest, err := io.Copy(io.Discard, io.LimitReader(resource.Body, 1))
	if err != nil {
		return err
	}
	p.Cut = rest > 0
	resource.Body.Close() // the client may read slowly
	x.write(http.StatusOK, p.html())
	return nil
}

// newMessage returns the page of a message with its header.
func (x *exchange) newMessage(h mail.Header) messagePage {
	p := messagePage{page: x.page(nameOf(x.url))}
	x.addNeighbours(&p, h)
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
		p.Fields = append(p.Fields, field{name, x.fieldSpans(name, value)})
	}
	return p
}

// addNeighbours adds the newsgroup of an article to the trail of its page, and links to the
// articles beside it.
func (x *exchange) addNeighbours(p *messagePage, h mail.Header) {
	groups := strings.FieldsFunc(h.Get("Newsgroups"), func(r rune) bool { return r == ',' || r == ' ' })
	if group := x.groupOf(groups); group != "" {
		p.Tools = x.besideIn(group, strings.Trim(h.Get("Message-Id"), " <>"))
		if u, err := url.Parse(group); err == nil && len(p.Trail) == 2 {
			p.Up = x.link(u)
			p.Trail = []crumb{p.Trail[0], {nameOf(u), p.Up}, p.Trail[1]}
		}
	}
	p.Tools = append(p.Tools, link{Title: "View source", Href: x.rawURL()})
}

// fieldSpans returns the value of a header field as spans.
func (x *exchange) fieldSpans(name, value string) []span {
	switch name {
	case "From", "To", "Cc":
		return x.addressSpans(value)
	case "Newsgroups", "Followup-To":
	case "References", "In-Reply-To", "Message-Id":
		return x.linkCitations(value)
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
		if u, ok := scheme.Cite(x.url, group); ok {
			s.Href = x.link(u)
		}
		spans = append(spans, s)
	}
	return spans
}

// addressSpans returns a list of mail addresses as spans, with mailto links.
func (x *exchange) addressSpans(value string) []span {
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
			s.Href = x.link(u)
		}
		spans = append(spans, s)
	}
	return spans
}

// parsedMessage answers with the page of a message that its engine has parsed: the
// entries of l are lines of the header, lines of the text, and parts.
func (x *exchange) parsedMessage(l access.Lister) error {
	g := x.gather(l, display{}, maxMessageLines)
	if g.end != nil {
		return g.end
	}
	header, text, parts := make(mail.Header), new(strings.Builder), []row(nil)
	inHeader := true
	for _, e := range g.entries {
		name, value, ok := strings.Cut(e.Title, ": ")
		switch inHeader = inHeader && ok; {
		case e.Kind != access.Info:
			parts = append(parts, x.rowOf(e))
		case inHeader:
			header[textproto.CanonicalMIMEHeaderKey(name)] = []string{value}
		case text.Len() > 0 || e.Title != "":
			text.WriteString(e.Title + "\n")
		}
	}
	p := x.newMessage(header)
	p.Text, p.Parts, p.Cut = x.text(text.String()), parts, g.next > 0
	x.write(http.StatusOK, p.html())
	return nil
}

var errNoText = errors.New("the message has no text")

// textOf returns the first plain text in a message or a part. depth is how deep the
// part is nested.
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

// charsetReader returns a Reader that converts in from a charset to UTF-8.
func charsetReader(name string, in io.Reader) (io.Reader, error) {
	if name == "" {
		return in, nil
	}
	e, ok := charset.Web(name)
	if !ok {
		return nil, fmt.Errorf("unknown charset %q", name)
	}
	return e.NewDecoder().Reader(in), nil
}

// A span is a piece of text.
type span struct {
	Text string
	Href templ.SafeURL // "" if it is not a link
}

// text returns a text in the resource as spans. URLs are links. So are citations in angle
// brackets, such as a message-id.
func (x *exchange) text(text string) []span {
	var spans []span
	done := 0
	for m, err := range extract.All(strings.NewReader(text), extract.Options{}) {
		if err != nil && !errors.Is(err, extract.ErrTooLong) {
			break // a string gives no other error
		}
		u, err := m.URL()
		if err != nil || !u.IsAbs() {
			continue
		}
		start, end := int(m.Offset), int(m.Offset)+m.Length
		spans = append(spans, x.linkCitations(text[done:start])...)
		spans = append(spans, span{Text: cleanText(text[start:end]), Href: x.link(u)})
		done = end
	}
	return append(spans, x.linkCitations(text[done:])...)
}

// linkCitations returns a text as spans, with links for citations in angle brackets.
func (x *exchange) linkCitations(text string) []span {
	var spans []span
	rest := text
	for {
		before, after, ok := strings.Cut(rest, "<")
		name, tail, closed := strings.Cut(after, ">")
		if !ok || !closed {
			return append(spans, plain(rest)...)
		}
		u, isCitation := resolveCitation(x.url, name)
		spans = append(spans, plain(before+"<")...)
		rest = after
		if isCitation {
			spans = append(spans, span{Text: render.Clean(name), Href: x.link(u)})
			rest = ">" + tail
		}
	}
}

func resolveCitation(base url.URL, name string) (url.URL, bool) {
	const longest = 250 // RFC 3977 §3.6
	if name == "" || len(name) > longest || strings.ContainsAny(name, " \t\r\n<") {
		return url.URL{}, false
	}
	return scheme.Cite(base, name)
}

// plain returns a text as spans without links.
func plain(text string) []span {
	if text == "" {
		return nil
	}
	return []span{{Text: cleanText(text)}}
}

// cleanText applies cleanLine to each line of a text.
func cleanText(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		content := strings.TrimRight(line, "\r\n")
		b.WriteString(cleanLine(content))
		if strings.HasSuffix(line, "\n") {
			b.WriteByte('\n')
		}
	}
	return b.String()
}
