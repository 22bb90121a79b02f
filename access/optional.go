package access

import (
	"context"
	"errors"
	"io"

	"locus/url"
)

// A Stater finds the attributes of a resource without opening it (RFC 1738 §2,
// "find attributes").
type Stater interface {
	Stat(ctx context.Context, req *Request) (Entry, error)
}

// Stat finds the attributes of a resource. If o cannot, it returns an error
// that wraps errors.ErrUnsupported.
func Stat(ctx context.Context, o Opener, req *Request) (Entry, error) {
	if s, ok := o.(Stater); ok {
		return s.Stat(ctx, req)
	}
	return Entry{}, unsupported("stat", req.URL)
}

// A Storer replaces resources (RFC 1738 §2, "replace").
type Storer interface {
	// Store lets what req names be the octets of body, which it reads to its
	// end: all of them or, after an error, what it was before wherever the
	// protocol can promise that. Request.Length is how many octets body has, 0
	// if that is not known; Request.IfMatch replaces just that version. With a
	// Request.Offset body is the rest of an upload that broke off: the octets
	// before it stay, and an engine that cannot do that returns
	// errors.ErrUnsupported.
	Store(ctx context.Context, req *Request, body io.Reader) error
}

// Store replaces what req names by the octets of body. If o cannot, it returns
// an error that wraps errors.ErrUnsupported, and has read nothing.
func Store(ctx context.Context, o Opener, req *Request, body io.Reader) error {
	if s, ok := o.(Storer); ok {
		return s.Store(ctx, req, body)
	}
	return unsupported("store", req.URL)
}

// An Appender adds to resources (RFC 1738 §2, "update"): an article to a
// newsgroup, octets to the end of a file.
type Appender interface {
	// Append adds body, which it reads to its end, to what req names. It returns
	// the URL of what was added, the zero URL if that has none of its own or the
	// server does not tell. Request.Length is how many octets body has, 0 if
	// that is not known.
	Append(ctx context.Context, req *Request, body io.Reader) (url.URL, error)
}

// Append adds body to what req names. If o cannot, it returns an error that
// wraps errors.ErrUnsupported, and has read nothing.
func Append(ctx context.Context, o Opener, req *Request, body io.Reader) (url.URL, error) {
	if a, ok := o.(Appender); ok {
		return a.Append(ctx, req, body)
	}
	return url.URL{}, unsupported("append", req.URL)
}

// A Deleter removes resources. RFC 1738 §2 has no word for that; it is what is
// left of replacing.
type Deleter interface {
	// Delete removes what req names. Request.IfMatch removes just that version.
	Delete(ctx context.Context, req *Request) error
}

// Delete removes what req names. If o cannot, it returns an error that wraps
// errors.ErrUnsupported.
func Delete(ctx context.Context, o Opener, req *Request) error {
	if d, ok := o.(Deleter); ok {
		return d.Delete(ctx, req)
	}
	return unsupported("delete", req.URL)
}

// A Maker makes directories, which RFC 1738 has no word for either.
type Maker interface {
	// MakeDir makes the directory that req names, in one that is there. If there
	// is something of that name already, the error wraps fs.ErrExist where the
	// protocol can tell.
	MakeDir(ctx context.Context, req *Request) error
}

// MakeDir makes the directory that req names. If o cannot, it returns an error
// that wraps errors.ErrUnsupported.
func MakeDir(ctx context.Context, o Opener, req *Request) error {
	if m, ok := o.(Maker); ok {
		return m.MakeDir(ctx, req)
	}
	return unsupported("make", req.URL)
}

// A Searcher turns words into the URL whose resource is the result of the
// search, for URLs that name something to search. It connects to nothing.
type Searcher interface {
	// Search returns the URL of the search for words (decoded, as typed) in
	// what u names. ok is false if u does not name something to search.
	Search(u url.URL, words string) (result url.URL, ok bool)
}

