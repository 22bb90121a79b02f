package server

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/netip"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/bcrypt"

	"locus/access"
)

// Users are the users of a Server and the hashes of their passwords. ParseUsers creates them. The
// zero Users admit nobody.
//
// A login that was right at the same address since the start of the process is accepted at once. For other
// logins the password must be compared; see guesses.go for the rates, and line.go for the order.
type Users struct {
	hashes       map[string][]byte
	noHash       []byte // a hash of a random password
	cost         int    // the highest cost of the hashes
	key          []byte // of logins and of names in guesses; random for each process
	guesses      *guesses
	first, again *line // for addresses without and with failures

	mu       sync.Mutex
	accepted map[name]*known // by address and user
	flights  map[flightKey]*flight

	compareHash func(hash, password []byte) error // bcrypt.CompareHashAndPassword; tests replace it
}

const (
	// maxAccepted is the maximum number of addresses and users whose login is known to be right. Only a
	// user with the right password can add one.
	maxAccepted = 4096

	// An address may try knownTries other passwords of a user whose login it knows, and then
	// one every pairPause. After that the known login waits like a guess. Otherwise a
	// 429 for wrong passwords and a 200 for the right one would answer any number of guesses.
	knownTries = 100

	// maxJoined is the maximum number of requests that wait for the comparison of an equal login.
	maxJoined = 64
)

// ParseUsers parses lines of "user:hash", with a bcrypt hash, as "htpasswd -B" writes them. It skips empty lines and
// lines that begin with "#". If a user has several lines, the last one holds. The error for an invalid line is a
// [*UsersError]. A text without users is an error, too.
func ParseUsers(text string) (*Users, error) {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	u := &Users{
		hashes: make(map[string][]byte), key: key, guesses: newGuesses(key),
		first:    &line{turns: max(1, runtime.GOMAXPROCS(0)-1), most: maxFirst},
		again:    &line{turns: 1, most: maxAgain},
		accepted: make(map[name]*known), flights: make(map[flightKey]*flight),
		compareHash: bcrypt.CompareHashAndPassword,
	}
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		user, hash, ok := strings.Cut(line, ":")
		cost, err := bcrypt.Cost([]byte(hash))
		if !ok || user == "" || err != nil {
			return nil, &UsersError{Line: n}
		}
		u.hashes[user] = []byte(hash)
		u.cost = max(u.cost, cost)
	}
	if len(u.hashes) == 0 {
		return nil, errors.New("there are no users")
	}
	var err error
	u.noHash, err = bcrypt.GenerateFromPassword([]byte(rand.Text()), bcrypt.MinCost)
	return u, err
}

// A UsersError is the error for an invalid line. It does not show the line, which
// may contain a password.
type UsersError struct{ Line int } // from 1

// Error returns "line 3 is not user:hash with a bcrypt hash".
func (e *UsersError) Error() string {
	return fmt.Sprintf("line %d is not user:hash with a bcrypt hash", e.Line)
}

// Suggest returns the command that writes such a line.
func (e *UsersError) Suggest() access.Remedy {
	return access.Advice("htpasswd -nB USER writes such a line")
}

// admit reports whether the login of a request is right. If so, it returns the name of the user, and removes the login
// from the header, so that Handler does not see the password. Otherwise it sends a response: 401 or 407, which asks the
// client to log in, 429 after too many wrong logins, or 503 during too many logins at once. A nil *Users admits every
// request.
//
// A client of the proxy logs in with Proxy-Authorization, because its Authorization is for the server. A browser that
// visits the gateway logs in with Authorization.
func (u *Users) admit(w http.ResponseWriter, r *http.Request) (user string, ok bool) {
	if u == nil {
		return "", true
	}
	credentials, challenge, status := "Authorization", "WWW-Authenticate", http.StatusUnauthorized
	if !strings.HasPrefix(r.RequestURI, "/") {
		credentials, challenge, status = "Proxy-Authorization", "Proxy-Authenticate", http.StatusProxyAuthRequired
	}
	asIfForServer := http.Request{Header: http.Header{"Authorization": r.Header[credentials]}}
	user, password, ok := asIfForServer.BasicAuth()
	if ok {
		isRight, err := u.has(r.Context(), clientOf(r.RemoteAddr), user, password)
		if isRight {
			r.Header.Del(credentials)
			return user, true
		}
		if early, ok := errors.AsType[earlyError](err); ok {
			seconds := strconv.Itoa(int(math.Ceil(early.wait.Seconds())))
			w.Header().Set("Retry-After", seconds)
			refuse(w, r, http.StatusTooManyRequests, "Too many logins", "there were too many wrong logins from your address: try again in "+seconds+" seconds")
			return "", false
		}
		if err != nil {
			w.Header().Set("Retry-After", "1")
			refuse(w, r, http.StatusServiceUnavailable, "Too many logins", "there are too many logins at once: try again in a second")
			return "", false
		}
	}
	w.Header().Set(challenge, `Basic realm="locus", charset="UTF-8"`)
	refuse(w, r, status, "Log in", "this gateway needs a user name and a password; reload the page to be asked again")
	return "", false
}

// An earlyError is the error of a guess that comes too early after the failures of its address.
type earlyError struct{ wait time.Duration }

// Error returns "too many wrong logins, wait 6s".
func (e earlyError) Error() string { return fmt.Sprintf("too many wrong logins, wait %v", e.wait) }

// A login identifies a user and a password, by a hash with the key of the process.
type login [sha256.Size]byte

// A known is a login that was right at an address.
type known struct {
	login login
	tries record // of other passwords
}

// A flight is a comparison that is being made. Equal logins of the same address wait for its result.
// They count as one guess, since a browser sends many requests at once.
type flight struct {
	done    chan struct{} // closed after the result
	joined  int           // guarded by Users.mu
	isRight bool
	err     error
}

