package web

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/net/html"

	"locus/access"
	"locus/internal/autoindex"
	"locus/url"
)

// maxToken is how many octets a tag of a listing may have, or a text between two.
const maxToken = 1 << 20

// Listed returns r with a List, if r is a page that a web server made of a
// directory; otherwise r as it was. HTTP itself has no
// listings, and so the engine gives none. Of Body nothing may have been read;
// Listed waits for its beginning.
//
// The entries are what the page links to directly under its own URL: with a "/" at
// the end a directory, without one an object. Their Title is the name in the URL,
// decoded. Links to anywhere else, or with a query (the same in another order), are
// left out, and what the page says of sizes and times, as every server says it in
// another way.
func Listed(r *access.Resource) *access.Resource {
	if !mayList(r) {
		return r
	}
	listed := *r
	body := bufio.NewReaderSize(r.Body, autoindex.HeadSize)
	head, _ := body.Peek(autoindex.HeadSize) // an error comes again when it is read
	listed.Body = peeked{body, r.Body}
	if autoindex.Is(head) {
		z := html.NewTokenizer(body)
		z.SetMaxBuf(maxToken)
		list := &listing{peeked: peeked{body, r.Body}, at: r.URL, tags: z}
		listed.Body, listed.List = list, list
	}
	return &listed
}

// mayList reports whether r may be a listing, by what is known without reading it.
func mayList(r *access.Resource) bool {
	listed := r.List != nil
	reply, ok := r.Sys.(*Reply)
	mime, _, _ := strings.Cut(r.Type, ";")
	return !listed && ok && r.Offset == 0 && strings.HasSuffix(r.URL.Path(), "/") &&
		strings.EqualFold(strings.TrimSpace(mime), "text/html") && reply.Header.Get("Content-Encoding") == ""
}

// peeked is a Body of which the beginning was looked at.
type peeked struct {
	io.Reader
	io.Closer
}

// A listing is the Body of a page that lists a directory.
type listing struct {
	peeked
	at   url.URL
	tags *html.Tokenizer
	last url.URL // of the entry before
}

// Next returns the next entry.
func (l *listing) Next() (access.Entry, error) {
	for {
		switch l.tags.Next() {
		case html.ErrorToken:
			err := l.tags.Err()
			if errors.Is(err, html.ErrBufferExceeded) {
				err = fmt.Errorf("%w: more than %d octets without a tag", access.ErrTooLong, maxToken)
			}
			return access.Entry{}, access.FailReading("list", l.at, err)
		case html.StartTagToken:
			if e, ok := l.entry(); ok && e.URL != l.last { // an icon links there as well
				l.last = e.URL
				return e, nil
			}
		}
	}
}

// entry returns the entry that the tag leads to, if it does.
func (l *listing) entry() (access.Entry, bool) {
	name, more := l.tags.TagName()
	if string(name) != "a" {
		return access.Entry{}, false
	}
	for more {
		var key, value []byte
		if key, value, more = l.tags.TagAttr(); string(key) == "href" {
			return l.entryOf(strings.TrimSpace(string(value)))
		}
	}
	return access.Entry{}, false
}

// entryOf returns the entry that a link leads to, if that is directly under l.
func (l *listing) entryOf(link string) (access.Entry, bool) {
	to, err := l.at.Resolve(transmissible(link))
	if _, query := to.Query(); err != nil || query || !sameOrigin(to, l.at) {
		return access.Entry{}, false
	}
	text, isDir := strings.CutSuffix(to.Path(), "/")
	cut := strings.LastIndexByte(text, '/') + 1
	segment := text[cut:]
	name, err := url.Unescape(segment)
	if err != nil || name == "" || name == "." || name == ".." || !samePath(text[:cut], l.at.Path()) {
		return access.Entry{}, false
	}
	e := access.Entry{Title: name, Kind: access.Object, Size: -1}
	if isDir {
		e.Kind, segment = access.Directory, segment+"/"
	}
	e.URL, err = l.at.Resolve("./" + segment) // with the login of l
	return e, err == nil
}

// sameOrigin reports whether a and b have the same scheme, host and port.
func sameOrigin(a, b url.URL) bool {
	atA, errA := origin(a)
	atB, errB := origin(b)
	return errA == nil && errB == nil && atA.URL.Scheme == atB.URL.Scheme && atA.URL.Host == atB.URL.Host
}

// samePath reports whether a and b are the same path, however they are escaped.
func samePath(a, b string) bool {
	decodedA, errA := url.Unescape(a)
	decodedB, errB := url.Unescape(b)
	return errA == nil && errB == nil && decodedA == decodedB
}
