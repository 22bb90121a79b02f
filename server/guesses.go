package server

import (
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"sync"
	"time"
)

// A guess is a login whose password must be compared. A login is not a guess if it was right or wrong before at its
// address. An address is an IPv4 address or an IPv6 /64.
//
// A guess from an address without failures is always compared at once: it may be the right
// password of a user who logs in for the first time. Therefore the guesses of strangers cannot lock
// a user out. Everything below delays addresses that have failed themselves, by a 429 with
// Retry-After. The first guess after that time is compared.
//
//	an address at all users:          20 failures are free; then one guess every 6 seconds
//	an address at one user:           10 failures are free; then one guess every 10 seconds
//	an address at a user under        3 failures are free; then the address waits until the user
//	  attack:                         has recovered, at most 10 minutes
//
// A user is under attack after 30 failures from any addresses. The user recovers by one failure
// every 2 seconds. So an hour of guesses at one user has at most
//
//	one address:       10 + 360 guesses
//	N addresses:       3N + 1800, or 9N if that is more
//	and at an address where the user has logged in, 100 + 360 more: see knownTries
//
// and the time of the comparisons limits all guesses together: see line.go. A failure is forgotten
// an hour after the last one, or after a successful login of that address as that user.
const (
	memory = time.Hour

	addressFree, addressPause = 20, 6 * time.Second
	pairFree, pairPause       = 10, 10 * time.Second

	userFree, userPause = 30, 2 * time.Second
	attackedFree        = 3
	maxAttackedPause    = 10 * time.Minute
)

// maxRecords is the maximum number of records. A record is forgotten when maxRecords/2 other records
// have been used after it, so an attacker needs more than 30,000 comparisons to remove one. All
// records together take about 20 MiB.
const maxRecords = 1 << 17

// guesses remembers failures. Create it with newGuesses.
type guesses struct {
	key []byte // of names

	mu         sync.Mutex
	young, old map[name]*record // old is dropped when young has maxRecords/2
}

func newGuesses(key []byte) *guesses { return &guesses{key: key, young: make(map[name]*record)} }

// A name identifies an address, a user, or an address and a user. It is a hash, so that long names
// of users take no memory.
type name [16]byte

// name returns the key of the record of a kind, which is "address", "pair" or "user". client is "" for a user, and
// user is "" for an address. The key is a MAC, so that the records do not have the names of users.
func (g *guesses) name(kind, client, user string) name {
	mac := hmac.New(sha256.New, g.key)
	fmt.Fprintf(mac, "%s %q %q", kind, client, user)
	return name(mac.Sum(nil)[:16])
}

// A record counts the failures of one name.
type record struct {
	count int
	last  time.Time // the time of the last failure
	until time.Time // the next guess is compared at this time; for a user, all failures are forgiven
	wrong login     // of an address at a user: the login that failed last
}

// left returns the time from now until r.until, or 0 if r.until is past.
func (r *record) left(now time.Time) time.Duration {
	if r.until.Before(now) {
		return 0
	}
	return r.until.Sub(now)
}

// delay adds pause to r.until. If r.until is past, the pause starts now.
func (r *record) delay(now time.Time, pause time.Duration) {
	if r.until.Before(now) {
		r.until = now
	}
	r.until = r.until.Add(pause)
}

// A guess counts as a failure until undo or forgive.
type guess struct {
	address, pair, user    name
	addressPause, userTime time.Duration // added to the until of the address and of the user
	pairPause              time.Duration
	isFirst                bool // the address had no failures
}

// take counts a guess of client for user as a failure, until undo or forgive removes it. If the client must wait
// because of earlier failures, take counts no guess and returns the time to wait; otherwise wait is 0.
func (g *guesses) take(client, user string) (taken guess, wait time.Duration) {
	address, pair, of := g.name("address", client, ""), g.name("pair", client, user), g.name("user", "", user)
	now := time.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, n := range []name{address, pair} {
		if r := g.find(n, now); r != nil {
			wait = max(wait, r.left(now))
		}
	}
	if wait > 0 {
		return guess{}, wait
	}
	taken = guess{address: address, pair: pair, user: of}
	r := g.add(of, now)
	if r.left(now)+userPause <= userFree*userPause+maxAttackedPause {
		taken.userTime = userPause
		r.delay(now, userPause)
	}
	recovery := r.left(now) - userFree*userPause // positive: the user is under attack
	r = g.add(address, now)
	taken.isFirst = r.count == 1
	if r.count >= addressFree {
		taken.addressPause = addressPause
		r.delay(now, addressPause)
	}
	r = g.add(pair, now)
	if r.count >= pairFree {
		taken.pairPause = pairPause
	}
	if r.count >= attackedFree {
		taken.pairPause = max(taken.pairPause, recovery)
	}
	if taken.pairPause > 0 {
		r.delay(now, taken.pairPause)
	}
	return taken, 0
}

// isKnownWrong reports whether l is the last login of user that failed at client. Its repetition is not counted as
// a guess, because the answer is known. So a program with an old password delays nobody.
func (g *guesses) isKnownWrong(client, user string, l login) bool {
	pair := g.name("pair", client, user)
	g.mu.Lock()
	defer g.mu.Unlock()
	r := g.find(pair, time.Now())
	return r != nil && r.wrong == l
}

// fail remembers that the password of a guess was wrong. After that, isKnownWrong returns true for the login l.
func (g *guesses) fail(taken guess, l login) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if r := g.find(taken.pair, time.Now()); r != nil {
		r.wrong = l
	}
}

// undo stops counting a guess, because its password was not compared, and removes the pauses that the guess
// caused.
func (g *guesses) undo(taken guess) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.remove(taken.address, taken.addressPause)
	g.remove(taken.pair, taken.pairPause)
	g.remove(taken.user, taken.userTime)
}

// forgive removes a guess whose password was right, and all earlier failures of its address at its user. It keeps
// the failures of the address at other users, because an attacker may have a login, too.
func (g *guesses) forgive(right guess) {
	g.undo(right)
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.young, right.pair)
	delete(g.old, right.pair)
}

// find returns the record of a name, or nil if the name has no failure within the last hour. The caller holds mu.
func (g *guesses) find(n name, now time.Time) *record {
	r := g.young[n]
	if r == nil {
		r = g.old[n]
	}
	if r == nil || now.Sub(r.last) >= memory {
		return nil
	}
	return r
}

// add adds a failure to the record of a name, which it creates if necessary, and returns the record. If there are
// too many records, it drops the oldest ones. The caller holds mu.
func (g *guesses) add(n name, now time.Time) *record {
	r := g.find(n, now)
	if r == nil {
		r = new(record)
	}
	r.count, r.last = r.count+1, now
	delete(g.old, n)
	g.young[n] = r
	if len(g.young) >= maxRecords/2 {
		g.old, g.young = g.young, make(map[name]*record)
	}
	return r
}

// remove removes one failure and one pause from the record of a name. If no failure is left, it deletes the record.
// The caller holds mu.
func (g *guesses) remove(n name, pause time.Duration) {
	for _, records := range []map[name]*record{g.young, g.old} {
		r := records[n]
		if r == nil {
			continue
		}
		r.until = r.until.Add(-pause)
		if r.count--; r.count <= 0 {
			delete(records, n)
		}
	}
}
