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
	"net/netip"
	"strconv"
	"strings"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/proto"
	"locus/proto/internal/reply"
	"locus/proto/internal/sasl"
	"locus/proto/internal/wire"
	"locus/url"
)

// An SMTP is a submission server (RFC 6409, RFC 5321). Each message uses one connection.
type SMTP struct {
	// Dial connects to the server. Nil refuses every message.
	Dial proto.Dial
	// Host and Port are the server's. Port 0 means 587, or 465 with Implicit.
	Host string
	Port uint16
	// Implicit reports whether the connection starts with TLS (RFC 8314).
	Implicit bool
	// TLS configures TLS; nil means Go's defaults.
	TLS *tls.Config
	// Security says whether to use STARTTLS if Implicit is not set.
	// OpportunisticTLS uses it if offered. If it is not offered, a password is
	// sent to this machine only. RequireTLS fails in that case. NeverTLS sends
	// everything unencrypted.
	Security access.Security
	// Idle limits the time in which the server neither sends nor accepts a byte;
	// 0: a minute, and ten minutes for the reply that accepts the message
	// (RFC 5321 §4.5.3.2.6); negative: no limit.
	Idle time.Duration
	// User is the user who logs in; empty means no login.
	User string
	// Password is the user's password. Empty calls Ask.
	Password string
	// Ask asks the user for the password; it may be nil.
	Ask func(ctx context.Context, prompt string) (string, error)
	// Name is the name of this machine; "" means localhost.
	Name string
}

// ParseSMTP parses smtp://user@host:port or smtps://user@host:port, perhaps with a final "/". A
// path or a query is an error, because a mail server has neither. The result has no Dial.
func ParseSMTP(u url.URL) (SMTP, error) {
	s := SMTP{Implicit: u.Scheme() == "smtps"}
	if u.Scheme() != "smtp" && !s.Implicit {
		return s, fmt.Errorf("%s is not an smtp or smtps URL", u.Redacted())
	}
	_, hasQuery := u.Query()
	_, hasFragment := u.Fragment()
	if strings.Trim(u.Path(), "/") != "" || hasQuery || hasFragment {
		return s, errSMTPPath
	}
	login, err := parseServer(u)
	s.Host, s.Port, s.User, s.Password = login.Name, login.Port, login.user, login.password
	return s, err
}

var errSMTPPath = errors.New("a mail server has no path and no query; leave out what comes after its name")

// IsThisMachine reports whether Host is "localhost" or a loopback address, so that a message does not
// cross a network.
func (s SMTP) IsThisMachine() bool {
	addr, err := netip.ParseAddr(s.Host)
	return strings.EqualFold(s.Host, "localhost") || err == nil && addr.Unmap().IsLoopback()
}

// Send sends a message to all its recipients. If the server refuses one of them, Send does not send
// the message. If the connection ends after the last byte, the server may have accepted the
// message. The error then wraps io.ErrUnexpectedEOF or the reason of the end.
func (s SMTP) Send(ctx context.Context, m *Outgoing) error {
	if err := s.send(ctx, m); err != nil {
		return fmt.Errorf("send by %s: %w", s.address(), cmp.Or(context.Cause(ctx), err))
	}
	return nil
}

// address returns the address of the server, host:port, with the default port if Port is 0.
func (s SMTP) address() string { return address(s.Host, s.Port, s.Implicit, 587, 465) }

// send sends m to all its recipients. Its errors do not name the server, because Send adds the
// name.
func (s SMTP) send(ctx context.Context, m *Outgoing) error {
	if err := m.check(); err != nil {
		return err
	}
	d := wire.Dialer{Dial: s.Dial, TLS: s.TLS, Security: s.Security, Idle: s.Idle}
	conn, err := d.DialServer(ctx, s.address(), s.Implicit)
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
	if err := c.sendData(m); err != nil {
		return err
	}
	_ = c.conn.SetDeadline(time.Now().Add(time.Second)) // the message was accepted, so errors are ignored
	_, _ = c.replies.Do("QUIT")
	return nil
}

// check returns an error if the sender or a recipient has an address that cannot be sent in a
// command.
func (m *Outgoing) check() error {
	for _, a := range append([]string{m.From}, m.To...) {
		if err := errors.Join(wire.CheckArgument("address", a, ""), checkAddress(a)); err != nil {
			return err
		}
	}
	return nil
}