// SearchURL returns the URL of the search for words in what u names; ok is
// false if o knows of no search there.
func SearchURL(o Opener, u url.URL, words string) (result url.URL, ok bool) {
	if s, is := o.(Searcher); is {
		return s.Search(u, words)
	}
	return url.URL{}, false
}

// A Former knows resources that ask questions before they open (Gopher+ ASK).
type Former interface {
	// Questions fetches the questions of what req names. It returns an error
	// that wraps errors.ErrUnsupported if that asks none.
	Questions(ctx context.Context, req *Request) (*Questions, error)
	// Answer opens req with answers to its questions. Answers are in the order
	// of the questions and there is one for each.
	Answer(ctx context.Context, req *Request, answers []Answer) (*Resource, error)
}

// Questions are what a resource asks before it opens.
type Questions struct {
	Title string     // what the form is called; "" if it has no name
	Items []Question // in the order of the form; never empty
}

// A Question is one line of a form.
type Question struct {
	Name    string       // tells the questions of a form apart; never empty
	Kind    QuestionKind // how to ask
	Prompt  string       // what to ask
	Default string       // the answer if the user gives none; "" for none
	Choices []string     // for AskChoice
}

// A QuestionKind is how a [Question] is asked.
type QuestionKind uint8

const (
	AskLine     QuestionKind = iota // one line of text
	AskPassword                     // one line that is not shown
	AskText                         // several lines
	AskChoice                       // one of Choices
	AskSelect                       // "1" or "0"
	AskFile                         // the content of a file that the user names
	AskSave                         // one line: the user names a file to keep the result in; the name is sent
	AskNote                         // nothing is asked: text to show
)

// An Answer is what the user said to one [Question].
type Answer struct {
	Text string    // the line or lines, the choice, "1" or "0"
	File io.Reader // for AskFile: what to send; nil sends nothing
}

// Ask fetches the questions of what req names. If there are none, or o knows
// of no forms, the error wraps errors.ErrUnsupported.
func Ask(ctx context.Context, o Opener, req *Request) (*Questions, error) {
	if f, ok := o.(Former); ok {
		return f.Questions(ctx, req)
	}
	return nil, unsupported("ask", req.URL)
}

// AnswerForm opens req with answers to its questions.
func AnswerForm(ctx context.Context, o Opener, req *Request, answers []Answer) (*Resource, error) {
	if f, ok := o.(Former); ok {
		return f.Answer(ctx, req, answers)
	}
	return nil, unsupported("answer", req.URL)
}

// A Session is the Body of an interactive resource: a terminal, whose other end
// is somewhere else. What is read from the Body is for a terminal to show: text
// and the control sequences of ECMA-48. It has to be read for anything to
// happen. Read, Write, Resize, Echoes and Screen may be called at the same time.
type Session interface {
	// Write types: it takes what the keyboard of a terminal sends. The key
	// Enter is CR.
	io.Writer

	// Resize tells the other side how large the user's screen is. Until it is
	// called there are 80 columns and 24 rows.
	Resize(columns, rows int) error

	// Echoes reports whether the other side shows what is typed, if anything
	// is to be shown. If not, whoever types sees to that, and sends lines. When
	// it changes Read returns, without an octet and an error if need be.
	Echoes() bool

	// Screen returns what a terminal shows after all that was read so far.
	Screen() Screen
}

// A Keyboard is a [Session] that has keys which keyboards of today lack.
type Keyboard interface {
	// Keys returns them, in the order that people expect. The slice is the
	// caller's.
	Keys() []SpecialKey
}

// A SpecialKey is a key of a terminal.
type SpecialKey struct {
	Name string // what is written on it: "PF1"
	Text string // what Write takes for it
}

// Login is what the URL of a session advises its user to log in as, and the Sys
// of its Resource. It is for the user to read and for nobody to type (RFC 1738
// §3.8).
type Login struct {
	User, Password url.Part
}

func unsupported(op string, u url.URL) error {
	return &Error{Op: op, URL: u, Err: errors.ErrUnsupported}
}
