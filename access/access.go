// Package access says what opening a URL means: one small contract, kept by one
// engine for each wire protocol.
//
// RFC 1738 §2 names four things that can be done with a resource once it is
// located: access, update, replace, find attributes. Access is [Opener.Open].
// The others are optional interfaces ([Stater] and its kin); asking an Opener
// for what it cannot do gives errors.ErrUnsupported.
//
// Whatever surrounds an access (redirects, retries, caches, gateways) is an
// Opener around an Opener.
package access

import (
	"context"
	"errors"
	"io"
	"time"

	"locus/url"
)

// An Opener opens URLs.
//
// Open sends a request and returns what it found. The Resource is never nil
// when the error is nil; the caller closes its Body. ctx governs the whole
// life of the Resource, reading included: when it is done, Read fails.
//
// An Opener
//   - must be safe for use by several goroutines at once;
//   - must not change the Request, nor keep it after Body is closed;
//   - must not follow redirects: it returns a [*Moved];
//   - must refuse, before it connects, a URL whose decoded parts would end a
//     command of its protocol (RFC 1738 §6);
//   - must make an early end an error: Body.Read returns io.EOF only if the
//     protocol says that the resource is complete, io.ErrUnexpectedEOF or
//     another error if not;
//   - must bound what it keeps in memory, whatever the server sends;
//   - returns errors that wrap fs.ErrNotExist, fs.ErrPermission or
//     errors.ErrUnsupported where they say what happened, as an [*Error];
//   - must not put a password, nor the unredacted URL, into an error.
type Opener interface {
	Open(ctx context.Context, req *Request) (*Resource, error)
}

// An OpenerFunc is a function that is an Opener.
type OpenerFunc func(ctx context.Context, req *Request) (*Resource, error)

// Open calls f.
func (f OpenerFunc) Open(ctx context.Context, req *Request) (*Resource, error) {
	return f(ctx, req)
}

// A Request is what to open, and how much of it. The zero value of every field
// but URL asks for nothing special.
type Request struct {
	// URL is what to open. Its fragment is never sent.
	URL url.URL

	// Offset is the first octet wanted; 0 means the start. An engine that
	// cannot start there returns errors.ErrUnsupported. A resource with no more
	// than Offset octets opens as an empty one, or fails with [ErrRange].
	Offset int64

	// Length is how many octets are wanted; 0 means all to the end. An engine
	// may send more: the caller stops reading.
	Length int64

	// IfChanged asks for the resource only if it is no longer the one with
	// this validator; otherwise Open returns [ErrNotModified]. The zero
	// Validator always asks for it. Engines whose protocol has no such
	// question ignore it.
	IfChanged Validator

	// IfMatch, with an Offset, asks for the rest of just this version; if the
	// resource is another one now, Open returns [ErrChanged]. The zero
	// Validator takes any version.
	IfMatch Validator

	// IfAbsent, with Store, makes a resource and replaces none: if there is one
	// the error wraps fs.ErrExist. An engine that cannot promise that ignores it.
	IfAbsent bool

	// ModTime is when what is stored was last changed, for engines that can
	// keep it. Zero: whatever the server says.
	ModTime time.Time

	// Known, if not nil, is what the caller knows of the resource, from a listing
	// or from [Stat]: its Size, unless that is -1, and its ModTime, unless that is
	// zero. An engine may believe it instead of asking. If the resource is another
	// one by now Body gives an error, [ErrChanged] or another.
	Known *Entry

	// Password, if not nil, is called at most once per access when the server
	// wants a password and the URL has none (RFC 1738 §3.2.1). The prompt
	// names the user and the host. If it is nil, the access fails with
	// [ErrPassword].
	Password func(ctx context.Context, prompt string) (string, error)
}

// A Validator tells one version of a resource from another. The zero Validator
// is no version.
type Validator struct {
	ETag    string    // HTTP's entity tag as it was sent, quotes and "W/" included
	ModTime time.Time // to the second; zero if unknown
}

// IsZero reports whether v names no version.
func (v Validator) IsZero() bool { return v.ETag == "" && v.ModTime.IsZero() }

// A Resource is an opened resource. It belongs to one goroutine at a time,
// except that Body may be closed by another.
type Resource struct {
	// URL is where it was found; its fragment is that of the request.
	URL url.URL

	// Type is its media type, with parameters, such as "text/plain;
	// charset=utf-8"; "" if unknown.
	Type string

	// Size is its size in octets, counted from its start and not from
	// Request.Offset; -1 if unknown. It is what the server said: Body gives an
	// error if more or fewer octets arrive.
	Size int64

	// ModTime is when it was last changed; zero if unknown.
	ModTime time.Time

	// ETag is HTTP's entity tag, as it was sent; "" if there is none.
	ETag string

	// Offset is where Body starts: Request.Offset, or 0 if the engine could
	// only give the whole.
	Offset int64

	// Body is never nil and the caller closes it. It gives the octets as the
	// protocol carries them once its framing is off. If the resource is a
	// listing Body is also a [Lister], if it is interactive also a [Session].
	Body io.ReadCloser

	// Sys is what the protocol knows besides, of a type that the engine
	// documents; nil if nothing.
	Sys any
}

// Validator returns what tells this version of the resource from others.
func (r *Resource) Validator() Validator {
	return Validator{ETag: r.ETag, ModTime: r.ModTime}
}

// Lister returns the entries of r, if it is a listing.
func (r *Resource) Lister() (Lister, bool) {
	l, ok := r.Body.(Lister)
	return l, ok
}

// A Lister is the Body of a listing: a directory, a menu, a newsgroup.
//
// Next returns the entries in the order of the server, and io.EOF after the
// last one: if the listing breaks off, another error. Either Read or Next is
// used on one Body, not both. Entries come as they arrive; a listing may be
// longer than memory.
type Lister interface {
	Next() (Entry, error)
}

// An Entry is one line of a listing, or the attributes of a resource.
type Entry struct {
	// Title is what people call it: a file's name, a menu's text, an article's
	// subject. It comes from the server, cleaned of nothing.
	Title string

	// URL opens it; the zero URL if nothing does (a line of text in a menu).
	URL url.URL

	// Kind is what opening URL will give, as far as the listing tells.
	Kind Kind

	// Type is its media type; "" if unknown.
	Type string

	// Size is its size in octets; -1 if unknown.
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
	Object                // octets: a file, an article, a page
	Directory             // a listing
	Search                // something to search; see [Searcher]
	Form                  // something that asks questions first; see [Former]
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
