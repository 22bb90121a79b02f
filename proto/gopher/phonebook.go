package gopher

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"locus/access"
	"locus/access/engine"
	"locus/proto/internal/wire"
	"locus/scheme"
)

// openPhoneBook queries a CSO phone book (type 2). The server speaks the Ph protocol (RFC 2378),
// which has no selectors. The query is the search of the URL.
func (c Client) openPhoneBook(ctx context.Context, req *access.Request, item scheme.Gopher) (*access.Resource, error) {
	if item.Search.Text == "" {
		return nil, &access.Error{
			Op: "open", URL: req.URL, Err: engine.Reason("a phone book needs a search", errors.ErrUnsupported),
			Remedy: access.Advice("add %09 and a name to the URL, as in gopher://host:105/2%09smith"),
		}
	}
	t, err := c.connect(ctx, req.URL, message{
		address: item.Address(defaultPort),
		text:    strings.NewReader("query " + item.Search.Text + "\r\nquit\r\n"),
	})
	if err != nil {
		return nil, err
	}
	book := &phoneBook{transaction: t}
	if err := book.fill(); err != nil && !access.IsEnd(err) {
		t.Close()
		return nil, err
	}
	return &access.Resource{Entry: access.Entry{URL: req.URL, Type: "text/plain", Size: -1}, Body: &object{transaction: t, r: book}}, nil
}

// A phoneBook converts the reply to a Ph query to text: one line for each field, and an empty line
// between people.
//
//	-200:1:   name: Smith CR LF       "-" means that more lines follow
//	200:Ok. CR LF
type phoneBook struct {
	*transaction
	out    []byte // the data for the next Read
	person string // the number that the server has given to the current person
	err    error  // the error after out
}

// Read returns the fields of the people, a line each, with an empty line between two people.
func (b *phoneBook) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if len(b.out) == 0 {
		if err := b.fill(); err != nil {
			return 0, err
		}
	}
	n := copy(p, b.out)
	b.out = b.out[n:]
	return n, nil
}

// fill reads lines until out has data. It returns an error if out stays empty.
func (b *phoneBook) fill() error {
	if b.err != nil {
		return b.err
	}
	b.err = b.limited(b.r, b.readLines)
	if len(b.out) > 0 {
		return nil
	}
	return b.err
}

// readLines reads lines until out has data, or sets and returns err.
func (b *phoneBook) readLines() error {
	for skipped := 0; b.err == nil && len(b.out) == 0; skipped++ {
		line, err := wire.ReadLine(b.r)
		switch {
		case err != nil:
			b.err = wire.Early(err)
		case skipped == maxSkipped:
			b.err = errSkipped()
		default:
			b.err = b.add(line)
		}
	}
	return b.err
}

// add converts one reply line to a line of out. It returns io.EOF for the last line, and the error
// that a line announces.
func (b *phoneBook) add(line []byte) error {
	number, text, _ := bytes.Cut(line, []byte(":"))
	digits, hasMore := bytes.CutPrefix(number, []byte("-"))
	code, err := strconv.Atoi(string(digits))
	switch {
	case err != nil:
		return fmt.Errorf("reply %q: %w", line, access.ErrProtocol)
	case code >= 400:
		return phoneBookError(access.Reply{Code: code, Text: string(text)})
	case code >= 200 && !hasMore:
		return io.EOF
	case code < 200:
		return nil
	}
	person, field, _ := strings.Cut(string(text), ":")
	if b.person != "" && person != b.person {
		b.out = append(b.out, '\n')
	}
	b.person = person
	b.out = append(append(b.out, strings.TrimSpace(field)...), '\n')
	return nil
}

// phoneBookError returns the error of a negative reply.
func phoneBookError(reply access.Reply) error {
	const noMatches = 501
	means := errRefused
	switch {
	case reply.Code == noMatches:
		means = fs.ErrNotExist
	case reply.Code < 500: // temporary
		means = engine.Reason(errRefused.Error(), access.ErrTemporary)
	}
	return &engine.Refusal{Reply: reply, Means: means}
}
