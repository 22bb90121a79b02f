package main

import (
	"os"
	"os/signal"
	"sync"
	"sync/atomic"

	"golang.org/x/term"
)

// A seat is what was changed of the user's terminal, so that it can be put back.
type seat struct {
	mu     sync.Mutex
	before *term.State // of the terminal; nil if it is as it was
	raw    atomic.Bool // every key is sent at once
	left   bool
}

// sitDown prepares the terminal for a session, if there is one.
func (d *desk) sitDown() error {
	d.resize()
	return d.adapt()
}

// adapt lets the terminal show what is typed, and send it in lines, if the other
// side does not; else it sends every key, and shows nothing by itself.
func (d *desk) adapt() error {
	if !isTerminal(d.stdin) {
		return nil
	}
	d.seat.mu.Lock()
	defer d.seat.mu.Unlock()
	raw := d.session.Echoes()
	if d.seat.left || raw == d.seat.raw.Load() {
		return nil
	}
	if !raw {
		return d.restore()
	}
	before, err := term.MakeRaw(int(d.stdin.Fd()))
	if err != nil {
		return err
	}
	d.seat.before = before
	d.seat.raw.Store(true)
	return nil
}

// leave puts the terminal back as it was, for good.
func (d *desk) leave() {
	d.seat.mu.Lock()
	defer d.seat.mu.Unlock()
	d.seat.left = true
	_ = d.restore() // a terminal that is gone needs nothing
}

// restore puts the terminal back as it was.
func (d *desk) restore() error {
	if d.seat.before == nil {
		return nil
	}
	err := term.Restore(int(d.stdin.Fd()), d.seat.before)
	d.seat.before = nil
	d.seat.raw.Store(false)
	return err
}

// guarded runs do so that a panic leaves the terminal as it was.
func (d *desk) guarded(do func()) {
	defer func() {
		if r := recover(); r != nil {
			d.leave()
			panic(r)
		}
	}()
	do()
}

// resize tells the session how large the terminal is, if there is one.
func (d *desk) resize() {
	for _, f := range []*os.File{d.stdout, d.stdin} {
		if columns, rows, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 && rows > 0 {
			_ = d.session.Resize(columns, rows) // should it fail, so does Read
			return
		}
	}
}

// abandon puts the terminal back when something else ends the session, whatever
// show waits for meanwhile, and then lets another signal end this command.
func (d *desk) abandon() {
	d.leave()
	signal.Reset(endSignals...)
}

// ordinary is what makes a terminal ordinary again: no region that scrolls alone,
// no colours, no other characters, no insertion, lines that wrap, ordinary keys, no
// mouse, no focus, no marks around what is pasted, and a cursor.
const ordinary = "\x1b7\x1b[r\x1b8" + "\x1b[0m\x1b(B\x0f" + "\x1b[4l\x1b[?7h" + "\x1b[?1l\x1b>" +
	"\x1b[?9l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1004l\x1b[?1005l\x1b[?1006l\x1b[?1015l" + "\x1b[?2004l" + "\x1b[?25h"

// tidy takes from the terminal what programs on the other side have left of
// their modes, and begins a line, once. A drawing does so itself.
func (d *desk) tidy() {
	if _, drawn := d.screen.(*drawing); drawn || d.tidied || !isTerminal(d.stdout) {
		return
	}
	d.tidied = true
	text := ""
	if d.changed {
		text = ordinary
	}
	switch screen := d.session.Screen(); {
	case screen.Alternate:
		text = "\x1b[?1049l" + text
	case screen.Column > 0:
		text += "\n"
	}
	_, _ = output{d.stdout}.Write([]byte(text)) // a terminal that is gone needs nothing
}

// follow calls do for each of the signals, until the function that it returns is
// called. None is lost because of another; those of one kind that come while do
// has not returned are one.
func follow(signals []os.Signal, do func(os.Signal)) (stop func()) {
	done := make(chan struct{})
	for _, s := range signals {
		came := make(chan os.Signal, 1)
		signal.Notify(came, s)
		go func() {
			defer signal.Stop(came)
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
