package spill

import "sync"

// A Set is a set of texts. It holds their hashes. Several goroutines may use it at once.
type Set struct {
	mu   sync.Mutex
	keys Table
}

// NewSet returns an empty Set, whose keys are in s.
func NewSet(s *Store) *Set { return &Set{keys: Table{store: s, keysOnly: true}} }

// Add adds text. It returns true if text is new, and false if text was in the set or the Store
// has failed.
func (s *Set) Add(text string) bool {
	key := KeyOf(text)
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, old := s.keys.Get(key); old {
		return false
	}
	s.keys.Put(key, 0)
	return true
}

// Has reports whether text was added. After the Store has failed it reports true.
func (s *Set) Has(text string) bool {
	key := KeyOf(text)
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.keys.Get(key)
	return ok
}
