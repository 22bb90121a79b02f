package access

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"locus/internal/sentinel"
	"locus/url"
)

// An Error says what was being done, to which URL, and why it failed.
type Error struct {
	Op     string  // what was being done: "open", "stat", "list", "read" …
	URL    url.URL // its password is never shown
	Reply  *Reply  // what the server answered; nil if it did not answer
	Err    error   // why; never nil
	Remedy Remedy  // what the caller can do; nil if unknown

	RetryAfter time.Duration // how long to wait before a retry; 0 if the server does not say
	HTTPStatus int           // the code of Reply if it is a status of HTTP (RFC 9110 §15); 0 if not

	// Header has the fields of the reply, such as the header of an HTTP response; nil if
	// there are none.
	Header Header

	// Sys is the protocol's own value, as Entry.Sys; nil if there is none.
	Sys any
}

// Error returns "open ftp://u:xxxxx@h/x: 550 no such file". It leaves out the final
// period of the reply, and the text of Err if the reply says the same.
func (e *Error) Error() string {
	what := e.Op
	if text := e.URL.Redacted(); text != "" {
		what += " " + text
	}
	if why := e.Why(); why != "" {
		return what + ": " + why
	}
	return what
}

// Why returns the message without Op and URL.
func (e *Error) Why() string {
	why := e.reason()
	if e.Reply == nil {
		return why
	}
	reply := strings.TrimRight(e.Reply.String(), ".")
	if why == "" {
		return reply
	}
	return reply + ": " + why
}

// reason returns the text of Err for the message.
func (e *Error) reason() string {
	if e.Err == nil || e.Reply != nil && e.Reply.hasMeaning(e.Err) {
		return ""
	}
	if syntax, ok := e.Err.(*url.SyntaxError); ok && syntax.Text == e.URL.String() { //nolint:errorlint // a wrapped one may say more
		return syntax.Detail()
	}
	return e.Err.Error()
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// A Reply is the whole reply of a server.
type Reply struct {
	Code int    // 0 if the protocol has none
	Text string // as it came, without the code; several lines have "\n" between them
}

// String returns the code and the text, safe to show: trimmed, with control characters
// escaped, and cut if it is very long.
func (r *Reply) String() string {
	const most = 400
	text := strings.TrimSpace(r.Text)
	if len(text) > most {
		text = text[:most] + "…"
	}
	if r.Code == 0 {
		return printable(text)
	}
	return strings.TrimSpace(strconv.Itoa(r.Code) + " " + printable(text))
}

// hasMeaning reports whether the text of the reply says the same as err.
func (r *Reply) hasMeaning(err error) bool {
	var words []string
	switch err {
	case errRefused: //nolint:errorlint // a wrapped one says more
		return r.Code >= 400 && r.Text != ""
	case fs.ErrNotExist:
		words = []string{"no such", "not exist", "not found", "not available", "not-found", "unknown"}
	case fs.ErrExist:
		words = []string{"exists"}
	case fs.ErrPermission:
		words = []string{"permission", "denied", "not allowed", "not permitted", "authori", "forbidden", "incorrect", "password", "read only"}
	case errors.ErrUnsupported:
		words = []string{"not implemented", "not supported", "not allowed", "unknown"}
	}
	text := strings.ReplaceAll(strings.ToLower(r.Text), "unknown error", "") // that says nothing
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
}

// printable returns s with unprintable characters escaped.
func printable(s string) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case strconv.IsPrint(r):
			b.WriteRune(r)
		default:
			quoted := strconv.QuoteRune(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
	}
	return b.String()
}

// A Refusal is a reply by which a server refuses a request. [Fail] makes an [*Error]
// of it.
type Refusal struct {
	Reply  Reply
	Means  error  // what it means, such as fs.ErrNotExist; nil if unknown
	Remedy Remedy // what the caller can do; nil if unknown

	RetryAfter time.Duration // how long to wait before a retry; 0 if the server does not say
	HTTPStatus int           // the code of Reply if it is a status of HTTP (RFC 9110 §15); 0 if not

	Header Header // the Header of the [Error]
	Sys    any    // the Sys of the [Error]
}

// Error returns the reply alone: "550 no such file".
func (r *Refusal) Error() string { return r.Reply.String() }

// Unwrap returns what the reply means.
func (r *Refusal) Unwrap() error { return r.Means }

var errRefused = errors.New("the server refuses")

