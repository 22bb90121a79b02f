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

// isShown reports whether text may be shown as it is.
func isShown(text string) bool { return render.Clean(text) == text }

// textOnly passes text on to a terminal at once, and refuses binary data, which
// it knows by a NUL.
type textOnly struct {
	w   io.WriteCloser
	out *bufio.Writer // what w writes to
	url url.URL
}

func (t *textOnly) Write(b []byte) (int, error) {
	if bytes.IndexByte(b, 0) >= 0 {
		return 0, &hinted{
			fmt.Errorf("%s is binary, which is not written to a terminal", t.url.Redacted()),
			"-o FILE keeps it, --raw shows it all the same",
		}
	}
	n, err := t.w.Write(b)
	if err != nil {
		return n, err
	}
	return n, t.out.Flush()
}

// flushed writes an entry and lets the terminal have it at once.
func (p *process) flushed(write render.Func) render.Func {
	return func(e access.Entry) error {
		if err := write(e); err != nil {
			return err
		}
		return p.out.Flush()
	}
}

// passwordPrompt returns what gives the password that the user has named, or else
// asks for one, without showing it; nil if there is no terminal to ask on.
func (p *process) passwordPrompt() func(context.Context, string) (string, error) {
	if p.password.Present {
		return func(context.Context, string) (string, error) { return p.password.Text, nil }
	}
	if !isTerminal(p.stdin) {
		return nil
	}
	return p.askHidden
}

// askHidden asks for a line that is not shown. If ctx ends first it puts the
// terminal back as it was.
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

// ask writes a question for the user.
func (p *process) ask(prompt string) {
	p.out.Flush()
	fmt.Fprintf(p.stderr, "locus: %s: ", render.Clean(prompt))
}

// progress returns a Writer around w that tells how far it is, if stderr is a
// terminal and it takes longer than a second. size is negative if unknown. The
// function takes the last word about it from the screen.
func (p *process) progress(w io.Writer, size int64) (io.Writer, func()) {
	if p.quiet || !isTerminal(p.stderr) {
		return w, func() {}
	}
	m := &meter{w: w, stderr: p.stderr, size: size, next: time.Now().Add(time.Second)}
	return m, m.clear
}

// A meter shows how many octets went through it.
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
	text := fmt.Sprintf("locus: %d octets", m.done)
	if m.size > 0 {
		text = fmt.Sprintf("locus: %d of %d octets, %d%%", m.done, m.size, 100*m.done/m.size)
	}
	m.width = max(m.width, len(text))
	fmt.Fprintf(m.stderr, "\r%-*s", m.width, text)
}

func (m *meter) clear() {
	if m.width > 0 {
		fmt.Fprintf(m.stderr, "\r%-*s\r", m.width, "")
	}
}
