package command

import (
	"context"
	"os"
	"slices"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
)

// fakeSignals are signals that a test sends.
type fakeSignals struct {
	mu      sync.Mutex
	wanted  []os.Signal
	arrived chan<- os.Signal // nil: nobody waits for a signal
}

func (f *fakeSignals) Notify(c chan<- os.Signal, signals ...os.Signal) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.arrived, f.wanted = c, signals
}

func (f *fakeSignals) Stop(chan<- os.Signal) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.arrived = nil
}

func (f *fakeSignals) Reset(...os.Signal) {}

// isWaiting reports whether a signal is still caught. Otherwise it kills the process.
func (f *fakeSignals) isWaiting() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.arrived != nil
}

// A signal ends the context once. The next one kills the process, because it is no longer caught. Only
// UntilInterrupted remembers the signal, by which the process then dies.
func TestUntil(t *testing.T) {
	for _, test := range []struct {
		name   string
		until  func(e *Env, ctx context.Context) (context.Context, context.CancelFunc)
		wanted []os.Signal
		sent   os.Signal
		by     os.Signal // the result of InterruptedBy
	}{
		{"UntilInterrupted by Ctrl-C", (*Env).UntilInterrupted, []os.Signal{os.Interrupt, syscall.SIGTERM}, os.Interrupt, os.Interrupt},
		{"UntilInterrupted by a service manager", (*Env).UntilInterrupted, []os.Signal{os.Interrupt, syscall.SIGTERM}, syscall.SIGTERM, syscall.SIGTERM},
		{"UntilInterrupted without a signal", (*Env).UntilInterrupted, []os.Signal{os.Interrupt, syscall.SIGTERM}, nil, nil},
		{"Until", func(e *Env, ctx context.Context) (context.Context, context.CancelFunc) {
			return e.Until(ctx, syscall.SIGTERM)
		}, []os.Signal{syscall.SIGTERM}, syscall.SIGTERM, nil},
	} {
		synctest.Test(t, func(t *testing.T) {
			signals := &fakeSignals{}
			e := &Env{Signals: signals}
			ctx, stop := test.until(e, t.Context())
			defer stop()
			synctest.Wait()
			if !signals.isWaiting() || !slices.Equal(signals.wanted, test.wanted) || ctx.Err() != nil || e.InterruptedBy() != nil {
				t.Errorf("%s waits for %v, want %v; before a signal the context has %v", test.name, signals.wanted, test.wanted, ctx.Err())
			}
			if test.sent != nil {
				signals.arrived <- test.sent
			} else {
				stop()
			}
			synctest.Wait()
			if ctx.Err() == nil || signals.isWaiting() || e.InterruptedBy() != test.by {
				t.Errorf("%s: after %v the context has %v, the next signal is caught: %v, InterruptedBy = %v, want %v", test.name, test.sent, ctx.Err(), signals.isWaiting(), e.InterruptedBy(), test.by)
			}
		})
	}
}

// Without signals, such as in a test, the context ends with its parent.
func TestUntilWithoutSignals(t *testing.T) {
	parent, end := context.WithCancel(t.Context())
	ctx, stop := new(Env).UntilInterrupted(parent)
	defer stop()
	end()
	if <-ctx.Done(); new(Env).InterruptedBy() != nil {
		t.Error("InterruptedBy without a signal is not nil")
	}
}
