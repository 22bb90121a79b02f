package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"golang.org/x/term"

	"locus/access"
	"locus/render"
	"locus/url"
)

// isShown reports whether text can be shown unchanged.
func isShown(text string) bool { return render.Clean(text) == text }

// textOnly writes text to a terminal at once. It returns an error for binary data, which
// it recognizes by a NUL.
type textOnly struct {
	w   io.WriteCloser
	out *bufio.Writer // what w writes to
	url url.URL
}

func (t *textOnly) Write(b []byte) (int, error) {
	if bytes.IndexByte(b, 0) >= 0 {
		return 0, &hinted{
			fmt.Errorf("%s is binary, and was not written to the terminal", t.url.Redacted()),
			"-o FILE saves it, --raw shows it anyway",
		}
	}
	n, err := t.w.Write(b)
	if err != nil {
		return n, err
	}
	return n, t.out.Flush()
}

// flushed returns a Func that flushes stdout after each entry.
func (p *process) flushed(write render.Func) render.Func {
	return func(e access.Entry) error {
		if err := write(e); err != nil {
			return err
		}
		return p.out.Flush()
	}
}

// passwordPrompt returns a function that returns the password of --password-file or
// $LOCUS_PASSWORD, or asks the user for one; nil if there is neither that nor a terminal.
func (p *process) passwordPrompt() func(context.Context, string) (string, error) {
	if p.password.Present {
		return func(context.Context, string) (string, error) { return p.password.Text, nil }
	}
	if !isTerminal(p.stdin) {
		return nil
	}
	return p.askHidden
}

// askHidden asks for a line without showing it. If ctx ends first it restores the
// terminal.
func (p *process) askHidden(ctx context.Context, prompt string) (string, error) {
	terminal := int(p.stdin.Fd())
	state, err := term.GetState(terminal)
	if err != nil {
		return "", err
	}
	p.ask(prompt)
	defer fmt.Fprintln(p.stderr)
	text, err := await(ctx, func() (string, error) {
		text, err := term.ReadPassword(terminal)
		return string(text), err
	})
	if ctx.Err() != nil {
		return "", errors.Join(ctx.Err(), term.Restore(terminal, state))
	}
	return text, err
}

// ask shows a question.
func (p *process) ask(prompt string) {
	p.out.Flush()
	fmt.Fprintf(p.stderr, "locus: %s: ", render.Clean(prompt))
}

// progress returns a Writer around w that shows its progress after a second, if stderr is
// a terminal. size is negative if unknown. The function removes the progress from the
// screen.
func (p *process) progress(w io.Writer, size int64) (io.Writer, func()) {
	if p.quiet || !isTerminal(p.stderr) {
		return w, func() {}
	}
	m := &meter{w: w, stderr: p.stderr, size: size, next: time.Now().Add(time.Second)}
	return m, m.clear
}

// A meter shows how many bytes were written to it.
type meter struct {
	w      io.Writer
	stderr io.Writer
	size   int64
	done   int64
	next   time.Time // when to show it again
	width  int       // of what is on the screen
}

func (m *meter) Write(b []byte) (int, error) {
	n, err := m.w.Write(b)
	m.done += int64(n)
	if now := time.Now(); now.After(m.next) {
		m.next = now.Add(time.Second / 4)
		m.show()
	}
	return n, err
}

func (m *meter) show() {
	text := fmt.Sprintf("locus: %d bytes", m.done)
	if m.size > 0 {
		text = fmt.Sprintf("locus: %d of %d bytes, %d%%", m.done, m.size, 100*m.done/m.size)
	}
	m.width = max(m.width, len(text))
	fmt.Fprintf(m.stderr, "\r%-*s", m.width, text)
}

func (m *meter) clear() {
	if m.width > 0 {
		fmt.Fprintf(m.stderr, "\r%-*s\r", m.width, "")
	}
}
