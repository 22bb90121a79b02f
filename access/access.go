// Package access opens, changes and lists resources by their URLs. It defines one
// interface, [Engine], and each protocol has an engine that implements it.
//
// RFC 1738 §2 names four operations: access, update, replace, find attributes. They are
// values of [Op]. An engine refuses an Op that it does not have with an error that wraps
// errors.ErrUnsupported.
//
// Redirects ([Follow]), port policies, caches, limits and retries are Engines around
// Engines. Package access/engine has helpers for authors of engines.
//
// # How the pieces work together
//
// A [Request] passes from Engine to Engine by the one method Do (access.go). A wrapper gives it, or
// a changed copy, to the next Engine, until a [Table] chooses the engine of the scheme (table.go),
// or a [Via] asks a gateway instead (via.go). An engine that needs a password asks the Request's
// Login (ask.go). The engine returns a [Resource], or an [*Error] with the reply of the server
// (errors.go) and a [Remedy] (remedy.go). If the server redirects, the error is a [*Moved], and
// [Follow] sends the Request again (follow.go). Policies decide by the facts of a [Scheme] and
// never by its name, so that a scheme that a program adds is treated like the others (scheme.go).
//
// The caller owns the Resource, and its reads drive the connection; this package starts no
// goroutine. Each [Entry] of a List is data that codec.go can store (entry.go, codec.go), because a
// wrapper can copy a field that it does not know, but not an interface that it does not know. [FS]
// makes a file system out of an Engine (fs.go): it compares entries and names by their locations
// (location.go), and a file opens its resource again at another offset (file.go), because a Body
// cannot go back.
package access

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"strconv"
	"time"

	"locus/terminal"
	"locus/url"
)

// An Engine carries out Requests: it opens, changes or lists the resource of a URL.
//
// Without an error, the Resource is never nil. After Get and Send the caller closes its
// Body; after any other Op the Body is [NoBody] and need not be closed. ctx also bounds the
// reading of the Resource: when ctx is done, Read fails.
//
// An Engine
//   - must be safe for use by several goroutines at once;
//   - must not change the Request, nor keep it after Body is closed;
//   - must refuse an Op or a scheme that it does not have, and Answers if it has no
//     forms, with an error that wraps errors.ErrUnsupported;
//   - must not follow redirects: it returns a [*Moved];
//   - must refuse, before it connects, a URL with decoded parts that would end a
//     command of its protocol (RFC 1738 §6);
//   - must report an early end: Body.Read returns io.EOF only if the protocol says
//     that the resource is complete, otherwise io.ErrUnexpectedEOF or another error;
//   - must let the caller close Body before its end, and twice; a later Read fails with an
//     error other than io.EOF;
//   - must bound its memory and its waiting, because a hostile server may send anything;
//   - returns each error as an [*Error], which wraps fs.ErrNotExist, fs.ErrPermission or
//     errors.ErrUnsupported if one of them is the reason;
//   - must not put a password, nor the unredacted URL, into an error, because errors are
//     logged.
type Engine interface {
	Do(ctx context.Context, req *Request) (*Resource, error)
}

// A GetFunc is an Engine that has only Get. It refuses Answers.
type GetFunc func(ctx context.Context, req *Request) (*Resource, error)

// Do calls f if req is a Get without Answers. Any other request gets [errors.ErrUnsupported].
func (f GetFunc) Do(ctx context.Context, req *Request) (*Resource, error) {
	if req.Op != Get || req.Answers != nil {
		return nil, unsupported(req)
	}
	return f(ctx, req)
}

// An Op is the operation of a Request.
type Op uint8

