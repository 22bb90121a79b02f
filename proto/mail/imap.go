package mail

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/proto"
	"locus/proto/internal/imapwire"
	"locus/proto/internal/message"
	"locus/proto/internal/sasl"
	"locus/proto/internal/wire"
	"locus/scheme"
	"locus/url"
)

// An IMAP is a mailbox on an IMAP4rev1 server (RFC 3501). It is a [Source]. Each Find makes one
// connection. It opens the mailbox read-only, so that the mailbox does not change.
type IMAP struct {
	// Dial connects to the server. Nil refuses every request.
	Dial proto.Dial
	// Host and Port are the server's. Port 0 means 143, or 993 with Implicit.
	Host string
	Port uint16
	// Implicit reports whether the connection starts with TLS.
	Implicit bool
	// TLS configures TLS; nil means Go's defaults.
	TLS *tls.Config
	// User is the user who logs in. Empty refuses every request.
	User string
	// Password is the user's password. Empty calls [Query.Login].
	Password string
	// Mailbox is the name of the mailbox in UTF-8; "" means INBOX.
	Mailbox string
	// Security says whether to use STARTTLS if Implicit is not set.
	// OpportunisticTLS uses it if offered. If it is not offered, or the
	// greeting is PREAUTH, only a server on this machine is used. RequireTLS
	// fails in these cases. NeverTLS sends everything unencrypted.
	Security access.Security
	// Idle limits the time in which the server neither sends nor accepts a byte;
	// 0: a minute, negative: no limit.
	Idle time.Duration
}

// ParseIMAP parses a URL for a mailbox: imaps://user@host/mailbox (RFC 5092). The result has no
// Dial.
func ParseIMAP(u url.URL) (IMAP, error) {
	s := IMAP{Implicit: u.Scheme() == "imaps"}
	if u.Scheme() != "imap" && !s.Implicit {
		return s, fmt.Errorf("%s is not an imap or imaps URL", u.Redacted())
	}
	login, err := parseServer(u)
	if err != nil {
		return s, err
	}
	s.Host, s.Port, s.User, s.Password = login.Name, login.Port, login.user, login.password
	if s.Mailbox, err = url.Unescape(strings.TrimPrefix(u.Path(), "/")); err != nil {
		return s, err
	}
	return s, wire.CheckArgument("mailbox name", s.Mailbox, "")
}

// A login is the address of a server with a user and a password.
type login struct {
	scheme.Host
	user, password string
}

// parseServer returns the host, port, user and password in u, whose path does not matter. It
// removes RFC 5092's ";AUTH=" from the user. A user or password with CR, LF or NUL is an error.
func parseServer(u url.URL) (login, error) {
	bare, err := u.With(url.Path, url.Some(""))
	if err != nil {
		return login{}, err
	}
	if bare, err = bare.With(url.Scheme, url.Some("telnet")); err != nil { // because ParseTelnet accepts a login
		return login{}, err
	}
	v, err := scheme.ParseTelnet(bare)
	if err != nil {
		return login{}, err
	}
	l := login{v.Host, v.User.Text, v.Password.Text}
	l.user, _, _ = strings.Cut(l.user, ";AUTH=")
	return l, errors.Join(wire.CheckArgument("user name", l.user, ""), wire.CheckArgument("password", l.password, ""))
}

// maxCandidates limits the number of search results that Find checks.
const maxCandidates = 1000

// Find opens the message for q. It asks the server to search for the message-id, or for the
// content-id as text, and checks each result, because the server also finds longer ids that
// contain the id. The error wraps fs.ErrNotExist if the mailbox lacks the message. The Body of
// the message owns the connection.
func (s IMAP) Find(ctx context.Context, q Query) (*Message, error) {
	if s.User == "" {
		return nil, access.WithRemedy(fmt.Errorf("imap at %s: no user is given", s.Host), access.Advice("put the user into the URL: imaps://user@host/"))
	}
	c, err := s.server(ctx, q).Connect(ctx)
	if err == nil {
		var m *Message
		if m, err = s.find(c, q); err == nil {
			return m, nil
		}
		c.Logout()
	}
	err = cmp.Or(context.Cause(ctx), err)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return nil, fmt.Errorf("imap at %s: %w", s.shownAddress(), err)
}

