package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	netmail "net/mail"
	"os"
	"os/exec"
	"os/user"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"locus/proto/mail"
	"locus/url"
)

func (p *process) composeCommand() *cli.Command {
	return &cli.Command{
		Name:      "compose",
		Usage:     "write a message from a mailto URL",
		UsageText: "locus compose [-o FILE] [--edit] [--from ADDRESS] MAILTO-URL",
		Description: "Write a complete message, with a date, a message-id and a sender: --from, $EMAIL, or\n" +
			"the user on this machine. Nothing is sent: locus send does that.\n\n" +
			"Safe header fields of the URL become part of the message: to, subject, cc, bcc, body,\n" +
			"in-reply-to, references, keywords, comments. The others are reported on stderr.\n\n" +
			"--edit opens the message in $VISUAL or $EDITOR first. Its lines end in LF there.",
		Flags:    flags("output edit from"),
		Metadata: example("locus compose 'mailto:ada@example.org?subject=Hello&body=Dear%20Ada,'"),
		Action:   p.compose,
	}
}

func (p *process) compose(ctx context.Context, c *cli.Command) error {
	args, err := arguments(c, 1, 1)
	if err != nil {
		return err
	}
	ctx, stop := untilInterrupted(ctx)
	defer stop()
	message, err := p.message(args[0], c.String("from"))
	if err != nil {
		return err
	}
	if c.Bool("edit") {
		if message, err = p.edited(ctx, message); err != nil {
			return err
		}
	}
	if name := c.String("output"); name != "" && name != "-" {
		return saveAs(name, func(w io.Writer) error {
			_, err := io.WriteString(w, message)
			return err
		})
	}
	_, err = p.out.WriteString(message)
	return err
}

// message returns the message of a mailto URL. It reports the header fields of the URL
// that are not in it.
func (p *process) message(text, from string) (string, error) {
	u, err := url.Parse(text)
	if err != nil {
		return "", explain(err)
	}
	if u.Scheme() != "mailto" {
		return "", &hinted{fmt.Errorf("%s is no mailto URL", u.Redacted()), "locus get opens other URLs"}
	}
	d, err := mail.ReadMailto(u)
	if err != nil {
		return "", err
	}
	if d.From, err = sender(from); err != nil {
		return "", err
	}
	if len(d.Dropped) > 0 {
		p.say("left out, because unsafe or repeated: " + quoteAll(d.Dropped))
	}
	var b strings.Builder
	err = d.Write(&b, time.Now(), mailHost(d.From))
	return b.String(), err
}

// sender returns the address of the sender: the flag, $EMAIL, or the user on this
// machine.
func sender(flag string) (string, error) {
	text := cmp.Or(flag, os.Getenv("EMAIL"))
	if text == "" {
		u, err := user.Current()
		if err != nil {
			return "", &hinted{errors.New("the sender is unknown"), "--from ADDRESS or EMAIL sets it"}
		}
		return u.Username + "@" + hostName(), nil
	}
	a, err := netmail.ParseAddress(text)
	if err != nil {
		return "", misuse("the sender must be an address such as ada@example.org, not %q", text)
	}
	return a.Address, nil
}

// mailHost returns the host of new message-ids: the sender's, which is visible anyway.
func mailHost(from string) string {
	host := from[strings.LastIndexByte(from, '@')+1:]
	if host == "" || strings.ContainsFunc(host, func(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune("[]<>", r) }) {
		return "localhost"
	}
	return host
}

func hostName() string {
	name, err := os.Hostname()
	if err != nil || name == "" {
		return "localhost"
	}
	return name
}

// edited returns a message after the user has edited it.
func (p *process) edited(ctx context.Context, message string) (string, error) {
	editor := strings.Fields(cmp.Or(os.Getenv("VISUAL"), os.Getenv("EDITOR")))
	if len(editor) == 0 {
		return "", &hinted{errors.New("no editor is known"), "EDITOR names one"}
	}
	f, err := os.CreateTemp("", "locus-*.eml")
	if err != nil {
		return "", err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(strings.ReplaceAll(message, "\r\n", "\n"))
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, editor[0], append(editor[1:], f.Name())...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = p.stdin, p.stderr, p.stderr // stdout gets the message
	if isTerminal(p.stdout) {
		cmd.Stdout = p.stdout
	}
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("edit the message with %s: %w", editor[0], err)
	}
	text, err := os.ReadFile(f.Name())
	return strings.ReplaceAll(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n", "\r\n"), err
}
