package access

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"locus/access/internal/cause"
	"locus/internal/sentinel"
	"locus/url"
)

// An Error is a failed operation on a URL, with the reason.
type Error struct {
	Op     string  // the operation: "open", "stat", "list", "read" …
	URL    url.URL // its password is never shown
	Reply  *Reply  // the reply of the server; nil if it did not answer
	Err    error   // why; never nil
	Remedy Remedy  // a change that may help; nil if unknown

	RetryAfter time.Duration // how long to wait before a retry; 0 if the server does not say
	HTTPStatus int           // the code of Reply if it is a status of HTTP (RFC 9110 §15); 0 if not

	// Header has the fields of the reply, such as the header of an HTTP response; nil for a
	// reply without fields.
	Header Header

	// Sys is the protocol's own value, as Entry.Sys; nil if the engine has none.
	Sys any
}

// Error returns "open ftp://u:xxxxx@h/x: 550 no such file". It leaves out the final
// period of the reply, and the text of Err if the reply says the same.
func (e *Error) Error() string {
	message := e.Op
	if text := e.URL.Redacted(); text != "" {
		message += " " + text
	}
	if why := e.Why(); why != "" {
		return message + ": " + why
	}
	return message
}

// Why returns the message without Op and URL: the reply of the server, and the reason if the reply
// does not give it.
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

// reason returns the text of Err; "" if Err is nil or the reply of the server says the same.
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
	Code int    // 0 if the protocol has no codes
	Text string // as it came, without the code; several lines have "\n" between them
}

// String returns the code and the text, safe to show: in one line, with "; " between the
// lines of the text, control characters escaped, and cut if it is very long.
func (r *Reply) String() string {
	const most = 400
	text := strings.TrimSpace(r.Text)
	if strings.Contains(text, "\n") {
		var lines []string
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); line != "" {
				lines = append(lines, line)
			}
		}
		text = strings.Join(lines, "; ")
	}
	if len(text) > most {
		text = text[:most] + "…"
	}
	if r.Code == 0 {
		return printable(text)
	}
	return strings.TrimSpace(strconv.Itoa(r.Code) + " " + printable(text))
}

// hasMeaning reports whether the text of the reply says the same as err, so that a message need not
// show err. It knows only a few kinds of errors; for any other err it is false.
func (r *Reply) hasMeaning(err error) bool {
	var words []string
	switch err {
	case cause.ErrRefused: //nolint:errorlint // a wrapped one says more
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
	text := strings.ReplaceAll(strings.ToLower(r.Text), "unknown error", "") // it does not contradict err
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
}

// printable returns s with unprintable characters, and bytes that are not UTF-8, escaped as in a Go
// string.
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

// Moved is the error for a redirect. [Follow] follows it.
type Moved struct {
	To        url.URL // the target, absolute
	Permanent bool    // the old URL should be forgotten
	Repeat    bool    // a change may be sent to the target (HTTP 307, 308)
	Reply     *Reply  // of the server; nil if it did not say it in a reply
	Header    Header  // the fields of the reply, such as the header of an HTTP response; may be nil
	Sys       any     // the protocol's own value, as Entry.Sys; may be nil
}

// Error returns "moved temporarily to …" or "moved permanently to …".
func (m *Moved) Error() string {
	how := "moved temporarily to "
	if m.Permanent {
		how = "moved permanently to "
	}
	return how + m.To.Redacted()
}

var (
	// ErrNotModified says that the resource is still the version of
	// Request.IfChanged.
	ErrNotModified = errors.New("not modified")
	// ErrChanged says that the resource has another version than Request.IfMatch.
	ErrChanged = errors.New("the resource has changed")
	// ErrRange says that the resource ends before Request.Offset.
	ErrRange = errors.New("the resource ends before the requested offset")
	// ErrPassword says that the server wants a password and the request has none.
	ErrPassword = errors.New("a password is needed")
	// ErrLogin says that the server does not accept the user or the password that it got. It
	// wraps ErrPassword and fs.ErrPermission.
	ErrLogin = sentinel.New("the server does not accept the user name or the password", ErrPassword, fs.ErrPermission)
	// ErrForm says that the resource asks questions before it opens: see [Ask] and
	// Request.Answers.
	ErrForm = errors.New("it asks questions before it opens")
	// ErrNoScheme says that a Table lacks an Engine for the scheme.
	ErrNoScheme = sentinel.New("no access to this scheme", errors.ErrUnsupported)
	// ErrNoDial says that an engine was made without a Dial, so it may not connect.
	ErrNoDial = sentinel.New("no dialler was given", fs.ErrPermission)
	// ErrRedirect says that a redirect was not followed.
	ErrRedirect = errors.New("redirect refused")
	// ErrNotPublic says that an address is not public, and the request may open only public
	// addresses.
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
	// ErrFull says that the server lacks the space for the data. A retry does not help.
	ErrFull = errors.New("there is not enough space for it on the server")
	// ErrTooLong says that a server sent a line, a listing or a header that exceeds
	// a limit of the engine.
	ErrTooLong = errors.New("the server sent too much data")
	// ErrProtocol says that a server broke the rules of its protocol.
	ErrProtocol = errors.New("the server broke the protocol")
)
