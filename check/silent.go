package check

import (
	"fmt"
	"sync"
	"time"
)

// minSilent is the least number of consecutive requests that a server must leave unanswered before it is given up.
const minSilent = 3

// silences counts the consecutive requests that servers do not answer. A server is given up after as many rounds of
// such requests as one URL gets attempts, if these were at least minSilent requests. So all links to a server take
// about as long as one of them. In a run with very many silent servers, a server that is given up may be forgotten,
// which costs its rounds once more.
type silences struct {
	mu      sync.Mutex
	servers map[string]*silence // does not have the servers that answered the last request
}

// A silence counts the unanswered requests to one server since its last answer.
type silence struct {
	requests int       // the number of unanswered requests
	rounds   int       // the number of rounds; the requests of a round began after the last round ended
	last     time.Time // the end of the last round
}

// noteUnanswered records that a server did not answer a request that began at the time began. Requests that overlap
// count as one round.
func (s *silences) noteUnanswered(server string, began time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.servers[server]
	if at == nil {
		at = new(silence)
		s.servers = remember(s.servers, server, at)
	}
	at.requests++
	if !began.Before(at.last) {
		at.rounds++
		at.last = time.Now()
	}
}

// noteAnswered records that a server answered, so that its count begins again.
func (s *silences) noteAnswered(server string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.servers, server)
}

// check returns a *silentError if a server is given up, and nil otherwise. attempts is the number of attempts that one
// URL gets, and so the number of rounds without an answer after which a server is given up.
func (s *silences) check(server string, attempts int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.servers[server]
	if at == nil || at.requests < minSilent || at.rounds < attempts {
		return nil
	}
	return &silentError{at.requests}
}

// A silentError says that a request was not sent because its server is given up.
type silentError struct{ requests int }

func (e *silentError) Error() string {
	return fmt.Sprintf("its server answered none of the last %d requests, and was not asked again", e.requests)
}
