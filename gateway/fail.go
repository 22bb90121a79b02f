package gateway

import (
	"errors"
	"html/template"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"locus/access"
	"locus/answer"
	locusurl "locus/url"
)

// failed answers an access to u that returned err: with a form, a request for a
// password, or the page of an error.
func (v *visit) failed(u locusurl.URL, err error) {
	switch {
	case errors.Is(err, access.ErrNotModified):
		v.notModified()
	case errors.Is(err, access.ErrForm):
		v.form(u)
	case errors.Is(err, access.ErrPassword) && v.mayAsk():
		v.w.Header().Set("WWW-Authenticate", `Basic realm="`+realm(u)+`", charset="UTF-8"`)
		v.fail(u, err)
	case errors.Is(err, access.ErrPassword) && !v.proxied() && isBare(u):
		v.redirect(v.href(u) + "/")
	case errors.Is(err, errors.ErrUnsupported) && isAddress(u):
		v.elsewhere(u)
	default:
		v.fail(u, err)
	}
}

// notModified answers with 304. Browsers replace their stored fields by those of this
// answer, so it must not have another policy.
func (v *visit) notModified() {
	h := v.w.Header()
	clear(h)
	if tag := v.r.Header.Get("If-None-Match"); tag != "*" && !strings.Contains(tag, ",") {
		h.Set("ETag", tag)
	}
	v.w.WriteHeader(http.StatusNotModified)
}

// isBare reports whether u ends with its host.
func isBare(u locusurl.URL) bool {
	_, has := u.Host()
	_, query := u.Query()
	_, fragment := u.Fragment()
	return has && u.Path() == "" && !query && !fragment
}

// fail answers with a page that says what failed, where, and what to do. It logs the
// error, unless it is a refusal of the gateway itself.
func (v *visit) fail(u locusurl.URL, err error) {
	err = translateBusy(err)
	status := answer.Status(err)
	if own, ok := asRefusal(err); ok {
		status = own.status
	} else {
		v.log(u, err)
	}
	err = translatePanic(err)
	h := v.w.Header()
	page := v.page(u, http.StatusText(status))
	page.Recent = ""
	v.setPolicy(pagePolicy)
	if v.proxied() {
		v.setPolicy(v.proxyPolicy())
		page.Style = template.CSS(style) //nolint:gosec // the gateway's own
	}
	h.Set("Cache-Control", "no-store")
	if after := retryAfter(status, err); after > 0 {
		h.Set("Retry-After", strconv.FormatInt(int64((after+time.Second-1)/time.Second), 10))
	}
	v.write(status, "error", errorPage{page, status, err.Error(), access.Hint(err), v.retry(u)})
}

// retryAfter returns how long the client should wait (RFC 9110 §10.2.3): as long as
// the server says, or 0.
func retryAfter(status int, err error) time.Duration {
	if e, ok := errors.AsType[*access.Error](err); ok && e.RetryAfter > 0 {
		return e.RetryAfter
	}
	if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
		return 5 * time.Second
	}
	return 0
}

// errorPage is what the page of an error shows.
type errorPage struct {
	page
	Status     int
	Text, Hint string
	Retry      string // the path to try again; "" if that is of no use
}

func (v *visit) retry(u locusurl.URL) string {
	if u.IsZero() || v.r.Method == http.MethodPost {
		return ""
	}
	return v.href(u)
}

// broken ends an answer that cannot be completed so that it does not look complete
// (RFC 9112 §8): the connection is closed, or the stream reset.
func (v *visit) broken(u locusurl.URL, err error) {
	v.log(u, err)
	panic(http.ErrAbortHandler)
}

// log logs a failed access, unless the client has gone. A panic is logged with its
// stack.
func (v *visit) log(u locusurl.URL, err error) {
	if v.Log == nil || v.r.Context().Err() != nil && errors.Is(err, v.r.Context().Err()) {
		return
	}
	level := slog.LevelWarn
	about := []slog.Attr{slog.String("client", v.r.RemoteAddr), slog.String("url", u.Redacted()), slog.String("error", err.Error())}
	if p, ok := errors.AsType[*access.PanicError](err); ok {
		level, about = slog.LevelError, append(about, slog.String("stack", string(p.Stack)))
	}
	v.Log.LogAttrs(v.r.Context(), level, "access failed", about...)
}

// errPanicked is what a client is told of a panic: its value is for the log alone.
var errPanicked = errors.New("the gateway failed: this is a fault of its own")

// translatePanic returns errPanicked for a panic. Other errors are returned as they
// are.
func translatePanic(err error) error {
	if isPanic(err) {
		return errPanicked
	}
	return err
}

func isPanic(err error) bool {
	_, ok := errors.AsType[*access.PanicError](err)
	return ok
}

// realm names the login that is asked for: scheme, user and host. It is escaped for a
// quoted string.
func realm(u locusurl.URL) string {
	host, _ := u.Host()
	port, _ := u.Port()
	if port != "" {
		host += ":" + port
	}
	if user, ok := u.User(); ok {
		host = user + "@" + host
	}
	return url.PathEscape(u.Scheme() + " " + host)
}
