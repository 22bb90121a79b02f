package imap

import (
	"cmp"
	"io/fs"
	"math"
	"strconv"
	"strings"

	"locus/access"
	"locus/access/engine"
	"locus/proto/internal/imapwire"
	"locus/proto/internal/message"
	"locus/proto/internal/wire"
)

// messageType is the media type of a message.
const messageType = "message/rfc822"

// A description has the attributes of a message or of one of its parts.
type description struct {
	entry  access.Entry
	header message.Header // of a part that is named by its number; nil for other sections
}

// describe requests the attributes of the message or part that the URL names. The error wraps
// fs.ErrNotExist if the mailbox lacks the message, or the message lacks the part.
func (s *session) describe() (description, error) {
	uid, section := strconv.FormatUint(uint64(s.view.UID), 10), s.view.Section.Text
	item := headerItem
	if isNumber(section) {
		item = "BODY.PEEK[" + section + ".MIME]"
	}
	answers, err := s.Do("UID FETCH", imapwire.Plain(uid), imapwire.Plain("("+attributes+" "+item+")"))
	if err != nil {
		return description{}, err
	}
	for _, answer := range answers {
		row, ok := imapwire.ParseRow(answer)
		if !ok || row.UID != s.view.UID || row.Size < 0 {
			continue
		}
		if section != "" {
			return s.describeSection(row)
		}
		d := description{entry: messageEntry(row)}
		d.entry.URL = s.url
		if s.view.Partial {
			d.entry.Type, d.entry.Size = anyType, -1
		}
		return d, nil
	}
	return description{}, engine.Reason("the mailbox has no message "+uid, fs.ErrNotExist)
}

const anyType = "application/octet-stream"

// describeSection returns the attributes of the section that the URL names. row is the FETCH
// response of its message, with the section's MIME header in Bytes. The error wraps
// fs.ErrNotExist if the header is empty, because then the message lacks the part.
func (s *session) describeSection(row imapwire.Row) (description, error) {
	section := s.view.Section.Text
	e := access.Entry{Title: section, URL: s.url, Kind: access.Object, Type: "text/plain", Size: -1, ModTime: row.Date}
	if s.view.Partial {
		e.Type = anyType
	}
	if !isNumber(section) {
		return description{entry: e}, nil
	}
	if row.Bytes == "" { // Dovecot sends an empty header instead of NIL
		return description{}, engine.Reason("the message has no part "+section, fs.ErrNotExist)
	}
	h := message.Header(row.Bytes)
	part := message.NewPart(h.Get, nil)
	e.Title = cmp.Or(part.Name, section)
	if s.view.Partial {
		return description{entry: e}, nil
	}
	e.Type = part.MediaType
	return description{e, h}, nil
}

// isNumber reports whether section is the number of a part, such as "1.2". It is false for
// "" and for names such as "HEADER".
func isNumber(section string) bool {
	return section != "" && strings.Trim(section, "0123456789.") == ""
}

// openMessage returns the message or part that the URL names, in an open mailbox. A part
// named by its number is decoded. The resource owns the connection.
func (s *session) openMessage() (*access.Resource, error) {
	d, err := s.describe()
	if err != nil {
		return nil, err
	}
	section := imapwire.Section{Name: s.view.Section.Text, Partial: s.view.Partial, From: s.view.From, Length: s.view.Length}
	if section.Length == 0 {
		section.Length = math.MaxUint32
	}
	stored, err := s.Fetch(strconv.FormatUint(uint64(s.view.UID), 10), section)
	if err != nil {
		return nil, err
	}
	b := &wire.Body{Conn: s.Conn.Conn, URL: s.url, Content: stored}
	d.entry.Size = stored.Size
	if d.header != nil {
		d.entry.Size, b.Content = -1, message.NewPart(d.header.Get, stored).Content()
	}
	return &access.Resource{Entry: d.entry, Body: b, Immutable: s.isPinned}, nil
}
