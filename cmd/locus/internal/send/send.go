// Package send implements the verb send: send a mail message.
package send

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"locus"
	"locus/access"
	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/console"
	"locus/cmd/locus/internal/message"
	"locus/limit"
	"locus/proto/mail"
	"locus/url"
)

// Options are the flags and arguments of send.
type Options struct {
	Messages  []string      `args:"0-1"` // a file, or a URL that mail.ReadDraft reads
	SMTP      string        `flag:"smtp"`
	SMTPNoTLS bool          `flag:"smtp-no-tls"`
	From      string        `flag:"from"`
	DryRun    bool          `flag:"dry-run"`
	Timeout   time.Duration `flag:"max-time"`
	Idle      time.Duration `flag:"idle"`
	Proxy     string        `flag:"proxy"`
	NoProxy   bool          `flag:"no-proxy"`
	cli.Login
}

// Verb returns the verb send.
func Verb() *cli.Verb {
	return cli.New(Run, cli.Verb{
		Name:     "send",
		Summary:  "send a mail message",
		Synopsis: "locus send [FLAG…] [FILE|MAILTO-URL]",
		Description: "Send the message in FILE or on stdin, such as locus compose writes, or the message that\n" +
			"a mailto or mailserver URL asks for. Either every address in To, Cc and Bcc gets it, or\n" +
			"no address does. The field Bcc is not sent.\n\n" +
			"SERVER is smtp://user@host (port 587, STARTTLS), smtps://user@host (port 465) or\n" +
			"HOST[:PORT]. Without --smtp and $SMTPSERVER the program sendmail sends the message. A\n" +
			"server on another machine must have TLS, unless --smtp-no-tls is given. The password\n" +
			"comes from the URL, --password-file, $LOCUS_PASSWORD or .netrc, or is asked for.",
		Usages:   [][2]string{{"max-time", "allow at most `DURATION` for sending, such as 30s (default: no limit)"}},
		Common:   "smtp from dry-run max-time password-file",
		Examples: []string{"locus send --dry-run 'mailto:ada@example.org?subject=Hello'"},
	})
}

// Run sends the message of a file, of stdin or of a URL. An interrupt by the user is ErrInterrupted.
func Run(ctx context.Context, e *cli.Env, o Options) error {
	ctx, stop := e.UntilInterrupted(ctx)
	defer stop()
	ctx, cancel := limit.Deadline(ctx, o.Timeout)
	defer cancel()
	err := (&sender{e, o}).run(ctx)
	switch {
	case err == nil || ctx.Err() == nil:
		return err
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &cli.Hinted{Err: fmt.Errorf("not sent after %v: %w", o.Timeout, err), Hint: "to give it more time, use a longer --max-time"}
	}
	return cli.ErrInterrupted
}

// A sender sends a message.
type sender struct {
	*cli.Env
	options Options
}

// run sends the message, or writes it to stdout for --dry-run.
func (s *sender) run(ctx context.Context) error {
	if err := s.ReadLogins(s.options.Login); err != nil {
		return err
	}
	r, err := s.open(ctx, append(s.options.Messages, "-")[0])
	if err != nil {
		return err
	}
	defer r.Close()
	m, err := s.outgoing(console.UntilDone(ctx, r))
	if err != nil {
		return err
	}
	if s.options.DryRun {
		s.Say(fmt.Sprintf("from %s to %s", m.From, strings.Join(m.To, ", ")))
		_, err := m.WriteTo(s.Out)
		return err
	}
	if server := cmp.Or(s.options.SMTP, s.Getenv("SMTPSERVER")); server != "" {
		return s.submit(ctx, m, server)
	}
	return s.sendmail(ctx, m)
}

// open opens the message: a file, stdin for "-" or "", or the text of the message that a mailto or
// mailserver URL asks for.
func (s *sender) open(ctx context.Context, arg string) (io.ReadCloser, error) {
	if name, _, ok := strings.Cut(strings.ToLower(arg), ":"); ok && (name == "mailto" || name == "mailserver") {
		text, err := message.Of(s.Env, arg, s.options.From)
		return io.NopCloser(strings.NewReader(text)), err
	}
	in, err := s.OpenInput(ctx, cmp.Or(arg, "-"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &cli.Hinted{Err: err, Hint: "locus send takes a message in a file, or a mailto URL"}
	}
	return in, err
}

// outgoing reads the header of the message in r, and checks the sender. The body is read from r when the message is
// sent.
func (s *sender) outgoing(r io.Reader) (*mail.Outgoing, error) {
	from := s.options.From
	if from != "" {
		var err error
		if from, err = message.Sender(s.Env, from); err != nil {
			return nil, err
		}
	}
	m, err := mail.ReadOutgoing(r, from, time.Now(), message.ThisHost())
	switch {
	case errors.Is(err, mail.ErrNoSender):
		return nil, &cli.Hinted{Err: err, Hint: "name the sender with --from ADDRESS"}
	case err != nil:
		return nil, fmt.Errorf("read the message: %w", err)
	}
	return m, nil
}

// submit sends a message through the server that text names: see server. It requires TLS, except
// for a server on this machine or with --smtp-no-tls.
func (s *sender) submit(ctx context.Context, m *mail.Outgoing, text string) error {
	server, err := s.server(text)
	if err != nil {
		return err
	}
	proxies, err := s.Proxies(cli.Connect{Proxy: s.options.Proxy, NoProxy: s.options.NoProxy}, nil)
	if err != nil {
		return err
	}
	server.Dial = cli.Dial
	if at, err := proxies.For("smtp"); err != nil {
		return cli.Misuse("%v", err)
	} else if !at.IsZero() && !proxies.Skips(server.Host, strconv.Itoa(int(server.Port))) {
		server.Dial = locus.DialThrough(server.Dial, at)
	}
	server.Idle, server.Name, server.Ask = s.options.Idle, message.ThisHost(), s.PasswordPrompt()
	switch {
	case s.options.SMTPNoTLS:
		server.Security = access.NeverTLS
	case !server.IsThisMachine():
		server.Security = access.RequireTLS
	}
	return server.Send(ctx, m)
}

// server parses text, the URL of a mail server or a host with an optional port. If the URL has a user but no
// password, it adds the password of the user's logins.
func (s *sender) server(text string) (mail.SMTP, error) {
	if !strings.Contains(text, "://") {
		text = "smtp://" + text
	}
	u, err := url.Parse(text)
	if err != nil {
		return mail.SMTP{}, cli.Explain(err)
	}
	server, err := mail.ParseSMTP(u)
	if err == nil && server.User != "" && server.Password == "" {
		server.User, server.Password, err = s.LoginAt(s.options.Login, server.Host, server.User)
	}
	return server, err
}

// sendmail sends a message with the program sendmail of this machine.
func (s *sender) sendmail(ctx context.Context, m *mail.Outgoing) error {
	program, err := mail.FindSendmail(s.LookPath)
	if err != nil {
		return &cli.Hinted{
			Err:  errors.New("no mail server is configured, and sendmail is not installed"),
			Hint: "name a server with --smtp SERVER or $SMTPSERVER",
		}
	}
	return mail.Sendmail{Path: program, Command: s.Command, Output: s.Stderr}.Send(ctx, m)
}
