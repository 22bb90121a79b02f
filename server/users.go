package server

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"

	"golang.org/x/crypto/bcrypt"

	"locus/access"
)

// Users are the users of a Server and the hashes of their passwords, which ParseUsers
// reads. The zero Users are none.
type Users struct {
	hashes  map[string][]byte
	noHash  []byte        // compared if there is no such user; no password has it
	running chan struct{} // bounds how many passwords are compared at once
	key     []byte        // of accepted, new for each process

	mu       sync.Mutex
	accepted map[[sha256.Size]byte]bool // logins that were right, because comparing is slow on purpose
}

const maxAccepted = 4096

// ParseUsers reads lines of "user:hash" as "htpasswd -B" writes them. It skips empty
// lines and lines that begin with "#". The error for an invalid line is a
// [*UsersError]. No users are an error, too.
func ParseUsers(text string) (*Users, error) {
	u := &Users{
		hashes: make(map[string][]byte), accepted: make(map[[sha256.Size]byte]bool),
		running: make(chan struct{}, runtime.GOMAXPROCS(0)), key: make([]byte, 32),
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
	if ok && u.has(user, password) {
		r.Header.Del(credentials)
		return user, true
	}
	w.Header().Set(challenge, `Basic realm="locus", charset="UTF-8"`)
	http.Error(w, "say who you are", status)
	return "", false
}

// has reports whether the password is that of the user. It takes the same time for
// unknown users.
func (u *Users) has(user, password string) bool {
	if len(u.hashes) == 0 {
		return false
	}
	mac := hmac.New(sha256.New, u.key)
	fmt.Fprintf(mac, "%d:%s%s", len(user), user, password)
	login := [sha256.Size]byte(mac.Sum(nil))
	u.mu.Lock()
	isAccepted := u.accepted[login]
	u.mu.Unlock()
	if isAccepted {
		return true
	}
	hash, ok := u.hashes[user]
	if !ok {
		hash = u.noHash
	}
	u.running <- struct{}{}
	right := bcrypt.CompareHashAndPassword(hash, []byte(password)) == nil
	<-u.running
	if !right || !ok {
		return false
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.accepted) >= maxAccepted {
		clear(u.accepted)
	}
	u.accepted[login] = true
	return true
}