type flightKey struct {
	client string
	login  login
}

// has reports whether the user exists and has this password. It may wait for its turn to compare the password. The
// error is an earlyError, errBusy or the cause of ctx; the password was not compared then. client is a result of
// clientOf.
func (u *Users) has(ctx context.Context, client, user, password string) (bool, error) {
	if len(u.hashes) == 0 {
		return false, nil
	}
	mac := hmac.New(sha256.New, u.key)
	fmt.Fprintf(mac, "%d:%s%s", len(user), user, password)
	key := flightKey{client, login(mac.Sum(nil))}
	for {
		f, isOwn, err := u.join(key, u.guesses.name("pair", client, user))
		if f == nil {
			return err == nil, err
		}
		if isOwn {
			f.isRight, f.err = u.guess(ctx, key, user, password)
			u.mu.Lock()
			delete(u.flights, key)
			u.mu.Unlock()
			close(f.done)
			return f.isRight, f.err
		}
		select {
		case <-f.done:
		case <-ctx.Done():
			return false, context.Cause(ctx)
		}
		if !errors.Is(f.err, context.Canceled) { // else the client of the flight has gone
			return f.isRight, f.err
		}
	}
}

// join returns f, the comparison of a login, which it creates if necessary. If isOwn is true, the caller makes the
// comparison and closes f.done. Otherwise another request makes it, and the caller waits for f.done.
//
// A nil f without an error means that the password is right, because the same login succeeded from this client before.
// join counts each other password that the client tries; after too many, even the right one is compared again. pair is
// the key of the client and the user in u.accepted. The error is errBusy if too many requests already wait for f.
func (u *Users) join(key flightKey, pair name) (f *flight, isOwn bool, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if k := u.accepted[pair]; k != nil {
		now := time.Now()
		hasTries := k.tries.left(now) < knownTries*pairPause
		if hasTries && k.login == key.login {
			return nil, false, nil
		}
		if hasTries && k.login != key.login {
			k.tries.delay(now, pairPause)
		}
	}
	f = u.flights[key]
	if f == nil {
		f = &flight{done: make(chan struct{})}
		u.flights[key] = f
		return f, true, nil
	}
	if f.joined >= maxJoined {
		return nil, false, errBusy
	}
	f.joined++
	return f, false, nil
}

// guess waits for a turn, compares a password, and reports whether it is right. It counts the guess, and remembers a
// right and a wrong login. It does not compare a login again that is known to be wrong. The error is an earlyError if
// the client must wait after earlier failures, or an error of line.wait.
func (u *Users) guess(ctx context.Context, key flightKey, user, password string) (bool, error) {
	if u.guesses.isKnownWrong(key.client, user, key.login) {
		return false, nil
	}
	taken, wait := u.guesses.take(key.client, user)
	if wait > 0 {
		return false, earlyError{wait}
	}
	line := u.again
	if taken.isFirst {
		line = u.first
	}
	release, err := line.wait(ctx, networkOf(key.client))
	if err != nil {
		u.guesses.undo(taken)
		return false, err
	}
	defer release()
	if !u.compare(user, password) {
		u.guesses.fail(taken, key.login)
		return false, nil
	}
	u.guesses.forgive(taken)
	u.accept(taken.pair, key.login)
	return true, nil
}

// compare reports whether the password of a user is right. It takes the same time for every user, known or not: as long
// as one comparison with the costliest hash. A comparison of cost n takes twice as long as one of n-1. So after a hash
// of a lower cost it compares with a hash of each cost from there to the highest.
func (u *Users) compare(user, password string) bool {
	hash, ok := u.hashes[user]
	if !ok {
		hash = u.unusable(u.cost)
	}
	cost, err := bcrypt.Cost(hash)
	isRight := u.compareHash(hash, []byte(password)) == nil && ok && err == nil
	for ; cost < u.cost; cost++ {
		_ = u.compareHash(u.unusable(cost), []byte(password)) // only its time counts
	}
	return isRight
}

// unusable returns a bcrypt hash with this cost for which no password is known. It is noHash with another cost.
func (u *Users) unusable(cost int) []byte {
	salt := bytes.LastIndexByte(u.noHash, '$') // "$2a$04$salt"
	return fmt.Appendf(nil, "$2a$%02d%s", cost, u.noHash[salt:])
}

// accept remembers l as the right login of an address and a user, instead of an earlier one. pair is their key. It
// keeps the count of other passwords that the address has tried.
func (u *Users) accept(pair name, l login) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if k := u.accepted[pair]; k != nil {
		k.login = l
		return
	}
	if len(u.accepted) >= maxAccepted {
		clear(u.accepted)
	}
	u.accepted[pair] = &known{login: l}
}

// clientOf returns the client at remote, "IP:port", as a prefix: an IPv4 /32 or an IPv6 /64. It returns "" if remote
// has another form.
func clientOf(remote string) string {
	at, err := netip.ParseAddrPort(remote)
	if err != nil {
		return ""
	}
	addr := at.Addr().Unmap().WithZone("")
	bits := 32
	if addr.Is6() {
		bits = 64
	}
	p, _ := addr.Prefix(bits) // it fails only for too many bits
	return p.String()
}

// networkOf returns the network of a client, a result of clientOf: an IPv4 /24 or an IPv6 /48, because one attacker
// easily gets that many addresses. It returns "" if client is "".
func networkOf(client string) string {
	p, err := netip.ParsePrefix(client)
	if err != nil {
		return ""
	}
	bits := 24
	if p.Addr().Is6() {
		bits = 48
	}
	p, _ = p.Addr().Prefix(bits) // it fails only for too many bits
	return p.String()
}
