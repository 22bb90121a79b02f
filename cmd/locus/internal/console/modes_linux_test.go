package console

import (
	"runtime"
	"sync"
	"testing"

	"locus/internal/ptytest"
	"locus/terminal"
)

// A pretender is a session that says that it echoes.
type pretender struct{ terminal.Session }

func (pretender) Echoes() bool { return true }

// Several goroutines may set the mode of the terminal at the same time. restore restores the mode
// that the terminal had before the first of them.
func TestSetModeAtOnce(t *testing.T) {
	_, tty := ptytest.Open(t)
	before := ptytest.State(t, tty)
	d := &Console{Stdin: tty, Stdout: tty, session: pretender{}}
	for range 200 {
		var both sync.WaitGroup
		d.modes.mu.Lock()
		for range 2 {
			both.Go(func() {
				if err := d.setMode(); err != nil {
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
		if after := ptytest.State(t, tty); err != nil || after != before {
			t.Fatalf("the terminal had the mode %v, and after restore it has %v, %v", before, after, err)
		}
	}
}