const (
	// Get opens the resource: RFC 1738 §2, "access". With Request.Answers it
	// opens a form.
	Get Op = iota
	// Stat finds the attributes of the resource without opening it (RFC 1738
	// §2). They are the Entry of the Resource.
	Stat
	// Put replaces the resource by the bytes of Request.Body (RFC 1738 §2,
	// "replace"). After an error the resource has not changed, if the protocol can
	// promise that. With a Request.Offset, Body continues an upload that broke
	// off: the bytes before it stay. An engine that cannot do that returns
	// errors.ErrUnsupported.
	Put
	// Append adds Request.Body to the resource (RFC 1738 §2, "update"): an article to a
	// newsgroup, bytes to the end of a file. The Resource has the URL of the new article;
	// the zero URL if the article has no known URL, or if a file has grown.
	Append
	// Delete removes the resource.
	Delete
	// MakeDir makes a directory in a directory that exists. If the name exists
	// already, the error wraps fs.ErrExist where the protocol can tell.
	MakeDir
	// Ask fetches the questions of a form (Gopher+ ASK) into Resource.Questions. If the URL
	// does not name a form, the error wraps errors.ErrUnsupported.
	Ask
	// Send sends Request.Sys, a request in the terms of the protocol, unchanged. It returns
	// the whole response, even if the response is an error of the protocol. It uses URL,
	// Login, Client and PublicOnly of the Request and ignores the other fields. The engine
	// closes the body of Sys, even if Send fails. An engine that does not know the type of
	// Sys refuses it with [Unsupported].
	Send
)

// Ops returns all values of Op.
func Ops() []Op { return []Op{Get, Stat, Put, Append, Delete, MakeDir, Ask, Send} }

// String returns the verb that errors use, such as "open" for Get.
func (op Op) String() string {
	names := [...]string{"open", "stat", "put", "append", "delete", "make", "ask", "send"}
	if int(op) < len(names) {
		return names[op]
	}
	return "do"
}

// Changes reports whether op may change the server. It is true for Send, because only the
// request itself can tell; see [Request.Changes].
func (op Op) Changes() bool {
	return op == Put || op == Append || op == Delete || op == MakeDir || op == Send
}

// HasBody reports whether the Resource has a Body that the caller reads and closes: after
// Get and Send.
func (op Op) HasBody() bool { return op == Get || op == Send }

