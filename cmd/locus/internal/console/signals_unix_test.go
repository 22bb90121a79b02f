//go:build unix

package console

import (
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"
)

// ownSignals are the signals of this process.
type ownSignals struct{}

func (ownSignals) Notify(c chan<- os.Signal, s ...os.Signal) { signal.Notify(c, s...) }
func (ownSignals) Stop(c chan<- os.Signal)                   { signal.Stop(c) }

// A signal that arrives while another is handled is not lost, and signals of one kind are merged.
func TestOnSignals(t *testing.T) {
	busy, went, seen := make(chan struct{}), make(chan struct{}), make(chan os.Signal)
	stop := onSignals(ownSignals{}, []os.Signal{syscall.SIGUSR1, syscall.SIGUSR2}, func(s os.Signal) {
		if s == syscall.SIGUSR1 {
			busy <- struct{}{}
			<-went
			return
		}
		seen <- s
	})
	defer stop()
	send := func(s syscall.Signal) {
		if err := syscall.Kill(syscall.Getpid(), s); err != nil {
			t.Fatal(err)
		}
	}
	send(syscall.SIGUSR1)
	<-busy
	send(syscall.SIGUSR1)
	send(syscall.SIGUSR2)
	select {
	case <-seen:
	case <-time.After(time.Minute):
		t.Error("onSignals lost the signal that arrived while the first one was handled")
	}
	close(went)
	<-busy
}
