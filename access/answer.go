package access

import (
	"errors"
	"io"
	"sync"
	"time"

	"locus/url"
)

// Unsupported is the error of an engine that does not have req's Op. It wraps
// errors.ErrUnsupported.
func Unsupported(req *Request) error {
	return &Error{Op: req.verb(), URL: req.URL, Err: errors.ErrUnsupported}
}

// verb is what errors call the Op of req.
func (req *Request) verb() string {
	if req.Op == Get && req.Answers != nil {
		return "answer"
	}
	return req.Op.String()
}

// Result returns r, or err as the error of req: see [Fail].
func (req *Request) Result(r *Resource, err error) (*Resource, error) {
	if err != nil {
		return nil, Fail(req.verb(), req.URL, err)
	}
	return r, nil
}

// CheckTime returns an error if modTime, when the resource was last changed, does not
// meet the conditions of a Get. It is for protocols that have no entity tags.
func (req *Request) CheckTime(modTime time.Time) error {
	if req.IfChanged.HasTime(modTime) {
		return ErrNotModified
	}
	if req.Offset > 0 && !req.IfMatch.IsZero() && !req.IfMatch.HasTime(modTime) {
		return ErrChanged
	}
	return nil
}

// Found returns the answer to Stat.
func Found(e Entry, err error) (*Resource, error) {
	if err != nil {
		return nil, err
	}
	return &Resource{Entry: e, Body: NoBody}, nil
}

// Done returns the answer to an Op that changes something. u is the URL of what was
// changed, or of what Append added.
func Done(u url.URL, err error) (*Resource, error) {
	return Found(Entry{URL: u, Size: -1}, err)
}

// NoBody is an empty Body, for every Op but Get and Send.
var NoBody io.ReadCloser = noBody{}

type noBody struct{}

func (noBody) Read([]byte) (int, error) { return 0, io.EOF }
func (noBody) Close() error             { return nil }

// A closeHook is a Body that calls after once, when it is closed.
type closeHook struct {
	io.ReadCloser
	once  sync.Once
	after func()
}

func (h *closeHook) Close() error {
	defer h.once.Do(h.after) // also if Close panics
	return h.ReadCloser.Close()
}
