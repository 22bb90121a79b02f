package imapwire

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"locus/access"
	"locus/access/engine"
	"locus/proto/internal/sasl"
	"locus/proto/internal/wire"
)

// Plain and implicit TLS ports (RFC 3501, RFC 8314).
const (
	Port    = 143
	PortTLS = 993
)

// A Server says how to connect to a server and how to log in.
type Server struct {
	wire.Dialer
	Address  string // host:port
	Implicit bool   // the connection starts with TLS
	User     string // the user in the URL; "" if it has none
	Auth     string // the only mechanism that may be used; "" or "*": any

	// Credentials returns the user and the password. It is called once, and only if the password can be sent safely.
	Credentials func() (access.Credentials, error)
}

// Connect connects to the server, starts TLS if Security asks for it, and logs in. It does not log in if the greeting
// says that the client is logged in already. It logs in with ANONYMOUS if Auth says so, or if there is no User and the
// server offers that (RFC 5092 §3.2). The caller closes the Conn.
func (s Server) Connect(ctx context.Context) (*Conn, error) {
	conn, err := s.DialServer(ctx, s.Address, s.Implicit)
	if err != nil {
		return nil, err
	}
	c := newConn(conn)
	if err := s.login(c); err != nil {
		conn.Close()
		return nil, err
	}
	return c, nil
}

// login reads the greeting, starts TLS if Security asks for it, and logs in. If the greeting says that the client is
// logged in already, login only calls checkPreauth.
func (s Server) login(c *Conn) error {
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
	if s.isAnonymous(c) {
		return c.authenticate(anonymous, sasl.Base64("anonymous"))
	}
	if err := c.CheckPassword("imap", "imaps"); err != nil {
		return err
	}
	credentials, err := s.Credentials()
	if err != nil {
		return err
	}
	return s.sendPassword(c, credentials.User, credentials.Password)
}

// checkPreauth returns an error unless the client may use a server that greets with PREAUTH.
// STARTTLS is not possible after that greeting (RFC 3501 §6.2.1), and an attacker could have sent
// it, so the connection must use TLS, or Security must be NeverTLS. A server on this machine is
// allowed, too, unless Security is RequireTLS.
func (s Server) checkPreauth(c *Conn) error {
	trusted := s.Security == access.NeverTLS || s.Security != access.RequireTLS && c.IsLocal()
	if c.IsTLS() || trusted {
		return nil
	}
	return access.WithRemedy(errPreauth, access.Advice("use imaps://, which starts with TLS"))
}

var errPreauth = errors.New("the server greets with PREAUTH, so TLS cannot start")

// secure starts TLS if Security asks for it, and then asks for the capabilities again.
func (c *Conn) secure() error {
	start, err := c.ShouldStartTLS(c.Has("STARTTLS"))
	if err != nil || !start {
		return err
	}
	if _, err := c.Do("STARTTLS"); err != nil {
		return err
	}
	if err := c.StartTLS(c.r); err != nil {
		return err
	}
	return c.askCapabilities()
}

// The mechanisms that the client has (RFC 4616, RFC 4505).
const (
	plain     = "PLAIN"
	anonymous = "ANONYMOUS"
)

// isAnonymous reports whether to log in with ANONYMOUS: Auth demands it, or there is no User, Auth allows any
// mechanism, and the server offers it.
func (s Server) isAnonymous(c *Conn) bool {
	return strings.EqualFold(s.Auth, anonymous) || s.User == "" && (s.Auth == "" || s.Auth == "*") && c.Has("AUTH="+anonymous)
}

// sendPassword logs in with a password: with PLAIN if the server offers it and Auth allows it, or else with LOGIN if
// Auth allows any mechanism. If both are impossible, the error wraps errors.ErrUnsupported.
func (s Server) sendPassword(c *Conn, user, password string) error {
	c.secrets = sasl.Secrets(user, password)
	c.Hide(c.secrets...)
	isAny := s.Auth == "" || s.Auth == "*"
	switch {
	case c.Has("AUTH="+plain) && (isAny || strings.EqualFold(s.Auth, plain)):
		return c.authenticate(plain, sasl.Plain(user, password))
	case !isAny, c.Has("LOGINDISABLED"):
		return engine.Reason("the server offers no supported login mechanism", errors.ErrUnsupported)
	}
	_, err := c.Do("LOGIN", Text(user), Text(password))
	return asDenied(err)
}

// authenticate logs in with a mechanism that has one message, which is in base64.
func (c *Conn) authenticate(mechanism, message string) error {
	response := Plain(message)
	if !c.Has("SASL-IR") {
		response = continuation(message)
	}
	_, err := c.Do("AUTHENTICATE "+mechanism, response)
	return asDenied(err)
}

// asDenied makes the error of a refused login wrap fs.ErrPermission. It returns other errors, and a refusal that
// already has a meaning, unchanged.
func asDenied(err error) error {
	if refused, ok := errors.AsType[*engine.Refusal](err); ok && refused.Means == nil {
		refused.Means = fs.ErrPermission
	}
	return err
}

// readGreeting reads the greeting. preauth reports whether the server already considers the client logged in. A server
// that refuses the connection with BYE is an error.
func (c *Conn) readGreeting() (preauth bool, err error) {
	answer, err := c.readResponse(maxAnswer)
	if err != nil {
		return false, err
	}
	words := append(strings.Fields(answer), "", "")
	switch strings.ToUpper(words[1]) {
	case "OK":
		return false, nil
	case "PREAUTH":
		return true, nil
	case "BYE":
		return false, c.refusal(answer)
	}
	return false, fmt.Errorf("%w: the server greets with %q", access.ErrProtocol, c.Shown(answer))
}

// askCapabilities asks for the capabilities of the server and sets c.capabilities. STARTTLS may change them.
func (c *Conn) askCapabilities() error {
	answers, err := c.Do("CAPABILITY")
	if err != nil {
		return err
	}
	c.capabilities = nil
	for _, a := range answers {
		words := strings.Fields(strings.ToUpper(a))
		if len(words) > 1 && words[1] == "CAPABILITY" {
			c.capabilities = append(c.capabilities, words[2:]...)
		}
	}
	return nil
}

// Has reports whether the server has the capability name, which is in upper case.
func (c *Conn) Has(name string) bool { return slices.Contains(c.capabilities, name) }
