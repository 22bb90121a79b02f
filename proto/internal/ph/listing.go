package ph

import (
	"bufio"
	"errors"
	"io"
	"strings"

	"locus/access"
	"locus/access/engine"
	"locus/proto/internal/urilist"
	"locus/url"
)

// Fields returns the lines to send that ask which fields a person of the phone book may have, and then quit.
func Fields() string { return "fields\r\nquit\r\n" }

// A Listing is the Body and the List of a phone book without a query: an entry to search it, and a line of text for each
// field that a person may have. Close closes Body.
type Listing struct {
	Body  io.ReadCloser // the text of a Reader
	URL   url.URL       // of the phone book
	Title string        // of the entry to search it

	lines *bufio.Reader // reads from Body; nil before the first Next
	text  urilist.Text
}

// Resource returns the Resource of the Listing.
func (l *Listing) Resource() *access.Resource {
	l.text.Titles = true
	return &access.Resource{Entry: access.Entry{Title: l.Title, URL: l.URL, Kind: access.Directory, Type: urilist.Type, Size: -1}, Body: l, List: l}
}

// Next returns first an entry to search the phone book, then an access.Info entry for each line of Body, and io.EOF
// after the last line. Other errors name the URL.
func (l *Listing) Next() (access.Entry, error) {
	if _, err := l.Body.Read(nil); err != nil && !access.IsEnd(err) { // it is closed, or its context is done
		return access.Entry{}, engine.FailReading("list", l.URL, err)
	}
	if l.lines == nil {
		l.lines = bufio.NewReaderSize(l.Body, maxLine)
		return access.Entry{Title: "Search " + l.Title, URL: l.URL, Kind: access.Search, Size: -1}, nil
	}
	line, err := l.lines.ReadSlice('\n')
	switch {
	case len(line) > 0 && (err == nil || access.IsEnd(err) || errors.Is(err, bufio.ErrBufferFull)): // a long line has several entries
		return access.Entry{Title: strings.TrimRight(string(line), "\n"), Kind: access.Info, Size: -1}, nil
	case err == nil || access.IsEnd(err):
		return access.Entry{}, err
	}
	return access.Entry{}, engine.FailReading("list", l.URL, err)
}

// maxLine limits the bytes of a line of text in one entry.
const maxLine = 64 << 10

// Read reads the listing as a text/uri-list.
func (l *Listing) Read(p []byte) (int, error) { return l.text.Read(p, l.Next) }

// Close closes the connection.
func (l *Listing) Close() error { return l.Body.Close() }

// IsRefused reports whether err, an error of NewReader, means that the server refuses to tell its fields and that a
// retry would not help. The phone book can still be searched.
func IsRefused(err error) bool {
	_, ok := errors.AsType[*engine.Refusal](err)
	return ok && !errors.Is(err, access.ErrTemporary)
}
