package web

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"locus/access"
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

// errMoreKeys is the end of a page of S3 that is not the last one.
var errMoreKeys = access.Reason("the bucket has more keys than the server puts into one page", io.ErrUnexpectedEOF)

// A bucketListing is the Body of a page of S3:
//
//	<ListBucketResult><Name>b</Name><Prefix>pub/</Prefix><IsTruncated>false</IsTruncated>
//	<Contents><Key>pub/a</Key><LastModified>2026-11-23T03:56:49.000Z</LastModified><Size>1234</Size></Contents>
//	<CommonPrefixes><Prefix>pub/sub/</Prefix></CommonPrefixes></ListBucketResult>
type bucketListing struct {
	peekedBody
	base      url.URL
	text      *xmlReader
	name      string // of the bucket
	prefix    string // of the keys
	truncated bool
}

// Next returns the next entry: an object for a key, a directory for a common prefix.
func (l *bucketListing) Next() (access.Entry, error) {
	for {
		n, err := l.text.element("", "ListBucketResult")
		if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && l.truncated {
			err = errMoreKeys
		}
		if err != nil {
			return access.Entry{}, access.FailReading("list", l.base, err)
		}
		switch n.Name {
		case "Name":
			l.name = n.text()
		case "Prefix":
			l.prefix = n.text()
		case "IsTruncated":
			l.truncated = strings.TrimSpace(n.text()) == "true"
		case "Contents":
			if e, ok := l.object(n); ok {
				return e, nil
			}
		case "CommonPrefixes":
			if e, ok := l.folder(n.child("Prefix").text()); ok {
				return e, nil
			}
		}
	}
}

// object returns the entry for a key; false if it is the key of the prefix itself.
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

// folder returns the entry for a common prefix.
func (l *bucketListing) folder(prefix string) (access.Entry, bool) {
	e := access.Entry{Title: strings.TrimSuffix(strings.TrimPrefix(prefix, l.prefix), "/"), Kind: access.Directory, Size: -1}
	var err error
	e.URL, err = l.base.Resolve(l.root() + "?prefix=" + url.Escape(prefix, url.RFC3986.Unreserved()) + "&delimiter=%2F")
	return e, err == nil && e.Title != ""
}

// root returns the path of the bucket: "/", or its name where the host has many buckets.
func (l *bucketListing) root() string {
	if path := "/" + l.name + "/"; l.name != "" && (strings.HasPrefix(l.base.Path(), path) || l.base.Path()+"/" == path) {
		return path
	}
	return "/"
}
