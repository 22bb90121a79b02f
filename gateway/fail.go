package gateway

import (
	"errors"
	"log/slog"
	"net/http"
	neturl "net/url"
	"strconv"
	"strings"
	"time"

	"locus/access"
	"locus/gateway/internal/dav"
	"locus/gateway/internal/entry"
	"locus/gateway/internal/page"
	"locus/gateway/internal/refuse"
	"locus/internal/answer"
	"locus/internal/render"
	"locus/url"
)

// fail answers a request that failed with err: with a form, a request for a password, or
// the page of the error.
func (x *exchange) fail(err error) {
	switch {
	case (consent{x}).isUnconfirmed(err):
		consent{x}.confirm()
		return
	case errors.Is(err, access.ErrNotModified):
		x.notModified()
		return
	case errors.Is(err, access.ErrForm):
		if err = (viewer{x}).form(); err == nil {
			return
		}
	case errors.Is(err, access.ErrPassword) && x.mayAskPassword():
		x.w.Header().Set("WWW-Authenticate", `Basic realm="`+realm(x.url)+`", charset="UTF-8"`)
	case errors.Is(err, access.ErrPassword) && !x.isProxied() && isBare(x.url):
		if strings.HasPrefix(x.r.RequestURI, page.OwnPath+dav.Path) {
			x.redirect(x.r.RequestURI + "/")
			return
		}
		x.redirect(x.links().Href(x.url) + "/")
		return
	case errors.Is(err, errors.ErrUnsupported) && entry.IsAddress(x.url):
		x.write(http.StatusOK, page.Address(x.links()))
		return
	}
	x.errorPage(err)
}

// notModified answers with 304. It clears the header, because browsers replace the stored fields
// of the resource by the fields of a 304, and the page policy would replace the resource's.
func (x *exchange) notModified() {
	h := x.w.Header()
	clear(h)
	if tag := x.r.Header.Get("If-None-Match"); tag != "*" && !strings.Contains(tag, ",") {
		h.Set("ETag", tag)
	}
	x.w.WriteHeader(http.StatusNotModified)
}

// isBare reports whether u ends with its host.
func isBare(u url.URL) bool {
	_, has := u.Host()
	_, query := u.Query()
	_, fragment := u.Fragment()
	return has && u.Path() == "" && !query && !fragment
}

// errorPage answers with a page that explains the error, and links to ways on. It logs the error,
// unless the gateway itself refused the request.
func (x *exchange) errorPage(err error) {
	err = translateBusy(err)
	status := answer.Status(err)
	if own, ok := errors.AsType[*refuse.Error](err); ok {
		status = own.Status
	} else {
		x.log(err)
	}
	err = translatePanic(err)
	h := x.w.Header()
	if status == http.StatusUnauthorized && h.Get("WWW-Authenticate") == "" { // a 401 must ask for a login (RFC 9110 §15.5.2)
		status = http.StatusForbidden
	}
	h.Del("Content-Encoding") // the answer that failed may have set it
	x.setPolicy(pagePolicy)
	if x.isProxied() {
		x.setPolicy(x.proxyPolicy())
	}
	h.Set("Cache-Control", "no-store")
	if after := retryAfter(status, err); after > 0 {
		h.Set("Retry-After", strconv.FormatInt(int64((after+time.Second-1)/time.Second), 10))
	}
	of := failure{x, err}
	x.write(status, page.Failed(x.links(), page.Failure{
		Title: of.sentence(), Status: strconv.Itoa(status) + " " + http.StatusText(status),
		Text: err.Error(), Hint: adviceOn(err), Ways: of.ways(),
	}))
}

// retryAfter returns how long the client should wait before it tries again (RFC 9110 §10.2.3).
// It returns the time that the server says, or five seconds for a busy gateway, or 0.
func retryAfter(status int, err error) time.Duration {
	if e, ok := errors.AsType[*access.Error](err); ok && e.RetryAfter > 0 {
		return e.RetryAfter
	}
	if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
		return 5 * time.Second
	}
	return 0
}

// broken aborts an answer that cannot be completed. It closes the connection or resets the stream,
// because the client must not take the answer for a complete one (RFC 9112 §8).
func (x *exchange) broken(err error) {
	x.log(err)
	panic(http.ErrAbortHandler)
}

// log logs a failed access, unless it failed because the client has gone. It logs a panic with
// its stack.
func (x *exchange) log(err error) {
	if x.Log == nil || x.r.Context().Err() != nil && errors.Is(err, x.r.Context().Err()) {
		return
	}
	level := slog.LevelWarn
	about := []slog.Attr{slog.String("client", x.r.RemoteAddr), slog.String("url", render.Masked(x.url)), slog.String("error", render.MaskedText(err.Error()))}
	if p, ok := errors.AsType[*access.PanicError](err); ok {
		level, about = slog.LevelError, append(about, slog.String("stack", string(p.Stack)))
	}
	x.Log.LogAttrs(x.r.Context(), level, "access failed", about...)
}

// errPanicked replaces a panic for clients, because only the log may show the value of the panic.
var errPanicked = errors.New("the gateway failed because of a bug")

// translatePanic returns errPanicked for the error of a panic. It returns every other error
// unchanged.
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

// realm names the login that the gateway asks for by scheme, user and host. It is escaped for a
// quoted string.
func realm(u url.URL) string {
	host, _ := u.Host()
	port, _ := u.Port()
	if port != "" {
		host += ":" + port
	}
	if user, ok := u.User(); ok {
		host = user + "@" + host
	}
	return neturl.PathEscape(u.Scheme() + " " + host)
}
