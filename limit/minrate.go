package limit

import (
	"fmt"
	"io"
	"time"

	"locus/access"
	"locus/url"
)

// ErrTooSlow says that a server sent fewer bytes a second than Engine.MinRate. It is
// an access.ErrTemporary: another connection may be faster.
var ErrTooSlow = access.Reason("the server is too slow", access.ErrTemporary)

// minRatePeriod is how long a server is waited for until its rate is judged.
const minRatePeriod = 30 * time.Second

// A speedometer measures how fast a server sends. It counts only the time spent
// waiting for the server.
type speedometer struct {
	url    url.URL
	min    int64 // bytes a second
	waited time.Duration
	bytes  int64 // received in that time
}

// add records n bytes that were waited for since start. Once a period it returns
// ErrTooSlow if too few bytes came.
func (s *speedometer) add(n int, start time.Time) error {
	s.waited += time.Since(start)
	s.bytes += int64(n)
	if s.waited < minRatePeriod {
		return nil
	}
	bytes, waited := s.bytes, s.waited
	s.bytes, s.waited = 0, 0
	if float64(bytes) >= float64(s.min)*waited.Seconds() {
		return nil
	}
	why := fmt.Errorf("%w: it sent %d bytes in %v, fewer than %d a second", ErrTooSlow, bytes, waited.Round(time.Second), s.min)
	return &access.Error{Op: "read", URL: s.url, Err: why}
}

// measure makes the Body and the List of r fail if the server sends fewer than
// minRate bytes a second.
func measure(r *access.Resource, minRate int64) {
	s := &speedometer{url: r.URL, min: minRate}
	r.Body = &measuredBody{ReadCloser: r.Body, speed: s}
	if r.List != nil {
		r.List = &measuredList{list: r.List, speed: s}
	}
}

// A measuredBody fails if its bytes come too slowly.
type measuredBody struct {
	io.ReadCloser
	speed *speedometer
	err   error
}

func (b *measuredBody) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	start := time.Now()
	n, err := b.ReadCloser.Read(p)
	if err == nil {
		b.err = b.speed.add(n, start)
		err = b.err
	}
	return n, err
}

// A measuredList fails if its entries come too slowly. An entry counts as the bytes
// of its title and its URL, or as one.
type measuredList struct {
	list  access.Lister
	speed *speedometer
	err   error
}

func (l *measuredList) Next() (access.Entry, error) {
	if l.err != nil {
		return access.Entry{}, l.err
	}
	start := time.Now()
	e, err := l.list.Next()
	if err == nil {
		l.err = l.speed.add(max(len(e.Title)+len(e.URL.String()), 1), start) // for the next call
	}
	return e, err
}
