package gateway

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"sync"
	"time"
)

// tickets issues and checks tickets. A ticket proves that the gateway itself made a form, a
// redirect or a link for one purpose. A page of another server cannot read a ticket, because its
// scripts do not run here and other sites may not load the gateway's pages. The gateway trusts a
// request without a ticket less, so if code forgets to check for a ticket, the user is asked once
// too often.
//
// A ticket consists of the time when it was made, a random number, and a MAC over both, its
// purpose and its URL.
type tickets struct {
	mu           sync.Mutex
	key          []byte
	used, before map[ticketHead]bool // tickets that are valid once and were used after and before since
	since        time.Time
}

// A ticketHead is the time and the random number of a ticket.
type ticketHead [16]byte

const (
	ticketMAC = 16
	usedTime  = time.Minute // how long a used ticket is remembered at least; no ticket that is valid once is valid for longer
	maxUsed   = 16_384      // how many tickets may be used in this time
)

// A purpose is the use that a ticket allows. The zero purpose stands for no ticket.
type purpose struct {
	name     string
	lifetime time.Duration
	once     bool // a ticket is valid once
}

// isSet reports whether p is not the zero purpose.
func (p purpose) isSet() bool { return p != purpose{} }

var (
	forField   = purpose{name: "field", lifetime: 24 * time.Hour}               // a form of the gateway for any URL, which a user types
	forConfirm = purpose{name: "confirm", lifetime: time.Hour}                  // the button of the page that asks
	forOpen    = purpose{name: "open", lifetime: time.Minute, once: true}       // a URL that a program of the user hands to the browser
	forNews    = purpose{name: "news", lifetime: 30 * 24 * time.Hour}           // the cookie with the news server, instead of a URL
	forTyped   = purpose{name: "typed", lifetime: 30 * time.Second, once: true} // the redirect to a URL that the user has typed
	forGrant   = purpose{name: "grant", lifetime: 30 * time.Second, once: true} // the redirect to a URL that the user has confirmed
)

// setKey sets the key to secret, or to a random key if secret is empty.
func (t *tickets) setKey(secret []byte) {
	t.key = secret
	if len(secret) == 0 {
		t.key = make([]byte, sha256.Size)
		rand.Read(t.key) // it never fails
	}
}

// issue returns a new ticket for the purpose p and the URL about; "" for a purpose with any URL.
func (t *tickets) issue(p purpose, about string) string {
	var head ticketHead
	binary.BigEndian.PutUint64(head[:], uint64(time.Now().UnixMilli())) //nolint:gosec // it is after 1970
	rand.Read(head[8:])                                                 // it never fails
	return base64.RawURLEncoding.EncodeToString(append(head[:], t.mac(head, p, about)...))
}

// mac returns the first ticketMAC bytes of the MAC of head, the name of p and about.
func (t *tickets) mac(head ticketHead, p purpose, about string) []byte {
	m := hmac.New(sha256.New, t.key)
	m.Write(head[:])
	m.Write([]byte(p.name + "\x00" + about))
	return m.Sum(nil)[:ticketMAC]
}

// redeem checks a ticket for the purpose p and the URL about, and returns its age. If the ticket is
// valid once, redeem marks it as used, so a second call fails. ok is false if the text is not a
// ticket, or if the ticket is for another purpose or URL, has expired, or was used before although it
// is valid once.
func (t *tickets) redeem(ticket string, p purpose, about string) (age time.Duration, ok bool) {
	b, err := base64.RawURLEncoding.DecodeString(ticket)
	if err != nil || len(b) != len(ticketHead{})+ticketMAC {
		return 0, false
	}
	head := ticketHead(b)
	if !hmac.Equal(b[len(head):], t.mac(head, p, about)) {
		return 0, false
	}
	made := time.UnixMilli(int64(binary.BigEndian.Uint64(b))) //nolint:gosec // the MAC is right, so issue wrote it
	age = time.Since(made)
	if age > p.lifetime {
		return age, false
	}
	return age, !p.once || t.use(head)
}

// use marks a ticket as used, and reports whether this is the first use. It returns false, too, if it cannot remember the
// ticket, because too many tickets were used during the last minutes.
func (t *tickets) use(head ticketHead) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if now := time.Now(); t.used == nil || now.Sub(t.since) > usedTime {
		t.before, t.used, t.since = t.used, make(map[ticketHead]bool), now
	}
	if t.used[head] || t.before[head] || len(t.used) >= maxUsed {
		return false
	}
	t.used[head] = true
	return true
}
