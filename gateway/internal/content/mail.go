package content

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

	"locus/access"
)

// maxMessage is how many bytes of a message its page shows.
const maxMessage = 1 << 20

// MaxMailLines is how many lines and parts of a parsed message its page shows.
const MaxMailLines = 10_000

// A Mail has the data of the page of an article or a mail.
type Mail struct {
	Header  mail.Header
	Text    string // the first plain text in the message
	Parts   []access.Entry
	Cut     bool   // the message is longer
	Problem string // why the message could not be read to its end
}

// ReadMail reads the beginning of a message. err is an error of the header. textErr is an error
// of the text, and then m has the text before the error. A message without text is not an
// error. The caller closes body.
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

var errNoText = errors.New("the message has no text")

// textOf returns the first plain text in a message or a part of it, decoded. field returns a
// field of its header. depth is the number of parts around the part. The error is errNoText if
// the message has only other types.
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
	if decoded, err := CharsetReader(params["charset"], body); err == nil {
		body = decoded
	}
	text, err := io.ReadAll(io.LimitReader(body, maxMessage))
	return string(text), err
}

// textOfParts returns the first plain text in parts, or errNoText if all parts have other
// types. depth is the depth of the message that has the parts.
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
