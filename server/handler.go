package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"locus/gateway"
	"locus/internal/render"
	"locus/internal/weburl"
)

// ServeHTTP admits the client of a request, answers the request with Handler, and logs and counts the response. It is
// for programs with an http.Server of their own; Serve uses it, too. It panics with http.ErrAbortHandler if the
// response was not sent to its end.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.requests.Add(1)
	defer s.requests.Done()
	c, _ := r.Context().Value(arrivalKey{}).(*targetConn)
	if c != nil {
		r = c.restore(r)
	}
	o := newOutcome(w, r, s.maxStall())
	o.conn = c
	defer o.release() //nolint:errcheck // finish has returned the error, or the response is aborted
	if r.Method != http.MethodConnect && r.ContentLength != 0 {
		r.Body = newDeadlineBody(r, &o.control, s.maxStall())
	}
	if r.ProtoMajor == 1 && len(r.TransferEncoding) > 0 {
		// The connection closes, because net/http hides whether the request also had a Content-Length.
		// If it had, a proxy may have found another end of this request (RFC 9112 §6.1).
		o.closes = true
	}
	user, whole := "", false
	defer func() { s.record(o, r, user, whole) }() // even if Handler panics
	var isAdmitted bool
	r, err := s.asSent(r)
	if err != nil {
		refuse(o, r, http.StatusBadRequest, "Unknown client", "the proxy before the gateway does not name the client: "+err.Error())
	} else if user, isAdmitted = s.admit(o, r); isAdmitted {
		if r.Method == http.MethodConnect {
			r = r.WithContext(context.WithValue(r.Context(), tunnelClientKey{}, s.newTunnelClient(r, user)))
		}
		s.answer(o, r)
	}
	o.extendDeadline()
	if err := o.finish(r); err != nil {
		panic(http.ErrAbortHandler)
	}
	whole = true
}

// admit reports whether a request is admitted: because its login is right, because it is in a tunnel whose client was
// admitted, or because it asks for the /robots.txt of WithoutRobots. user is "" without a login. If ok is false, admit
// has sent the response, which usually asks the client to log in.
func (s *Server) admit(w http.ResponseWriter, r *http.Request) (user string, ok bool) {
	if _, answersRobots := s.Handler.(withoutRobots); answersRobots && isRobots(r) {
		return "", true
	}
	if tunnel, ok := r.Context().Value(tunnelKey{}).(*intercepted); ok && tunnel.client.server == s {
		return tunnel.client.user, true
	}
	return s.Users.admit(w, r)
}

// answer passes an admitted request to Handler. Without a Handler it answers with 404. It catches a panic of Handler,
// except http.ErrAbortHandler.
func (s *Server) answer(o *outcome, r *http.Request) {
	o.guarded = s.Users != nil && strings.HasPrefix(r.RequestURI, "/")
	if s.Handler == nil {
		http.NotFound(o, r)
		return
	}
	defer s.catchPanic(o, r)
	s.Handler.ServeHTTP(o, r)
}

// catchPanic recovers from a panic of Handler, so that it costs one request only. Call it with defer. It logs the panic
// with its stack and without the tokens of URLs, and answers with 500. If a response has begun, it panics with
// http.ErrAbortHandler instead, which aborts the response.
func (s *Server) catchPanic(o *outcome, r *http.Request) {
	v := recover()
	if v == nil {
		return
	}
	if err, ok := v.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(http.ErrAbortHandler)
	}
	if s.Log != nil {
		s.Log.LogAttrs(r.Context(), slog.LevelError, "handler panicked",
			slog.String("client", r.RemoteAddr), slog.String("target", render.Clean(targetOf(r))),
			slog.String("error", render.MaskedText(fmt.Sprint(v))), slog.String("stack", string(debug.Stack())))
	}
	if o.code != 0 {
		panic(http.ErrAbortHandler)
	}
	clear(o.Header())
	refuse(o, r, http.StatusInternalServerError, "The gateway failed", "the gateway failed because of a bug in it")
}