// An smtpConn is a connection to a submission server, for one message.
type smtpConn struct {
	SMTP
	conn       *wire.Conn
	replies    *reply.Conn       // reads and writes conn
	extensions map[string]string // parameters by keyword, in upper case
	size       int64             // the size that MAIL FROM announces; -1 if it announces none
}

// doExpect sends a command and returns the reply. It returns an error, with the reply, unless the
// reply code starts with the digits of want: 2, 235 and so on.
func (c *smtpConn) doExpect(want int, command string) (access.Reply, error) {
	r, err := c.replies.Do(command)
	if err == nil && !reply.Is(r, want) {
		err = c.refusal(r)
	}
	return r, err
}

// refusal returns the error for r, a negative reply. It wraps fs.ErrPermission if the server
// demands or refuses a login, and access.ErrTemporary for other codes of 400 to 499.
func (c *smtpConn) refusal(r access.Reply) error {
	switch r.Code {
	case 530, 534, 535, 538:
		return c.replies.Refused(r, fs.ErrPermission)
	}
	if reply.Is(r, 4) {
		return c.replies.Refused(r, access.ErrTemporary)
	}
	return c.replies.Refused(r, nil)
}

// hello reads the greeting, asks for the extensions, and starts TLS if Security says so. If the
// connection stays without TLS and User is set, it returns an error unless a password may be sent.
func (c *smtpConn) hello() error {
	greeting, err := c.replies.Read()
	if err != nil {
		return err
	}
	if !reply.Is(greeting, 2) {
		return c.refusal(greeting)
	}
	if err := c.ehlo(); err != nil {
		return err
	}
	_, offered := c.extensions["STARTTLS"]
	start, err := c.conn.ShouldStartTLS(offered)
	switch {
	case err != nil:
		return access.WithRemedy(err, access.AllowCleartext{Protocol: "smtp", Secure: "smtps"})
	case start:
		return c.startTLS()
	case c.User != "":
		return c.conn.CheckPassword("smtp", "smtps")
	}
	return nil
}

// startTLS starts TLS (RFC 3207) and asks for the extensions again, because TLS may change them.
func (c *smtpConn) startTLS() error {
	if _, err := c.doExpect(220, "STARTTLS"); err != nil {
		return err
	}
	if err := c.conn.StartTLS(c.replies.R); err != nil {
		return err
	}
	return c.ehlo()
}

// ehlo sends EHLO and stores the server's extensions. If the server refuses EHLO, it sends HELO,
// and the extensions are empty.
func (c *smtpConn) ehlo() error {
	c.extensions = map[string]string{}
	name := cmp.Or(c.Name, "localhost")
	r, err := c.replies.Do("EHLO " + name)
	if err != nil {
		return err
	}
	if !reply.Is(r, 2) {
		_, err := c.doExpect(2, "HELO "+name)
		return err
	}
	_, lines, _ := strings.Cut(r.Text, "\n")
	for l := range strings.SplitSeq(lines, "\n") {
		keyword, parameters, _ := strings.Cut(strings.ToUpper(l), " ")
		c.extensions[keyword] = parameters
	}
	return nil
}

// login logs in (RFC 4954) with the server's first mechanism that is PLAIN or LOGIN. It returns nil
// without an effect if User is "". The error wraps errors.ErrUnsupported if the server offers
// neither mechanism.
func (c *smtpConn) login(ctx context.Context) error {
	if c.User == "" {
		return nil
	}
	mechanisms := strings.Fields(c.extensions["AUTH"])
	password, err := c.password(ctx)
	if err != nil {
		return err
	}
	c.replies.Secrets = sasl.Secrets(c.User, password)
	for _, mechanism := range mechanisms {
		switch mechanism {
		case "PLAIN":
			return c.authenticate("AUTH PLAIN " + sasl.Plain(c.User, password))
		case "LOGIN":
			return c.authenticate("AUTH LOGIN", sasl.Base64(c.User), sasl.Base64(password))
		}
	}
	return fmt.Errorf("the server offers no supported login mechanism (%s): %w", strings.Join(mechanisms, " "), errors.ErrUnsupported)
}

