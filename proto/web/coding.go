package web

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"locus/access"
	"locus/internal/ascii"
	"locus/proto/internal/wire"
)

// decode removes the content codings (RFC 9110 §8.4) gzip, x-gzip and deflate from a response that means success. The
// request has not asked for them, but some servers send them always. decode wraps the body, and removes the fields that
// describe the coded bytes.
//
// decode leaves three kinds of responses unchanged: the response to an operation other than Get and Stat, a file that
// is itself compressed (see isStoredCompressed), and a response with another coding, whose Content-Encoding tells the
// caller.
//
// The error is access.ErrRange for a part of the coded bytes, because a part cannot be decoded. Damaged data is an
// error of Read.
func decode(req *access.Request, resp *http.Response) error {
	codings, ok := codingsOf(resp.Header.Values("Content-Encoding"))
	switch {
	case !ok, req.Op != access.Get && req.Op != access.Stat:
		return nil
	case isStoredCompressed(req, resp):
		return nil
	case resp.StatusCode == http.StatusPartialContent:
		return fmt.Errorf("%w: a part of a compressed version", access.ErrRange)
	}
	for _, name := range []string{"Content-Encoding", "Content-Length", "Content-Md5", "Content-Digest", "Repr-Digest", "Digest"} {
		resp.Header.Del(name)
	}
	resp.ContentLength = -1
	if resp.Body != nil {
		resp.Body = &decoder{coded: resp.Body, codings: codings}
	}
	return nil
}

// maxCodings is how many codings of one body are removed.
const maxCodings = 2

// codingsOf returns the codings in the lines of a field Content-Encoding, in the order in which they were applied. ok
// is false if there is no coding, or if decode cannot remove all codings.
func codingsOf(lines []string) (codings []string, ok bool) {
	for coding := range strings.SplitSeq(strings.ToLower(strings.Join(lines, ",")), ",") {
		switch coding = strings.TrimSpace(coding); coding {
		case "", "identity":
		case "gzip", "x-gzip", "deflate":
			codings = append(codings, coding)
		default:
			return nil, false
		}
	}
	return codings, 0 < len(codings) && len(codings) <= maxCodings
}

// isStoredCompressed reports whether the resource itself is a compressed file, such as x.tar.gz, judged by the
// extension in the URL and by the Content-Type.
//
// QUIRK: Apache with "AddEncoding x-gzip .gz" calls the type of such a file a content coding.
func isStoredCompressed(req *access.Request, resp *http.Response) bool {
	switch strings.ToLower(path.Ext(ascii.Unescape(req.URL.Path()))) {
	case ".gz", ".tgz", ".z", ".gzip", ".svgz":
		return true
	}
	media, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	switch strings.ToLower(strings.TrimSpace(media)) {
	case "application/gzip", "application/x-gzip", "application/x-compressed", "application/x-compressed-tar":
		return true
	}
	return false
}

const (
	// freeSize is how many decoded bytes are accepted whatever the ratio.
	freeSize = 64 << 20
	// maxRatio limits the decoded bytes for each coded byte beyond freeSize. Texts have up to 20.
	maxRatio = 100
)

// A decoder is a body without its content codings. It fails with access.ErrTooLong if the content grows too much.
type decoder struct {
	coded   io.ReadCloser
	codings []string  // in the order in which they were applied
	counted *counter  // reads coded; nil before the first Read
	plain   io.Reader // nil before the first Read
	size    int64     // the bytes returned
}

// A counter counts the bytes that it reads.
type counter struct {
	io.Reader
	n int64
}

// Read reads from Reader and adds the number of bytes to n.
func (c *counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += int64(n)
	return n, err
}

// Read reads the decoded body. The error is access.ErrTooLong if the body grows to more than maxRatio times the size of
// the coded body. At its end Read also reads the rest of the coded body, because only that shows whether the body was
// cut.
func (d *decoder) Read(p []byte) (int, error) {
	if d.plain == nil {
		if err := d.start(); err != nil {
			return 0, err
		}
	}
	n, err := d.plain.Read(p)
	d.size += int64(n)
	if d.size > freeSize && d.size > freeSize+maxRatio*d.counted.n {
		return 0, fmt.Errorf("%w: a compressed body that grows to more than %d times its size", access.ErrTooLong, maxRatio)
	}
	if access.IsEnd(err) {
		// The decompressor may stop before the end of the body, which shows whether the body is whole.
		if _, bodyErr := io.CopyN(io.Discard, d.counted, drainLimit); bodyErr != nil && !access.IsEnd(bodyErr) {
			err = bodyErr
		}
	}
	return n, err
}

