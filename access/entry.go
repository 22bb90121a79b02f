package access

import (
	"io"
	"io/fs"
	"iter"
	"strings"
	"time"

	"locus/url"
)

// A Lister gives the entries of a listing: a directory, a menu, a newsgroup.
//
// Next returns the entries in the order of the server, and io.EOF after the
// last one. If the listing breaks off it returns another error. Entries come as
// they arrive; a listing may be longer than memory.
type Lister interface {
	Next() (Entry, error)
}

// Entries calls yield for each entry of l. It returns nil at the end of the listing. It stops at
// the first error of l or yield and returns that error.
func Entries(l Lister, yield func(Entry) error) error {
	for {
		e, err := l.Next()
		if IsEnd(err) {
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

// An Entry is one line of a listing, or the attributes of a resource. It is data: a
// wrapper that copies every field passes on everything that other packages use.
type Entry struct {
	// Title is the name for people: a file's name, a menu's text, an article's subject. It
	// comes from the server unchanged, so clean it before you show it.
	Title string

	// Name is the file name that the protocol gives the resource apart from its Title and
	// its URL, such as the name of a document in a WAIS database; "" if the protocol gives
	// no such name. It comes from the server unchanged, so it may contain "/" or be "..".
	Name string

	// ID is equal for two paths to the same object of one server, such as the unique fact of
	// MLST (RFC 3659 §7.5.2) or the file number of NFS; "" if unknown.
	ID string

	// URL opens it; the zero URL if the entry cannot be opened (a line of text in a menu).
	URL url.URL

	// Kind is the kind of resource that URL opens, if the listing tells.
	Kind Kind

	// Type is its media type, with parameters, such as "text/plain;
	// charset=utf-8"; "" if unknown.
	Type string

	// Size is its size in bytes; -1 if unknown.
	Size int64

	// ModTime is when it was last changed; zero if unknown.
	ModTime time.Time

	// Mode has the permissions of a file, the bits of fs.ModePerm; 0 if unknown.
	Mode fs.FileMode

	// Rough is the Size or the ModTime that a listing gives only approximately.
	Rough Rough

	// Header has the fields of the protocol, in its order, such as the author of an
	// article, the score of a search result, or the header of an HTTP response; nil if the
	// protocol gives no fields.
	Header Header

	// Incomplete, on the last entry of a listing, is the reason why the listing may lack
	// entries; nil if the listing is whole. If Request.MoreEntries can ask for more, the
	// Remedy of the error is a [NeedMore].
	Incomplete error

	// Sys is the protocol's own value, of a type that the engine documents, for the
	// engine's package and programs that import it; nil if the engine has none. Wrappers
	// may drop it, because they do not know its type.
	Sys any
}

// A Rough is a size and a time that are not exact, to show to people.
type Rough struct {
	// Size is a rounded size in bytes, such as 1229 for "1.2K"; 0 if unknown.
	Size int64

	// ModTime is a time of an unknown time zone, as if it were UTC, or rounded to the
	// minute; zero if unknown.
	ModTime time.Time
}

// A Header is a list of fields. Several fields may have the same name. The order is the
// order of the protocol, or the most important field first. Do not change the fields of an
// Entry that another goroutine may read.
type Header []Field

// A Field is an attribute of a resource that is not a field of [Entry] itself.
type Field struct {
	Name  string  // "From", "Score"; the name of a header field
	Value string  // lines with "\n" between them, unchanged from the server
	URL   url.URL // the resource that Value names; the zero URL if it does not name one

	// Hidden is set for details of a protocol, such as Cache-Control or Set-Cookie.
	// Programs use them, but listings leave them out, because they are for programs and may
	// be secret.
	Hidden bool
}

// Get returns the value of the named field. It compares names without regard to case. It
// returns "" if h has no such field. The values of several fields are joined by ", ", as HTTP
// allows (RFC 9110 §5.2).
func (h Header) Get(name string) string {
	value, found := "", false
	for _, f := range h {
		if !strings.EqualFold(f.Name, name) {
			continue
		}
		if !found {
			value, found = f.Value, true
			continue
		}
		value += ", " + f.Value
	}
	return value
}

// Values returns the value of each field with the given name. It compares names without regard
// to case.
func (h Header) Values(name string) []string {
	var values []string
	for _, f := range h {
		if strings.EqualFold(f.Name, name) {
			values = append(values, f.Value)
		}
	}
	return values
}

// Shown yields the fields that are not Hidden, for people.
func (h Header) Shown() iter.Seq[Field] {
	return func(yield func(Field) bool) {
		for _, f := range h {
			if !f.Hidden && !yield(f) {
				return
			}
		}
	}
}

// A Kind is the kind of resource that the URL of an [Entry] opens.
type Kind uint8

const (
	Unknown   Kind = iota // the listing does not tell
	Object                // bytes: a file, an article, a page
	Directory             // a listing
	Search                // it can be searched: see scheme.SearchURL
	Form                  // it asks questions first: see [Ask]
	Terminal              // an interactive session
	Link                  // a symbolic link; opening it opens the target
	Info                  // a line of text, without a URL
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

// IsEnd reports whether err is the end of a Body or a listing, which is io.EOF itself. An
// error that wraps io.EOF is an early end, because the contract of io.Reader returns the
// end unwrapped, and a lost connection may say "connection closed: EOF".
func IsEnd(err error) bool { return err == io.EOF }