// A Request names an operation and a resource. Only URL is required; the zero Op is Get.
type Request struct {
	Op Op

	// URL names the resource. Its fragment is never sent.
	URL url.URL

	// Offset is the first byte to get. An engine that cannot start there returns
	// errors.ErrUnsupported. If the resource ends before Offset, Body is empty or
	// the error is [ErrRange].
	Offset int64

	// Length is how many bytes to get; 0: all to the end. An engine may send more:
	// the caller stops reading.
	Length int64

	// Body is the content that Put and Append send, to its end; nil sends an empty content.
	// If the context is done, Do may return before a Read that it has begun.
	Body io.Reader

	// GetBody returns Body from its start, if a server or a redirect needs it again; nil:
	// Body is rewound if it is an io.Seeker. Any other Body cannot be sent again after a
	// byte of it was read, because that byte is lost.
	GetBody func() (io.Reader, error)

	// Size is how many bytes Body has; -1 if that is unknown.
	Size int64

	// Answers, if not nil, opens a form with Get: one answer for each question
	// that Ask returned, in the same order.
	Answers []Answer

	// IfChanged gets the resource only if its version differs from this one; otherwise the
	// error is [ErrNotModified]. The zero Validator always gets it. An engine without such
	// conditions ignores it.
	IfChanged Validator

	// IfMatch gets, replaces (Put) or removes (Delete) only this version. If the resource
	// has another version now, the error is [ErrChanged]. The zero Validator allows any
	// version.
	IfMatch Validator

	// IfAbsent, with Put, never replaces a resource: if it exists the error wraps
	// fs.ErrExist. An engine that can only look before it stores the resource does so. An
	// engine that cannot look refuses the Put with errors.ErrUnsupported.
	IfAbsent bool

	// ModTime, with Put, is when Body was last changed, for engines that can
	// store it; zero: the server decides. The ModTime of the Resource is the time
	// that was stored; zero if the server decided.
	ModTime time.Time

	// Mode, with Put, has the permissions of the file, for engines that can set
	// them. Only its bits of fs.ModePerm count; 0: the server decides.
	Mode fs.FileMode

	// Part, with Put, is the end of a temporary name, such as ".part-0123abcd"; "": the
	// engine chooses one. An engine that stores a file under a temporary name until it is
	// complete gets the name from engine.PartName. After a failure that may pass, such as a
	// broken connection, it leaves the file of that name, and a Put with the same Part and
	// an Offset continues it. Without an Offset it replaces that file.
	Part string

	// List, with Get and Stat, wants a directory as a listing, where a protocol may also
	// have a page for it: HTTP. See web.Lister. Engines for other protocols ignore it.
	List bool

	// MoreEntries, with Get of a listing whose length the client chooses, such as a WAIS
	// search, is how many entries are wanted in addition to the usual number. Other
	// engines ignore it.
	MoreEntries int

	// Known, if not nil, has the Size (unless -1) and the ModTime (unless zero) of
	// the resource, from a listing or from Stat. An engine may use them instead of
	// asking the server. If they are wrong, Body gives an error, such as
	// [ErrChanged].
	Known *Entry

	// Login, if not nil, returns the user and the password that the server wants
	// and the URL does not have (RFC 1738 §3.2.1). An engine calls it at most once
	// for each Challenge. If it is nil, a request that needs a password fails with
	// [ErrPassword].
	Login Login

	// Cookies keeps the cookies of servers from one request to the next; nil: cookies are
	// dropped. An engine without cookies ignores it.
	Cookies *Cookies

	// Sys is the request for Send, in the terms of the protocol. Its type belongs to the
	// engine's package. For http and https it is an *http.Request; see web.RequestOf.
	Sys any

	// Safe, with Send, says that the request does not change the server.
	Safe bool

	// From has the URLs whose redirects led to URL, the first one first. It is for a caller
	// that follows redirects itself, such as an http.Client; [Follow] decides whether the
	// last redirect may be followed. nil: the request is the first one.
	From []url.URL

	// Attempt is how often this request has failed before. A wrapper that repeats requests,
	// such as retry.Engine, counts it; engines ignore it.
	Attempt int

	// Client names the client, for limits per client. It is never sent.
	Client string

	// PublicOnly opens only resources at public addresses, even if a locus.Client may open
	// others; for other addresses the error is [ErrNotPublic]. A Client with a proxy that
	// looks up names itself (http, socks5h) refuses the request, because the Client cannot
	// see the address.
	PublicOnly bool

	// PublicAway sets PublicOnly for the target of a redirect to another scheme, host or
	// port, and for all later targets, because the caller trusts only the first server.
	PublicAway bool

	// Moved, if not nil, is called with each redirect that is followed, and the URL that it
	// came from. It must not block.
	Moved func(m *Moved, from url.URL)
}

// Cookies are the state that servers want to see again in the next request. The zero
// Cookies are empty. One goroutine may use them at a time; do not copy them.
type Cookies struct {
	// State belongs to the engine that set it.
	State any

	// Changes counts how often a server changed the State. [Follow] compares it, because
	// the same request may have another reply after a change.
	Changes int
}

// Changes reports whether req may change the server. A Send that is Safe does not.
func (req *Request) Changes() bool { return req.Op.Changes() && !(req.Op == Send && req.Safe) }

// Verb returns the word that errors use for req: "answer" for a Get with Answers, and the
// text of its Op otherwise.
func (req *Request) Verb() string {
	if req.Op == Get && req.Answers != nil {
		return "answer"
	}
	return req.Op.String()
}

// unsupported returns the error for a request whose Op an Engine does not have. It wraps
// errors.ErrUnsupported.
func unsupported(req *Request) error {
	return &Error{Op: req.Verb(), URL: req.URL, Err: errors.ErrUnsupported}
}

// WithOp returns a copy of req with another Op.
func (req *Request) WithOp(op Op) *Request {
	other := *req
	other.Op = op
	return &other
}