// start prepares the first Read: it sets plain to a reader of the decoded body, and counted to the counter of the coded
// bytes.
func (d *decoder) start() error {
	d.counted = &counter{Reader: d.coded}
	plain := io.Reader(d.counted)
	for _, coding := range slices.Backward(d.codings) {
		var err error
		if plain, err = withoutCoding(plain, coding == "deflate"); err != nil {
			return fmt.Errorf("the compressed body: %w", wire.Early(err))
		}
	}
	d.plain = plain
	return nil
}

// withoutCoding returns a reader that decodes coded: deflate if isDeflate is set, and otherwise gzip. It looks at the
// first two bytes. It returns the bytes unchanged if there are fewer, or if isDeflate is not set and they do not begin
// gzip.
//
// QUIRK: servers and archives say gzip and send plain bytes. deflate is sent with and without the header of zlib (RFC
// 9110 §8.4.1.2, note).
func withoutCoding(coded io.Reader, isDeflate bool) (io.Reader, error) {
	r := bufio.NewReader(coded)
	first, _ := r.Peek(2)
	if len(first) < 2 {
		return r, nil // it returns the error after the bytes
	}
	switch isZlib := first[0]&0x0f == 8 && (int(first[0])<<8|int(first[1]))%31 == 0; {
	case isDeflate && isZlib:
		return zlib.NewReader(r)
	case isDeflate:
		return flate.NewReader(r), nil
	case isGzip(first):
		return newMembers(r)
	}
	return r, nil
}

// isGzip reports whether content that begins with the two bytes of first is in the format of gzip (RFC 1952 §2.3.1).
func isGzip(first []byte) bool { return first[0] == 0x1f && first[1] == 0x8b }

// A members reads the members of content in the format of gzip, one after the other, and ignores the bytes after them.
//
// QUIRK: servers append line breaks, zeros or a comment in HTML to the compressed page, and browsers ignore them.
type members struct {
	member *gzip.Reader
	rest   *bufio.Reader
}

// newMembers returns a reader of the members of r. It returns an error if the header of the first member is broken.
func newMembers(r *bufio.Reader) (*members, error) {
	member, err := gzip.NewReader(r)
	if err != nil {
		return nil, err
	}
	member.Multistream(false)
	return &members{member, r}, nil
}

// Read reads the members. At the end of a member it begins the next one, if another one follows.
func (m *members) Read(p []byte) (int, error) {
	n, err := m.member.Read(p)
	if !access.IsEnd(err) {
		return n, err
	}
	switch first, peekErr := m.rest.Peek(2); {
	case peekErr != nil:
		return n, peekErr
	case !isGzip(first):
		return n, err
	}
	if err := m.member.Reset(m.rest); err != nil {
		return n, err
	}
	m.member.Multistream(false)
	return n, nil
}

// Close closes the coded body.
func (d *decoder) Close() error { return d.coded.Close() }

// dateLayouts are the forms of a date in a header field that http.ParseTime does not know (RFC 9110 §5.6.7).
//
// QUIRK: servers write the zone as UTC or +0000, and days below 10 with one digit.
var dateLayouts = []string{
	"Mon, 2 Jan 2006 15:04:05 GMT",
	"Mon, 2 Jan 2006 15:04:05 UTC",
	"Mon, 2 Jan 2006 15:04:05 -0700",
}

// parseDate parses the date in a header field, such as Last-Modified, and returns it in UTC.
func parseDate(field string) (time.Time, error) {
	t, err := http.ParseTime(field)
	if err == nil {
		return t, nil
	}
	for _, layout := range dateLayouts {
		if t, err := time.Parse(layout, strings.TrimSpace(field)); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, err
}