// shownAddress returns the host for errors, with the port if the port is not the default.
func (s IMAP) shownAddress() string {
	usual := IMAP{Host: s.Host, Implicit: s.Implicit}
	if s.address() == usual.address() {
		return s.Host
	}
	return s.address()
}

// address returns the address of the server, host:port, with the default port if Port is 0.
func (s IMAP) address() string {
	return address(s.Host, s.Port, s.Implicit, imapwire.Port, imapwire.PortTLS)
}

// server returns the description of the server with which imapwire connects. The password is
// the password of s, or else the answer of q.Login.
func (s IMAP) server(ctx context.Context, q Query) imapwire.Server {
	return imapwire.Server{
		Dialer:   wire.Dialer{Dial: s.Dial, TLS: s.TLS, Security: s.Security, Idle: s.Idle},
		Address:  s.address(),
		Implicit: s.Implicit,
		User:     s.User,
		Credentials: func() (access.Credentials, error) {
			if s.Password != "" {
				return access.Credentials{User: s.User, Password: s.Password}, nil
			}
			req := access.Request{Login: q.Login}
			c, err := engine.Credentials(ctx, &req, access.Challenge{URL: q.URL, Host: s.Host, User: s.User})
			return access.Credentials{User: s.User, Password: c.Password}, err
		},
	}
}

// find returns the message for q in the mailbox. It checks at most maxCandidates messages. The
// connection c is logged in; the Body of the message reads from it and owns it. The error wraps
// fs.ErrNotExist if the mailbox lacks the message. On failure the caller closes c.
func (s IMAP) find(c *imapwire.Conn, q Query) (*Message, error) {
	if _, err := c.Do("EXAMINE", imapwire.Text(imapwire.EncodeMailbox(cmp.Or(s.Mailbox, "INBOX")))); err != nil {
		return nil, err
	}
	search := []imapwire.Argument{imapwire.Plain("HEADER Message-ID"), imapwire.Text(q.MessageID)}
	if q.MessageID == "" {
		search = []imapwire.Argument{imapwire.Plain("TEXT"), imapwire.Text(q.ContentID)}
	}
	uids, err := c.Search(search...)
	if err != nil {
		return nil, err
	}
	for _, uid := range uids[:min(len(uids), maxCandidates)] {
		if ok, err := matches(c, uid, q); err != nil {
			return nil, err
		} else if ok {
			m, err := c.Fetch(uid, imapwire.Section{})
			if err != nil {
				return nil, err
			}
			return &Message{Body: m, Size: m.Size}, nil
		}
	}
	return nil, notFound(q)
}

// matches reports whether the message with this UID in the open mailbox has the id of q. For a
// content-id it asks for the structure of the message, so that it need not read the message.
func matches(c *imapwire.Conn, uid string, q Query) (bool, error) {
	item := "(BODY.PEEK[HEADER.FIELDS (MESSAGE-ID)])"
	if q.MessageID == "" {
		item = "(BODYSTRUCTURE)"
	}
	answers, err := c.Do("UID FETCH", imapwire.Plain(uid), imapwire.Plain(item))
	if err != nil {
		return false, err
	}
	for _, a := range answers {
		if q.MessageID == "" && (strings.Contains(a, "<"+q.ContentID+">") || strings.Contains(a, "<"+sasl.Quoted(q.ContentID)+">")) {
			return true, nil
		}
		if _, literal, ok := strings.Cut(a, "}\r\n"); ok && q.MessageID != "" && message.BareID(message.Header(literal).Get("Message-Id")) == q.MessageID {
			return true, nil
		}
	}
	return false, nil
}
