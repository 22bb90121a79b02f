package message

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"strings"

	"locus/access"
	"locus/proto/internal/words"
)

// The limits of a message.
const (
	maxDepth    = 24     // multiparts in each other
	maxParts    = 10_000 // parts in the message
	maxBoundary = 200    // bytes in a boundary; RFC 2046 §5.1.1 allows 70
)

// A Part is a MIME entity that is not a multipart (RFC 2045).
type Part struct {
	ID           string            // the Content-ID without angle brackets, or ""
	MediaType    string            // the media type with parameters, normalised
	Base         string            // the media type without parameters, in lower case
	Params       map[string]string // the parameters
	encoding     string            // the Content-Transfer-Encoding, in lower case
	Name         string            // the file name, or ""
	IsAttachment bool              // a mail reader does not show it with the text
	body         io.Reader         // the encoded content
}

// NewPart returns the part with the encoded content body. get returns the value of the header field
// with a name, or "".
func NewPart(get func(string) string, body io.Reader) Part {
	p := Part{
		ID:       BareID(get("Content-Id")),
		encoding: strings.ToLower(strings.TrimSpace(get("Content-Transfer-Encoding"))),
		body:     body,
	}
	p.Base, p.Params = mediaType(get("Content-Type"))
	p.MediaType = mime.FormatMediaType(p.Base, p.Params)
	if p.MediaType == "" {
		p.MediaType = p.Base
	}
	disposition, params, err := mime.ParseMediaType(get("Content-Disposition"))
	p.IsAttachment = err == nil && disposition == "attachment"
	p.Name = params["filename"]
	if p.Name == "" {
		p.Name = p.Params["name"]
	}
	p.Name = words.Header(p.Name)
	return p
}

// mediaType parses a Content-Type. It returns the default of RFC 2045 §5.2 if value is empty, and
// application/octet-stream if value is invalid.
func mediaType(value string) (base string, params map[string]string) {
	base, params, _ = mime.ParseMediaType(value) // drops invalid parameters
	switch {
	case strings.Contains(base, "/"):
		return base, params
	case strings.TrimSpace(value) == "":
		return "text/plain", map[string]string{"charset": "us-ascii"}
	}
	return "application/octet-stream", nil
}

// boundary returns the boundary of a multipart; "" if p is not a multipart, or if the boundary is
// too long.
func (p Part) boundary() string {
	b := p.Params["boundary"]
	if !strings.HasPrefix(p.Base, "multipart/") || len(b) > maxBoundary {
		return ""
	}
	return b
}

// Content returns a reader for the content, decoded if the encoding is base64 or quoted-printable.
// The text stays in its charset.
func (p Part) Content() io.Reader {
	switch p.encoding {
	case "base64":
		return base64.NewDecoder(base64.StdEncoding, &base64Filter{p.body})
	case "quoted-printable":
		return newQuoted(p.body)
	}
	return p.body
}

// A base64Filter drops bytes that are not base64 (RFC 2045 §6.8).
type base64Filter struct{ r io.Reader }

// Read reads into b and removes the bytes that are not base64, such as line breaks.
func (f *base64Filter) Read(b []byte) (int, error) {
	for {
		n, err := f.r.Read(b)
		kept := 0
		for _, c := range b[:n] {
			if isBase64(c) {
				b[kept] = c
				kept++
			}
		}
		if kept > 0 || err != nil || len(b) == 0 {
			return kept, err
		}
	}
}

// isBase64 reports whether c is in the alphabet of base64, or "=".
func isBase64(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '+' || c == '/' || c == '='
}

// Parts reads the parts of a message in turn.
type Parts struct {
	first  *Part               // the message itself; nil after the first Next
	nested []*multipart.Reader // the multiparts around the next part, the innermost last
	count  int                 // the parts that were read
}

// NewParts returns a reader for the parts of a message with the header h and the encoded body.
func NewParts(h Header, body io.Reader) *Parts {
	p := NewPart(h.Get, body)
	return &Parts{first: &p}
}

// IsMultipart reports whether the message is a multipart. Call it before the first Next.
func (ps *Parts) IsMultipart() bool { return ps.first.boundary() != "" }

// Next returns the next part that is not a multipart, and io.EOF after the last. The body of a part
// is valid until the next call.
func (ps *Parts) Next() (Part, error) {
	if p := ps.first; p != nil {
		ps.first = nil
		if leaf, err := ps.enter(*p); leaf || err != nil {
			return *p, err
		}
	}
	for len(ps.nested) > 0 {
		raw, err := ps.nested[len(ps.nested)-1].NextRawPart()
		if err != nil {
			if err := ps.leave(err); err != nil {
				return Part{}, err
			}
			continue
		}
		if ps.count++; ps.count > maxParts {
			return Part{}, fmt.Errorf("%w: a message of more than %d parts", access.ErrTooLong, maxParts)
		}
		p := NewPart(raw.Header.Get, raw)
		if leaf, err := ps.enter(p); leaf || err != nil {
			return p, err
		}
	}
	return Part{}, io.EOF
}

// enter prepares to read the parts of p, if p is a multipart with a usable boundary. Otherwise leaf
// is true. The error is access.ErrTooLong if p is in too many multiparts.
func (ps *Parts) enter(p Part) (leaf bool, err error) {
	boundary := p.boundary()
	if boundary == "" {
		return true, nil
	}
	if len(ps.nested) == maxDepth {
		return false, fmt.Errorf("%w: multiparts %d deep", access.ErrTooLong, maxDepth+1)
	}
	ps.nested = append(ps.nested, multipart.NewReader(p.body, boundary))
	return false, nil
}

// leave closes the innermost multipart after reading it ended with err. It returns nil if the
// multipart was complete, or if only its last boundary is missing and another multipart contains
// it. The outermost multipart must have its last boundary; otherwise the error wraps
// io.ErrUnexpectedEOF. leave returns any other err unchanged.
func (ps *Parts) leave(err error) error {
	ps.nested = ps.nested[:len(ps.nested)-1]
	switch {
	case access.IsEnd(err):
		return nil
	case !errors.Is(err, io.EOF):
		return err
	case len(ps.nested) > 0:
		return nil
	}
	return fmt.Errorf("the last boundary of the message is missing: %w", io.ErrUnexpectedEOF)
}

// Find reads parts up to the first one whose content-id is id, and returns it. The error is io.EOF
// if no further part has the id.
func (ps *Parts) Find(id string) (Part, error) {
	for {
		p, err := ps.Next()
		if err != nil || p.ID == id {
			return p, err
		}
	}
}
