package check

import (
	"fmt"
	"sync"
	"time"
)

// minSilent is how many requests in a row a server must leave without an answer before it
// is given up.
const minSilent = 3

// silences counts the requests in a row that servers do not answer. A server is given up
// after as many rounds of them as one URL gets attempts, if these were at least minSilent
// requests. So all its links take about as long as one of them.
type silences struct {
	mu      sync.Mutex
	servers map[string]*silence // without those that answered last
}

// A silence is that of one server, since its last answer.
type silence struct {
	requests int       // without an answer
	rounds   int       // of requests that began after the last round ended
	last     time.Time // when the last round ended
}

// add records that a server did not answer a request that began at a time.
func (s *silences) add(server string, began time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.servers[server]
	if at == nil {
		at = new(silence)
		if s.servers == nil {
			s.servers = make(map[string]*silence)
		}
		s.servers[server] = at
	}
	at.requests++
	if !began.Before(at.last) {
		at.rounds++
		at.last = time.Now()
	}
}

// end records that a server answered.
func (s *silences) end(server string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.servers, server)
}

// check returns an error if a server is given up. attempts is how many one URL gets.
func (s *silences) check(server string, attempts int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.servers[server]
	if at == nil || at.requests < minSilent || at.rounds < attempts {
		return nil
	}
	return &silentError{at.requests}
}

// A silentError says that no request was sent, because the server is given up.
type silentError struct{ requests int }

func (e *silentError) Error() string {
	return fmt.Sprintf("its server answered none of the last %d requests, and was not asked again", e.requests)
}
