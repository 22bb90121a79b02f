package web

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"locus/access"
	"locus/access/engine"
	"locus/internal/autoindex"
	"locus/internal/markup"
	"locus/url"
)

// Listed returns r with a List if r is a directory page of a web server, and r itself if not. The
// engine returns no List because HTTP has no listings. Body must be unread, because Listed reads
// its start.
//
// The entries are the links to names directly under the URL of the page. A name with a final "/" is
// a directory, others are objects. The Title is the decoded name in the URL. Links to other URLs,
// or with a query (another sort order), are omitted. Sizes that the server rounds, and times in an
// unknown time zone, are in Entry.Rough. The known formats are those of nginx, Apache, lighttpd,
// Caddy, Jetty and IIS; the pages of Python and Go have names only.
//
// A page of S3 (ListBucketResult, in XML) is a listing, too. If the bucket has more keys than the
// page, the listing ends with an error; see [ListedPages].
func Listed(r *access.Resource) *access.Resource { return ListedPages(r, nil) }

// ListedPages returns r with a List if r is a listing, as [Listed] does, and also reads listings of
// several pages; S3 sends a page for each 1000 keys. When a page was read to its end, the List
// calls open for the next page. open must return the Resource of that URL. If open is nil, a
// listing of several pages ends with an error.
func ListedPages(r *access.Resource, open func(u url.URL) (*access.Resource, error)) *access.Resource {
	if !mayList(r) {
		return r
	}
	listed := *r
	body := bufio.NewReaderSize(r.Body, autoindex.HeadSize)
	head, _ := body.Peek(autoindex.HeadSize) // a later Read returns the error
	peeked := peekedBody{body, r.Body}
	listed.Body = peeked
	switch {
	case isXML(r.Type):
		if isBucket(head) {
			list := &bucketListing{peekedBody: peeked, base: r.URL, page: bucketPage{text: newXMLReader(body)}, open: open}
			listed.Body, listed.List = list, list
		}
	case autoindex.Is(head):
		list := &listing{peekedBody: peeked, base: r.URL, rows: autoindex.NewReader(body)}
		listed.Body, listed.List = list, list
	}
	return &listed
}

// mayList reports whether r may be a listing, judged by its URL and header.
func mayList(r *access.Resource) bool {
	listed := r.List != nil
	isPage := strings.EqualFold(mimeOf(r.Type), "text/html") && strings.HasSuffix(r.URL.Path(), "/")
	return !listed && r.HTTPStatus != 0 && r.Offset == 0 && (isPage || isXML(r.Type)) && r.Header.Get("Content-Encoding") == ""
}

// mimeOf returns a media type without its parameters.
func mimeOf(mediaType string) string {
	mime, _, _ := strings.Cut(mediaType, ";")
	return strings.TrimSpace(mime)
}

// isXML reports whether a media type is application/xml or text/xml.
func isXML(mediaType string) bool {
	mime := strings.ToLower(mimeOf(mediaType))
	return mime == "application/xml" || mime == "text/xml"
}

// A peekedBody is a Body from whose start bytes were peeked. Its Reader returns them again.
type peekedBody struct {
	io.Reader
	io.Closer
}

// A listing is the Body and the List of a directory page.
type listing struct {
	peekedBody
	base     url.URL
	rows     *autoindex.Reader
	previous url.URL // the URL of the previous entry
}

// Next returns the entry of the next row that links to a child of the directory, and io.EOF after
// the last row. It skips a row with the same URL as the entry before.
func (l *listing) Next() (access.Entry, error) {
	for {
		row, err := l.rows.Next()
		if errors.Is(err, markup.ErrTooLong) {
			err = fmt.Errorf("%w: more than %d bytes without a tag", access.ErrTooLong, markup.MaxToken)
		}
		if err != nil {
			return access.Entry{}, engine.FailReading("list", l.base, err)
		}
		e, ok := childEntry(l.base, row.Link)
		if !ok || e.URL == l.previous { // an icon has the link of its name
			continue
		}
		l.previous = e.URL
		if e.Kind == access.Object && row.Rounded {
			e.Rough.Size = row.Size
		} else if e.Kind == access.Object {
			e.Size = row.Size
		}
		if row.Zoned {
			e.ModTime = row.ModTime
		} else {
			e.Rough.ModTime = row.ModTime
		}
		return e, nil
	}
}

// childEntry returns the entry for a link in the listing at base. ok is false if the link does not
// lead to a name directly under base. The entry is a directory if the link ends in "/", and
// otherwise an object.
func childEntry(base url.URL, link string) (e access.Entry, ok bool) {
	to, err := resolve(base, link)
	if _, query := to.Query(); err != nil || query || !sameOrigin(to, base) {
		return access.Entry{}, false
	}
	text, isDir := strings.CutSuffix(to.Path(), "/")
	cut := strings.LastIndexByte(text, '/') + 1
	segment := text[cut:]
	name, err := url.Unescape(segment)
	if err != nil || name == "" || name == "." || strings.Contains(name, "/") || name == ".." || !samePath(text[:cut], base.Path()) {
		return access.Entry{}, false
	}
	e = access.Entry{Title: name, Kind: access.Object, Size: -1}
	if isDir {
		e.Kind, segment = access.Directory, segment+"/"
	}
	e.URL, err = resolve(base, "./"+segment) // resolved so that it keeps the user and password
	return e, err == nil
}

// sameOrigin reports whether requests to a and b go to the same scheme, host and port.
func sameOrigin(a, b url.URL) bool { return origin(a) != "" && origin(a) == origin(b) }

// origin returns the server to which requests for u go, as in "http://host:8080"; "" if u is not a
// valid http or https URL.
func origin(u url.URL) string {
	at, err := originRequest(u)
	if err != nil {
		return ""
	}
	return at.URL.Scheme + "://" + at.URL.Host
}

// samePath reports whether a and b are the same path after unescaping. It is false if an escape is
// invalid.
func samePath(a, b string) bool {
	decodedA, errA := url.Unescape(a)
	decodedB, errB := url.Unescape(b)
	return errA == nil && errB == nil && decodedA == decodedB
}
