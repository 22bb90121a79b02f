package gateway

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/coder/websocket"

	"locus/access"
	"locus/url"
)

var (
	errNoSession = &refusal{http.StatusNotFound, "the URL does not name an interactive session", ""}
	errUpgrade   = &refusal{http.StatusUpgradeRequired, "a session needs a WebSocket", ""}
	errSessions  = &refusal{http.StatusTooManyRequests, "you have too many sessions", "end another one"}
	errOrigin    = &refusal{http.StatusForbidden, "pages of other sites may not open a session", ""}
)

// Why a session ends if neither side ended it.
var (
	errIdle    = errors.New("nothing was typed for too long")
	errTooLong = errors.New("the session reached its time limit")
	errSlow    = errors.New("the server does not answer")
	errStopped = errors.New("the gateway is stopping")
	errGarbage = errors.New("the page sent an invalid message")
	errGone    = errors.New("the browser closed the connection")
)

// Sessions bounds interactive sessions in pages.
type Sessions struct {
	// Idle is how long nothing may be typed; 0: 30 minutes.
	Idle time.Duration

	// Total is how long a session may last; 0: 12 hours.
	Total time.Duration

	// PerClient is how many sessions a client may have at once; 0: 8. A client is
	// an IPv4 address or an IPv6 /64.
	PerClient int
}

func (s Sessions) idle() time.Duration  { return or(s.Idle, 30*time.Minute) }
func (s Sessions) total() time.Duration { return or(s.Total, 12*time.Hour) }

// or returns n, or usual if n is 0 or less.
func or[N int | time.Duration](n, usual N) N {
	if n > 0 {
		return n
	}
	return usual
}

// session answers with the page of an interactive service.
func (x *exchange) session() {
	shown, err := x.url.Without(url.Password) // the user types it
	if err != nil {
		shown = x.url
	}
	x.w.Header().Set("Cache-Control", "no-store")
	p := sessionPage{x.page(nameOf(x.url)), x.url.String(), ownLink(x.url), "locus open " + shellQuoted(shown.String())}
	x.write(http.StatusOK, p.html())
}

// A sessionPage is the page of an interactive service.
type sessionPage struct {
	page
	URL     string
	Link    templ.SafeURL // the URL itself, for a terminal program of the user
	Command string        // the command that opens it in a terminal
}

// ownLink returns a session or an address itself. The user's browser may have a program
// for it.
func ownLink(u url.URL) templ.SafeURL {
	return asLink(u.String())
}

// shellQuoted quotes a word for a shell.
func shellQuoted(word string) string {
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// isSessionSocket reports whether r is the request of the script in a session's page.
func isSessionSocket(r *http.Request) bool {
	return strings.HasPrefix(r.RequestURI, ownPath) && r.URL.Path == ownPath+"session"
}

// sessionSocket opens a session for the script of its page. Keys come and screens go
// over a WebSocket (RFC 6455).
func (x *exchange) sessionSocket() error {
	u, err := url.Parse(x.query("url"))
	if err != nil || !isSession(u) {
		return errNoSession
	}
	x.url = u // a page of the gateway asks for it: see sameOrigin
	if !strings.EqualFold(x.r.Header.Get("Upgrade"), "websocket") {
		x.w.Header().Set("Upgrade", "websocket")
		return errUpgrade
	}
	if !sameOrigin(x.r) {
		return errOrigin
	}
	conn, err := websocket.Accept(x.w, x.r, nil)
	if err != nil {
		x.log(err) // it has answered
		return nil
	}
	defer conn.CloseNow() //nolint:errcheck // it is closed already if all went well
	conn.SetReadLimit(maxMessageSize)
	p := &browser{conn: conn}
	err = x.sessions.enter(x.client, math.MaxInt, or(x.Sessions.PerClient, 8))
	if err != nil {
		p.sendEnd(x.endingOf(errSessions))
		return nil
	}
	defer x.sessions.leave(x.client)
	err = x.runSession(p)
	if err != nil && !errors.Is(err, errGone) {
		x.log(err)
	}
	p.sendEnd(x.endingOf(translatePanic(err)))
	return nil
}

// endingOf returns what the page of a session says about its end. err is nil if the server
// ended it.
func (x *exchange) endingOf(err error) ending {
	if err == nil {
		return ending{Text: "the server ended the session"}
	}
	host, _ := x.url.Host()
	_, isRefusedPort := access.RemedyFor(err).(access.AllowPort)
	if isRefusedPort || connecting(err, host) != "" {
		return ending{Text: strings.TrimSpace(x.sentence(err) + " " + adviceOn(err))}
	}
	return ending{err.Error(), access.Hint(err)}
}

// sameOrigin reports whether the request comes from a page of the gateway. Browsers
// send the origin of a WebSocket; programs need not.
func sameOrigin(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	_, host, _ := strings.Cut(origin, "://")
	return origin == "" || strings.EqualFold(host, r.Host)
}

// runSession opens a session and runs it until it ends. It returns why it ended; nil
// if the server ended it.
func (x *exchange) runSession(p *browser) (err error) {
	defer access.CatchPanic(&err) // of session
	ctx, cancel := context.WithCancelCause(x.r.Context())
	defer cancel(nil)
	stop := x.afterTimeout(func() { cancel(errSlow) })
	resource, err := x.recovers.Do(ctx, &access.Request{URL: x.url, Client: x.client})
	stop()
	if err != nil {
		return cause(ctx, translateBusy(err))
	}
	defer resource.Body.Close()
	session := resource.Session
	if session == nil {
		return errNoSession
	}
	if columns, rows, ok := x.sizeOfPage(); ok { // before the session asks for it
		if err := session.Resize(columns, rows); err != nil {
			return err
		}
	}
	s := newRelay(p, resource.Body, session)
	return s.run(ctx, cancel, x.Sessions, newSessionStart(session, resource.Login))
}

// sizeOfPage returns the columns and rows that the page has room for, as its request says.
func (x *exchange) sizeOfPage() (columns, rows int, ok bool) {
	columns, err := strconv.Atoi(x.query("columns"))
	rows, err2 := strconv.Atoi(x.query("rows"))
	return clamp(columns, maxColumns), clamp(rows, maxRows), err == nil && err2 == nil
}

// afterTimeout calls f after Timeout, unless stop is called before.
func (g *Gateway) afterTimeout(f func()) (stop func()) {
	if g.Timeout <= 0 {
		return func() {}
	}
	timer := time.AfterFunc(g.Timeout, f)
	return func() { timer.Stop() }
}

// cause returns why ctx is done, or err if it is not.
func cause(ctx context.Context, err error) error {
	switch why := context.Cause(ctx); {
	case why == nil:
		return err
	case errors.Is(why, context.Canceled):
		return errStopped
	default:
		return why
	}
}
