package gopher

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"

	"locus/access"
	"locus/access/engine"
	"locus/proto/internal/wire"
	"locus/scheme"
	"locus/url"
)

// resource reads the start of the reply to greq, and returns a Resource for the data that follow,
// or the error that the server reports. The caller sets the URL of the Resource, and closes t on
// failure.
func (t *transaction) resource(greq request) (*access.Resource, error) {
	var h header
	var plus bool // the reply has a Gopher+ header
	if greq.mayHaveHeader() {
		var err error
		if h, plus, err = t.header(greq.command != ""); err != nil {
			return nil, err
		}
	}
	switch {
	case plus && !h.isSuccess:
		return nil, readPlusError(t.r, h)
	case !plus:
		if err := t.menuError(typeOf(greq.item.Type, "").framing == menuFraming); err != nil {
			return nil, err
		}
	}
	return t.data(greq, h, plus)
}

// data returns the Resource for the data of the reply: a listing or an object. h is the Gopher+
// header, which is valid only if plus is true.
func (t *transaction) data(greq request, h header, plus bool) (*access.Resource, error) {
	media, framing := greq.media(plus, t.r)
	body, size := framing.body(t.r), int64(-1)
	if text, ok := body.(*dotReader); ok {
		text.ending = t.newEnding(greq, framing)
	}
	if plus {
		body, size = h.body(t.r), max(h.size, -1)
	}
	r := &access.Resource{Entry: access.Entry{Type: media, Size: size}}
	if !isMenu(media) {
		r.Body = &object{transaction: t, r: body}
		return r, nil
	}
	list, err := newListing(t, body, plus)
	if err != nil {
		return nil, err
	}
	if list.attributes != nil {
		r.Type = attributesType
	}
	r.Body, r.List = list, list
	return r, nil
}

// media returns the media type of the reply's data, and the framing that the data have without a
// Gopher+ header. plus says whether the reply has such a header. data is peeked at, because a
// server without Gopher+ answers a Gopher+ request with the item itself.
func (r *request) media(plus bool, data *bufio.Reader) (string, framing) {
	switch {
	case r.wantsAttributes() && (plus || startsWithInfo(data)):
		return attributesType, menuFraming
	case strings.HasPrefix(r.command, "$"):
		return menuType, menuFraming
	case plus && r.view() != "":
		return mediaOf(r.view()), rawFraming
	}
	t := typeOf(r.item.Type, r.item.Selector)
	return t.media, t.framing
}

// startsWithInfo reports whether the data starts with +INFO, so that it has the attributes of
// items.
//
// QUIRK: Minnesota gopherd 2.3.0 replies to "+" and "$" for a search script with attributes, but
// without a header.
func startsWithInfo(data *bufio.Reader) bool {
	const start = "+INFO"
	for n := 1; n <= len(start); n++ {
		p, err := data.Peek(n)
		if err != nil || p[n-1] != start[n-1] {
			return false
		}
	}
	return true
}

// An object is the Body of a Resource that is not a listing.
type object struct {
	*transaction
	r io.Reader
}

// Read reads the data of the reply. Its errors name the URL, and an early end is
// io.ErrUnexpectedEOF.
func (o *object) Read(p []byte) (int, error) {
	if err := o.Err(); err != nil {
		return 0, engine.FailReading("read", o.url, err)
	}
	n, err := o.r.Read(p)
	return n, engine.FailReading("read", o.url, err)
}

// A listing is the Body and the List of a menu or of attributes.
type listing struct {
	object
	lines      *bufio.Reader
	attributes *attributeReader // nil in a menu
	mirrored   byte             // the type of the last item that was not a mirror
	hasBegun   bool             // the first line of a menu was read
}

