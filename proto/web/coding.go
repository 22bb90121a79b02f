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
	"strings"
	"time"

	"locus/access"
	"locus/internal/ascii"
	"locus/proto/internal/wire"
)

// decode removes a content coding (RFC 9110 §8.4) from a response that means success: gzip, x-gzip and deflate. The
// request has not asked for one, but some servers send it always. The fields that describe the coded bytes are removed.
// decode changes only the response to a Get or a Stat. It leaves other codings alone, and their Content-Encoding tells
// the caller.
//
// The error is access.ErrRange for a part of the coded bytes, because a part cannot be decoded.
func decode(req *access.Request, resp *http.Response) error {
	coding := strings.ToLower(strings.TrimSpace(resp.Header.Get("Content-Encoding")))
	switch {
	case coding != "gzip" && coding != "x-gzip" && coding != "deflate", req.Op != access.Get && req.Op != access.Stat:
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
		resp.Body = &decoder{coded: resp.Body, isDeflate: coding == "deflate"}
	}
	return nil
}

// isStoredCompressed reports whether the resource itself is a compressed file, such as x.tar.gz.
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

// A decoder is a body without its content coding. It fails with access.ErrTooLong if the content grows too much.
type decoder struct {
	coded     io.ReadCloser
	isDeflate bool
	counted   *counter  // reads coded; nil before the first Read
	plain     io.Reader // nil before the first Read
	size      int64     // the bytes returned
}

// A counter counts the bytes that it reads.
type counter struct {
	io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += int64(n)
	return n, err
}

// Read reads the decoded body. At its end it also reads the rest of the coded body, because only that shows whether the
// body was cut.
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

// start looks at the first two bytes of the body, and sets plain to a reader that decodes gzip or deflate, or that
// returns the bytes of the body unchanged if it is not compressed.
//
// QUIRK: servers and archives name a coding and send plain bytes. deflate is sent with and without the header of
// zlib (RFC 9110 §8.4.1.2, note).
func (d *decoder) start() error {
	d.counted = &counter{Reader: d.coded}
	r := bufio.NewReader(d.counted)
	first, err := r.Peek(2)
	if len(first) < 2 {
		d.plain = r // returns the error after the bytes
		return nil
	}
	switch isZlib := first[0]&0x0f == 8 && (int(first[0])<<8|int(first[1]))%31 == 0; {
	case d.isDeflate && isZlib:
		d.plain, err = zlib.NewReader(r)
	case d.isDeflate:
		d.plain = flate.NewReader(r)
	case first[0] == 0x1f && first[1] == 0x8b:
		d.plain, err = gzip.NewReader(r)
	default:
		d.plain = r
	}
	if err != nil {
		return fmt.Errorf("the compressed body: %w", wire.Early(err))
	}
	return nil
}

func (d *decoder) Close() error { return d.coded.Close() }

// dateLayouts are the forms of a date in a header field that http.ParseTime does not know (RFC 9110 §5.6.7).
//
// QUIRK: servers write the zone as UTC or +0000, and days below 10 with one digit.
var dateLayouts = []string{
	"Mon, 2 Jan 2006 15:04:05 GMT",
	"Mon, 2 Jan 2006 15:04:05 UTC",
	"Mon, 2 Jan 2006 15:04:05 -0700",
}

// parseDate parses the date in a header field, as Last-Modified.
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
