// Package ptytest opens pseudoterminals for tests.
package ptytest

import (
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// Open returns a new pseudoterminal: the test reads the screen from master and writes keys to
// it, and a program uses tty as its terminal. Both are closed when the test ends.
func Open(t *testing.T) (master, tty *os.File) {
	t.Helper()
	master, tty, err := New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		master.Close()
		tty.Close()
	})
	return master, tty
}

// New returns a new pseudoterminal, for callers without a testing.T: master is the side that reads
// the screen and writes keys, and tty is the terminal of a program. The caller closes both files.
func New() (master, tty *os.File, err error) {
	master, err = os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	if tty, err = terminalOf(master); err != nil {
		master.Close()
		return nil, nil, err
	}
	return master, tty, nil
}

// terminalOf unlocks and opens the terminal that belongs to master. The caller closes it.
func terminalOf(master *os.File) (*os.File, error) {
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		return nil, err
	}
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		return nil, err
	}
	return os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
}

// State returns the settings of the terminal tty, as stty shows them.
func State(t *testing.T, tty *os.File) unix.Termios {
	t.Helper()
	state, err := unix.IoctlGetTermios(int(tty.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return *state
}
