package imap

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"

	"locus/access"
	"locus/access/engine"
	"locus/proto/internal/imapwire"
	"locus/proto/internal/message"
	"locus/proto/internal/urilist"
	"locus/scheme"
	"locus/url"
)

// A listing is the Body and the List of the mailboxes of a server, or of messages. It sends its commands one after
// another, and reads the responses as entries are requested, because they may be larger than memory.
type listing struct {
	*session
	commands []command                                // not sent yet
	answers  *imapwire.Answers                        // to the last command; nil if they are read
	entry    func(answer string) (access.Entry, bool) // false for a response that is not an entry
	text     urilist.Text
}

// A command is a command of a listing.
type command struct {
	name string
	args []imapwire.Argument
}

// resource returns a listing of the URL that sends commands one after another, and makes entries of their
// responses with entry. Nothing is sent before the first read. The resource owns the connection.
func (s *session) resource(commands []command, entry func(answer string) (access.Entry, bool)) *access.Resource {
	l := &listing{session: s, commands: commands, entry: entry, text: urilist.Text{Titles: true}}
	e := access.Entry{Title: s.view.Mailbox, URL: s.url, Kind: access.Directory, Type: urilist.Type, Size: -1}
	return &access.Resource{Entry: e, Body: l, List: l}
}

// Next returns the next mailbox or message, and waits for the server. The error is io.EOF after the last one.
// Other errors name the URL.
func (l *listing) Next() (access.Entry, error) {
	e, err := l.next()
	return e, engine.FailReading("list", l.url, err)
}

// Read reads the listing as a text/uri-list.
func (l *listing) Read(p []byte) (int, error) {
	n, err := l.text.Read(p, l.next)
	return n, engine.FailReading("read", l.url, err)
}

// maxSkipped limits the bytes of responses in a row that are not entries.
const maxSkipped = 1 << 20

// next returns the next entry, and io.EOF after the last one. Its errors do not name the URL. When the responses to a
// command end, next sends the next command. It skips responses that are not entries, and fails after maxSkipped bytes
// of them in a row.
func (l *listing) next() (access.Entry, error) {
	for skipped := 0; skipped < maxSkipped; {
		if err := l.Err(); err != nil {
			return access.Entry{}, err
		}
		if l.answers == nil {
			if len(l.commands) == 0 {
				return access.Entry{}, io.EOF
			}
			var err error
			if l.answers, err = l.Start(l.commands[0].name, l.commands[0].args...); err != nil {
				return access.Entry{}, err
			}
			l.commands = l.commands[1:]
		}
		answer, err := l.answers.Next()
		if access.IsEnd(err) {
			l.answers = nil
			continue
		}
		if err != nil {
			return access.Entry{}, err
		}
		if e, ok := l.entry(answer); ok {
			return e, nil
		}
		skipped += len(answer)
	}
	return access.Entry{}, fmt.Errorf("%w: %d bytes without an entry", access.ErrTooLong, maxSkipped)
}

// listMailboxes returns the listing of the mailboxes that the URL names: all mailboxes of the server, or the
// mailboxes that match the pattern in the URL. It does not wait for the server.
func (s *session) listMailboxes() *access.Resource {
	name := "LIST"
	if s.view.List == scheme.IMAPSubscribed {
		name = "LSUB"
	}
	pattern := imapwire.Text(imapwire.EncodeMailbox(cmp.Or(s.view.Mailbox, "*")))
	return s.resource([]command{{name, []imapwire.Argument{imapwire.Plain(`""`), pattern}}}, s.mailbox)
}