// newListing returns the listing of body, which is the data of the reply on t. It peeks at the
// data to tell attributes from a menu. plus says whether the reply has a Gopher+ header; if the
// data then begin with a second header, newListing returns the error in the second header.
//
// QUIRK: when a search fails, Minnesota gopherd 3.0.5 sends the header "+-1" and then "--1" on
// the next line. The second header is right.
func newListing(t *transaction, body io.Reader, plus bool) (*listing, error) {
	b := bufio.NewReaderSize(body, maxLine)
	list := &listing{object: object{transaction: t, r: b}, lines: b, mirrored: '1'}
	if startsWithInfo(b) {
		list.attributes = &attributeReader{r: b}
	}
	if !plus {
		return list, nil
	}
	if p, _ := b.Peek(3); !bytes.HasPrefix(p, []byte("--")) {
		return list, nil
	}
	if line, err := peekLine(b, 0, maxHeader); err == nil {
		if h, ok, _ := parseHeader(line); ok {
			_, _ = b.Discard(len(line))
			return nil, readPlusError(b, h)
		}
	}
	return list, nil
}

// Next returns the next entry, and io.EOF after the last one. Its Sys is an [*Item]. Errors name
// the URL.
func (l *listing) Next() (access.Entry, error) {
	if err := l.Err(); err != nil {
		return access.Entry{}, engine.FailReading("list", l.url, err)
	}
	var e access.Entry
	err := l.limited(l.lines, func() (err error) {
		e, err = l.next()
		return err
	})
	e.URL = l.encrypted(e.URL)
	return e, engine.FailReading("list", l.url, err)
}

// encrypted returns u as a gophers URL if it is a gopher URL of the same host and port as the gophers
// URL of the listing. A menu does not tell which of its items are opened over TLS.
func (l *listing) encrypted(u url.URL) url.URL {
	if l.url.Scheme() != "gophers" || u.Scheme() != "gopher" {
		return u
	}
	item, err := scheme.ParseGopher(u)
	if err != nil {
		return u
	}
	menu, err := scheme.ParseGopher(l.url)
	if err != nil || !strings.EqualFold(item.Name, menu.Name) || item.Address(defaultPort) != menu.Address(defaultPort) {
		return u
	}
	item.Scheme = "gophers"
	return item.URL()
}

// byteOrderMark is U+FEFF in UTF-8.
//
// QUIRK: editors write it at the start of a menu file, and servers send it.
const byteOrderMark = "\ufeff"

// isWholeItem reports whether line, the last line of a menu, has every field of an item, so that
// it is whole although its line end is missing.
//
// QUIRK: servers send a menu file unchanged, even if its last line end is missing.
func isWholeItem(line []byte) bool {
	fields := bytes.Split(line, []byte("\t"))
	return len(fields) >= 4 && len(fields[3]) > 0 && len(bytes.Trim(fields[3], "0123456789")) == 0
}

// next returns the next entry, from the attributes or from a line of the menu. It skips empty
// lines, up to maxSkipped in a row. Unlike Next, it does not check whether the listing is open,
// and its errors do not name the URL.
func (l *listing) next() (access.Entry, error) {
	if l.attributes != nil {
		item, err := l.attributes.next()
		if err != nil {
			return access.Entry{}, err
		}
		return item.entry(l.mirrored), nil
	}
	for range maxSkipped {
		line, err := wire.ReadLine(l.lines)
		if len(line) > 0 && errors.Is(err, io.ErrUnexpectedEOF) && isWholeItem(line) {
			err = nil // the last line has no end
		}
		if err != nil {
			return access.Entry{}, err
		}
		if !l.hasBegun {
			l.hasBegun = true
			line = bytes.TrimPrefix(line, []byte(byteOrderMark))
		}
		if len(line) == 0 || string(line) == "." {
			continue
		}
		item := parseItem(string(line))
		e := item.entry(l.mirrored)
		if item.Type != '+' && e.Kind != access.Info {
			l.mirrored = item.Type
		}
		return e, nil
	}
	return access.Entry{}, errSkipped()
}
