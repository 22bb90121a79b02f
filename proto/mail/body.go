package mail

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	netmail "net/mail"
	"sync/atomic"
	"unicode/utf8"

	"locus/access"
	"locus/access/engine"
	"locus/proto/internal/message"
	"locus/proto/internal/words"
	"locus/scheme"
	"locus/url"
)

// A body is the Body of a message or a part.
type body struct {
	ctx     context.Context
	url     url.URL
	message io.ReadCloser // the stored message
	closed  atomic.Bool
	content io.Reader // the source of Read
}

// Read reads the content. Errors name the URL. After ctx is done or the body is closed, every error
// is the cause of ctx or fs.ErrClosed.
func (b *body) Read(p []byte) (int, error) {
	if err := b.checkOpen(); err != nil {
		return 0, engine.Fail("read", b.url, err)
	}
	n, err := b.content.Read(p)
	if err == nil || access.IsEnd(err) {
		return n, err
	}
	if ended := b.checkOpen(); ended != nil {
		return 0, engine.Fail("read", b.url, ended)
	}
	return n, engine.Fail("read", b.url, err)
}

// checkOpen returns an error if ctx is done or the body is closed.
func (b *body) checkOpen() error {
	if b.ctx.Err() != nil {
		return context.Cause(b.ctx)
	}
	if b.closed.Load() {
		return fs.ErrClosed
	}
	return nil
}

// cause returns the cause of ctx if ctx is done, else err.
func (b *body) cause(err error) error { return cmp.Or(context.Cause(b.ctx), err) }

// Close closes the message. A second Close returns nil.
func (b *body) Close() error {
	if b.closed.Swap(true) {
		return nil
	}
	return b.message.Close()
}

// openMessage makes r a Resource for the whole message, whose message-id is id. It reads the
// header, and sets the Body, the List, the type and the title (Sys) of r and, if it is unknown, the
// time. On failure the caller closes b.
func (b *body) openMessage(id string, r *access.Resource) error {
	rest := bufio.NewReaderSize(&contextReader{ctx: b.ctx, r: b.message}, bufferSize)
	h, err := message.ReadHeader(rest, nil)
	if err != nil {
		return err
	}
	if date, err := netmail.ParseDate(h.Get("Date")); err == nil && r.ModTime.IsZero() {
		r.ModTime = date
	}
	r.Type = "message/rfc822"
	r.Sys = Title(h.Text("Subject"))
	b.content = io.MultiReader(bytes.NewReader(h), rest)
	list := &listing{body: b, id: id, header: h, rest: rest}
	r.Body, r.List = list, list
	return nil
}

// openPart makes r a Resource for the decoded part whose content-id is id. It reads up to the
// part. The error wraps fs.ErrNotExist if the message lacks the part. On failure the caller
// closes b.
func (b *body) openPart(id string, r *access.Resource) error {
	rest := bufio.NewReaderSize(&contextReader{ctx: b.ctx, r: b.message}, bufferSize)
	h, err := message.ReadHeader(rest, nil)
	if err != nil {
		return err
	}
	p, err := message.NewParts(h, rest).Find(id)
	if access.IsEnd(err) {
		return fmt.Errorf("the message has no part <%s>: %w", id, fs.ErrNotExist)
	}
	if err != nil {
		return err
	}
	r.Type, r.Size, r.Sys = p.MediaType, -1, Title(p.Name)
	b.content = p.Content()
	return nil
}

const bufferSize = 32 << 10

// A listing is the Body of a message, which can also be listed.
type listing struct {
	*body
	id     string
	header message.Header
	rest   *bufio.Reader // the text after the header

	parts        *message.Parts // nil before the first Next
	pendingLines []access.Entry // the next entries, which are lines of the header
	text         *textLines     // the lines of the current part; nil if it is not shown as lines
	err          error          // the error of every further Next
}

// Next returns the next line or part that a mail reader shows. The error is io.EOF after the
// last one. Every call after an error returns that error.
func (l *listing) Next() (access.Entry, error) {
	if err := l.checkOpen(); err != nil {
		return access.Entry{}, engine.Fail("list", l.url, err)
	}
	if l.err != nil {
		return access.Entry{}, l.err
	}
	e, err := l.next()
	if err == nil {
		return e, nil
	}
	l.err = io.EOF
	if !access.IsEnd(err) {
		l.err = engine.Fail("list", l.url, l.cause(err))
	}
	return access.Entry{}, l.err
}

