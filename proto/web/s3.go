package web

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/internal/sentinel"
	"locus/url"
)

// isBucket reports whether head is the start of a page of S3 (ListBucketResult).
func isBucket(head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	if bytes.HasPrefix(head, []byte("<?xml")) {
		_, rest, ok := bytes.Cut(head, []byte("?>"))
		if !ok {
			return false
		}
		head = bytes.TrimLeft(rest, " \t\r\n")
	}
	return bytes.HasPrefix(head, []byte("<ListBucketResult")) && len(head) > len("<ListBucketResult") &&
		strings.IndexByte(" \t\r\n>", head[len("<ListBucketResult")]) >= 0
}

// errMoreKeys ends a page of S3 that is not the last one, if the next page cannot be opened.
var errMoreKeys = sentinel.New("the bucket has more keys than the server puts into one page", io.ErrUnexpectedEOF)

// maxEmptyPages limits the pages without a key in a row. S3 sends such pages if many keys were
// deleted.
const maxEmptyPages = 100

// A bucketListing is the Body of a page of S3, and the List of that page and the pages after it:
//
//	<ListBucketResult><Name>b</Name><Prefix>pub/</Prefix><IsTruncated>true</IsTruncated>
//	<NextContinuationToken>1x7</NextContinuationToken>
//	<Contents><Key>pub/a</Key><LastModified>2026-11-23T03:56:49.000Z</LastModified><Size>1234</Size></Contents>
//	<CommonPrefixes><Prefix>pub/sub/</Prefix></CommonPrefixes></ListBucketResult>
type bucketListing struct {
	peekedBody
	base   url.URL                                   // the URL of the first page
	open   func(u url.URL) (*access.Resource, error) // opens a further page; may be nil
	page   bucketPage                                // the current page
	name   string                                    // the name of the bucket
	prefix string                                    // the prefix of the keys
	empty  int                                       // the pages without a key in a row
}

// A bucketPage is the current page, with the elements of it that were read and that the URL of the
// next page needs.
type bucketPage struct {
	text      *xmlReader
	truncated bool
	token     string  // NextContinuationToken, in the second version of ListObjects
	marker    string  // NextMarker, in the first version
	last      string  // the greatest key or prefix, which replaces a missing NextMarker
	url       url.URL // the URL of the page; zero for the first page
}

// Next returns the next entry: an object for a key, a directory for a common prefix. After the last entry of a page it
// opens the next page. The error is io.EOF after the last page.
func (l *bucketListing) Next() (access.Entry, error) {
	for {
		n, err := l.page.text.element("", "ListBucketResult")
		if access.IsEnd(err) && l.page.truncated {
			if err = l.nextPage(); err == nil {
				continue
			}
		}
		if err != nil {
			return access.Entry{}, engine.FailReading("list", l.base, err)
		}
		if e, ok := l.entry(n); ok {
			return e, nil
		}
	}
}

// entry returns the entry for an element of the page. ok is false for a key or a prefix without a name below the
// listing, and for an element that describes the page. entry records the text of such an element in l.
func (l *bucketListing) entry(n *xmlNode) (e access.Entry, ok bool) {
	switch n.Name {
	case "Name":
		l.name = n.text()
	case "Prefix":
		l.prefix = n.text()
	case "IsTruncated":
		l.page.truncated = strings.TrimSpace(n.text()) == "true"
	case "NextContinuationToken":
		l.page.token = n.text()
	case "NextMarker":
		l.page.marker = n.text()
	case "Contents":
		l.page.last = max(l.page.last, n.child("Key").text())
		return l.object(n)
	case "CommonPrefixes":
		prefix := n.child("Prefix").text()
		l.page.last = max(l.page.last, prefix)
		return l.dir(prefix)
	}
	return access.Entry{}, false
}