// Fail returns err as an [*Error] with op and u; nil if err is nil. It takes the reply
// and its meaning from a [*Refusal] in the tree of err. An *Error, and a [*Moved] in
// the tree, are returned unchanged.
func Fail(op string, u url.URL, err error) error {
	if err == nil {
		return nil
	}
	if e, ok := err.(*Error); ok { //nolint:errorlint // a wrapped one is about another request
		return e
	}
	if moved, ok := errors.AsType[*Moved](err); ok {
		return moved
	}
	e := &Error{Op: op, URL: u, Err: err, Remedy: RemedyFor(err)}
	if refusal, ok := errors.AsType[*Refusal](err); ok {
		e.Reply, e.Err = &refusal.Reply, refusal.Means
		e.RetryAfter, e.HTTPStatus, e.Header, e.Sys = refusal.RetryAfter, refusal.HTTPStatus, refusal.Header, refusal.Sys
		if e.Err == nil {
			e.Err = errRefused
		}
	}
	return e
}

// FailReading is [Fail] for an error of a Body, but returns io.EOF as it is.
// io.ErrUnexpectedEOF, an early end, is an error.
func FailReading(op string, u url.URL, err error) error {
	if IsEnd(err) {
		return io.EOF
	}
	return Fail(op, u, err)
}

// Reason returns an error with this text that wraps kinds, such as fs.ErrPermission.
// Their own texts are not shown.
func Reason(text string, kinds ...error) error { return sentinel.New(text, kinds...) }

// Moved is the error for a redirect. [Follow] follows it.
type Moved struct {
	To        url.URL // the target, absolute
	Permanent bool    // the old URL should be forgotten
	Repeat    bool    // a change may be sent to the target (HTTP 307, 308)
	Reply     *Reply  // what the server said; nil if nothing
	Header    Header  // the fields of the reply, such as the header of an HTTP response; nil: none
	Sys       any     // the protocol's own value, as Entry.Sys; nil: none
}

// Error returns "moved for now to …" or "moved for good to …".
func (m *Moved) Error() string {
	how := "moved for now to "
	if m.Permanent {
		how = "moved for good to "
	}
	return how + m.To.Redacted()
}

var (
	// ErrNotModified says that the resource is still the version of
	// Request.IfChanged.
	ErrNotModified = errors.New("not modified")
	// ErrChanged says that the resource is no longer the version of
	// Request.IfMatch.
	ErrChanged = errors.New("the resource has changed")
	// ErrRange says that the resource ends before Request.Offset.
	ErrRange = errors.New("the resource ends before the offset asked for")
	// ErrPassword says that the server wants a password and there is none.
	ErrPassword = errors.New("a password is needed")
	// ErrLogin says that the server does not accept the user or the password that it got. It
	// wraps ErrPassword and fs.ErrPermission.
	ErrLogin = sentinel.New("the server does not accept the user name or the password", ErrPassword, fs.ErrPermission)
	// ErrForm says that the resource asks questions before it opens: see [Ask] and
	// Request.Answers.
	ErrForm = errors.New("it asks questions before it opens")
	// ErrNoScheme says that a Table has no Engine for the scheme.
	ErrNoScheme = sentinel.New("no access to this scheme", errors.ErrUnsupported)
	// ErrNoDial says that an engine has no Dial.
	ErrNoDial = sentinel.New("no dialler was given", fs.ErrPermission)
	// ErrRedirect says that a redirect was not followed.
	ErrRedirect = errors.New("redirect refused")
	// ErrNotPublic says that an address is not public, and only those may be opened.
	ErrNotPublic = sentinel.New("the address is not public", fs.ErrPermission)
	// ErrLoop says that a gateway would open itself.
	ErrLoop = errors.New("the gateway would open itself")
	// ErrTemporary says that the same request may succeed later.
	ErrTemporary = errors.New("the server cannot do it now")
	// ErrBusy says that a limit of this program refused the request. The request of
	// another client may succeed. It wraps ErrTemporary.
	ErrBusy = sentinel.New("too many requests at once", ErrTemporary)
	// ErrServer says that the server itself failed. The same request may fail again.
	ErrServer = errors.New("the server failed")
	// ErrFull says that the server has no room for the data. A retry does not help.
	ErrFull = errors.New("there is no room for it on the server")
	// ErrTooLong says that a server sent a line, a listing or a header that exceeds
	// a limit of the engine.
	ErrTooLong = errors.New("the server sent more than is accepted")
	// ErrProtocol says that a server broke the rules of its protocol.
	ErrProtocol = errors.New("the server broke the protocol")
)
