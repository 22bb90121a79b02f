package limit

import (
	"fmt"
	"io"
	"time"

	"locus/access"
	"locus/internal/sentinel"
	"locus/url"
)

// ErrTooSlow says that a server sent fewer bytes a second than Engine.MinRate. It wraps access.ErrTemporary, because
// another connection may be faster.
var ErrTooSlow = sentinel.New("the server is too slow", access.ErrTemporary)

// minRatePeriod is the time of waiting for a server after which its rate is checked.
const minRatePeriod = 30 * time.Second

// measure makes the Body and the List of r fail if the server sends fewer than
// minRate bytes a second.
func measure(r *access.Resource, minRate int64) {
	m := &measured{ReadCloser: r.Body, list: r.List, url: r.URL, min: minRate}
	r.Body = m
	if r.List != nil {
		r.List = m
	}
}

// A measured is the Body and the List of a resource. It measures the speed at which the server sends, and counts only
// the time spent waiting for the server.
type measured struct {
	io.ReadCloser
	list   access.Lister
	url    url.URL
	min    int64 // bytes a second
	waited time.Duration
	bytes  int64 // received during waited
	err    error // set if the server was too slow
}

// Read reads from the Body, and measures the time. Once the server has been too slow, it returns m.err, which wraps
// ErrTooSlow.
func (m *measured) Read(p []byte) (int, error) {
	if m.err != nil {
		return 0, m.err
	}
	start := time.Now()
	n, err := m.ReadCloser.Read(p)
	if err == nil {
		m.add(n, start)
		err = m.err
	}
	return n, err
}

// Next returns the next entry of the List, and measures the time. An entry counts as the bytes of its title and URL,
// but at least one. Once the server has been too slow, the following call returns m.err.
func (m *measured) Next() (access.Entry, error) {
	if m.err != nil {
		return access.Entry{}, m.err
	}
	start := time.Now()
	e, err := m.list.Next()
	if err == nil {
		m.add(max(len(e.Title)+len(e.URL.String()), 1), start)
	}
	return e, err
}

// add counts n bytes for which the caller has waited since start. After each minRatePeriod of waiting it compares the
// rate with m.min, sets m.err if the rate was lower, and starts a new period.
func (m *measured) add(n int, start time.Time) {
	m.waited += time.Since(start)
	m.bytes += int64(n)
	if m.waited < minRatePeriod {
		return
	}
	if float64(m.bytes) < float64(m.min)*m.waited.Seconds() {
		why := fmt.Errorf("%w: it sent %d bytes in %v, fewer than %d a second", ErrTooSlow, m.bytes, m.waited.Round(time.Second), m.min)
		m.err = &access.Error{Op: "read", URL: m.url, Err: why}
	}
	m.waited, m.bytes = 0, 0
}