// next returns the next entry: first the lines of the header, then for each part the lines of
// its text, or an entry for the part. The error is io.EOF after the last part. Its errors do
// not name the URL, and are not kept for later calls.
func (l *listing) next() (access.Entry, error) {
	if l.parts == nil {
		l.parts = message.NewParts(l.header, l.rest)
		l.pendingLines = headerLines(l.header)
	}
	for {
		if len(l.pendingLines) > 0 {
			e := l.pendingLines[0]
			l.pendingLines = l.pendingLines[1:]
			return e, nil
		}
		if l.text != nil {
			line, err := l.text.next()
			if !access.IsEnd(err) {
				return infoEntry(line), err
			}
			l.text = nil
		}
		p, err := l.parts.Next()
		if err != nil {
			return access.Entry{}, err
		}
		if !isText(p) {
			return l.entry(p), nil
		}
		l.text = &textLines{r: bufio.NewReaderSize(words.Reader(p.Content(), p.Params["charset"]), bufferSize)}
	}
}

// headerLines returns an entry for each header field that a mail reader shows, if h has it,
// and an entry for an empty line.
func headerLines(h message.Header) []access.Entry {
	var lines []access.Entry
	for _, name := range []string{"From", "To", "Cc", "Date", "Subject"} {
		if text := h.Text(name); text != "" {
			lines = append(lines, infoEntry(name+": "+text))
		}
	}
	return append(lines, infoEntry(""))
}

// infoEntry returns an entry of the kind Info for a line of text.
func infoEntry(text string) access.Entry {
	return access.Entry{Title: text, Kind: access.Info, Size: -1}
}

// isText reports whether the listing shows the part as lines of text. It shows any other part
// as one entry.
func isText(p message.Part) bool {
	return p.Base == "text/plain" && !p.IsAttachment && p.ID == ""
}

// entry returns the entry of a part. Only a part with a content-id has a URL.
func (l *listing) entry(p message.Part) access.Entry {
	e := access.Entry{Title: p.Name, Kind: access.Info, Type: p.MediaType, Size: -1}
	if e.Title == "" {
		e.Title = p.Base
	}
	if p.ID != "" {
		e.Kind = access.Object
		e.URL = scheme.Mid{MessageID: l.id, ContentID: url.Some(p.ID)}.URL()
	}
	return e
}

// A textLines reads the lines of a text. It splits a line that does not fit the buffer.
type textLines struct {
	r       *bufio.Reader
	partial []byte // the first bytes of a character that was split
}

// next returns the next line without its end, in UTF-8, and io.EOF after the last line. A
// line that is longer than the buffer becomes several lines.
func (t *textLines) next() (string, error) {
	piece, err := t.r.ReadSlice('\n')
	line := append(t.partial, piece...)
	t.partial = nil
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		whole := completeLen(line)
		line, t.partial, err = line[:whole], line[whole:], nil
	case len(line) > 0 && access.IsEnd(err):
		err = nil
	}
	return words.Text(bytes.TrimRight(line, "\r\n"), ""), err
}

// completeLen returns the length of b without an incomplete UTF-8 character at its end.
func completeLen(b []byte) int {
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

// A contextReader is a Reader that fails when its context is done, and keeps its first error. Callers
// need that error because a parser that reads from it may report an invalid message only.
type contextReader struct {
	ctx context.Context
	r   io.Reader
	err error // the first error that is not io.EOF
}

// Read reads from r, and fails with the cause of ctx once ctx is done. It stores the first
// error other than io.EOF in err.
func (w *contextReader) Read(b []byte) (int, error) {
	if w.ctx.Err() != nil {
		w.err = context.Cause(w.ctx)
		return 0, w.err
	}
	n, err := w.r.Read(b)
	if err != nil && !access.IsEnd(err) && w.err == nil {
		w.err = err
	}
	return n, err
}
