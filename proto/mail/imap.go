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
	"locus/proto/internal/wire"
	"locus/scheme"
	"locus/url"
)

// An IMAP is a mailbox on an IMAP4rev1 server (RFC 3501). It is a [Source].
// Each Find makes one connection. It opens the mailbox read-only, so nothing in
// it changes.
type IMAP struct {
	// Dial connects to the server. Nil refuses every request.
	Dial Dial
	// Host and Port are the server's. Port 0 means 143, or 993 with Implicit.
	Host string
	Port uint16
	// Implicit says that the connection starts with TLS.
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
	// Idle is how long the server may send or accept nothing; 0 means a minute.
	Idle time.Duration
}

// ParseIMAP parses a URL of RFC 5092 for a mailbox: imaps://user@host/mailbox.
// The result has no Dial.
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

type login struct {
	scheme.Host
	user, password string
}

// parseServer returns the user, password, host and port of a URL.
func parseServer(u url.URL) (login, error) {
	bare, err := u.With(url.Path, url.Some(""))
	if err != nil {
		return login{}, err
	}
	if bare, err = bare.With(url.Scheme, url.Some("telnet")); err != nil { // which has a login too
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

// maxCandidates limits the search results that are checked.
const maxCandidates = 1000

// Find opens a message. The server searches for the message-id, which also
// finds longer ids, or for the content-id as text. Find checks the results.
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
	return nil, fmt.Errorf("imap at %s: %w", s.place(), err)
}

// place returns the host, with the port if it is not the usual one.
func (s IMAP) place() string {
	usual := IMAP{Host: s.Host, Implicit: s.Implicit}
	if s.address() == usual.address() {
		return s.Host
	}
	return s.address()
}

func (s IMAP) address() string { return address(s.Host, s.Port, s.Implicit, 143, 993) }

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
		return access.Reason("the server offers no supported login mechanism", errors.ErrUnsupported)
	}
	_, err = c.do("LOGIN", c.text(s.User), c.text(password))
	return asDenied(err)
}

// checkPreauth checks a server that wants no login. After that there is no
// STARTTLS (RFC 3501 §6.2.1), and an attacker could have sent that greeting.
func (s IMAP) checkPreauth(c *imapConn) error {
	trusted := s.Security == access.NeverTLS || s.Security != access.RequireTLS && c.conn.IsLocal()
	if c.conn.IsTLS() || trusted {
		return nil
	}
	return access.WithRemedy(errPreauth, access.Advice("use imaps://, which starts with TLS"))
}

var errPreauth = errors.New("the server greets with PREAUTH, so TLS cannot start")

// secure starts TLS as Security says.
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

func (s IMAP) password(ctx context.Context, q Query) (string, error) {
	if s.Password != "" {
		return s.Password, nil
	}
	req := access.Request{Login: q.Login}
	c, err := req.Credentials(ctx, access.Challenge{URL: q.URL, Host: s.Host, User: s.User})
	return c.Password, err
}

// asDenied makes a refused login wrap fs.ErrPermission.
func asDenied(err error) error {
	if refused, ok := errors.AsType[*imapError](err); ok && refused.means == nil {
		refused.means = fs.ErrPermission
	}
	return err
}

func (c *imapConn) authenticatePlain(user, password string) error {
	response := plain(plainResponse(user, password))
	if !c.hasCapability("SASL-IR") {
		response = continuation(response.text)
	}
	_, err := c.do("AUTHENTICATE PLAIN", response)
	return asDenied(err)
}

// find finds the message in the mailbox and starts to read it.
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
		if ok, err := c.matches(uid, q); err != nil {
			return nil, err
		} else if ok {
			return c.startFetch(uid)
		}
	}
	return nil, notFound(q)
}

// searchResult returns the UIDs in "* SEARCH 1 2 3".
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

// matches reports whether q asks for the message uid. For a content-id it
// searches the structure of the message, so it does not read the message.
func (c *imapConn) matches(uid string, q Query) (bool, error) {
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
