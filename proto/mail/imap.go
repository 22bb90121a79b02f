package mail

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"strconv"
	"strings"
	"time"

	"locus/access"
	"locus/proto/internal/wire"
	"locus/scheme"
	"locus/url"
)

// An IMAP is a mailbox on a server that speaks IMAP4rev1 (RFC 3501). It
// implements [Source]. Every access is one connection; the mailbox is opened to
// be read only, so that nothing in it changes.
type IMAP struct {
	// Dial connects to the server. Nil refuses every access.
	Dial Dial
	// Host and Port are the server's. Port 0 is 143, or 993 with Implicit.
	Host string
	Port uint16
	// Implicit says that the connection begins with TLS.
	Implicit bool
	// TLS is how the server proves who it is; nil is Go's default.
	TLS *tls.Config
	// User is who logs in. Empty refuses every access.
	User string
	// Password is the user's; if it is empty, [Query.Password] is asked.
	Password string
	// Mailbox is the name of the mailbox, in UTF-8; "" is INBOX.
	Mailbox string
	// Security says whether a connection that does not begin with TLS starts it.
	// OpportunisticTLS does where the server offers it; if it does not, or greets
	// with PREAUTH, only a server on this machine is used. RequireTLS refuses then.
	// NeverTLS sends everything in the clear.
	Security access.Security
	// Idle is how long the server may send or accept nothing; 0 is a minute.
	Idle time.Duration
}

