package main

import (
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v3"

	"locus/gateway"
	"locus/render"
	"locus/url"
)

// A door lets those in who may come, counts and logs what they ask for, and does
// not wait for those who neither speak nor listen.
type door struct {
	gateway  http.Handler
	users    *users // nil: everyone may come
	log      *slog.Logger
	counts   *counts
	patience time.Duration // for how long a client may neither take nor give anything

	connections gateway.Connections

	inside sync.WaitGroup // requests
}

func (p *process) newDoor(c *cli.Command) (*door, error) {
	d := &door{counts: newCounts(), patience: time.Minute}
	switch format := c.String("log"); format {
	case "text":
		d.log = slog.New(slog.NewTextHandler(p.stderr, nil))
	case "json":
		d.log = slog.New(slog.NewJSONHandler(p.stderr, nil))
	case "off":
		d.log = discardSlog()
	default:
		return nil, misuse("--log wants text, json or off, not %q", format)
	}
	d.counts.set.NewGauge("locus_connections", func() float64 { return float64(d.connections.Count()) })
	var err error
	if name := c.String("auth"); name != "" {
		d.users, err = readUsers(name)
	}
	return d, err
}

// ServeHTTP answers one request.
func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.inside.Add(1)
	defer d.inside.Done()
	o := newOutcome(w, r, d.patience)
	if r.Method != http.MethodConnect && r.ContentLength != 0 {
		r.Body = newPatientBody(r, o.control, d.patience)
	}
	user, whole := "", false
	defer func() { d.tell(o, r, user, whole) }() // even if the gateway panics
	var welcome bool
	if user, welcome = d.users.admit(o, r); welcome {
		d.admitted(o, r)
	}
	o.wait()
	if err := o.finish(r); err != nil {
		panic(http.ErrAbortHandler)
	}
	whole = true
}

// admitted answers who may come.
func (d *door) admitted(o *outcome, r *http.Request) {
	o.guarded = d.users != nil && strings.HasPrefix(r.RequestURI, "/")
	d.gateway.ServeHTTP(o, r)
}

// tell logs and counts an answer. It has no password and no form.
func (d *door) tell(o *outcome, r *http.Request, user string, whole bool) {
	took := time.Since(o.start)
	d.counts.answered(o, took, whole)
	level := slog.LevelInfo
	if !whole {
		level = slog.LevelWarn
	}
	if !d.log.Enabled(r.Context(), level) {
		return
	}
	d.log.LogAttrs(r.Context(), level, "answered",
		slog.String("client", r.RemoteAddr), slog.String("user", user), slog.String("method", r.Method),
		slog.String("target", render.Clean(targetOf(r))), slog.Int("status", o.status()), slog.Int64("octets", o.sent),
		slog.Duration("took", took), slog.Bool("whole", whole))
}

// targetOf returns what a request asks for, without passwords.
func targetOf(r *http.Request) string {
	if r.Method == http.MethodConnect {
		return r.RequestURI
	}
	if own, query, ok := strings.Cut(r.RequestURI, "?"); ok && strings.HasPrefix(own, "/-/") {
		u, err := url.Parse(r.URL.Query().Get("url"))
		if err != nil || query == "" {
			return own
		}
		return own + " " + u.Redacted()
	}
	u, err := url.Parse(strings.TrimPrefix(r.RequestURI, "/"))
	if err != nil {
		return "no URL"
	}
	return u.Redacted()
}

// An outcome is what became of a request.
type outcome struct {
	http.ResponseWriter
	control  *http.ResponseController
	patience time.Duration
	start    time.Time
	way      string // see wayOf
	code     int    // 0: none yet
	sent     int64
	guarded  bool      // a browser has told its password: it cannot tell another one
	until    time.Time // the write deadline
}

func newOutcome(w http.ResponseWriter, r *http.Request, patience time.Duration) *outcome {
	return &outcome{ResponseWriter: w, control: http.NewResponseController(w), patience: patience, start: time.Now(), way: wayOf(r)}
}

// wayOf says what a request is, in a word for the metrics.
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

// Unwrap is for http.ResponseController.
func (o *outcome) Unwrap() http.ResponseWriter { return o.ResponseWriter }

// SetWriteDeadline is for http.ResponseController. A deadline that is as good as
// the one that is set costs nothing.
func (o *outcome) SetWriteDeadline(deadline time.Time) error {
	if later := deadline.Sub(o.until); !o.until.IsZero() && later >= 0 && later <= o.patience/8 {
		return nil
	}
	o.until = deadline
	return o.control.SetWriteDeadline(deadline)
}

func (o *outcome) WriteHeader(status int) {
	if o.guarded && status == http.StatusUnauthorized {
		o.Header().Del("WWW-Authenticate")
		status = http.StatusForbidden
	}
	if o.code == 0 && (status >= 200 || status == http.StatusSwitchingProtocols) {
		o.code = status
	}
	o.wait()
	o.ResponseWriter.WriteHeader(status)
}

func (o *outcome) Write(b []byte) (int, error) {
	o.wait()
	n, err := o.ResponseWriter.Write(b)
	o.sent += int64(n)
	return n, err
}

// finish sends the end of an answer over HTTP/1, which net/http would send when the
// handler has returned: an error counts as an answer that was broken off. An answer
// of unknown length is left to net/http, which finds its length.
func (o *outcome) finish(r *http.Request) error {
	if r.ProtoMajor != 1 || o.code == 0 || o.Header()["Content-Length"] == nil {
		return nil
	}
	return o.control.Flush()
}

// wait gives the client time for what is written next. What was hijacked sees to
// that itself.
func (o *outcome) wait() {
	_ = o.SetWriteDeadline(time.Now().Add(o.patience)) // what can have none needs none
}

func (o *outcome) status() int {
	if o.code == 0 {
		return http.StatusOK
	}
	return o.code
}

// patientBody is the body of a request, of which something must come at times.
type patientBody struct {
	io.ReadCloser
	control  *http.ResponseController
	patience time.Duration
}

// newPatientBody returns that of r. By HTTP/1 net/http waits before and after an
// answer for the rest that nobody has read: no longer than for the first octets.
func newPatientBody(r *http.Request, control *http.ResponseController, patience time.Duration) *patientBody {
	if r.ProtoMajor == 1 {
		_ = control.SetReadDeadline(time.Now().Add(patience))
	}
	return &patientBody{r.Body, control, patience}
}

func (b *patientBody) Read(p []byte) (int, error) {
	_ = b.control.SetReadDeadline(time.Now().Add(b.patience))
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}

func discardSlog() *slog.Logger { return slog.New(slog.DiscardHandler) }
