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
// waits, or if the wait takes maxSlowIdles idle limits. A wait is for one packet of SFTP.
type link struct {
	net.Conn
	idle  time.Duration
	start time.Time

	waiting atomic.Bool  // a request waits for the server
	writing atomic.Int32 // the number of pending Writes
	heard   atomic.Int64 // the time of the last progress, as a Duration since start
	asked   atomic.Int64 // the time when the last wait began, as a Duration since start

	login atomic.Pointer[time.Timer] // ends a login that takes too long; nil outside of a login

	mu     sync.Mutex
	timer  *time.Timer // nil while no request uses the link
	reason error       // why the link was closed; nil while it is open
}

// maxSlowIdles limits a wait to a number of idle limits, because a server could extend it for ever with messages of SSH
// that have no data.
const maxSlowIdles = 10

// newLink returns a link over conn, whose idle limit is idle. The limit does not apply before watch and wait.
func newLink(conn net.Conn, idle time.Duration) *link {
	return &link{Conn: conn, idle: idle, start: time.Now()}
}

// Read reads from the server. It restarts the idle limit.
func (l *link) Read(p []byte) (int, error) {
	n, err := l.Conn.Read(p)
	if n > 0 {
		l.progress()
	}
	return n, err
}

// Write sends p. It restarts the idle limit.
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

// startWaiting starts the idle limit and the limit of the whole wait, because a request waits for the server from now on.
func (l *link) startWaiting() {
	l.progress()
	l.asked.Store(l.heard.Load())
	l.waiting.Store(true)
}

// stopWaiting stops both limits until the next startWaiting.
func (l *link) stopWaiting() { l.waiting.Store(false) }

// startLogin starts the idle limit for a login, and a limit for the whole login, because a server that sends a byte now
// and then could continue a login for ever.
func (l *link) startLogin() {
	l.startWaiting()
	l.login.Store(time.AfterFunc(2*l.idle, func() {
		l.abort(&wire.IdleError{Did: "did not end the login", Limit: 2 * l.idle})
	}))
}

// endLogin stops the limits that startLogin has started.
func (l *link) endLogin() {
	l.stopWaiting()
	l.login.Swap(nil).Stop()
}

// paused calls f, which may wait for a person, and returns its error. The limits stop while f runs.
func (l *link) paused(f func() error) error {
	l.stopWaiting()
	defer l.startWaiting()
	if timer := l.login.Load(); timer != nil && timer.Stop() {
		defer timer.Reset(2 * l.idle)
	}
	return f()
}

// watch starts the timer that enforces the idle limit. The limit counts only between startWaiting and stopWaiting.
func (l *link) watch() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer == nil && l.reason == nil {
		l.timer = time.AfterFunc(l.idle, l.checkIdle)
	}
}

// unwatch stops the timer that watch has started.
func (l *link) unwatch() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer != nil {
		l.timer.Stop()
		l.timer = nil
	}
}

// checkIdle closes the link if a request waits and one of the limits has passed. Otherwise it starts the timer again, for
// the time when the next limit may have passed.
func (l *link) checkIdle() {
	next, slow := l.idle, maxSlowIdles*l.idle
	if l.waiting.Load() {
		now := time.Since(l.start)
		next -= now - time.Duration(l.heard.Load())
		slow -= now - time.Duration(l.asked.Load())
	}
	switch {
	case next <= 0 && l.writing.Load() > 0:
		l.abort(&wire.IdleError{Did: "accepted nothing", Limit: l.idle})
		return
	case next <= 0:
		l.abort(&wire.IdleError{Did: "sent nothing", Limit: l.idle})
		return
	case slow <= 0:
		l.abort(&wire.IdleError{Did: "did not end a packet", Limit: maxSlowIdles * l.idle})
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer != nil {
		l.timer.Reset(min(next, slow))
	}
}

// abort closes the link for a reason, which err returns from then on. If abort is called again, the first reason
// stays.
func (l *link) abort(reason error) {
	l.mu.Lock()
	if l.reason == nil {
		l.reason = reason
	}
	l.mu.Unlock()
	l.unwatch()
	_ = l.Conn.Close()
}

// err returns the reason for which abort closed the link, or nil.
func (l *link) err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.reason
}

// Close closes the connection, and stops the timer. err stays nil. SSH calls it.
func (l *link) Close() error {
	l.unwatch()
	return l.Conn.Close()
}
