package server

import (
	"sync"
	"time"
)

// How many logins may be wrong at once, and how long it takes until one more may be.
const (
	clientGuesses, clientPause = 10, 6 * time.Second
	userGuesses, userPause     = 30, 2 * time.Second
)

// maxGuessers is how many clients and users are counted.
const maxGuessers = 8192

// guesses counts wrong logins of clients and for users. The zero value is ready.
type guesses struct {
	mu sync.Mutex
	of map[string]time.Time // by client and by user: when all its guesses are free again
}

// take counts a guess of client for user. It returns false if there were too many.
func (g *guesses) take(client, user string, now time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.of == nil {
		g.of = make(map[string]time.Time)
	}
	g.forget(now)
	ofClient, ok := next(g.of["client "+client], now, clientGuesses, clientPause)
	ofUser, ok2 := next(g.of["user "+user], now, userGuesses, userPause)
	if !ok || !ok2 {
		return false
	}
	g.of["client "+client], g.of["user "+user] = ofClient, ofUser
	return true
}

// giveBack undoes take after a login that was right.
func (g *guesses) giveBack(client, user string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for name, pause := range map[string]time.Duration{"client " + client: clientPause, "user " + user: userPause} {
		if at, ok := g.of[name]; ok {
			g.of[name] = at.Add(-pause)
		}
	}
}

// next returns when all guesses are free again after one more. It is false if more than
// most would be in use.
func next(free, now time.Time, most int, pause time.Duration) (time.Time, bool) {
	if free.Before(now) {
		free = now
	}
	free = free.Add(pause)
	return free, free.Sub(now) <= time.Duration(most)*pause
}

// forget makes room: it forgets those whose guesses are all free, and if that is not
// enough, any.
func (g *guesses) forget(now time.Time) {
	if len(g.of) < maxGuessers {
		return
	}
	for name, free := range g.of {
		if free.Before(now) {
			delete(g.of, name)
		}
	}
	for name := range g.of {
		if len(g.of) < maxGuessers/2 {
			return
		}
		delete(g.of, name)
	}
}
