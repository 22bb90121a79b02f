package server

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/bcrypt"

	"locus/access"
	"locus/limit"
)

// Users are the users of a Server and the hashes of their passwords, which ParseUsers
// reads. The zero Users are none.
type Users struct {
	hashes  map[string][]byte
	noHash  []byte         // compared if there is no such user; no password has it
	turns   *limit.Limiter // bounds how many passwords are compared at once
	waiting atomic.Int64   // for a turn
	guesses guesses
	key     []byte // of accepted, new for each process

	mu       sync.Mutex
	accepted map[[sha256.Size]byte]bool // logins that were right, because comparing is slow on purpose

	compareHash func(hash, password []byte) error // bcrypt.CompareHashAndPassword; tests replace it
}

const maxAccepted = 4096

// ParseUsers reads lines of "user:hash" as "htpasswd -B" writes them. It skips empty
// lines and lines that begin with "#". The error for an invalid line is a
// [*UsersError]. No users are an error, too.
func ParseUsers(text string) (*Users, error) {
	u := &Users{
		compareHash: bcrypt.CompareHashAndPassword,
		hashes:      make(map[string][]byte), accepted: make(map[[sha256.Size]byte]bool),
		turns: &limit.Limiter{PerServer: max(2, runtime.GOMAXPROCS(0)), Share: 1, MaxWait: 10 * time.Second}, key: make([]byte, 32),
	}
	_, _ = rand.Read(u.key) // never fails
	cost := bcrypt.MinCost
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		user, hash, ok := strings.Cut(line, ":")
		own, err := bcrypt.Cost([]byte(hash))
		if !ok || user == "" || err != nil {
			return nil, &UsersError{Line: n}
		}
		u.hashes[user], cost = []byte(hash), max(cost, own)
	}
	if len(u.hashes) == 0 {
		return nil, errors.New("there are no users")
	}
	var err error
	u.noHash, err = bcrypt.GenerateFromPassword([]byte(rand.Text()), cost)
	return u, err
}

// A UsersError is the error for an invalid line. It does not show the line, which may
// have a password.
type UsersError struct{ Line int } // from 1

// Error returns "line 3 is no user:hash with a hash of bcrypt".
func (e *UsersError) Error() string {
	return fmt.Sprintf("line %d is no user:hash with a hash of bcrypt", e.Line)
}

// Suggest says how to write such a line.
func (e *UsersError) Suggest() access.Remedy {
	return access.Advice("htpasswd -nB USER writes such a line")
}

// admit reports whether the user of a request is admitted. Then it removes the
// password from the request, else it asks the client to log in. nil admits everybody.
//
// A client of the proxy logs in with Proxy-Authorization: its Authorization is for the
// server. A browser that visits the gateway logs in with Authorization.
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
		if err != nil {
			w.Header().Set("Retry-After", "10")
			refuse(w, r, http.StatusTooManyRequests, "Too many logins", "there are too many logins at once: try again in ten seconds")
			return "", false
		}
	}
	w.Header().Set(challenge, `Basic realm="locus", charset="UTF-8"`)
	refuse(w, r, status, "Log in", "this gateway wants a user name and a password: reload the page to be asked again")
	return "", false
}

// maxWaiting is how many logins may wait to be compared.
const maxWaiting = 64

// errGuesses is the error of a login that is not compared: too many are waiting, or
// there were too many wrong ones of the client or for the user.
var errGuesses = errors.New("too many logins")

// has reports whether the password is that of the user. It takes the same time for
// unknown users. A login that was right before is neither throttled nor queued.
func (u *Users) has(ctx context.Context, client, user, password string) (bool, error) {
	if len(u.hashes) == 0 {
		return false, nil
	}
	mac := hmac.New(sha256.New, u.key)
	fmt.Fprintf(mac, "%d:%s%s", len(user), user, password)
	login := [sha256.Size]byte(mac.Sum(nil))
	if u.isAccepted(login) {
		return true, nil
	}
	if !u.guesses.take(client, user, time.Now()) {
		return false, errGuesses
	}
	if u.waiting.Add(1) > maxWaiting {
		u.waiting.Add(-1)
		return false, errGuesses
	}
	release, err := u.turns.Wait(ctx, client, "passwords")
	u.waiting.Add(-1)
	if err != nil {
		return false, errGuesses
	}
	defer release()
	if !u.isAccepted(login) && !u.compare(user, password) { // accepted while it waited
		return false, nil
	}
	u.guesses.giveBack(client, user)
	u.accept(login)
	return true, nil
}

// compare compares a password, which takes long on purpose.
func (u *Users) compare(user, password string) bool {
	hash, ok := u.hashes[user]
	if !ok {
		hash = u.noHash
	}
	return u.compareHash(hash, []byte(password)) == nil && ok
}

func (u *Users) isAccepted(login [sha256.Size]byte) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.accepted[login]
}

func (u *Users) accept(login [sha256.Size]byte) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.accepted) >= maxAccepted {
		clear(u.accepted)
	}
	u.accepted[login] = true
}

// clientOf names the client at an address: an IPv4 address or an IPv6 /64.
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