// A Validator tells one version of a resource from another. The zero Validator does not
// name a version.
type Validator struct {
	ETag    string    // HTTP's entity tag as it was sent, quotes and "W/" included
	ModTime time.Time // to the second; zero if unknown
}

// IsZero reports whether v names no version.
func (v Validator) IsZero() bool { return v.ETag == "" && v.ModTime.IsZero() }

// HasTime reports whether v names the version of this time.
func (v Validator) HasTime(modTime time.Time) bool {
	return !v.ModTime.IsZero() && v.ModTime.Equal(modTime)
}

// A Resource is the answer to a Request. Only one goroutine may use it at a time, except
// that another may close Body.
//
// URL is where the resource was found, with the fragment of the request. Size counts from
// the start of the resource, not from Request.Offset. The server announced it before the
// bytes, so Body gives an error if more or fewer bytes arrive.
type Resource struct {
	Entry

	// ETag is HTTP's entity tag, as it was sent; "" if the server sent none.
	ETag string

	// HTTPStatus is the status of the response (RFC 9110 §15) if the resource came over
	// HTTP, such as 200 or 206; 0 for other protocols.
	HTTPStatus int

	// Immutable is set if the resource never changes, such as a news article that is
	// named by its message-id (RFC 5536 §3.1.3).
	Immutable bool

	// Offset is where Body starts: Request.Offset, or 0 if the engine could get
	// only the whole, or a byte between them if a server sent more than asked.
	Offset int64

	// Body has the bytes of the resource, without the protocol's framing. It is
	// never nil. The caller closes it after a Get.
	Body io.ReadCloser

	// List has the entries of a listing; nil if the resource is not a listing. The caller
	// uses List or reads Body, not both, because both read the same bytes. It closes Body
	// in either case.
	List Lister

	// Session is an interactive session; nil if the resource is not interactive. Body
	// then has the output of the session.
	Session terminal.Session

	// Login is the login in the URL of an interactive resource, which the caller shows to
	// the user; zero if the URL has no login.
	Login LoginAdvice

	// Questions is the answer to Ask; otherwise nil.
	Questions *Questions
}

// Validator returns the Validator of this version of the resource.
func (r *Resource) Validator() Validator {
	return Validator{ETag: r.ETag, ModTime: r.ModTime}
}

// OnClose makes Body call f once, after Body is closed for the first time.
func (r *Resource) OnClose(f func()) {
	r.Body = &closeHook{ReadCloser: r.Body, after: f}
}

// LoginAdvice is the login in the URL of an interactive resource. The caller shows it to
// the user, who types it, because these protocols have no field for it (RFC 1738 §3.8).
type LoginAdvice struct {
	User, Password url.Part
}

// String returns `the URL suggests logging in as "ada" with the password "x"`; "" if the URL
// has no login. The sentence has the password, so clear Password before you log it.
func (a LoginAdvice) String() string {
	text := ""
	if a.User.Present {
		text += " as " + strconv.Quote(a.User.Text)
	}
	if a.Password.Present {
		text += " with the password " + strconv.Quote(a.Password.Text)
	}
	if text == "" {
		return ""
	}
	return "the URL suggests logging in" + text
}

// Security says when an engine uses TLS on a connection that begins without it. Schemes
// such as https and nntps begin with TLS and always use it.
type Security uint8

const (
	// OpportunisticTLS uses TLS if the server offers it and something needs
	// protection; each engine says when. Unless the engine says otherwise, it sends
	// unencrypted passwords only to this machine.
	OpportunisticTLS Security = iota
	// RequireTLS refuses to continue without TLS. An engine for a protocol without
	// TLS refuses before it connects.
	RequireTLS
	// NeverTLS does not ask for TLS. It sends unencrypted passwords to any server.
	NeverTLS
)

// String returns "opportunistic", "required" or "never".
func (s Security) String() string {
	switch s {
	case RequireTLS:
		return "required"
	case NeverTLS:
		return "never"
	}
	return "opportunistic"
}