// mailbox returns the entry for a LIST or LSUB response such as `* LIST (\HasNoChildren) "/" INBOX` (RFC 3501
// §7.2.2). A mailbox that cannot be opened becomes an entry of the kind Info, without a URL. The result is false
// for other responses.
func (s *session) mailbox(answer string) (access.Entry, bool) {
	values, err := imapwire.ParseValues(strings.TrimPrefix(answer, "* "))
	if err != nil || len(values) != 4 || !strings.EqualFold(values[0].Text, "LIST") && !strings.EqualFold(values[0].Text, "LSUB") {
		return access.Entry{}, false
	}
	name := imapwire.DecodeMailbox(values[3].Text)
	if name == "" {
		return access.Entry{}, false
	}
	e := access.Entry{Title: name, Kind: access.Directory, Size: -1}
	for _, flag := range values[1].List {
		if strings.EqualFold(flag.Text, `\Noselect`) || strings.EqualFold(flag.Text, `\NonExistent`) {
			e.Kind = access.Info
			return e, true
		}
	}
	e.URL = scheme.IMAP{Scheme: s.view.Scheme, Host: s.view.Host, User: s.view.User, Auth: s.view.Auth, Mailbox: name}.URL()
	return e, true
}

// listMessages returns the listing of the messages in the open mailbox. If the URL has a search, listMessages
// runs the search, and lists only the messages that it finds.
func (s *session) listMessages() (*access.Resource, error) {
	sets := []string{"1:*"}
	if s.view.Search.Present {
		program, err := searchProgram(s.view.Search.Text)
		if err != nil {
			return nil, err
		}
		set, err := s.SearchSet(program...)
		if err != nil {
			return nil, err
		}
		sets = splitSet(set)
	}
	commands := make([]command, len(sets))
	for i, set := range sets {
		commands[i] = command{"UID FETCH", []imapwire.Argument{imapwire.Plain(set), imapwire.Plain("(" + attributes + " " + headerItem + ")")}}
	}
	return s.resource(commands, s.message), nil
}

// maxSet limits the bytes of a set of UIDs in a command, because servers limit the line (RFC 2683 §3.2.1.5).
const maxSet = 900

// splitSet splits a set of UIDs such as "1:3,7,9" at commas into sets of at most maxSet bytes. A single range
// that is longer stays whole. The result is nil for "".
func splitSet(set string) []string {
	var sets []string
	for len(set) > maxSet {
		end := strings.LastIndexByte(set[:maxSet+1], ',')
		if end < 0 {
			break
		}
		sets = append(sets, set[:end])
		set = set[end+1:]
	}
	if set == "" {
		return sets
	}
	return append(sets, set)
}

const (
	attributes = "UID RFC822.SIZE INTERNALDATE"
	headerItem = "BODY.PEEK[HEADER.FIELDS (SUBJECT FROM TO MESSAGE-ID)]"
)

// message returns the entry for a FETCH response with the attributes and headerItem. It returns false if the response
// lacks both the size and the header, because it then tells other things about a message.
func (s *session) message(answer string) (access.Entry, bool) {
	row, ok := imapwire.ParseRow(answer)
	if !ok || row.UID == 0 || row.Size < 0 && !row.HasBytes {
		return access.Entry{}, false
	}
	v := s.view
	v.Search, v.UID = url.Part{}, row.UID
	e := messageEntry(row)
	e.URL = v.URL()
	return e, true
}

// messageEntry returns the entry of a message, without a URL. row is the FETCH response with the attributes and
// headerItem. The title is the subject or, without a subject, the UID.
func messageEntry(row imapwire.Row) access.Entry {
	h := message.Header(row.Bytes)
	e := access.Entry{
		Title: cmp.Or(h.Text("Subject"), "message "+strconv.FormatUint(uint64(row.UID), 10)),
		Kind:  access.Object, Type: messageType, Size: row.Size, ModTime: row.Date,
	}
	for _, name := range []string{"From", "To"} {
		if text := h.Text(name); text != "" {
			e.Header = append(e.Header, access.Field{Name: name, Value: text})
		}
	}
	if id := message.BareID(h.Get("Message-Id")); id != "" {
		e.Header = append(e.Header, access.Field{Name: "Message-ID", Value: id})
	}
	return e
}
