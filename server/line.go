package server

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// A comparison of a password takes long on purpose, so guesses wait in two lines. Guesses from
// addresses that have failed within the last hour wait in a line of their own with one turn, so that
// they never delay the others. The other line has the remaining turns: with P processors, P-1 or 1.
//
// A line serves the networks of its guesses one after the other, with one guess each. A login from a
// network that sends no other guesses waits for at most one comparison of each other network that
// waits: with a hash of 60 ms and one turn, floods from 15 networks delay it by less than a second.
// When a line is full, the newest guess of the network with the most guesses is refused with a 503.
const (
	maxFirst  = 64               // the number of guesses that wait in the line for addresses without failures
	maxAgain  = 32               // the number of guesses that wait in the other line
	maxInLine = 10 * time.Second // the longest wait
)

// errBusy says that too many guesses wait.
var errBusy = errors.New("too many logins at once")

// A line hands out turns to networks.
type line struct {
	turns, most int // the number of turns, and of guesses that wait

	mu      sync.Mutex
	taken   int
	waiting []*waiter // in the order of their arrival
	served  []string  // the networks in waiting, with the network that was served last at the end
}

// A waiter is a guess in a line.
type waiter struct {
	network string
	result  chan error // gets nil for a turn, or errBusy
}

// wait waits for a turn, at most maxInLine. release ends the turn; call it once. The error is errBusy or the cause
// of ctx; then release is nil.
func (l *line) wait(ctx context.Context, network string) (release func(), err error) {
	w := &waiter{network, make(chan error, 1)}
	l.mu.Lock()
	l.enter(w)
	l.mu.Unlock()
	late := time.NewTimer(maxInLine)
	defer late.Stop()
	select {
	case err = <-w.result:
	case <-late.C:
		err = l.leave(w, errBusy)
	case <-ctx.Done():
		err = l.leave(w, context.Cause(ctx))
	}
	if err != nil {
		return nil, err
	}
	return l.release, nil
}

// enter gives w a turn if one is free, and else appends w to the line. If the line is too long then, the newest
// guess of the network with the most guesses gets errBusy. The caller holds mu.
func (l *line) enter(w *waiter) {
	if l.taken < l.turns {
		l.taken++
		w.result <- nil
		return
	}
	l.add(w)
	if len(l.waiting) <= l.most {
		return
	}
	counts := make(map[string]int)
	for _, other := range l.waiting {
		counts[other.network]++
	}
	largest := w
	for _, other := range slices.Backward(l.waiting) {
		if counts[other.network] > counts[largest.network] {
			largest = other
		}
	}
	l.remove(largest)
	largest.result <- errBusy
}

// leave removes w, which has stopped waiting because of err, from the line and returns err. If w has got its turn
// meanwhile, leave gives the turn to another guess.
func (l *line) leave(w *waiter, err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if slices.Contains(l.waiting, w) {
		l.remove(w)
	} else if <-w.result == nil {
		l.passTurn()
	}
	return err
}

// release ends a turn, and gives it to another guess in the line.
func (l *line) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.passTurn()
}

// passTurn ends a turn. It gives the turn to the oldest guess of the network that was served least recently, if
// any guess waits. The caller holds mu.
func (l *line) passTurn() {
	l.taken--
	if len(l.waiting) == 0 {
		return
	}
	network := l.served[0]
	l.served = append(l.served[1:], network)
	w := l.waiting[slices.IndexFunc(l.waiting, func(w *waiter) bool { return w.network == network })]
	l.remove(w)
	l.taken++
	w.result <- nil
}

// add appends w to the waiting guesses, and its network to the networks. The caller holds mu.
func (l *line) add(w *waiter) {
	l.waiting = append(l.waiting, w)
	if !slices.Contains(l.served, w.network) {
		l.served = append(l.served, w.network)
	}
}

// remove removes w from the waiting guesses, and its network from the networks if no other guess of it waits. The
// caller holds mu.
func (l *line) remove(w *waiter) {
	l.waiting = slices.DeleteFunc(l.waiting, func(other *waiter) bool { return other == w })
	if !slices.ContainsFunc(l.waiting, func(other *waiter) bool { return other.network == w.network }) {
		l.served = slices.DeleteFunc(l.served, func(network string) bool { return network == w.network })
	}
}
