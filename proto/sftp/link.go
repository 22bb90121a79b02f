package sftp

import (
	"net"
	"sync"
	"sync/atomic"
	"time"

	"locus/proto/internal/wire"
)

// A link is the connection below SSH. SSH reads from it all the time, even while no request waits for the server, so it
// has no deadlines. Instead the link closes itself if the server makes no progress for the idle limit while a request
// waits.
type link struct {
	net.Conn
	idle  time.Duration
	start time.Time

	waiting atomic.Bool  // a request waits for the server
	writing atomic.Int32 // the number of pending Writes
	heard   atomic.Int64 // the time of the last progress, as a Duration since start

	login atomic.Pointer[time.Timer] // ends a login that takes too long; nil outside of a login

	mu     sync.Mutex
	timer  *time.Timer // nil while no request uses the link
	reason error       // why the link was closed; nil while it is open
}

func newLink(conn net.Conn, idle time.Duration) *link {
	return &link{Conn: conn, idle: idle, start: time.Now()}
}

// Read reads from the server.
func (l *link) Read(p []byte) (int, error) {
	n, err := l.Conn.Read(p)
	if n > 0 {
		l.progress()
	}
	return n, err
}

// Write sends p.
func (l *link) Write(p []byte) (int, error) {
	l.writing.Add(1)
	defer l.writing.Add(-1)
	n, err := l.Conn.Write(p)
	if n > 0 {
		l.progress()
	}
	return n, err
}

// progress restarts the idle limit.
func (l *link) progress() { l.heard.Store(int64(time.Since(l.start))) }

// wait starts the idle limit, because a request waits for the server from now on.
func (l *link) wait() {
	l.progress()
	l.waiting.Store(true)
}

// rest stops the idle limit.
func (l *link) rest() { l.waiting.Store(false) }

// startLogin starts the idle limit for a login. A server that sends a byte now and then could continue a login for ever,
// so its time is limited too.
func (l *link) startLogin() {
	l.wait()
	l.login.Store(time.AfterFunc(2*l.idle, func() {
		l.abort(&wire.IdleError{Did: "did not end the login", Limit: 2 * l.idle})
	}))
}

// endLogin ends startLogin.
func (l *link) endLogin() {
	l.rest()
	l.login.Swap(nil).Stop()
}

// paused calls f, which may wait for a person, without the limits.
func (l *link) paused(f func() error) error {
	l.rest()
	defer l.wait()
	if timer := l.login.Load(); timer != nil && timer.Stop() {
		defer timer.Reset(2 * l.idle)
	}
	return f()
}

// watch starts to enforce the idle limit for a request.
func (l *link) watch() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer == nil && l.reason == nil {
		l.timer = time.AfterFunc(l.idle, l.check)
	}
}

// unwatch ends watch.
func (l *link) unwatch() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer != nil {
		l.timer.Stop()
		l.timer = nil
	}
}

// check closes the link if the server made no progress for the idle limit. Otherwise it checks again when the limit may
// have passed.
func (l *link) check() {
	next := l.idle
	if l.waiting.Load() {
		next -= time.Since(l.start) - time.Duration(l.heard.Load())
	}
	if next <= 0 {
		did := "sent nothing"
		if l.writing.Load() > 0 {
			did = "accepted nothing"
		}
		l.abort(&wire.IdleError{Did: did, Limit: l.idle})
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer != nil {
		l.timer.Reset(next)
	}
}

// abort closes the link for a reason, which err returns from then on. The first reason counts.
func (l *link) abort(reason error) {
	l.mu.Lock()
	if l.reason == nil {
		l.reason = reason
	}
	l.mu.Unlock()
	l.unwatch()
	_ = l.Conn.Close()
}

// err returns the reason of abort, or nil.
func (l *link) err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.reason
}

// Close closes the connection. SSH calls it.
func (l *link) Close() error {
	l.unwatch()
	return l.Conn.Close()
}
