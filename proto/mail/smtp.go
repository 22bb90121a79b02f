package mail

import (
	"bufio"
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
	"locus/proto/internal/reply"
	"locus/proto/internal/wire"
	"locus/url"
)

// An SMTP is a server that takes mail from users (RFC 6409, RFC 5321). Every
// message is one connection.
type SMTP struct {
	// Dial connects to the server. Nil refuses every message.
	Dial Dial
	// Host and Port are the server's. Port 0 is 587, or 465 with Implicit.
	Host string
	Port uint16
	// Implicit says that the connection begins with TLS (RFC 8314).
	Implicit bool
	// TLS is how the server proves who it is; nil is Go's default.
	TLS *tls.Config
	// Security says whether a connection that does not begin with TLS starts it.
	// OpportunisticTLS does where the server offers it; if it does not, a password
	// is sent to this machine alone. RequireTLS refuses then. NeverTLS sends
	// everything in the clear.
	Security access.Security
	// Idle is how long the server may send or accept nothing; 0 is a minute, and
	// ten for the reply that accepts the message (RFC 5321 §4.5.3.2.6).
	Idle time.Duration
	// User logs in; empty does not.
	User string
	// Password is the user's; if it is empty, Ask is called.
	Password string
	// Ask asks for the password as [access.Request] does; it may be nil.
	Ask func(ctx context.Context, prompt string) (string, error)
	// Name is what this machine calls itself; "" is localhost.
	Name string
}

// ParseSMTP reads smtp://user@host:port or smtps://user@host:port. The result
// has no Dial.
func ParseSMTP(u url.URL) (SMTP, error) {
	s := SMTP{Implicit: u.Scheme() == "smtps"}
	if u.Scheme() != "smtp" && !s.Implicit {
		return s, fmt.Errorf("%s is no smtp or smtps URL", u.Redacted())
	}
	login, err := parseServer(u)
	s.Host, s.Port, s.User, s.Password = login.Name, login.Port, login.user, login.password
	return s, err
}

const (
	submissionPort  = 587
	submissionsPort = 465
)

// Send sends a message: to all its addresses or, if the server refuses one, to
// none. An error after the last octet was sent may leave it open whether the
// server has taken the message; it then wraps io.ErrUnexpectedEOF or what ended
// the connection.
func (s SMTP) Send(ctx context.Context, m *Outgoing) error {
	err := s.send(ctx, m)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err == nil {
		return nil
	}
	return fmt.Errorf("send by %s: %w", s.address(), err)
}

func (s SMTP) address() string {
	port := cmp.Or(s.Port, submissionPort)
	if s.Port == 0 && s.Implicit {
		port = submissionsPort
	}
	return net.JoinHostPort(s.Host, strconv.Itoa(int(port)))
}

func (s SMTP) send(ctx context.Context, m *Outgoing) error {
	if err := m.check(); err != nil {
		return err
	}
	d := wire.Dialer{Dial: s.Dial, TLS: s.TLS, Security: s.Security, Idle: s.Idle}
	conn, err := dial(ctx, d, s.address(), s.Implicit)
	if err != nil {
		return err
	}
	c := &smtpConn{SMTP: s, conn: conn, replies: reply.NewConn(conn), size: -1}
	defer conn.Close()
	if err := c.hello(); err != nil {
		return err
	}
	if err := c.login(ctx); err != nil {
		return err
	}
	if err := c.envelope(m); err != nil {
		return err
	}
	if err := c.data(m); err != nil {
		return err
	}
	_ = c.conn.SetDeadline(time.Now().Add(time.Second)) // the message is taken: what becomes of the goodbye changes nothing
	_, _ = c.replies.Do("QUIT")
	return nil
}

// check refuses addresses that would end a command, before anything is dialled.
func (m *Outgoing) check() error {
	for _, a := range append([]string{m.From}, m.To...) {
		if err := errors.Join(wire.CheckArgument("address", a, ""), judgeAddress(a)); err != nil {
			return err
		}
	}
	return nil
}

// An smtpConn is a connection to the server.
type smtpConn struct {
	SMTP
	conn       *wire.Conn
	replies    *reply.Conn       // over conn
	extensions map[string]string // in upper case, with their parameters
	size       int64             // of the message, as the server was told; -1 if it was not
}

// must sends a command and fails unless the code of the reply starts as want
// does.
func (c *smtpConn) must(want int, command string) (access.Reply, error) {
	r, err := c.replies.Do(command)
	if err == nil && !reply.Is(r, want) {
		err = c.refused(r)
	}
	return r, err
}

func (c *smtpConn) refused(r access.Reply) error {
	switch r.Code {
	case 530, 534, 535, 538:
		return c.replies.Refused(r, fs.ErrPermission)
	}
	if reply.Is(r, 4) {
		return c.replies.Refused(r, access.ErrTemporary)
	}
	return c.replies.Refused(r, nil)
}

// hello reads the greeting, and starts TLS as Security says.
func (c *smtpConn) hello() error {
	greeting, err := c.replies.Read()
	if err != nil {
		return err
	}
	if !reply.Is(greeting, 2) {
		return c.refused(greeting)
	}
	if err := c.ehlo(); err != nil {
		return err
	}
	_, offered := c.extensions["STARTTLS"]
	start, err := c.conn.ShouldStartTLS(offered)
	switch {
	case err != nil:
		return &noTLS{err}
	case start:
		return c.startTLS()
	case c.User != "":
		return c.conn.CheckPassword("smtp", "smtps")
	}
	return nil
}

