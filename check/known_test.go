package check

import (
	"strconv"
	"testing"
	"time"
)

// A run keeps a bounded number of servers and folders, and the newest of them.
func TestKnownBounded(t *testing.T) {
	// attack: Links lead to very many servers or folders, so that a run remembers each | it remembers at most 100,000
	// of a kind, and then begins anew
	var s silences
	var c robotsCache
	var p prober
	for _, test := range []struct {
		name string
		add  func(key string)
		has  func(key string) bool
		size func() int
	}{
		{
			"silent servers",
			func(key string) { s.noteUnanswered(key, time.Time{}) },
			func(key string) bool { return s.servers[key] != nil },
			func() int { return len(s.servers) },
		},
		{
			"rules of servers",
			func(key string) { c.rulesFor(key) },
			func(key string) bool { _, isNew := c.rulesFor(key); return !isNew },
			func() int { return len(c.servers) },
		},
		{
			"probes of folders",
			func(key string) { p.probeOf(key) },
			func(key string) bool { _, isNew := p.probeOf(key); return !isNew },
			func() int { return len(p.folders) },
		},
	} {
		const most = 100_000
		for i := range most + 10 {
			key := "http://h" + strconv.Itoa(i)
			if test.add(key); !test.has(key) {
				t.Fatalf("%s: %q is forgotten at once", test.name, key)
			}
		}
		if n := test.size(); n > most {
			t.Errorf("a run keeps %d %s, want at most %d", n, test.name, most)
		}
	}
}
