package gateway

import (
	"cmp"
	"context"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/coder/websocket"

	"locus/access"
	"locus/access/engine"
	"locus/gateway/internal/entry"
	"locus/gateway/internal/page"
	"locus/gateway/internal/refuse"
	"locus/gateway/internal/session"
	"locus/url"
)

var (
	errNoSession = refuse.New(http.StatusNotFound, "this URL does not name an interactive session", "")
	errUpgrade   = refuse.New(http.StatusUpgradeRequired, "an interactive session needs a WebSocket", "")
	errSessions  = refuse.New(http.StatusTooManyRequests, "you have too many sessions at once", "end another session first")
	errOrigin    = refuse.New(http.StatusForbidden, "pages of other sites may not open a session", "")
)

var errSlow = errors.New("the server does not answer")

// Sessions bounds interactive sessions in pages.
type Sessions struct {
	// Idle is how long a session may last without a key of the user. 0 means 30 minutes, and a
	// negative value means no limit.
	Idle time.Duration

	// Total is how long a session may last. 0 means 12 hours, and a negative value means no
	// limit.
	Total time.Duration

	// PerClient is how many sessions a client may have at once. A client is an IPv4 address or
	// an IPv6 /64. 0 means 8, and a negative value means no limit.
	PerClient int

	// Max is how many sessions all clients may have at once. 0 means 1024, and a negative value
	// means no limit.
	Max int
}

// limits returns the bounds of one session.
func (s Sessions) limits() session.Limits {
	return session.Limits{Idle: lasting(s.Idle, 30*time.Minute), Total: lasting(s.Total, 12*time.Hour)}
}

// or returns the limit n, or usual if n is 0. For a negative n, no limit, it returns half of the
// greatest int, so that sums of limits fit.
func or(n, usual int) int {
	if n < 0 {
		return math.MaxInt / 2
	}
	return cmp.Or(n, usual)
}

// lasting returns the duration d, or usual if d is 0. For a negative d, no limit, it returns the
// greatest duration.
func lasting(d, usual time.Duration) time.Duration {
	if d < 0 {
		return math.MaxInt64
	}
	return cmp.Or(d, usual)
}

// isSessionSocket reports whether r is the request of the script in a session's page.
func isSessionSocket(r *http.Request) bool {
	return strings.HasPrefix(r.RequestURI, page.OwnPath) && r.URL.Path == page.OwnPath+"session"
}

// session opens a session for the script of its page, and relays it until it ends. Keys come and
// screens go over a WebSocket (RFC 6455). It returns an error only before the WebSocket is open.
// Later errors are shown on the page.
func (x handler) session() error {
	u, err := x.r.parse("url")
	if err != nil || !entry.IsSession(u) {
		return errNoSession
	}
	if !strings.EqualFold(x.r.Header.Get("Upgrade"), "websocket") {
		t, err := x.admit(u, nil) // because the page of the error has links to u
		if err != nil {
			return err
		}
		x.w.Header().Set("Upgrade", "websocket")
		return t.fails(errUpgrade)
	}
	if !sameOrigin(x.r.Request) { // instead of admit, because only pages of the gateway run a script
		return errOrigin
	}
	conn, err := websocket.Accept(x.w, x.r.Request, nil)
	if err != nil {
		x.w.log(u, err) // Accept has answered
		return nil
	}
	defer conn.CloseNow() //nolint:errcheck // End has usually closed it already
	p := session.NewBrowser(conn)
	err = x.g.sessions.enter(x.r.client, or(x.g.Sessions.Max, 1024), or(x.g.Sessions.PerClient, 8))
	if errors.Is(err, errClient) {
		err = errSessions
	}
	if err != nil {
		p.End(endingOf(u, err))
		return nil
	}
	defer x.g.sessions.leave(x.r.client)
	err = x.g.runSession(x.r, u, p)
	if err != nil && !errors.Is(err, session.ErrGone) {
		x.w.log(u, err)
	}
	p.End(endingOf(u, translatePanic(err)))
	return nil
}

// endingOf returns the text with which the page explains why the session at u ended with err. err is
// nil if the server ended the session.
func endingOf(u url.URL, err error) session.Ending {
	if err == nil {
		return session.Ending{Text: "the server ended the session"}
	}
	host, _ := u.Host()
	_, isRefusedPort := access.RemedyFor(err).(access.AllowPort)
	if isRefusedPort || connecting(err, host) != "" {
		f := failure{target{url: u}, err}
		return session.Ending{Text: strings.TrimSpace(f.sentence() + " " + adviceOn(err))}
	}
	return session.Ending{Text: err.Error(), Hint: access.Hint(err)}
}

// sameOrigin reports whether a page of the gateway, or a program, sent the request. A browser sends
// the origin of a WebSocket. A request without an origin comes from a program.
func sameOrigin(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	_, host, _ := strings.Cut(origin, "://")
	return origin == "" || strings.EqualFold(host, r.Host)
}

// runSession opens the session at u and relays it to p until it ends. It returns nil if the server
// ended the session, and otherwise the reason. It does not close p.
func (g *Gateway) runSession(r request, u url.URL, p *session.Browser) (err error) {
	defer engine.CatchPanic(&err) // a panic of package session
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	stop := g.afterTimeout(func() { cancel(errSlow) })
	resource, err := g.recovers.Do(ctx, &access.Request{URL: u, Client: r.client})
	stop()
	if err != nil {
		return session.Cause(ctx, translateBusy(err))
	}
	defer resource.Body.Close()
	if resource.Session == nil {
		return errNoSession
	}
	columns, rows := r.sizeOfPage()
	return session.Run(ctx, cancel, p, resource, columns, rows, g.Sessions.limits())
}

// sizeOfPage returns how many columns and rows the page of a session has room for, or 0 and 0 if the
// request of the page does not say.
func (r request) sizeOfPage() (columns, rows int) {
	columns, err := strconv.Atoi(r.query("columns"))
	rows, err2 := strconv.Atoi(r.query("rows"))
	if err != nil || err2 != nil {
		return 0, 0
	}
	return max(columns, 1), max(rows, 1)
}

// afterTimeout calls f in a goroutine after Timeout, unless stop is called earlier. It never calls f
// if Timeout is 0 or negative.
func (g *Gateway) afterTimeout(f func()) (stop func()) {
	if g.Timeout <= 0 {
		return func() {}
	}
	timer := time.AfterFunc(g.Timeout, f)
	return func() { timer.Stop() }
}
