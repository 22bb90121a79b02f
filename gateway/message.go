package gateway

import (
	"bufio"
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/http"
	"net/mail"
	"net/textproto"
	"strings"

	"golang.org/x/text/encoding/htmlindex"

	"locus/access"
	"locus/render"
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

// A field is a header field of a message.
type field struct {
	Name  string
	Value []span
}

// isMessage reports whether a media type is that of an article or a mail.
func isMessage(mediaType string) bool {
	base, _, _ := strings.Cut(strings.ToLower(mediaType), ";")
	switch strings.TrimSpace(base) {
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
func (x *exchange) message(resource *access.Resource) {
	p := x.newMessage(resource.URL)
	in := bufio.NewReaderSize(io.LimitReader(resource.Body, maxMessage), 64<<10)
	m, err := mail.ReadMessage(in)
	if err != nil {
		x.fail(resource.URL, err)
		return
	}
	p.header(x, resource.URL, m.Header)
	text, err := textOf(m.Header.Get, m.Body, 0)
	if isPanic(err) {
		x.fail(resource.URL, err)
		return
	}
	if err != nil && !errors.Is(err, errNoText) {
		p.Problem = err.Error()
	}
	p.Text = x.text(resource.URL, text)
	rest, err := io.Copy(io.Discard, io.LimitReader(resource.Body, 1))
	p.Cut = rest > 0
	if err != nil {
		x.failed(resource.URL, err)
		return
	}
	x.write(http.StatusOK, "message", p)
}

func (x *exchange) newMessage(u url.URL) messagePage {
	return messagePage{page: x.page(u, nameOf(u)), Source: x.ownURL("raw?url=" + escaped(u))}
}

// header fills in the fields of the page.
func (p *messagePage) header(x *exchange, base url.URL, h mail.Header) {
	var words mime.WordDecoder
	words.CharsetReader = charsetReader
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
			continue
		}
		p.Fields = append(p.Fields, field{name, x.fieldSpans(base, name, value)})
	}
}

// fieldSpans returns the value of a header field as spans.
func (x *exchange) fieldSpans(base url.URL, name, value string) []span {
	switch name {
	case "From", "To", "Cc":
		return x.addressSpans(value)
	case "Newsgroups", "Followup-To":
	case "References", "In-Reply-To", "Message-Id":
		return x.linkCitations(base, value)
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
		if u, ok := scheme.Cite(base, group); ok {
			s.Href = x.href(u)
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
			s.Href = x.href(u)
		}
		spans = append(spans, s)
	}
	return spans
}

// parsedMessage answers with the page of a message that its engine has parsed: the
// entries of l are lines of the header, lines of the text, and parts.
func (x *exchange) parsedMessage(resource *access.Resource, l access.Lister) {
	p := x.newMessage(resource.URL)
	entries, err := take(l, x.maxEntries())
	if err != nil && !errors.Is(err, io.EOF) {
		x.failed(resource.URL, err)
		return
	}
	p.Cut = err == nil
	header, text := make(mail.Header), new(strings.Builder)
	inHeader := true
	for _, e := range entries {
		name, value, ok := strings.Cut(e.Title, ": ")
		switch inHeader = inHeader && ok; {
		case e.Kind != access.Info:
			p.Parts = append(p.Parts, x.rowOf(e))
		case inHeader:
			header[textproto.CanonicalMIMEHeaderKey(name)] = []string{value}
		case text.Len() > 0 || e.Title != "":
			text.WriteString(e.Title + "\n")
		}
	}
	p.header(x, resource.URL, header)
	p.Text = x.text(resource.URL, text.String())
	x.write(http.StatusOK, "message", p)
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
func charsetReader(charset string, in io.Reader) (io.Reader, error) {
	if charset == "" {
		return in, nil
	}
	e, err := htmlindex.Get(charset)
	if err != nil {
		return nil, err
	}
	return e.NewDecoder().Reader(in), nil
}
