package mail

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

// A login is a server with a user and a password.
type login struct {
	scheme.Host
	user, password string
}

// parseServer returns the user, password, host and port of a URL. It removes RFC 5092's ";AUTH="
// from the user.
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

// Find opens a message. It asks the server to search for the message-id, or for the content-id as
// text. It checks each result, because the server also finds longer ids that contain the one it
// searches for.
func (s IMAP) Find(ctx context.Context, q Query) (*Message, error) {
	if s.User == "" {
		return nil, access.WithRemedy(fmt.Errorf("imap at %s: no user is given", s.Host), access.Advice("put the user into the URL: imaps://user@host/"))
	}
	c, err := s.login(ctx, q)
	if err == nil {
		var m *Message
		if m, err = s.find(c, q); err == nil {
			return m, nil
		}
		c.logout()
	}
	err = cmp.Or(context.Cause(ctx), err)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return nil, fmt.Errorf("imap at %s: %w", s.shownAddress(), err)
}

// shownAddress returns the host for errors, with the port if that is not the usual one.
func (s IMAP) shownAddress() string {
	usual := IMAP{Host: s.Host, Implicit: s.Implicit}
	if s.address() == usual.address() {
		return s.Host
	}
	return s.address()
}

func (s IMAP) address() string { return address(s.Host, s.Port, s.Implicit, 143, 993) }

// login connects to the server and logs in.
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

// authenticate reads the greeting, starts TLS if Security asks for it, and logs in. It does not log
// in if the greeting says that the client is logged in already.
func (s IMAP) authenticate(ctx context.Context, c *imapConn, q Query) error {
	preauth, err := c.readGreeting()
	if err != nil {
		return err
	}
	if preauth {
		return s.checkPreauth(c)
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
	case c.hasCapability("AUTH=PLAIN"):
		return c.authenticatePlain(s.User, password)
	case c.hasCapability("LOGINDISABLED"):
		return engine.Reason("the server offers no supported login mechanism", errors.ErrUnsupported)
	}
	_, err = c.do("LOGIN", c.text(s.User), c.text(password))
	return asDenied(err)
}

// checkPreauth returns an error unless the client may use a server that greets with PREAUTH.
// STARTTLS is not possible after that greeting (RFC 3501 §6.2.1), and an attacker could have sent
// it, so only TLS, this machine or NeverTLS will do.
func (s IMAP) checkPreauth(c *imapConn) error {
	trusted := s.Security == access.NeverTLS || s.Security != access.RequireTLS && c.conn.IsLocal()
	if c.conn.IsTLS() || trusted {
		return nil
	}
	return access.WithRemedy(errPreauth, access.Advice("use imaps://, which starts with TLS"))
}

var errPreauth = errors.New("the server greets with PREAUTH, so TLS cannot start")

// secure starts TLS if Security asks for it.
func (c *imapConn) secure() error {
	start, err := c.conn.ShouldStartTLS(c.hasCapability("STARTTLS"))
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

// password returns Password, or else the answer of Query.Login.
func (s IMAP) password(ctx context.Context, q Query) (string, error) {
	if s.Password != "" {
		return s.Password, nil
	}
	req := access.Request{Login: q.Login}
	c, err := engine.Credentials(ctx, &req, access.Challenge{URL: q.URL, Host: s.Host, User: s.User})
	return c.Password, err
}

// asDenied makes the error of a refused login wrap fs.ErrPermission. Other errors are returned
// unchanged.
func asDenied(err error) error {
	if refused, ok := errors.AsType[*imapError](err); ok && refused.means == nil {
		refused.means = fs.ErrPermission
	}
	return err
}

// authenticatePlain logs in with the mechanism PLAIN (RFC 4616).
func (c *imapConn) authenticatePlain(user, password string) error {
	response := plain(plainResponse(user, password))
	if !c.hasCapability("SASL-IR") {
		response = continuation(response.text)
	}
	_, err := c.do("AUTHENTICATE PLAIN", response)
	return asDenied(err)
}

// find searches for the message in the mailbox and starts to read it.
func (s IMAP) find(c *imapConn, q Query) (*Message, error) {
	if _, err := c.do("EXAMINE", c.text(encodeMailboxName(cmp.Or(s.Mailbox, "INBOX")))); err != nil {
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
		if ok, err := c.matches(uid, q); err != nil {
			return nil, err
		} else if ok {
			return c.startFetch(uid)
		}
	}
	return nil, notFound(q)
}

// searchResult returns the UIDs in responses such as "* SEARCH 1 2 3".
func (c *imapConn) searchResult(answers []string) ([]string, error) {
	var uids []string
	for _, a := range answers {
		words := strings.Fields(a)
		if len(words) < 2 || !strings.EqualFold(words[1], "SEARCH") {
			continue
		}
		for _, uid := range words[2:] {
			if _, err := strconv.ParseUint(uid, 10, 32); err != nil {
				return nil, fmt.Errorf("%w: %q is not a UID", access.ErrProtocol, c.shown(uid))
			}
			uids = append(uids, uid)
		}
	}
	return uids, nil
}

// matches reports whether the message with this UID has the id of q. For a content-id it asks for
// the structure of the message, so that it need not read the message.
func (c *imapConn) matches(uid string, q Query) (bool, error) {
	item := "(BODY.PEEK[HEADER.FIELDS (MESSAGE-ID)])"
	if q.MessageID == "" {
		item = "(BODYSTRUCTURE)"
	}
	answers, err := c.do("UID FETCH", plain(uid), plain(item))
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
