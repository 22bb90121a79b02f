//go:build unix

package console

import (
	"os"
	"syscall"
)

// terminalSignals are handled during a session. SIGWINCH says that the window was resized, and
// SIGTSTP asks the process to suspend itself.
var terminalSignals = []os.Signal{syscall.SIGWINCH, syscall.SIGTSTP}

// handleSignal suspends the process on SIGTSTP. On any other signal, which is SIGWINCH, it tells
// the session the size of the terminal.
func (c *Console) handleSignal(s os.Signal) {
	if s == syscall.SIGTSTP {
		c.suspend()
		return
	}
	c.resize()
}

// suspend restores the terminal and stops the process. When the process is continued, suspend sets
// the modes of the terminal again. Without c.Signals it only tells the user that this is
// impossible.
func (c *Console) suspend() {
	if c.Signals == nil {
		c.note("this program cannot be suspended")
		return
	}
	continued := make(chan os.Signal, 1)
	c.Signals.Notify(continued, syscall.SIGCONT)
	defer c.Signals.Stop(continued)
	c.modes.mu.Lock()
	_ = c.restore() // the terminal may be gone
	if err := syscall.Kill(syscall.Getpid(), syscall.SIGSTOP); err == nil {
		<-continued // this thread may be the last one that stops
	}
	c.modes.mu.Unlock()
	if err := c.setMode(); err != nil {
		c.note(err.Error())
	}
	c.resize()
}