// password returns Password, or else the answer of Ask. Without both the error is
// access.ErrPassword.
func (c *smtpConn) password(ctx context.Context) (string, error) {
	if c.Password != "" {
		return c.Password, nil
	}
	if c.Ask == nil {
		return "", access.ErrPassword
	}
	return c.Ask(ctx, fmt.Sprintf("password for %q at %s", c.User, c.Host))
}

// authenticate sends command, an AUTH command, and then answers, one for each challenge of the
// server. It returns nil if the server accepts the login.
func (c *smtpConn) authenticate(command string, answers ...string) error {
	for _, answer := range answers {
		if _, err := c.doExpect(334, command); err != nil {
			return err
		}
		command = answer
	}
	_, err := c.doExpect(235, command)
	return err
}

// envelope sends the sender and the recipients of m. It returns an error if the server refuses one
// of them, or if the message does not fit the server's limits.
func (c *smtpConn) envelope(m *Outgoing) error {
	from := "MAIL FROM:" + formatAddress(m.From)
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
			return engine.Reason("an address is not ASCII, and the server does not accept that", errors.ErrUnsupported)
		}
		from += " SMTPUTF8"
	}
	if _, err := c.doExpect(2, from); err != nil {
		return err
	}
	for _, to := range m.To {
		if _, err := c.doExpect(2, "RCPT TO:"+formatAddress(to)); err != nil {
			return fmt.Errorf("to %q: %w", to, err)
		}
	}
	return nil
}

// measure sets c.size to the size of m if the server has the SIZE extension (RFC 1870) and the
// size can be found before sending. It returns errTooLarge if the server would not accept the
// size.
func (c *smtpConn) measure(m *Outgoing) (err error) {
	if _, ok := c.extensions["SIZE"]; !ok {
		return nil
	}
	if c.size, err = m.size(); err != nil {
		return err
	}
	if limit := c.maxSize(); limit >= 0 && c.size > limit {
		return errTooLarge
	}
	return nil
}

// maxSize returns the server's limit for a message in bytes; -1 if it has not announced a limit.
func (c *smtpConn) maxSize() int64 {
	size, err := strconv.ParseInt(c.extensions["SIZE"], 10, 64)
	if err != nil || size <= 0 {
		return -1
	}
	return size
}

// isASCII reports whether s has only bytes below 0x7f. It is true for "".
func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= 0x7f })
}

// acceptTimeout limits the time in which a server must accept a message. It is long because the
// server may accept the message after the client gave up, and the message would arrive twice if it
// were sent again.
const acceptTimeout = 10 * time.Minute

// sendData sends the message, and waits until the server accepts it. If reading the message fails,
// or its size differs from c.size, sendData returns before the final ".", so that the server drops
// the message when the connection ends. If the server refuses the message before it has the whole
// message, the error is that refusal.
func (c *smtpConn) sendData(m *Outgoing) error {
	if _, err := c.doExpect(354, "DATA"); err != nil {
		return err
	}
	_, eightBit := c.extensions["8BITMIME"]
	w := bufio.NewWriterSize(c.conn, bufferSize)
	p := &limitWriter{w: &dotWriter{w: w}, asciiOnly: !eightBit, remaining: c.maxSize()}
	err := m.write(p)
	if err == nil && c.size >= 0 && p.written != c.size {
		return errChanged
	}
	if err == nil {
		err = w.Flush()
	}
	if _, sendErr := w.Write(nil); sendErr != nil { // w repeats the error of the connection
		return c.refusedEarly(sendErr)
	}
	if err != nil {
		return err
	}
	if c.Idle == 0 {
		c.conn.SetIdle(acceptTimeout)
	}
	_, err = c.doExpect(2, ".")
	return err
}

// refusedEarly returns the refusal of a server that has refused the message before it had the whole message. If the
// server has sent no refusal, it returns err, the error of the connection.
func (c *smtpConn) refusedEarly(err error) error {
	r, err := c.replies.ReadRefusal(err)
	if err != nil {
		return err
	}
	return c.refusal(r)
}

// address returns a server's address, host:port. Port 0 means the port plain, or the port implicit
// if the connection starts with TLS (isImplicit).
func address(host string, port uint16, isImplicit bool, plain, implicit uint16) string {
	if isImplicit {
		plain = implicit
	}
	return net.JoinHostPort(host, strconv.Itoa(int(cmp.Or(port, plain))))
}
