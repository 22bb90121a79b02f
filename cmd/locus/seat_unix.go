//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// terminalSignals are those that are followed: the window has another size,
// and somebody wants this command suspended.
var terminalSignals = []os.Signal{syscall.SIGWINCH, syscall.SIGTSTP}

func (d *desk) signalled(s os.Signal) {
	if s == syscall.SIGTSTP {
		d.suspend()
		return
	}
	d.resize()
}

// suspend gives the terminal back and stops, until somebody wants to go on.
func (d *desk) suspend() {
	goOn := make(chan os.Signal, 1)
	signal.Notify(goOn, syscall.SIGCONT)
	defer signal.Stop(goOn)
	d.seat.mu.Lock()
	_ = d.restore() // a terminal that is gone needs nothing
	if err := syscall.Kill(syscall.Getpid(), syscall.SIGSTOP); err == nil {
		<-goOn // this thread may be the last one to stop
	}
	d.seat.mu.Unlock()
	if err := d.adapt(); err != nil {
		d.note(err.Error())
	}
	d.resize()
}