// nextPage closes the current page, which was read to its end, and opens the page after it. It returns errMoreKeys if l
// cannot open pages, or if the page does not tell where the next one begins.
func (l *bucketListing) nextPage() error {
	next, err := l.nextURL()
	if l.open == nil || err != nil {
		return cmp.Or(err, errMoreKeys)
	}
	if l.empty++; l.page.last != "" {
		l.empty = 0
	}
	if next == l.page.url || l.empty > maxEmptyPages {
		return fmt.Errorf("%w: the next page is always the same", access.ErrProtocol)
	}
	l.Close() // before open, because a limit of requests may make open wait
	l.peekedBody = peekedBody{access.NoBody, access.NoBody}
	r, err := l.open(next)
	if err != nil {
		return err
	}
	r = Listed(r)
	page, ok := r.List.(*bucketListing)
	if !ok {
		r.Body.Close()
		return fmt.Errorf("%w: the page after this one is not a listing", access.ErrProtocol)
	}
	l.peekedBody, l.page = page.peekedBody, page.page
	l.page.url = next
	return nil
}

// nextURL returns the URL of the page after the current one. It has the token if the page has one (the second version
// of ListObjects). Otherwise it has the marker, or else the last key or prefix of the page (the first version).
func (l *bucketListing) nextURL() (url.URL, error) {
	query, _ := l.base.Query()
	var kept []string
	for pair := range strings.SplitSeq(query, "&") {
		switch name, _, _ := strings.Cut(pair, "="); name {
		case "", "marker", "continuation-token", "start-after":
		case "list-type":
			if l.page.token == "" {
				kept = append(kept, pair)
			}
		default:
			kept = append(kept, pair)
		}
	}
	switch from := cmp.Or(l.page.marker, l.page.last); {
	case l.page.token != "":
		kept = append(kept, "list-type=2", "continuation-token="+url.Escape(l.page.token, url.RFC3986.Unreserved()))
	case from != "":
		kept = append(kept, "marker="+url.Escape(from, url.RFC3986.Unreserved()))
	default:
		return url.URL{}, errMoreKeys
	}
	return l.base.With(url.Query, url.Some(strings.Join(kept, "&")))
}

// object returns the entry for a key. The bool is false for the key that equals the prefix.
func (l *bucketListing) object(n *xmlNode) (access.Entry, bool) {
	key := n.child("Key").text()
	e := access.Entry{Title: strings.TrimPrefix(key, l.prefix), Kind: access.Object, Size: -1}
	if e.Title == "" {
		return e, false
	}
	if size, err := strconv.ParseInt(strings.TrimSpace(n.child("Size").text()), 10, 64); err == nil && size >= 0 {
		e.Size = size
	}
	if t, err := time.Parse(time.RFC3339, strings.TrimSpace(n.child("LastModified").text())); err == nil {
		e.ModTime = t
	}
	var err error
	e.URL, err = l.base.Resolve(l.root() + url.Escape(key, url.RFC3986.Unreserved().With("/")))
	return e, err == nil
}

// dir returns the entry for a common prefix, which S3 lists in the place of a directory. The bool is false if the
// prefix has no name below the listing.
func (l *bucketListing) dir(prefix string) (access.Entry, bool) {
	e := access.Entry{Title: strings.TrimSuffix(strings.TrimPrefix(prefix, l.prefix), "/"), Kind: access.Directory, Size: -1}
	var err error
	e.URL, err = l.base.Resolve(l.root() + "?prefix=" + url.Escape(prefix, url.RFC3986.Unreserved()) + "&delimiter=%2F")
	return e, err == nil && e.Title != ""
}

// root returns the path of the bucket: "/", or "/" and the name of the bucket if the path of base starts with
// the name, because a host may have many buckets.
func (l *bucketListing) root() string {
	if path := "/" + l.name + "/"; l.name != "" && (strings.HasPrefix(l.base.Path(), path) || l.base.Path()+"/" == path) {
		return path
	}
	return "/"
}
