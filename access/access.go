// Package access says what can be done with the resource that a URL names: one
// small contract, [Engine], kept by one engine for each wire protocol.
//
// RFC 1738 §2 names four things: access, update, replace, find attributes. They
// are the first values of [Op]. An engine refuses an Op that it does not have
// with an error that wraps errors.ErrUnsupported.
//
// Redirects ([Follow]), port policies, caches, limits and retries are Engines
// around Engines. Each has one method, so none of them can forget an Op.
package access

import (
	"context"
	"errors"
	"io"
	"time"

	"locus/terminal"
	"locus/url"
)

// An Engine does what a Request asks with the resource that its URL names.
//
// The Resource is never nil when the error is nil. For Get the caller closes its
// Body; for every other Op the Body is [NoBody] and need not be closed. ctx
// governs the whole life of the Resource, reading included: when ctx is done,
// Read fails.
//
// An Engine
//   - must be safe for use by several goroutines at once;
//   - must not change the Request, nor keep it after Body is closed;
//   - must refuse an Op that it does not have, and Answers if it has no forms,
//     with [Unsupported];
//   - must not follow redirects: it returns a [*Moved];
//   - must refuse, before it connects, a URL whose decoded parts would end a
//     command of its protocol (RFC 1738 §6);
//   - must make an early end an error: Body.Read returns io.EOF only if the
//     protocol says that the resource is complete, io.ErrUnexpectedEOF or
//     another error if not;
//   - must bound what it keeps in memory and how long it waits, whatever the
//     server sends;
//   - returns errors that wrap fs.ErrNotExist, fs.ErrPermission or
//     errors.ErrUnsupported where they say what happened, as an [*Error];
//   - must not put a password, nor the unredacted URL, into an error.
type Engine interface {
	Do(ctx context.Context, req *Request) (*Resource, error)
}

// A GetFunc is a function that is an Engine. Do refuses every Op but Get, and
// Answers.
type GetFunc func(ctx context.Context, req *Request) (*Resource, error)

// Do calls f if req is a Get without Answers.
func (f GetFunc) Do(ctx context.Context, req *Request) (*Resource, error) {
	if req.Op != Get || req.Answers != nil {
		return nil, Unsupported(req)
	}
	return f(ctx, req)
}

// An Op is what a Request asks for.
type Op uint8

const (
	// Get opens the resource: RFC 1738 §2, "access". With Request.Answers it
	// opens a form.
	Get Op = iota
	// Stat finds the attributes of the resource without opening it (RFC 1738
	// §2). They are the Entry of the Resource.
	Stat
	// Put makes the bytes of Request.Body the resource (RFC 1738 §2,
	// "replace"). After an error the resource is what it was before, wherever
	// the protocol can promise that. With a Request.Offset, Body is the rest of
	// an upload that broke off: the bytes before it stay, and an engine that
	// cannot do that returns errors.ErrUnsupported.
	Put
	// Append adds Request.Body to the resource (RFC 1738 §2, "update"): an
	// article to a newsgroup, bytes to the end of a file. The URL of the
	// Resource is that of what was added; it is the zero URL if that has none
	// of its own, or if the server does not say.
	Append
	// Delete removes the resource.
	Delete
	// MakeDir makes a directory in a directory that exists. If there is
	// something of that name already, the error wraps fs.ErrExist where the
	// protocol can tell.
	MakeDir
	// Ask fetches the questions of a form (Gopher+ ASK), Resource.Questions.
	// If the resource asks none the error wraps errors.ErrUnsupported.
	Ask
)

// Ops are all values of Op, for tests and tables.
func Ops() []Op { return []Op{Get, Stat, Put, Append, Delete, MakeDir, Ask} }

// String returns the verb that errors use, such as "open" for Get.
func (op Op) String() string {
	names := [...]string{"open", "stat", "put", "append", "delete", "make", "ask"}
	if int(op) < len(names) {
		return names[op]
	}
	return "do"
}

// Changes reports whether op changes what is on the server.
func (op Op) Changes() bool {
	return op == Put || op == Append || op == Delete || op == MakeDir
}

// A Request says what to do with which resource. The zero value of every field
// but URL asks for nothing special; the zero Op is Get.
type Request struct {
	Op Op

	// URL names the resource. Its fragment is never sent.
	URL url.URL

	// Offset is the first byte to get; 0 is the start. An engine that cannot
	// start there returns errors.ErrUnsupported. A resource of no more than
	// Offset bytes opens as an empty one, or fails with [ErrRange].
	Offset int64

	// Length is how many bytes to get; 0 gets all to the end. An engine may
	// send more: the caller stops reading.
	Length int64

	// Body is what Put and Append send. It is read to its end. nil is empty.
	Body io.Reader

	// GetBody returns Body from its start once more, for a server or a redirect
	// that wants it again. nil: if Body is an io.Seeker it is rewound; any other
	// Body is not sent again once its first byte was read.
	GetBody func() (io.Reader, error)

	// Size is how many bytes Body has; -1 if that is unknown.
	Size int64

	// Answers, if not nil, opens a form with Get: one answer for each of the
	// questions that Ask returned, in their order.
	Answers []Answer

	// IfChanged gets the resource only if it is no longer the version with this
	// validator; otherwise the error is [ErrNotModified]. The zero Validator
	// always gets it. Engines whose protocol has no such question ignore it.
	IfChanged Validator

	// IfMatch asks for this version alone: the rest of it with an Offset; with
	// Put and Delete, only this version is replaced or removed. If the resource
	// is another version now the error is [ErrChanged]. The zero Validator
	// takes any version.
	IfMatch Validator

	// IfAbsent, with Put, makes a resource and replaces none: if there is one
	// the error wraps fs.ErrExist. An engine that cannot promise that ignores it.
	IfAbsent bool

	// ModTime, with Put, is when Body was last changed, for engines that can
	// keep that. Zero: whatever the server says.
	ModTime time.Time

	// Known, if not nil, is what the caller knows of the resource from a listing
	// or from Stat: its Size, unless that is -1, and its ModTime, unless that is
	// zero. An engine may use it instead of asking the server. If it is wrong,
	// Body gives an error: [ErrChanged] or another.
	Known *Entry

	// Login, if not nil, gives the user and the password to a server that wants
	// them and whose URL does not have them (RFC 1738 §3.2.1). An engine calls it at
	// most once in an access for each Challenge. If it is nil, an access that needs
	// a password fails with [ErrPassword].
	Login func(ctx context.Context, c Challenge) (Credentials, error)

	// Client says who asks, for limits per client. It is never sent.
	Client string
}

