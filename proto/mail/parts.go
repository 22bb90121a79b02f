package mail

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

// What a message may be made of.
const (
	maxDepth    = 24     // multiparts in multiparts
	maxParts    = 10_000 // parts in all
	maxBoundary = 200    // octets of a boundary; RFC 2046 §5.1.1 has 70
)

// A part is an entity of MIME that is no multipart (RFC 2045).
type part struct {
	id         string // Content-ID without angle brackets; "" if none
	mediaType  string // with its parameters, as it is given out
	base       string // without, in lower case
	params     map[string]string
	encoding   string // Content-Transfer-Encoding, in lower case
	name       string // of the file that it is; "" if none
	attachment bool   // not to be shown with the text
	body       io.Reader
}

// newPart reads what get tells of the fields of an entity.
func newPart(get func(string) string, body io.Reader) part {
	p := part{
		id:       bareID(get("Content-Id")),
		encoding: strings.ToLower(strings.TrimSpace(get("Content-Transfer-Encoding"))),
		body:     body,
	}
	p.base, p.params = mediaType(get("Content-Type"))
	p.mediaType = mime.FormatMediaType(p.base, p.params)
	if p.mediaType == "" {
		p.mediaType = p.base
	}
	disposition, params, err := mime.ParseMediaType(get("Content-Disposition"))
	p.attachment = err == nil && disposition == "attachment"
	p.name = params["filename"]
	if p.name == "" {
		p.name = p.params["name"]
	}
	p.name = words.Header(p.name)
	return p
}

// mediaType reads a Content-Type; what is none is what RFC 2045 §5.2 has for
// it.
func mediaType(value string) (base string, params map[string]string) {
	base, params, _ = mime.ParseMediaType(value) // parameters that are none are left out
	switch {
	case strings.Contains(base, "/"):
		return base, params
	case strings.TrimSpace(value) == "":
		return "text/plain", map[string]string{"charset": "us-ascii"}
	}
	return "application/octet-stream", nil
}

// boundary returns what stands between the parts of a multipart; "" if p is
// none.
func (p part) boundary() string {
	b := p.params["boundary"]
	if !strings.HasPrefix(p.base, "multipart/") || len(b) > maxBoundary {
		return ""
	}
	return b
}

// content returns the octets that the part stands for.
func (p part) content() io.Reader {
	switch p.encoding {
	case "base64":
		return base64.NewDecoder(base64.StdEncoding, &base64Octets{p.body})
	case "quoted-printable":
		return newQuoted(p.body)
	}
	return p.body
}

// base64Octets passes on the octets of base64 and drops the others (RFC 2045
// §6.8).
type base64Octets struct{ r io.Reader }

func (f *base64Octets) Read(b []byte) (int, error) {
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

func isBase64(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '+' || c == '/' || c == '='
}

// parts gives the parts of a message one after the other, as it is read.
type parts struct {
	first *part // the message itself, until it was entered
	open  []*multipart.Reader
	count int
}

func newParts(h header, body io.Reader) *parts {
	p := newPart(h.Get, body)
	return &parts{first: &p}
}

// next returns the next part, whose body is good until the one after it is
// asked for; io.EOF after the last.
func (ps *parts) next() (part, error) {
	if p := ps.first; p != nil {
		ps.first = nil
		if leaf, err := ps.enter(*p); leaf || err != nil {
			return *p, err
		}
	}
	for len(ps.open) > 0 {
		raw, err := ps.open[len(ps.open)-1].NextRawPart()
		if err != nil {
			if err := ps.leave(err); err != nil {
				return part{}, err
			}
			continue
		}
		if ps.count++; ps.count > maxParts {
			return part{}, fmt.Errorf("%w: a message of more than %d parts", access.ErrTooLong, maxParts)
		}
		p := newPart(raw.Header.Get, raw)
		if leaf, err := ps.enter(p); leaf || err != nil {
			return p, err
		}
	}
	return part{}, io.EOF
}

// enter goes into p if it is a multipart; else it is a leaf.
func (ps *parts) enter(p part) (leaf bool, err error) {
	boundary := p.boundary()
	if boundary == "" {
		return true, nil
	}
	if len(ps.open) == maxDepth {
		return false, fmt.Errorf("%w: multiparts %d deep", access.ErrTooLong, maxDepth+1)
	}
	ps.open = append(ps.open, multipart.NewReader(p.body, boundary))
	return false, nil
}

// leave goes out of the innermost multipart, which ended with err. One that is
// part of another may lack its last boundary.
func (ps *parts) leave(err error) error {
	ps.open = ps.open[:len(ps.open)-1]
	switch {
	case err == io.EOF: //nolint:errorlint // wrapped it is an early end
		return nil
	case !errors.Is(err, io.EOF):
		return err
	case len(ps.open) > 0:
		return nil
	}
	return fmt.Errorf("the last boundary of the message is missing: %w", io.ErrUnexpectedEOF)
}

// find returns the part with that content-id.
func (ps *parts) find(id string) (part, error) {
	for {
		p, err := ps.next()
		if err != nil || p.id == id {
			return p, err
		}
	}
}
