package main

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"

	"golang.org/x/crypto/bcrypt"
)

// users are the users of --auth: lines "user:hash", as "htpasswd -B" writes them. nil
// admits everybody.
type users struct {
	hashes map[string][]byte
	nobody []byte        // the hash of no password, for users that are not there
	work   chan struct{} // so many passwords are compared at once
	key    []byte        // of known, new for each process

	mu    sync.Mutex
	known map[[sha256.Size]byte]bool // logins that were right: comparing is slow on purpose
}

const maxKnown = 4096

func readUsers(name string) (*users, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	u := &users{
		hashes: make(map[string][]byte), known: make(map[[sha256.Size]byte]bool),
		work: make(chan struct{}, runtime.GOMAXPROCS(0)), key: make([]byte, 32),
	}
	_, _ = rand.Read(u.key) // never fails
	cost := bcrypt.MinCost
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		user, hash, ok := strings.Cut(line, ":")
		own, err := bcrypt.Cost([]byte(hash))
		if !ok || user == "" || err != nil {
			return nil, &usageError{fmt.Sprintf("--auth: line %d of %s is no user:hash with a hash of bcrypt", n, name), "htpasswd -nB USER writes such a line"}
		}
		u.hashes[user], cost = []byte(hash), max(cost, own)
	}
	if len(u.hashes) == 0 {
		return nil, misuse("--auth: %s has no users", name)
	}
	u.nobody, err = bcrypt.GenerateFromPassword([]byte(rand.Text()), cost)
	return u, err
}

// admit reports whether the user of a request is admitted, and removes the password from
// the request. It asks other clients to log in.
//
// A client of the proxy logs in with Proxy-Authorization: its Authorization is for the
// server. A browser that visits the gateway logs in with Authorization.
func (u *users) admit(w http.ResponseWriter, r *http.Request) (user string, ok bool) {
	if u == nil {
		return "", true
	}
	credentials, challenge, status := "Authorization", "WWW-Authenticate", http.StatusUnauthorized
	if !strings.HasPrefix(r.RequestURI, "/") {
		credentials, challenge, status = "Proxy-Authorization", "Proxy-Authenticate", http.StatusProxyAuthRequired
	}
	user, password, ok := basic(r.Header.Get(credentials))
	if ok && u.has(user, password) {
		r.Header.Del(credentials)
		return user, true
	}
	w.Header().Set(challenge, `Basic realm="locus", charset="UTF-8"`)
	http.Error(w, "say who you are", status)
	return "", false
}

// basic reads credentials (RFC 7617).
func basic(field string) (user, password string, ok bool) {
	kind, token, _ := strings.Cut(field, " ")
	if !strings.EqualFold(kind, "basic") {
		return "", "", false
	}
	text, err := base64.StdEncoding.DecodeString(strings.TrimSpace(token))
	if err != nil {
		return "", "", false
	}
	return strings.Cut(string(text), ":")
}

// has reports whether the password is that of the user. It takes the same time for
// unknown users.
func (u *users) has(user, password string) bool {
	mac := hmac.New(sha256.New, u.key)
	fmt.Fprintf(mac, "%d:%s%s", len(user), user, password)
	login := [sha256.Size]byte(mac.Sum(nil))
	if u.knows(login) {
		return true
	}
	hash, ok := u.hashes[user]
	if !ok {
		hash = u.nobody
	}
	u.work <- struct{}{}
	right := bcrypt.CompareHashAndPassword(hash, []byte(password)) == nil
	<-u.work
	if right && ok {
		u.learn(login)
	}
	return right && ok
}

func (u *users) knows(login [sha256.Size]byte) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.known[login]
}

func (u *users) learn(login [sha256.Size]byte) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.known) >= maxKnown {
		clear(u.known)
	}
	u.known[login] = true
}
