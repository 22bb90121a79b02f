package web

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"locus/access"
	"locus/internal/autoindex"
	"locus/internal/markup"
	"locus/url"
)

// Listed returns r with a List if r is a directory page of a web server, and
// else r itself. HTTP has no listings, so the engine returns none. Nothing of
// Body may have been read; Listed reads its start.
//
// The entries are the links to names directly under the URL of the page. A name
// with a final "/" is a directory, others are objects. The Title is the decoded
// name in the URL. Links to other places, or with a query (another sort order),
// are omitted. Sizes and times are omitted too, since each server has its own
// format.
func Listed(r *access.Resource) *access.Resource {
	if !mayList(r) {
		return r
	}
	listed := *r
	body := bufio.NewReaderSize(r.Body, autoindex.HeadSize)
	head, _ := body.Peek(autoindex.HeadSize) // Read returns the error again
	peeked := peekedBody{body, r.Body}
	listed.Body = peeked
	if autoindex.Is(head) {
		list := &listing{peekedBody: peeked, base: r.URL, tags: markup.NewReader(body)}
		listed.Body, listed.List = list, list
	}
	return &listed
}

// mayList reports whether r may be a listing, judged by its header.
func mayList(r *access.Resource) bool {
	listed := r.List != nil
	reply, ok := r.Sys.(*Reply)
	mime, _, _ := strings.Cut(r.Type, ";")
	return !listed && ok && r.Offset == 0 && strings.HasSuffix(r.URL.Path(), "/") &&
		strings.EqualFold(strings.TrimSpace(mime), "text/html") && reply.Header.Get("Content-Encoding") == ""
}

// A peekedBody is a Body whose start was read.
type peekedBody struct {
	io.Reader
	io.Closer
}

// A listing is the Body of a directory page.
type listing struct {
	peekedBody
	base     url.URL
	tags     *markup.Reader
	previous url.URL // URL of the previous entry
}

func (l *listing) Next() (access.Entry, error) {
	for {
		tag, page, err := l.tags.Next()
		if errors.Is(err, markup.ErrTooLong) {
			err = fmt.Errorf("%w: more than %d bytes without a tag", access.ErrTooLong, markup.MaxToken)
		}
		if err != nil {
			return access.Entry{}, access.FailReading("list", l.base, err)
		}
		if tag.Kind != markup.StartTag || tag.Name != "a" {
			continue
		}
		href, ok := tag.Value(page, "href")
		if !ok {
			continue
		}
		e, ok := l.linkEntry(strings.TrimSpace(href))
		if ok && e.URL != l.previous { // an icon has the same link
			l.previous = e.URL
			return e, nil
		}
	}
}

// linkEntry returns the entry for a link, if it is directly under the page.
func (l *listing) linkEntry(link string) (access.Entry, bool) {
	to, err := l.base.Resolve(escapeForHTTP(link))
	if _, query := to.Query(); err != nil || query || !sameOrigin(to, l.base) {
		return access.Entry{}, false
	}
	text, isDir := strings.CutSuffix(to.Path(), "/")
	cut := strings.LastIndexByte(text, '/') + 1
	segment := text[cut:]
	name, err := url.Unescape(segment)
	if err != nil || name == "" || name == "." || name == ".." || !samePath(text[:cut], l.base.Path()) {
		return access.Entry{}, false
	}
	e := access.Entry{Title: name, Kind: access.Object, Size: -1}
	if isDir {
		e.Kind, segment = access.Directory, segment+"/"
	}
	e.URL, err = l.base.Resolve("./" + segment) // keeps the user and password
	return e, err == nil
}

func sameOrigin(a, b url.URL) bool {
	atA, errA := originRequest(a)
	atB, errB := originRequest(b)
	return errA == nil && errB == nil && atA.URL.Scheme == atB.URL.Scheme && atA.URL.Host == atB.URL.Host
}

// samePath reports whether a and b are the same path once unescaped.
func samePath(a, b string) bool {
	decodedA, errA := url.Unescape(a)
	decodedB, errB := url.Unescape(b)
	return errA == nil && errB == nil && decodedA == decodedB
}