// ParseIMAP reads a URL of RFC 5092 that names a mailbox:
// imaps://user@host/mailbox. The result has no Dial.
func ParseIMAP(u url.URL) (IMAP, error) {
	s := IMAP{Implicit: u.Scheme() == "imaps"}
	if u.Scheme() != "imap" && !s.Implicit {
		return s, fmt.Errorf("%s is no imap or imaps URL", u.Redacted())
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

// A login is who logs in where.
type login struct {
	scheme.Host
	user, password string
}

// parseServer reads user, password, host and port of a URL.
func parseServer(u url.URL) (login, error) {
	bare, err := u.WithPath("")
	if err != nil {
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

const (
	imapPort  = 143
	imapsPort = 993
	// maxCandidates is how many messages that a server found are looked at.
	maxCandidates = 1000
)

// Find opens a message. The server is asked for the message-id, which finds
// longer ones too, or for the content-id as text; what it finds is looked at.
func (s IMAP) Find(ctx context.Context, q Query) (*Message, error) {
	if s.User == "" {
		return nil, &tipped{fmt.Errorf("imap at %s: no user is named", s.Host), "imaps://user@host/ names one"}
	}
	c, err := s.login(ctx, q)
	if err == nil {
		var m *Message
		if m, err = s.find(c, q); err == nil {
			return m, nil
		}
		c.logout()
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return nil, fmt.Errorf("imap at %s: %w", s.Host, err)
}

func (s IMAP) address() string {
	port := cmp.Or(s.Port, imapPort)
	if s.Port == 0 && s.Implicit {
		port = imapsPort
	}
	return net.JoinHostPort(s.Host, strconv.Itoa(int(port)))
}

// login connects and logs in.
func (s IMAP) login(ctx context.Context, q Query) (*imapConn, error) {
	d := wire.Dialer{Dial: s.Dial, TLS: s.TLS, Security: s.Security, Idle: s.Idle}
	conn, err := dial(ctx, d, s.address(), s.Implicit)
	if err != nil {
		return nil, err
	}
	c := newIMAPConn(conn)
	if err := s.authenticate(ctx, c, q); err != nil {
		c.conn.Close()
		return nil, err
	}
	return c, nil
}

func (s IMAP) authenticate(ctx context.Context, c *imapConn, q Query) error {
	known, err := c.greeting()
	if err != nil {
		return err
	}
	if known {
		return s.preauthenticated(c)
	}
	if err := c.askCapabilities(); err != nil {
		return err
	}
	if err := c.secure(); err != nil {
		return err
	}
	password, err := s.password(ctx, q)
	if err != nil {
		return err
	}
	c.secrets = secrets(s.User, password)
	switch {
	case c.capable("AUTH=PLAIN"):
		return c.authenticatePlain(s.User, password)
	case c.capable("LOGINDISABLED"):
		return access.Reason("the server offers no way to log in that is known here", errors.ErrUnsupported)
	}
	_, err = c.do("LOGIN", c.text(s.User), c.text(password))
	return denied(err)
}

// preauthenticated judges a server that wants no login, after which there is no
// STARTTLS (RFC 3501 §6.2.1): anyone on the way could have said so.
func (s IMAP) preauthenticated(c *imapConn) error {
	trusted := s.Security == access.NeverTLS || s.Security != access.RequireTLS && c.conn.IsLocal()
	if c.conn.IsTLS() || trusted {
		return nil
	}
	return &tipped{errPreauth, "imaps:// begins with TLS"}
}

var errPreauth = errors.New("the server greets with PREAUTH, which leaves no way to TLS")

// secure starts TLS as Security says.
func (c *imapConn) secure() error {
	start, err := c.conn.ShouldStartTLS(c.capable("STARTTLS"))
	if err != nil {
		return err
	}
	if !start {
		return c.conn.CheckPassword("imap", "imaps")
	}
	if _, err := c.do("STARTTLS"); err != nil {
		return err
	}
	if err := c.conn.StartTLS(c.r); err != nil {
		return err
	}
	return c.askCapabilities()
}

func (s IMAP) password(ctx context.Context, q Query) (string, error) {
	if s.Password != "" {
		return s.Password, nil
	}
	req := access.Request{Login: q.Login}
	c, err := req.Credentials(ctx, access.Challenge{URL: q.URL, Host: s.Host, User: s.User})
	return c.Password, err
}

// denied returns err, which says that a login was refused, as what it means.
func denied(err error) error {
	if refused, ok := errors.AsType[*imapError](err); ok && refused.means == nil {
		refused.means = fs.ErrPermission
	}
	return err
}

func (c *imapConn) authenticatePlain(user, password string) error {
	response := plainResponse(user, password)
	var err error
	if c.capable("SASL-IR") {
		_, err = c.do("AUTHENTICATE PLAIN", plain(response))
	} else {
		_, err = c.do("AUTHENTICATE PLAIN", continuation(response))
	}
	return denied(err)
}

// find finds the message in the mailbox and begins to read it.
func (s IMAP) find(c *imapConn, q Query) (*Message, error) {
	if _, err := c.do("EXAMINE", c.text(mailboxName(cmp.Or(s.Mailbox, "INBOX")))); err != nil {
		return nil, err
	}
	search := []argument{plain("HEADER Message-ID"), c.text(q.MessageID)}
	if q.MessageID == "" {
		search = []argument{plain("TEXT"), c.text(q.ContentID)}
	}
	answers, err := c.do("UID SEARCH", search...)
	if err != nil {
		return nil, err
	}
	uids, err := c.searchResult(answers)
	if err != nil {
		return nil, err
	}
	for _, uid := range uids[:min(len(uids), maxCandidates)] {
		if ok, err := c.isIt(uid, q); err != nil {
			return nil, err
		} else if ok {
			return c.fetch(uid)
		}
	}
	return nil, notFound(q)
}

// searchResult reads the UIDs in "* SEARCH 1 2 3".
func (c *imapConn) searchResult(answers []string) ([]string, error) {
	var uids []string
	for _, a := range answers {
		words := strings.Fields(a)
		if len(words) < 2 || !strings.EqualFold(words[1], "SEARCH") {
			continue
		}
		for _, uid := range words[2:] {
			if _, err := strconv.ParseUint(uid, 10, 32); err != nil {
				return nil, fmt.Errorf("%w: %q is no UID", access.ErrProtocol, c.shown(uid))
			}
			uids = append(uids, uid)
		}
	}
	return uids, nil
}

// isIt reports whether the message is what q asks for. Whether a part has the
// content-id the structure tells, without being read further: it stands there
// as a string.
func (c *imapConn) isIt(uid string, q Query) (bool, error) {
	what := "(BODY.PEEK[HEADER.FIELDS (MESSAGE-ID)])"
	if q.MessageID == "" {
		what = "(BODYSTRUCTURE)"
	}
	answers, err := c.do("UID FETCH", plain(uid), plain(what))
	if err != nil {
		return false, err
	}
	for _, a := range answers {
		if q.MessageID == "" && (strings.Contains(a, "<"+q.ContentID+">") || strings.Contains(a, "<"+quotedText(q.ContentID)+">")) {
			return true, nil
		}
		if _, literal, ok := strings.Cut(a, "}\r\n"); ok && q.MessageID != "" && bareID(header(literal).Get("Message-Id")) == q.MessageID {
			return true, nil
		}
	}
	return false, nil
}
