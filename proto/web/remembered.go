package web

import "sync"

// maxRemembered is how many keys a remembered has. The next new key empties it.
const maxRemembered = 4096

// A remembered has values by their keys, which come from URLs. It is bounded, because a program may ask any number of
// servers. The zero remembered is empty. Several goroutines may use it at once.
type remembered[V any] struct {
	mu     sync.Mutex
	values map[string]V
}

// get returns the value of a key, or the zero value for an unknown key.
func (r *remembered[V]) get(key string) V {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.values[key]
}

// set sets the value of a key. If the key is new and r is full, set first removes all others.
func (r *remembered[V]) set(key string, value V) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.values[key]; r.values == nil || !known && len(r.values) >= maxRemembered {
		r.values = make(map[string]V)
	}
	r.values[key] = value
}
