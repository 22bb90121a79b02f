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

// maxMessage is how many octets of a message its page shows; the rest is one
// click away.
const maxMessage = 1 << 20

// messagePage is what the page of a message shows.
type messagePage struct {
	page
	Fields  []field
	Text    []span
	Parts   []row
	Cut     bool   // there is more than is shown
	Source  string // the path of the message as it is
	Problem string // why not all of it could be read
}

// A field is a field of a message's header, with its links.
type field struct {
	Name  string
	Value []span
}

// isMessage reports whether a media type is that of an article or of mail.
func isMessage(mediaType string) bool {
	base, _, _ := strings.Cut(strings.ToLower(mediaType), ";")
	switch strings.TrimSpace(base) {
	case "message/rfc822", "message/news", "message/global":
		return true
	}
	return false
}

// shownFields are the fields that a reader wants to see, in this order.
var shownFields = []string{
	"Subject", "From", "Newsgroups", "To", "Cc", "Date", "Organization", "Followup-To", "References", "In-Reply-To", "Message-Id",
}

// message answers with an article as a page.
func (v *visit) message(resource *access.Resource) {
	p := v.newMessage(resource.URL)
	in := bufio.NewReaderSize(io.LimitReader(resource.Body, maxMessage), 64<<10)
	m, err := mail.ReadMessage(in)
	if err != nil {
		v.fail(resource.URL, err)
		return
	}
	p.header(v, resource.URL, m.Header)
	text, err := textOf(m.Header.Get, m.Body, 0)
	if isPanic(err) {
		v.fail(resource.URL, err)
		return
	}
	if err != nil && !errors.Is(err, errNoText) {
		p.Problem = err.Error()
	}
	p.Text = v.text(resource.URL, text)
	rest, err := io.Copy(io.Discard, io.LimitReader(resource.Body, 1))
	p.Cut = rest > 0
	if err != nil {
		v.failed(resource.URL, err)
		return
	}
	v.write(http.StatusOK, "message", p)
}

func (v *visit) newMessage(u url.URL) messagePage {
	return messagePage{page: v.page(u, nameOf(u)), Source: v.own("raw?url=" + escaped(u))}
}

// header fills in the fields of the page.
func (p *messagePage) header(v *visit, base url.URL, h mail.Header) {
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
		p.Fields = append(p.Fields, field{name, v.fieldSpans(base, name, value)})
	}
}

// fieldSpans finds the links of a field.
func (v *visit) fieldSpans(base url.URL, name, value string) []span {
	switch name {
	case "From", "To", "Cc":
		return v.people(value)
	case "Newsgroups", "Followup-To":
	case "References", "In-Reply-To", "Message-Id":
		return v.cites(base, value)
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
			s.Href = v.href(u)
		}
		spans = append(spans, s)
	}
	return spans
}

// people finds the addresses of a field, which lead to where one writes to them.
func (v *visit) people(value string) []span {
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
			s.Href = v.href(u)
		}
		spans = append(spans, s)
	}
	return spans
}

// letter answers with a message that its engine has taken apart.
func (v *visit) letter(resource *access.Resource, l access.Lister) {
	p := v.newMessage(resource.URL)
	entries, err := take(l, v.maxEntries())
	if err != nil && !errors.Is(err, io.EOF) {
		v.failed(resource.URL, err)
		return
	}
	p.Cut = err == nil
	header, text := make(mail.Header), new(strings.Builder)
	inHeader := true
	for _, e := range entries {
		name, value, ok := strings.Cut(e.Title, ": ")
		switch inHeader = inHeader && ok; {
		case e.Kind != access.Info:
			p.Parts = append(p.Parts, v.rowOf(e))
		case inHeader:
			header[textproto.CanonicalMIMEHeaderKey(name)] = []string{value}
		case text.Len() > 0 || e.Title != "":
			text.WriteString(e.Title + "\n")
		}
	}
	p.header(v, resource.URL, header)
	p.Text = v.text(resource.URL, text.String())
	v.write(http.StatusOK, "message", p)
}

var errNoText = errors.New("no part of it is text")

// textOf returns the text of a message or of a part of one: its first that is
// plain.
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

// charsetReader reads a charset as UTF-8.
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
