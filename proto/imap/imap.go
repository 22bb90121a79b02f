// Package imap opens imap and imaps URLs (RFC 5092) for reading, over IMAP4rev1 (RFC 3501).
//
//	imap://ada@host/                              the mailboxes of the user
//	imap://ada@host/box                           the messages of a mailbox
//	imap://ada@host/box?SUBJECT%20%22tea%22       the messages that a search finds
//	imap://ada@host/box/;UID=20                   a message
//	imap://ada@host/box/;UID=20/;SECTION=1.2      a part of a message, decoded
//
// Each request makes a connection, logs in and opens the mailbox read-only, so that no flag changes. Mailboxes and
// messages are listed in listing.go, and messages and parts are opened in message.go.
//
// Notable divergences:
//   - RFC 5092 §3.1: a password in the URL is used.
//   - RFC 5092 §3.2: a URL without a user asks for a login, unless the server has anonymous users.
//   - RFC 5092 §6: URLAUTH is not read.
//   - RFC 2192 §6.1: a list of mailboxes (";TYPE=LIST", ";TYPE=LSUB") is read.
package imap

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/proto"
	"locus/proto/internal/imapwire"
	"locus/proto/internal/wire"
	"locus/scheme"
	"locus/url"
)

// A Client opens imap and imaps URLs. It is an [access.Engine]. It holds no connections and no state. Several
// goroutines may use it at once.
type Client struct {
	// Dial opens a connection. If nil, every request fails.
	Dial proto.Dial

	// TLS configures TLS; nil means Go's defaults.
	TLS *tls.Config

	// Security says whether imap URLs use STARTTLS. OpportunisticTLS uses it if offered. If it is not offered, or the
	// greeting is PREAUTH, a password is sent only to a server on this machine. RequireTLS fails in these cases.
	// NeverTLS sends everything unencrypted. imaps URLs start with TLS.
	Security access.Security

	// Idle limits the time in which the server neither sends nor accepts a byte; 0: a minute, negative: no limit.
	Idle time.Duration
}

// Do executes Get and Stat. Any other Op returns errors.ErrUnsupported.
//
// Get of a message returns its bytes, as message/rfc822. Get of a part such as 1.2 decodes the part and returns its
// media type. With PARTIAL, Get returns the stored bytes. Get of a server, a mailbox or a search returns a listing. The
// entries of messages have the Title of their subject and the UIDVALIDITY of the mailbox in their URLs. The Body of a
// listing is a text/uri-list. Get ignores req.Offset: the Resource starts at 0. A message of a URL with UIDVALIDITY is
// Immutable.
//
// If there is no such mailbox, message or part, or if the mailbox has another UIDVALIDITY, the error wraps
// fs.ErrNotExist. A URL without a password calls req.Login.
//
// Stat finds the subject, size and time of a message, or the type of a part. Stat of a mailbox opens it.
func (c Client) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	switch {
	case req.Op == access.Get && req.Answers == nil:
		return engine.For(req).Result(c.open(ctx, req))
	case req.Op == access.Stat:
		return engine.For(req).Result(engine.Found(c.stat(ctx, req)))
	}
	return nil, engine.Unsupported(req)
}

// A session is a connection on which one URL is opened.
type session struct {
	*imapwire.Conn
	url  url.URL
	view scheme.IMAP // of url, without the password; its UIDValidity is set when the mailbox is open

	isPinned bool // the URL and the mailbox have the same UIDVALIDITY
}

// open executes Get. It connects, logs in, and returns the Resource of the URL, which owns the connection.
func (c Client) open(ctx context.Context, req *access.Request) (*access.Resource, error) {
	s, err := c.connect(ctx, req)
	if err != nil {
		return nil, err
	}
	r, err := s.get()
	if err != nil {
		s.Logout()
		return nil, err
	}
	return r, nil
}

// get returns the mailboxes of the server, the messages of a mailbox, or a message or part of it, as the URL asks. On
// success the resource owns the connection.
func (s *session) get() (*access.Resource, error) {
	if s.isServer() {
		return s.listMailboxes(), nil
	}
	if err := s.examine(); err != nil {
		return nil, err
	}
	if s.view.UID != 0 {
		return s.openMessage()
	}
	return s.listMessages()
}

// stat executes Stat. It connects, logs in, and returns the Entry of the server, mailbox, message or part. It closes
// the connection.
func (c Client) stat(ctx context.Context, req *access.Request) (access.Entry, error) {
	s, err := c.connect(ctx, req)
	if err != nil {
		return access.Entry{}, err
	}
	defer s.Logout()
	e := access.Entry{Title: cmp.Or(s.view.Mailbox, s.view.Name), URL: req.URL, Kind: access.Directory, Size: -1}
	if s.isServer() {
		return e, nil
	}
	if err := s.examine(); err != nil || s.view.UID == 0 {
		return e, err
	}
	d, err := s.describe()
	return d.entry, err
}

// isServer reports whether the URL names a list of mailboxes: all mailboxes of the server, or the mailboxes that match
// a pattern (";TYPE=").
func (s *session) isServer() bool { return s.view.Mailbox == "" || s.view.List != scheme.IMAPNoList }

