package report

import (
	"bufio"
	"encoding/json"
	"io"
	"slices"
	"sync"
	"time"

	"locus/check"
	"locus/internal/weburl"
)

// Known contains good results of earlier runs, for Known in [check.Checker]. The zero Known is empty. Several
// goroutines may use it at once. It must not be copied.
//
//	known, err := report.ReadKnown(file, time.Now().Add(-24*time.Hour))
//	…
//	checker := check.Checker{Engine: client, Known: known.Get, Notify: known.Add}
//	err = checker.Run(ctx, q)
//	…
//	err = known.Write(file)
type Known struct {
	mu  sync.Mutex
	all map[string]check.Result // by URL
}

// ReadKnown reads results that Write wrote, except results that are older than oldest or lie in the future. It skips
// invalid lines, because their URLs are then only checked again. The error is an error of from, or says that a line is
// too long.
func ReadKnown(from io.Reader, oldest time.Time) (*Known, error) {
	k := new(Known)
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var r check.Result
		if json.Unmarshal(lines.Bytes(), &r) == nil && !r.Time.Before(oldest) && !r.Time.After(time.Now()) {
			k.Add(r)
		}
	}
	return k, lines.Err()
}

// Get returns the result for a URL. The bool is false if there is no result.
func (k *Known) Get(u string) (check.Result, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	r, ok := k.all[u]
	return r, ok
}

// Add adds a result. It ignores a result that is not Good, or whose URL or redirects contain a password.
func (k *Known) Add(r check.Result) {
	hasSecret := func(h check.Hop) bool { return mayHavePassword(h.To) }
	if r.Status != check.Good || mayHavePassword(r.URL) || slices.ContainsFunc(r.Hops, hasSecret) {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.all == nil {
		k.all = make(map[string]check.Result)
	}
	k.all[r.URL] = r
}

// mayHavePassword reports whether text is a URL with a password, or a text in which a password cannot be recognised,
// because it is not a URL.
func mayHavePassword(text string) bool {
	u, err := weburl.Parse(text)
	return err != nil || u.Redacted() != text
}

// Write writes the results as JSON objects, one in each line.
func (k *Known) Write(w io.Writer) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	enc := json.NewEncoder(w)
	for _, r := range k.all {
		r.Known = false
		if err := enc.Encode(r); err != nil {
			return err
		}
	}
	return nil
}
