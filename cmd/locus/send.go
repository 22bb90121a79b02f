package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"locus"
	"locus/access"
	"locus/proto/mail"
	"locus/url"
)

func (p *process) sendCommand() *cli.Command {
	return &cli.Command{
		Name:      "send",
		Usage:     "send a mail message",
		UsageText: "locus send [FLAG…] [FILE|MAILTO-URL]",
		Description: "Send the message in FILE or on stdin, such as locus compose writes, or the one that a\n" +
			"mailto URL asks for. It goes to every address in To, Cc and Bcc, or to none of them.\n" +
			"Bcc itself is not sent.\n\n" +
			"SERVER is smtp://user@host (port 587, STARTTLS), smtps://user@host (port 465) or\n" +
			"HOST[:PORT]. Without --smtp and $SMTPSERVER the program sendmail sends the message. A\n" +
			"server on another machine must have TLS, unless --smtp-no-tls is given. The password\n" +
			"comes from the URL, --password-file, $LOCUS_PASSWORD or .netrc, or is asked for.",
		Flags:    flags("smtp smtp-no-tls from dry-run timeout idle proxy no-proxy " + loginFlags),
		Metadata: details("smtp from dry-run timeout password-file", "locus send --dry-run 'mailto:ada@example.org?subject=Hello'"),
		Action:   p.send,
	}
}

func (p *process) send(ctx context.Context, c *cli.Command) error {
	args, err := arguments(c, 0, 1)
	if err != nil {
		return err
	}
	timeout, err := durationOf(c, "timeout")
	if err != nil {
		return err
	}
	if _, err := durationOf(c, "idle"); err != nil {
		return err
	}
	ctx, stop := untilInterrupted(ctx)
	defer stop()
	ctx, cancel := deadline(ctx, timeout)
	defer cancel()
	err = p.sendMessage(ctx, c, append(args, "")[0])
	switch {
	case err == nil || ctx.Err() == nil:
		return err
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &hinted{fmt.Errorf("not sent after %v: %w", c.Duration("timeout"), err), "a longer --timeout gives it more time"}
	}
	return errInterrupted
}

// sendMessage sends the message in arg, or shows it for --dry-run.
func (p *process) sendMessage(ctx context.Context, c *cli.Command, arg string) error {
	r, err := p.toSend(arg, c.String("from"))
	if err != nil {
		return err
	}
	defer r.Close()
	m, err := outgoing(untilDone(ctx, r), c.String("from"))
	if err != nil {
		return err
	}
	if c.Bool("dry-run") {
		p.say(fmt.Sprintf("from %s to %s", m.From, strings.Join(m.To, ", ")))
		_, err := m.WriteTo(p.out)
		return err
	}
	server := cmp.Or(c.String("smtp"), os.Getenv("SMTPSERVER"))
	if server == "" {
		return p.sendmail(ctx, m)
	}
	return p.submit(ctx, c, m, server)
}

// toSend opens the message in a file, or writes the message of a mailto URL.
func (p *process) toSend(arg, from string) (io.ReadCloser, error) {
	if len(arg) < 7 || !strings.EqualFold(arg[:7], "mailto:") {
		return p.messageFile(arg)
	}
	message, err := p.message(arg, from)
	return written{strings.NewReader(message)}, err
}

// written is a message in memory.
type written struct{ *strings.Reader }

// Close does nothing.
func (written) Close() error { return nil }

// outgoing reads the header of a message.
func outgoing(r io.Reader, from string) (*mail.Outgoing, error) {
	var err error
	if from != "" {
		if from, err = sender(from); err != nil {
			return nil, err
		}
	}
	m, err := mail.ReadOutgoing(r, from, time.Now(), hostName())
	switch {
	case errors.Is(err, mail.ErrNoSender):
		return nil, &hinted{err, "--from ADDRESS says who sends it"}
	case err != nil:
		return nil, fmt.Errorf("read the message: %w", err)
	}
	return m, nil
}

// submit sends a message through a server.
func (p *process) submit(ctx context.Context, c *cli.Command, m *mail.Outgoing, server string) error {
	if err := p.readLogins(c); err != nil {
		return err
	}
	s, err := p.logins.smtpServer(server)
	if err != nil {
		return err
	}
	dial := dialer.DialContext
	proxies := proxiesOf(c)
	if at, err := proxies.of("smtp"); err != nil {
		return err
	} else if !at.IsZero() && !proxies.skips(s.Host, strconv.Itoa(int(s.Port))) {
		dial = locus.DialThrough(dial, at)
	}
	s.Dial, s.Idle, s.Name, s.Ask = dial, c.Duration("idle"), hostName(), p.passwordPrompt()
	switch {
	case c.Bool("smtp-no-tls"):
		s.Security = access.NeverTLS
	case !isThisMachine(s.Host):
		s.Security = access.RequireTLS
	}
	return s.Send(ctx, m)
}

// isThisMachine reports whether host is this machine, so that no network sees the
// message.
func isThisMachine(host string) bool {
	addr, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && addr.Unmap().IsLoopback()
}

// smtpServer parses a URL, or a host and perhaps a port.
func (l *logins) smtpServer(text string) (mail.SMTP, error) {
	if !strings.Contains(text, "://") {
		text = "smtp://" + text
	}
	u, err := url.Parse(text)
	if err != nil {
		return mail.SMTP{}, explain(err)
	}
	s, err := mail.ParseSMTP(u)
	if err == nil && s.User != "" && s.Password == "" {
		s.User, s.Password, err = l.at(s.Host, s.User, true)
	}
	return s, err
}

// sendmail sends a message with the program sendmail. Its lines end in LF there.
func (p *process) sendmail(ctx context.Context, m *mail.Outgoing) error {
	program, err := findSendmail()
	if err != nil {
		return err
	}
	args := append([]string{"-i", "-f", m.From, "--"}, m.To...)
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdout, cmd.Stderr = p.stderr, p.stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	_, err = m.WriteTo(&withoutCR{in})
	if err != nil {
		_ = cmd.Process.Kill() // it must not send half a message
	}
	if err := errors.Join(err, in.Close(), cmd.Wait()); err != nil {
		return fmt.Errorf("send with %s: %w", program, err)
	}
	return nil
}

func findSendmail() (string, error) {
	for _, name := range []string{"sendmail", "/usr/sbin/sendmail", "/usr/lib/sendmail"} {
		if program, err := exec.LookPath(name); err == nil {
			return program, nil
		}
	}
	return "", &hinted{errors.New("there is no program and no server to send with"), "--smtp SERVER or SMTPSERVER names a server; or install the program sendmail"}
}

// withoutCR is a Writer that drops every CR.
type withoutCR struct{ w io.Writer }

func (f *withoutCR) Write(b []byte) (int, error) {
	if _, err := f.w.Write(bytes.ReplaceAll(b, []byte("\r"), nil)); err != nil {
		return 0, err
	}
	return len(b), nil
}
