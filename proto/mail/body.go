package mail

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	netmail "net/mail"
	"sync/atomic"
	"unicode/utf8"

	"locus/access"
	"locus/proto/internal/words"
	"locus/scheme"
	"locus/url"
)

// A body is the Body of a resource: a message, or a part of one.
type body struct {
	ctx     context.Context
	url     url.URL
	message io.ReadCloser // as stored
	closed  atomic.Bool
	octets  io.Reader // what Read gives
}

// Read gives the octets.
func (b *body) Read(p []byte) (int, error) {
	if err := b.ended(); err != nil {
		return 0, access.Fail("read", b.url, err)
	}
	n, err := b.octets.Read(p)
	if err == nil || err == io.EOF {
		return n, err
	}
	if ended := b.ended(); ended != nil {
		return 0, access.Fail("read", b.url, ended)
	}
	return n, access.Fail("read", b.url, err)
}

// ended returns why nothing may be read any more.
func (b *body) ended() error {
	if err := b.ctx.Err(); err != nil {
		return err
	}
	if b.closed.Load() {
		return fs.ErrClosed
	}
	return nil
}

// why returns what is behind err: the end of the context, if it has come.
func (b *body) why(err error) error {
	if done := b.ctx.Err(); done != nil {
		return done
	}
	return err
}

// Close closes the message.
func (b *body) Close() error {
	if b.closed.Swap(true) {
		return nil
	}
	return b.message.Close()
}

// whole makes r the whole message.
func (b *body) whole(id string, r *access.Resource) error {
	rest := bufio.NewReaderSize(&watched{ctx: b.ctx, r: b.message}, bufferSize)
	h, err := readHeader(rest, nil)
	if err != nil {
		return err
	}
	if date, err := netmail.ParseDate(h.Get("Date")); err == nil && r.ModTime.IsZero() {
		r.ModTime = date
	}
	r.Type = "message/rfc822"
	r.Sys = Title(h.text("Subject"))
	b.octets = io.MultiReader(bytes.NewReader(h), rest)
	list := &listing{body: b, id: id, header: h, rest: rest}
	r.Body, r.List = list, list
	return nil
}

// part makes r the part of the message with that content-id.
func (b *body) part(id string, r *access.Resource) error {
	rest := bufio.NewReaderSize(&watched{ctx: b.ctx, r: b.message}, bufferSize)
	h, err := readHeader(rest, nil)
	if err != nil {
		return err
	}
	p, err := newParts(h, rest).find(id)
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("the message has no part <%s>: %w", id, fs.ErrNotExist)
	}
	if err != nil {
		return err
	}
	r.Type, r.Size, r.Sys = p.mediaType, -1, Title(p.name)
	b.octets = p.content()
	return nil
}

// bufferSize is that of the buffers through which messages are read.
const bufferSize = 32 << 10

// A listing is a message that can be read as a listing, too.
type listing struct {
	*body
	id     string
	header header
	rest   *bufio.Reader // what follows the header

	parts *parts         // nil until Next was called
	lines []access.Entry // of the header, to be given
	text  *textLines     // of the part that is being shown
	done  error          // what Next gives from now on
}

// Next gives the lines and parts that a reader of the message sees.
func (l *listing) Next() (access.Entry, error) {
	if err := l.ended(); err != nil {
		return access.Entry{}, access.Fail("list", l.url, err)
	}
	if l.done != nil {
		return access.Entry{}, l.done
	}
	e, err := l.next()
	if err == nil {
		return e, nil
	}
	l.done = io.EOF
	if err != io.EOF { //nolint:errorlint // wrapped it is another error
		l.done = access.Fail("list", l.url, l.why(err))
	}
	return access.Entry{}, l.done
}

func (l *listing) next() (access.Entry, error) {
	if l.parts == nil {
		l.parts = newParts(l.header, l.rest)
		l.lines = headerLines(l.header)
	}
	for {
		if len(l.lines) > 0 {
			e := l.lines[0]
			l.lines = l.lines[1:]
			return e, nil
		}
		if l.text != nil {
			line, err := l.text.next()
			if err != io.EOF { //nolint:errorlint // wrapped it is another error
				return info(line), err
			}
			l.text = nil
		}
		p, err := l.parts.next()
		if err != nil {
			return access.Entry{}, err
		}
		if !p.isText() {
			return l.entry(p), nil
		}
		l.text = &textLines{r: bufio.NewReaderSize(words.Reader(p.content(), p.params["charset"]), bufferSize)}
	}
}

// headerLines returns the fields that people read, and an empty line.
func headerLines(h header) []access.Entry {
	var lines []access.Entry
	for _, name := range []string{"From", "To", "Cc", "Date", "Subject"} {
		if text := h.text(name); text != "" {
			lines = append(lines, info(name+": "+text))
		}
	}
	return append(lines, info(""))
}

func info(text string) access.Entry {
	return access.Entry{Title: text, Kind: access.Info, Size: -1}
}

// isText reports whether the part is shown among the lines of the message.
func (p part) isText() bool {
	return p.base == "text/plain" && !p.attachment && p.id == ""
}

// entry returns the entry of a part. Only one with a content-id has a URL.
func (l *listing) entry(p part) access.Entry {
	e := access.Entry{Title: p.name, Kind: access.Info, Type: p.mediaType, Size: -1}
	if e.Title == "" {
		e.Title = p.base
	}
	if p.id != "" {
		e.Kind = access.Object
		e.URL = scheme.Mid{MessageID: l.id, ContentID: url.Some(p.id)}.URL()
	}
	return e
}

// textLines gives the lines of a text, each cut where it is very long.
type textLines struct {
	r     *bufio.Reader
	begun []byte // the first octets of a character that was cut
}

func (t *textLines) next() (string, error) {
	piece, err := t.r.ReadSlice('\n')
	line := append(t.begun, piece...)
	t.begun = nil
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		whole := wholeCharacters(line)
		line, t.begun, err = line[:whole], line[whole:], nil
	case len(line) > 0 && errors.Is(err, io.EOF):
		err = nil
	}
	return words.Text(bytes.TrimRight(line, "\r\n"), ""), err
}

// wholeCharacters returns how long b is without the character of UTF-8 that it
// ends in the middle of, if it does.
func wholeCharacters(b []byte) int {
	for n := len(b) - 1; n >= max(0, len(b)-utf8.UTFMax); n-- {
		if utf8.RuneStart(b[n]) {
			if utf8.FullRune(b[n:]) {
				break
			}
			return n
		}
	}
	return len(b)
}