// WithOp returns a copy of req with another Op.
func (req *Request) WithOp(op Op) *Request {
	other := *req
	other.Op = op
	return &other
}

// A Validator tells one version of a resource from another. The zero Validator
// is no version.
type Validator struct {
	ETag    string    // HTTP's entity tag as it was sent, quotes and "W/" included
	ModTime time.Time // to the second; zero if unknown
}

// IsZero reports whether v names no version.
func (v Validator) IsZero() bool { return v.ETag == "" && v.ModTime.IsZero() }

// A Resource is the answer to a Request. It belongs to one goroutine at a time,
// except that another may close Body.
//
// Of the Entry, URL is where the resource was found; its fragment is that of the
// request. Size counts from the start of the resource and not from
// Request.Offset; it is what the server said, and Body gives an error if more or
// fewer bytes arrive.
type Resource struct {
	Entry

	// ETag is HTTP's entity tag, as it was sent; "" if there is none.
	ETag string

	// Offset is where Body starts: Request.Offset, or 0 if the engine could
	// only get the whole.
	Offset int64

	// Body is never nil. It gives the bytes as the protocol carries them, without
	// the protocol's framing. The caller closes it after a Get.
	Body io.ReadCloser

	// List gives the entries of a listing; nil if the resource is no listing.
	// The caller uses List or reads Body, not both, and closes Body.
	List Lister

	// Session is an interactive resource; nil if it is not interactive. What is
	// read from Body is for a terminal to show.
	Session terminal.Session

	// Questions is the answer to Ask; otherwise nil.
	Questions *Questions
}

// Validator returns what tells this version of the resource from others.
func (r *Resource) Validator() Validator {
	return Validator{ETag: r.ETag, ModTime: r.ModTime}
}

// OnClose calls f once, after Body is closed. It is how a wrapper releases what
// it holds for the access.
func (r *Resource) OnClose(f func()) {
	r.Body = &closeHook{ReadCloser: r.Body, after: f}
}

// A Lister gives the entries of a listing: a directory, a menu, a newsgroup.
//
// Next returns the entries in the order of the server, and io.EOF after the
// last one. If the listing breaks off it returns another error. Entries come as
// they arrive; a listing may be longer than memory.
type Lister interface {
	Next() (Entry, error)
}

// An Entry is one line of a listing, or the attributes of a resource.
type Entry struct {
	// Title is what people call it: a file's name, a menu's text, an article's
	// subject. It comes from the server unchanged: clean it before you show it.
	Title string

	// URL opens it; the zero URL if nothing does (a line of text in a menu).
	URL url.URL

	// Kind is what opening URL will give, as far as the listing tells.
	Kind Kind

	// Type is its media type, with parameters, such as "text/plain;
	// charset=utf-8"; "" if unknown.
	Type string

	// Size is its size in bytes; -1 if unknown.
	Size int64

	// ModTime is when it was last changed; zero if unknown.
	ModTime time.Time

	// Sys is what the protocol knows besides, of a type that the engine
	// documents; nil if nothing.
	Sys any
}

// A Kind is what an [Entry] leads to.
type Kind uint8

const (
	Unknown   Kind = iota // the listing does not tell
	Object                // bytes: a file, an article, a page
	Directory             // a listing
	Search                // something to search; scheme.SearchURL says how
	Form                  // something that asks questions first; see [Ask]
	Terminal              // an interactive session
	Link                  // a symbolic link: opens whatever it leads to
	Info                  // text to be read here; it has no URL
	Failure               // an error that the server put into the listing
)

// String returns the kind in lower case, such as "directory".
func (k Kind) String() string {
	names := [...]string{"unknown", "object", "directory", "search", "form", "terminal", "link", "info", "failure"}
	if int(k) < len(names) {
		return names[k]
	}
	return "unknown"
}

// Entries reads all entries of a listing, calling yield for each. It stops at
// the first error of either and returns it; io.EOF becomes nil.
func Entries(l Lister, yield func(Entry) error) error {
	for {
		e, err := l.Next()
		if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := yield(e); err != nil {
			return err
		}
	}
}

// LoginAdvice is the Sys of an interactive resource: whom its URL advises the
// user to log in as. Nothing types it (RFC 1738 §3.8).
type LoginAdvice struct {
	User, Password url.Part
}