// connect connects to the server of req's URL and logs in with the user and password of the URL, or with req.Login.
// The caller closes the session.
func (c Client) connect(ctx context.Context, req *access.Request) (*session, error) {
	v, err := parse(req.URL)
	if err != nil {
		return nil, err
	}
	server := imapwire.Server{
		Dialer:   wire.Dialer{Dial: c.Dial, TLS: c.TLS, Security: c.Security, Idle: c.Idle},
		Address:  v.Address(imapwire.Port),
		Implicit: v.Scheme == "imaps",
		User:     v.User.Text,
		Auth:     v.Auth.Text,
		Credentials: func() (access.Credentials, error) {
			if v.Password.Present {
				return access.Credentials{User: v.User.Text, Password: v.Password.Text}, nil
			}
			return engine.Credentials(ctx, req, access.Challenge{URL: req.URL, Host: v.Name, User: v.User.Text})
		},
	}
	if server.Implicit {
		server.Address = v.Address(imapwire.PortTLS)
	}
	conn, err := server.Connect(ctx)
	if err != nil {
		return nil, err
	}
	v.Password = url.Part{}
	return &session{Conn: conn, url: req.URL, view: v}, nil
}

// parse returns the view of u. It returns access.ErrNoScheme for another scheme, and an error for parts that would end
// a command, such as a user name with CR or LF.
func parse(u url.URL) (scheme.IMAP, error) {
	if u.Scheme() != "imap" && u.Scheme() != "imaps" {
		return scheme.IMAP{}, access.ErrNoScheme
	}
	v, err := scheme.ParseIMAP(u)
	if err != nil {
		return v, err
	}
	_, err = searchProgram(v.Search.Text)
	return v, errors.Join(
		wire.CheckArgument("user name", v.User.Text, ""),
		wire.CheckArgument("password", v.Password.Text, ""),
		wire.CheckArgument("mailbox name", v.Mailbox, ""),
		wire.CheckArgument("section", v.Section.Text, `"\{}[]<>%*`),
		err,
	)
}

// examine opens the mailbox of the URL read-only, and sets view.UIDValidity and isPinned. If the URL has another
// UIDVALIDITY, the error wraps fs.ErrNotExist, because the UIDs in the URL now mean other messages.
func (s *session) examine() error {
	answers, err := s.Do("EXAMINE", imapwire.Text(imapwire.EncodeMailbox(s.view.Mailbox)))
	if err != nil {
		return asMissing(err)
	}
	validity := uidValidity(answers)
	if s.view.UIDValidity != 0 && validity != 0 && s.view.UIDValidity != validity {
		return engine.Reason("the server has recreated the mailbox, so the message numbers have changed", fs.ErrNotExist)
	}
	s.isPinned, s.view.UIDValidity = s.view.UIDValidity != 0 && validity != 0, validity
	return nil
}

// asMissing returns err. If err is a refusal without a known meaning, asMissing first makes it wrap fs.ErrNotExist, or
// fs.ErrPermission if its text has the code NOPERM (RFC 5530 §3).
func asMissing(err error) error {
	refused, ok := errors.AsType[*engine.Refusal](err)
	if !ok || refused.Means != nil {
		return err
	}
	refused.Means = fs.ErrNotExist
	if strings.Contains(strings.ToUpper(refused.Reply.Text), "[NOPERM]") {
		refused.Means = fs.ErrPermission
	}
	return err
}

// uidValidity returns the number in a response such as "* OK [UIDVALIDITY 3857529045] UIDs valid". It returns 0 if no
// response has such a code.
func uidValidity(answers []string) uint32 {
	for _, a := range answers {
		_, after, ok := strings.Cut(strings.ToUpper(a), "[UIDVALIDITY ")
		text, _, _ := strings.Cut(after, "]")
		if n, err := strconv.ParseUint(text, 10, 32); ok && err == nil {
			return uint32(n)
		}
	}
	return 0
}

// searchProgram returns the arguments of a SEARCH command for text; ALL if text is blank. It refuses a text that would
// end or change the command: a text with CR, LF or NUL, with "{" outside of quotation marks, or with a missing
// quotation mark. Words beyond ASCII must be in quotation marks, and are sent as UTF-8.
func searchProgram(text string) ([]imapwire.Argument, error) {
	if err := wire.CheckArgument("search", text, ""); err != nil {
		return nil, err
	}
	var program []imapwire.Argument
	isASCII := true
	for rest := text; rest != ""; {
		plain, quoted, ok := strings.Cut(rest, `"`)
		if strings.ContainsFunc(plain, func(r rune) bool { return r == '{' || r < ' ' || r > '~' }) {
			return nil, fmt.Errorf("search %q: words with \"{\" or letters beyond ASCII must be in quotation marks", text)
		}
		if plain = strings.TrimSpace(plain); plain != "" {
			program = append(program, imapwire.Plain(plain))
		}
		if !ok {
			break
		}
		word, after, ok := cutQuoted(quoted)
		if !ok {
			return nil, fmt.Errorf("search %q: the last quotation mark is missing", text)
		}
		isASCII = isASCII && !strings.ContainsFunc(word, func(r rune) bool { return r > '~' })
		program = append(program, imapwire.Text(word))
		rest = after
	}
	switch {
	case program == nil:
		return []imapwire.Argument{imapwire.Plain("ALL")}, nil
	case isASCII:
		return []imapwire.Argument{imapwire.Plain(strings.TrimSpace(text))}, nil
	}
	return append([]imapwire.Argument{imapwire.Plain("CHARSET UTF-8")}, program...), nil
}

// cutQuoted splits text, which follows an opening quotation mark, at the closing quotation mark. word is the text
// before the mark, with its backslash escapes decoded, and rest is the text after it. ok is false if the closing mark
// is missing.
func cutQuoted(text string) (word, rest string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			return b.String(), text[i+1:], true
		case c == '\\' && i+1 < len(text):
			i++
			b.WriteByte(text[i])
		default:
			b.WriteByte(c)
		}
	}
	return "", "", false
}