// refuse answers a request with an error status, in the place of Handler. If the client accepts HTML, the response is a
// page with title and text; otherwise it is the text. text begins in lower case and has no period.
func refuse(w http.ResponseWriter, r *http.Request, status int, title, text string) {
	if !strings.Contains(r.Header.Get("Accept"), "text/html") {
		http.Error(w, text, status)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	fmt.Fprintf(w, refusalPage, title, title, strings.ToUpper(text[:1])+text[1:])
}

// refusalPage is a page with a title, a heading and a sentence.
const refusalPage = `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>%s</title>
<style>body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 2rem auto; padding: 0 1rem }</style></head>
<body><main><h1>%s</h1><p>%s.</p></main></body>
</html>
`

// record logs a response and counts it in the metrics. user is the name in the login, or "". whole says whether the
// response was sent to its end. The log contains neither passwords nor input of forms.
func (s *Server) record(o *outcome, r *http.Request, user string, whole bool) {
	took := time.Since(o.start)
	s.metrics().answered(o, took, whole)
	level := slog.LevelInfo
	if !whole {
		level = slog.LevelWarn
	}
	if s.Log == nil || !s.Log.Enabled(r.Context(), level) {
		return
	}
	about := []slog.Attr{
		slog.String("client", r.RemoteAddr), slog.String("user", user), slog.String("method", r.Method),
		slog.String("target", render.Clean(targetOf(r))), slog.Int("status", o.status()), slog.Int64("bytes", o.sent),
		slog.Duration("took", took), slog.Bool("whole", whole),
	}
	if o.status() == http.StatusMisdirectedRequest { // the administrator may have forgotten the name
		about = append(about, slog.String("unknown_host", render.Clean(r.Host)))
	}
	s.Log.LogAttrs(r.Context(), level, "answered", about...)
}

// targetOf returns the text that identifies the target of r in the log: the URL without its passwords. For a page of
// the gateway it returns the page and, if the query has a valid URL, this URL. For CONNECT it returns the host and the
// port. For an invalid URL it returns "no URL".
func targetOf(r *http.Request) string {
	if r.Method == http.MethodConnect {
		return r.RequestURI
	}
	if u, ok, err := gateway.MountTarget(r.RequestURI); ok {
		if err != nil {
			return "no URL"
		}
		return "/-/dav/ " + render.Masked(u)
	}
	if own, query, ok := strings.Cut(r.RequestURI, "?"); ok && strings.HasPrefix(own, "/-/") {
		u, err := weburl.Parse(r.URL.Query().Get("url"))
		if err != nil || query == "" {
			return own
		}
		return own + " " + render.Masked(u)
	}
	u, err := weburl.Parse(strings.TrimPrefix(r.RequestURI, "/"))
	if err != nil {
		return "no URL"
	}
	return render.Masked(u)
}

// An outcome is the ResponseWriter of a request. It records the response, and sets
// deadlines for the client.
type outcome struct {
	http.ResponseWriter
	control  http.ResponseController
	conn     *targetConn // nil if the connection cannot gather the response
	maxStall time.Duration
	start    time.Time
	way      string    // see wayOf
	code     int       // the status; 0 before the header is written
	sent     int64     // bytes of the body
	guarded  bool      // the client has logged in here, so it cannot send a server another password
	closes   bool      // the response is the last of its connection
	until    time.Time // the write deadline
}

// newOutcome returns the outcome of r, which writes to w and takes the time from now on. A client may stall for
// maxStall.
func newOutcome(w http.ResponseWriter, r *http.Request, maxStall time.Duration) *outcome {
	return &outcome{ResponseWriter: w, control: *http.NewResponseController(w), maxStall: maxStall, start: time.Now(), way: wayOf(r)}
}

// wayOf returns the kind of a request, the label "way" in the metrics: "tunnel" for CONNECT, "proxy" for a URL in
// absolute form, "session" for a terminal session, "own" for another page of the gateway, and "gateway" for a URL in
// the path.
func wayOf(r *http.Request) string {
	switch {
	case r.Method == http.MethodConnect:
		return "tunnel"
	case !strings.HasPrefix(r.RequestURI, "/"):
		return "proxy"
	case strings.HasPrefix(r.RequestURI, "/-/session?"):
		return "session"
	case r.RequestURI == "/", strings.HasPrefix(r.RequestURI, "/-/"):
		return "own"
	}
	return "gateway"
}

// Unwrap returns the ResponseWriter of net/http, for http.ResponseController.
func (o *outcome) Unwrap() http.ResponseWriter { return o.ResponseWriter }

// SetWriteDeadline sets the time at which a Write fails, for http.ResponseController. It ignores a deadline that is
// later than the last one by at most maxStall/8. This saves a system call.
func (o *outcome) SetWriteDeadline(deadline time.Time) error {
	if later := deadline.Sub(o.until); !o.until.IsZero() && later >= 0 && later <= o.maxStall/8 {
		return nil
	}
	o.until = deadline
	return o.control.SetWriteDeadline(deadline)
}

// WriteHeader records the status, sets the write deadline, and passes the status on. The connection then gathers a
// short response. If the client has logged in here, a 401 of the Handler becomes a 403 without WWW-Authenticate,
// because the client cannot send another password.
func (o *outcome) WriteHeader(status int) {
	if o.guarded && status == http.StatusUnauthorized {
		o.Header().Del("WWW-Authenticate")
		status = http.StatusForbidden
	}
	if o.closes {
		o.Header().Set("Connection", "close") // at the last moment, after a proxy has replaced the header
	}
	if o.code == 0 && (status >= 200 || status == http.StatusSwitchingProtocols) {
		o.code = status
	}
	o.extendDeadline()
	o.ResponseWriter.WriteHeader(status)
	if o.conn != nil && status >= http.StatusOK && isShort(o.Header()) {
		o.conn.hold()
	}
}

// Write writes b to the client, and counts the bytes that were sent. It sends the header with 200 if no header was
// sent.
func (o *outcome) Write(b []byte) (int, error) {
	if o.code == 0 {
		o.WriteHeader(http.StatusOK)
	}
	o.extendDeadline()
	n, err := o.ResponseWriter.Write(b)
	o.sent += int64(n)
	return n, err
}

// finish sends the end of an HTTP/1 response and returns the error of sending. net/http would send the end only after
// the handler has returned, and then an error would not count as an aborted response. finish leaves a response without
// Content-Length to net/http, which then finds the length.
func (o *outcome) finish(r *http.Request) error {
	if o.closes && o.code == 0 {
		o.WriteHeader(http.StatusOK)
	}
	if r.ProtoMajor != 1 || o.code == 0 || o.Header()["Content-Length"] == nil {
		return nil
	}
	return o.FlushError()
}

// FlushError sends the bytes that net/http and the connection have buffered. It is for http.ResponseController.
func (o *outcome) FlushError() error {
	if err := o.control.Flush(); err != nil {
		return err
	}
	return o.release()
}

// release sends the bytes that the connection has gathered.
func (o *outcome) release() error {
	if o.conn == nil {
		return nil
	}
	return o.conn.release()
}

// extendDeadline gives the client maxStall from now for the next write. It has no effect on a hijacked connection,
// which sets its own deadline.
func (o *outcome) extendDeadline() {
	_ = o.SetWriteDeadline(time.Now().Add(o.maxStall)) // some writers, such as a recorder in a test, have no deadlines
}

// status returns the status that was sent, or 200 if the handler has not set one.
func (o *outcome) status() int {
	if o.code == 0 {
		return http.StatusOK
	}
	return o.code
}

// minBodyRate is the number of bytes that a client must send of a body in each second, after
// maxStall.
const minBodyRate = 256

// maxSaved is how much time a client that sends faster than minBodyRate can save up for a slow stretch.
const maxSaved = 10 * time.Minute

// A deadlineBody is the body of a request. Read fails when the client stalls, or when
// it sends less than minBodyRate. The time between Reads does not count.
type deadlineBody struct {
	io.ReadCloser
	control  *http.ResponseController
	maxStall time.Duration
	left     time.Duration // the time that Reads may still wait
}

// newDeadlineBody returns a body that reads from r.Body with deadlines. For HTTP/1 it sets the first deadline at once,
// because net/http itself reads the unread bytes of the body before and after a response.
func newDeadlineBody(r *http.Request, control *http.ResponseController, maxStall time.Duration) *deadlineBody {
	if r.ProtoMajor == 1 {
		_ = control.SetReadDeadline(time.Now().Add(maxStall))
	}
	return &deadlineBody{r.Body, control, maxStall, maxStall}
}

// Read reads from the body. It fails if the client sends no byte for maxStall, or if the client is slower than
// minBodyRate bytes per second. Only the time in which Reads have waited counts, without the first maxStall. At most
// maxSaved of the time counts in which the client was faster.
func (b *deadlineBody) Read(p []byte) (int, error) {
	start := time.Now()
	_ = b.control.SetReadDeadline(start.Add(min(b.maxStall, b.left)))
	n, err := b.ReadCloser.Read(p)
	b.left += time.Duration(n)*time.Second/minBodyRate - time.Since(start)
	b.left = min(b.left, max(maxSaved, b.maxStall))
	if err != nil {
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}
