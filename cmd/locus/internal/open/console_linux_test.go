package open

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"locus/cmd/locus/internal/cli"
	"locus/terminal"
)

// newTTY returns a new terminal.
func newTTY(t *testing.T) *os.File {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { master.Close() })
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tty.Close() })
	return tty
}

// stateOf returns all that stty knows of a terminal.
func stateOf(t *testing.T, tty *os.File) unix.Termios {
	t.Helper()
	state, err := unix.IoctlGetTermios(int(tty.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return *state
}

// An echoing session says that it echoes.
type echoing struct{ terminal.Session }

func (echoing) Echoes() bool { return true }

// Several goroutines may adapt the terminal at once. It is restored to what it was before
// the first.
func TestAdaptAtOnce(t *testing.T) {
	tty := newTTY(t)
	before := stateOf(t, tty)
	d := &console{Env: cli.NewEnv(tty, tty, tty), session: echoing{}}
	for range 200 {
		var both sync.WaitGroup
		d.modes.mu.Lock()
		for range 2 {
			both.Go(func() {
				if err := d.adapt(); err != nil {
					t.Error(err)
				}
			})
		}
		runtime.Gosched()
		d.modes.mu.Unlock()
		both.Wait()
		d.modes.mu.Lock()
		err := d.restore()
		d.modes.mu.Unlock()
		if after := stateOf(t, tty); err != nil || after != before {
			t.Fatalf("the terminal was %v and is now %v, %v", before, after, err)
		}
	}
}
