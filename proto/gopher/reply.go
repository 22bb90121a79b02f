package gopher

import (
	"bufio"
	"bytes"
	"io"
	"strings"

	"locus/access"
	"locus/proto/internal/wire"
)

// resource reads the start of the answer and makes a Resource of the rest. Its
// URL is left to the caller.
func (l *link) resource(ask request) (*access.Resource, error) {
	var h header
	var plus bool
	if ask.mayHaveHeader() {
		var err error
		if h, plus, err = l.header(ask.command != ""); err != nil {
			return nil, err
		}
	}
	switch {
	case plus && !h.success:
		return nil, plusFailure(l.r, h)
	case !plus:
		if err := l.menuError(typeOf(ask.item.Type, "").framing == menu); err != nil {
			return nil, err
		}
	}
	return l.data(ask, h, plus)
}

// data makes a Resource of the data, which follows a Gopher+ header if plus.
func (l *link) data(ask request, h header, plus bool) (*access.Resource, error) {
	media, ends := ask.media(plus, l.r)
	frame, size := ends.frame(l.r), int64(-1)
	if plus {
		frame, size = h.frame(l.r), max(h.size, -1)
	}
	r := &access.Resource{Entry: access.Entry{Type: media, Size: size}}
	if !isMenu(media) {
		r.Body = &object{link: l, r: frame}
		return r, nil
	}
	list, err := newListing(l, frame, plus)
	if err != nil {
		return nil, err
	}
	if list.attributes != nil {
		r.Type = attributesType
	}
	r.Body, r.List = list, list
	return r, nil
}

// media returns the media type of the data, and how it ends if no header says
// so. Where a server that speaks plain Gopher was asked for something of
// Gopher+, the data is the item itself.
func (r *request) media(plus bool, data *bufio.Reader) (string, framing) {
	switch {
	case r.wantsAttributes() && (plus || startsAttributes(data)):
		return attributesType, menu
	case strings.HasPrefix(r.command, "$"):
		return menuType, menu
	case plus && r.view() != "":
		return mediaOf(r.view()), octets
	}
	t := typeOf(r.item.Type, r.item.Selector)
	return t.media, t.framing
}

// startsAttributes reports whether the data starts with the attributes of an
// item.
//
// QUIRK: Minnesota gopherd 2.3.0 answers "+" and "$" on a search by a script
// with attributes that have no header before them.
func startsAttributes(data *bufio.Reader) bool {
	const start = "+INFO"
	for n := 1; n <= len(start); n++ {
		p, err := data.Peek(n)
		if err != nil || p[n-1] != start[n-1] {
			return false
		}
	}
	return true
}

// An object is the Body of what is no listing.
type object struct {
	*link
	r io.Reader
}

func (o *object) Read(p []byte) (int, error) {
	if err := o.Err(); err != nil {
		return 0, access.FailReading("read", o.url, err)
	}
	n, err := o.r.Read(p)
	return n, access.FailReading("read", o.url, err)
}

// A listing is the Body of a menu or of attributes.
type listing struct {
	object
	lines      *bufio.Reader
	attributes *attributeReader // nil in a menu
	mirrored   byte             // the type of the last item that is no mirror
}

// newListing reads the start of a listing, to know which it is.
//
// QUIRK: Minnesota gopherd 3.0.5 starts the answer to a search that fails with
// "+-1" and then with "--1" in a line of its own, which is meant.
func newListing(l *link, frame io.Reader, plus bool) (*listing, error) {
	b := bufio.NewReaderSize(frame, maxLine)
	list := &listing{object: object{link: l, r: b}, lines: b, mirrored: '1'}
	if startsAttributes(b) {
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
			return nil, plusFailure(b, h)
		}
	}
	return list, nil
}

// Next returns the next entry. Its Sys is an [*Item].
func (l *listing) Next() (access.Entry, error) {
	if err := l.Err(); err != nil {
		return access.Entry{}, access.FailReading("list", l.url, err)
	}
	e, err := l.next()
	return e, access.FailReading("list", l.url, err)
}

func (l *listing) next() (access.Entry, error) {
	if l.attributes != nil {
		item, err := l.attributes.next()
		if err != nil {
			return access.Entry{}, err
		}
		return item.entry(l.mirrored), nil
	}
	for {
		line, err := wire.ReadLine(l.lines)
		if err != nil {
			return access.Entry{}, err
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
}
