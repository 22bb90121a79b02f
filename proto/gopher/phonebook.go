package gopher

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"locus/access"
	"locus/proto/internal/wire"
	"locus/scheme"
)

// openPhoneBook asks a CSO phone book (type 2). Its server speaks the Ph
// protocol (RFC 2378) and knows no selectors; what is asked is the search of
// the URL.
func (c Client) openPhoneBook(ctx context.Context, req *access.Request, item scheme.Gopher) (*access.Resource, error) {
	if item.Search.Text == "" {
		return nil, &access.Error{
			Op: "open", URL: req.URL, Err: access.Reason("a phone book opens with a search only", errors.ErrUnsupported),
			Remedy: access.Advice("put a tab (%09) and whom to look for after the type, as in gopher://host:105/2%09smith"),
		}
	}
	l, err := c.connect(ctx, req.URL, message{
		address: item.Address(defaultPort),
		text:    strings.NewReader("query " + item.Search.Text + "\r\nquit\r\n"),
	})
	if err != nil {
		return nil, err
	}
	book := &phoneBook{r: l.r}
	if err := book.fill(); err != nil && !errors.Is(err, io.EOF) {
		l.Close()
		return nil, err
	}
	return &access.Resource{Entry: access.Entry{URL: req.URL, Type: "text/plain", Size: -1}, Body: &object{link: l, r: book}}, nil
}

// A phoneBook reads the answer to one query of Ph as text: a line for each
// field, an empty line between people.
//
//	-200:1:   name: Smith CR LF       a "-" says that more lines follow
//	200:Ok. CR LF
type phoneBook struct {
	r      *bufio.Reader
	out    []byte
	person string
	err    error
}

func (b *phoneBook) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for len(b.out) == 0 {
		if err := b.fill(); err != nil {
			return 0, err
		}
	}
	n := copy(p, b.out)
	b.out = b.out[n:]
	return n, nil
}

// fill reads lines until there is one to give out.
func (b *phoneBook) fill() error {
	for b.err == nil && len(b.out) == 0 {
		line, err := wire.ReadLine(b.r)
		if err != nil {
			b.err = wire.Early(err)
			break
		}
		b.err = b.add(line)
	}
	return b.err
}

func (b *phoneBook) add(line []byte) error {
	number, text, _ := bytes.Cut(line, []byte(":"))
	digits, more := bytes.CutPrefix(number, []byte("-"))
	code, err := strconv.Atoi(string(digits))
	switch {
	case err != nil:
		return fmt.Errorf("reply %q: %w", line, access.ErrProtocol)
	case code >= 400:
		return phoneBookFailure(access.Reply{Code: code, Text: string(text)})
	case code >= 200 && !more:
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

func phoneBookFailure(reply access.Reply) error {
	const noMatches = 501
	means := errRefused
	switch {
	case reply.Code == noMatches:
		means = fs.ErrNotExist
	case reply.Code < 500: // a temporary error
		means = access.Reason(errRefused.Error(), access.ErrTemporary)
	}
	return &access.Refusal{Reply: reply, Means: means}
}
