package console

import (
	"os"
	"sync"
	"sync/atomic"

	"golang.org/x/term"
)

// modes are the modes of the user's terminal that a session changes.
type modes struct {
	mu     sync.Mutex
	before *term.State // the state to restore; nil if the modes were not changed
	raw    atomic.Bool // every key is sent at once
	closed bool        // the modes must not change any more
}

// setMode sets the mode of the terminal on Stdin. If the server echoes, the terminal sends every
// key at once and does not echo. Otherwise the terminal echoes, and sends whole lines. For a pipe,
// and after restoreForGood, setMode does nothing.
func (c *Console) setMode() error {
	if !isTerminal(c.Stdin) {
		return nil
	}
	c.modes.mu.Lock()
	defer c.modes.mu.Unlock()
	raw := c.session.Echoes()
	if c.modes.closed || raw == c.modes.raw.Load() {
		return nil
	}
	if !raw {
		return c.restore()
	}
	before, err := term.MakeRaw(int(c.Stdin.Fd()))
	if err != nil {
		return err
	}
	c.modes.before = before
	c.modes.raw.Store(true)
	return nil
}

// restoreForGood restores the modes of the terminal, and keeps setMode from changing them again.
func (c *Console) restoreForGood() {
	c.modes.mu.Lock()
	defer c.modes.mu.Unlock()
	c.modes.closed = true
	_ = c.restore() // the terminal may be gone
}

// restore gives the terminal the modes that it had before setMode, if setMode has changed them. The
// caller holds modes.mu.
func (c *Console) restore() error {
	if c.modes.before == nil {
		return nil
	}
	err := term.Restore(int(c.Stdin.Fd()), c.modes.before)
	c.modes.before = nil
	c.modes.raw.Store(false)
	return err
}

// restoreIfPanic calls do. If do panics, restoreIfPanic restores the terminal and panics with the
// same value.
func (c *Console) restoreIfPanic(do func()) {
	defer func() {
		if r := recover(); r != nil {
			c.restoreForGood()
			panic(r)
		}
	}()
	do()
}

// resize tells the session the size of the terminal on Stdout or, if that is a pipe, of the
// terminal on Stdin.
func (c *Console) resize() {
	for _, f := range []*os.File{c.Stdout, c.Stdin} {
		if columns, rows, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 && rows > 0 {
			_ = c.session.Resize(columns, rows) // if it fails, Read will fail, too
			return
		}
	}
}

// cancelled restores the terminal and calls Restored, after the context has ended the session.
func (c *Console) cancelled() {
	c.restoreForGood()
	if c.Restored != nil {
		c.Restored()
	}
}

// resetSequence resets a terminal: the scrolling region, colours, the character set, insert mode,
// wrapping, the keypad, mouse and focus reports, bracketed paste, and the cursor.
const resetSequence = "\x1b7\x1b[r\x1b8" + "\x1b[0m\x1b(B\x0f" + "\x1b[4l\x1b[?7h" + "\x1b[?1l\x1b>" +
	"\x1b[?9l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1004l\x1b[?1005l\x1b[?1006l\x1b[?1015l" + "\x1b[?2004l" + "\x1b[?25h"

// resetModes resets the modes that programs of the server have set, and begins a new line unless
// the cursor is at the start of one. Only the first call does so. It does nothing if Stdout is not
// a terminal, or if locus draws the screen, because drawing ends with the same reset.
func (c *Console) resetModes() {
	if _, drawn := c.screen.(*drawing); drawn || c.isReset || !isTerminal(c.Stdout) {
		return
	}
	c.isReset = true
	text := ""
	if c.changed {
		text = resetSequence
	}
	switch screen := c.session.Screen(); {
	case screen.Alternate:
		text = "\x1b[?1049l" + text
	case screen.Column > 0:
		text += "\n"
	}
	_ = c.write([]byte(text)) // the terminal may be gone
}

// onSignals calls do for each of signals that arrives, until stop is called. Signals of one kind
// that arrive while do is running are merged into one. Signals of two kinds may call do at the same
// time. If process is nil, do is never called.
func onSignals(process Signals, signals []os.Signal, do func(os.Signal)) (stop func()) {
	if process == nil {
		return func() {}
	}
	done := make(chan struct{})
	for _, s := range signals {
		came := make(chan os.Signal, 1)
		process.Notify(came, s)
		go func() {
			defer process.Stop(came)
			for {
				select {
				case <-came:
					do(s)
				case <-done:
					return
				}
			}
		}()
	}
	return func() { close(done) }
}