// A noTLS is err, which says that a server has no TLS, with the Remedy.
type noTLS struct{ error }

func (e *noTLS) Unwrap() error { return e.error }
func (e *noTLS) Suggest() access.Remedy {
	return access.AllowCleartext{Protocol: "smtp", Secure: "smtps"}
}

// startTLS starts TLS (RFC 3207) and asks anew what the server can do.
func (c *smtpConn) startTLS() error {
	if _, err := c.must(220, "STARTTLS"); err != nil {
		return err
	}
	if err := c.conn.StartTLS(c.replies.R); err != nil {
		return err
	}
	return c.ehlo()
}

// ehlo says who we are and learns what the server can do. One that does not
// know EHLO can do nothing more.
func (c *smtpConn) ehlo() error {
	c.extensions = map[string]string{}
	name := cmp.Or(c.Name, "localhost")
	r, err := c.replies.Do("EHLO " + name)
	if err != nil {
		return err
	}
	if !reply.Is(r, 2) {
		_, err := c.must(2, "HELO "+name)
		return err
	}
	_, lines, _ := strings.Cut(r.Text, "\n")
	for l := range strings.SplitSeq(lines, "\n") {
		keyword, parameters, _ := strings.Cut(strings.ToUpper(l), " ")
		c.extensions[keyword] = parameters
	}
	return nil
}

// login proves who we are (RFC 4954).
func (c *smtpConn) login(ctx context.Context) error {
	if c.User == "" {
		return nil
	}
	ways := strings.Fields(c.extensions["AUTH"])
	password, err := c.password(ctx)
	if err != nil {
		return err
	}
	c.replies.Secrets = secrets(c.User, password)
	for _, way := range ways {
		switch way {
		case "PLAIN":
			return c.authenticate("AUTH PLAIN " + plainResponse(c.User, password))
		case "LOGIN":
			return c.authenticate("AUTH LOGIN", encoded(c.User), encoded(password))
		}
	}
	return fmt.Errorf("the server offers no way to log in that is known here (%s): %w", strings.Join(ways, " "), errors.ErrUnsupported)
}

func (c *smtpConn) password(ctx context.Context) (string, error) {
	if c.Password != "" {
		return c.Password, nil
	}
	if c.Ask == nil {
		return "", access.ErrPassword
	}
	return c.Ask(ctx, fmt.Sprintf("password for %q at %s", c.User, c.Host))
}

// authenticate sends a command and what the server asks for after it.
func (c *smtpConn) authenticate(command string, answers ...string) error {
	for _, answer := range answers {
		if _, err := c.must(334, command); err != nil {
			return err
		}
		command = answer
	}
	_, err := c.must(235, command)
	return err
}

// envelope says from whom the message is and to whom it goes.
func (c *smtpConn) envelope(m *Outgoing) error {
	from := "MAIL FROM:" + bracketed(m.From)
	if err := c.measure(m); err != nil {
		return err
	}
	if c.size >= 0 {
		from += fmt.Sprintf(" SIZE=%d", c.size)
	}
	if _, ok := c.extensions["8BITMIME"]; ok {
		from += " BODY=8BITMIME"
	}
	if !isASCII(m.From + strings.Join(m.To, "")) {
		if _, ok := c.extensions["SMTPUTF8"]; !ok {
			return access.Reason("an address is not ASCII, and the server does not take such", errors.ErrUnsupported)
		}
		from += " SMTPUTF8"
	}
	if _, err := c.must(2, from); err != nil {
		return err
	}
	for _, to := range m.To {
		if _, err := c.must(2, "RCPT TO:"+bracketed(to)); err != nil {
			return fmt.Errorf("to %q: %w", to, err)
		}
	}
	return nil
}

// measure learns how large the message is, if the server wants to know (RFC 1870)
// and it can be known before it is sent.
func (c *smtpConn) measure(m *Outgoing) (err error) {
	if _, ok := c.extensions["SIZE"]; !ok {
		return nil
	}
	if c.size, err = m.size(); err != nil {
		return err
	}
	if most := c.most(); most >= 0 && c.size > most {
		return errTooLarge
	}
	return nil
}

// most returns how large a message may be; -1 if the server does not say.
func (c *smtpConn) most() int64 {
	most, err := strconv.ParseInt(c.extensions["SIZE"], 10, 64)
	if err != nil || most <= 0 {
		return -1
	}
	return most
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= 0x7f })
}

// acceptance is how long a server may take to accept a message. It may have taken
// it when the client gives up: then a message that is sent again comes twice.
const acceptance = 10 * time.Minute

// data sends the message. If it cannot be read to its end, or is another than was
// measured, the connection is closed, so that the server does not take what it has.
func (c *smtpConn) data(m *Outgoing) error {
	if _, err := c.must(354, "DATA"); err != nil {
		return err
	}
	_, eightBit := c.extensions["8BITMIME"]
	w := bufio.NewWriterSize(c.conn, bufferSize)
	p := &permitted{w: &dotted{w: w}, ascii: !eightBit, left: c.most()}
	if err := m.write(p); err != nil {
		return err
	}
	if c.size >= 0 && p.taken != c.size {
		return errChanged
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if c.Idle == 0 {
		c.conn.SetIdle(acceptance)
	}
	_, err := c.must(2, ".")
	return err
}
