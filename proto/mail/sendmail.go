package mail

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
)

// A Sendmail sends messages with the program sendmail of this machine. Path must be set, for
// example to the result of [FindSendmail].
type Sendmail struct {
	// Path is the path of the program.
	Path string
	// Command makes the command that runs the program; nil means exec.CommandContext.
	Command func(ctx context.Context, name string, args ...string) *exec.Cmd
	// Output receives the output of the program; nil discards it.
	Output io.Writer
}

// ErrNoSendmail is the error of [FindSendmail] if this machine has no program sendmail.
var ErrNoSendmail = errors.New("there is no program sendmail")

// FindSendmail returns the path of the program sendmail. look finds a program by its name or path,
// as exec.LookPath does. The error is ErrNoSendmail if look finds none.
func FindSendmail(look func(name string) (string, error)) (string, error) {
	for _, name := range []string{"sendmail", "/usr/sbin/sendmail", "/usr/lib/sendmail"} {
		if path, err := look(name); err == nil {
			return path, nil
		}
	}
	return "", ErrNoSendmail
}

// Send passes a message to the program, with lines that end in LF. If the message cannot be read to
// its end, Send kills the program, so that it does not send half of the message. When ctx is done,
// the program is killed too. It may have sent the message by then.
func (s Sendmail) Send(ctx context.Context, m *Outgoing) error {
	command := s.Command
	if command == nil {
		command = exec.CommandContext
	}
	cmd := command(ctx, s.Path, append([]string{"-i", "-f", m.From, "--"}, m.To...)...)
	cmd.Stdout, cmd.Stderr = s.Output, s.Output
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	_, err = m.WriteTo(&withoutCR{in})
	if err != nil {
		_ = cmd.Process.Kill()
	}
	if err := errors.Join(err, in.Close(), cmd.Wait()); err != nil {
		return fmt.Errorf("send with %s: %w", s.Path, err)
	}
	return nil
}

// A withoutCR is a Writer that drops every CR.
type withoutCR struct{ w io.Writer }

// Write writes b without its CR bytes.
func (f *withoutCR) Write(b []byte) (int, error) {
	if _, err := f.w.Write(bytes.ReplaceAll(b, []byte("\r"), nil)); err != nil {
		return 0, err
	}
	return len(b), nil
}
