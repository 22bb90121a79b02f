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

// follow does what the terminal's signals ask for, until the function that it
// returns is called.
func (d *desk) follow() (stop func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, terminalSignals...)
	done := make(chan struct{})
	go d.guarded(func() {
		for {
			select {
			case s := <-signals:
				d.signalled(s)
			case <-done:
				return
			}
		}
	})
	return func() {
		signal.Stop(signals)
		close(done)
	}
}
