package server

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A line serves networks in turns. When it is full, it refuses the newest guess of the network with
// the most guesses.
func TestLine(t *testing.T) {
	for _, test := range []struct {
		arrive, served, refused string // networks, a letter each
	}{
		{"aaab", "aaba", ""},
		{"aabbcc", "aabcbc", ""},
		{"aaaaaaab", "aabaaa", "aa"},
		{"abcdefgh", "abcdef", "gh"},
		{"aaabbbbbc", "aabcab", "bbb"},
	} {
		synctest.Test(t, func(t *testing.T) {
			l := &line{turns: 1, most: 5}
			var served, refused strings.Builder
			for _, network := range strings.Split(test.arrive, "") {
				go func() {
					release, err := l.wait(t.Context(), network)
					if err != nil {
						refused.WriteString(network)
						return
					}
					served.WriteString(network)
					time.Sleep(time.Second)
					release()
				}()
				synctest.Wait()
			}
			time.Sleep(time.Minute)
			synctest.Wait() // so that the race detector knows that the guesses have ended
			if got := served.String(); got != test.served {
				t.Errorf("%s: served %s, want %s", test.arrive, got, test.served)
			}
			if got := refused.String(); got != test.refused {
				t.Errorf("%s: refused %s, want %s", test.arrive, got, test.refused)
			}
			if l.taken != 0 || len(l.waiting)+len(l.served) != 0 {
				t.Errorf("%s: %d turns, %d guesses and %q are left", test.arrive, l.taken, len(l.waiting), l.served)
			}
		})
	}
}

// A client that goes away leaves the line. A guess waits at most maxInLine.
func TestLineLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &line{turns: 1, most: 5}
		release, err := l.wait(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		results := make(chan error, 2)
		for _, ctx := range []context.Context{ctx, t.Context()} {
			go func() {
				_, err := l.wait(ctx, "b")
				results <- err
			}()
		}
		synctest.Wait()
		cancel()
		if err := <-results; !errors.Is(err, context.Canceled) {
			t.Errorf("a client that goes away: %v, want %v", err, context.Canceled)
		}
		start := time.Now()
		if err := <-results; !errors.Is(err, errBusy) || time.Since(start) != maxInLine {
			t.Errorf("%v after %v, want %v after %v", err, time.Since(start), errBusy, maxInLine)
		}
		release()
		if l.taken != 0 || len(l.waiting) != 0 || slices.Contains(l.served, "b") {
			t.Errorf("%d turns and %d guesses are left", l.taken, len(l.waiting))
		}
	})
}
