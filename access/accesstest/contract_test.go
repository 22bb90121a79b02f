package accesstest_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"

	"locus/access"
	"locus/access/engine"
	"locus/url"
)

// whenFails replaces the errors of an Op.
func whenFails(op access.Op, by error) func(*access.Request, *access.Resource, error) (*access.Resource, error) {
	return onOp(op, func(r *access.Resource, err error) (*access.Resource, error) {
		if err != nil {
			return nil, by
		}
		return r, nil
	})
}

// whenFailsWith replaces an error of an Op, and keeps its URL.
func whenFailsWith(op access.Op, of, by error) func(*access.Request, *access.Resource, error) (*access.Resource, error) {
	return func(req *access.Request, r *access.Resource, err error) (*access.Resource, error) {
		if req.Op == op && errors.Is(err, of) {
			return nil, engine.Fail(op.String(), req.URL, by)
		}
		return r, err
	}
}

// whenDone spoils the Request of an Op, or the Resource of one that succeeds.
func whenDone(op access.Op, spoil func(req *access.Request, r *access.Resource)) func(*access.Request, *access.Resource, error) (*access.Resource, error) {
	return func(req *access.Request, r *access.Resource, err error) (*access.Resource, error) {
		if req.Op == op && err == nil {
			spoil(req, r)
		}
		return r, err
	}
}

// whenRead spoils the results of Read of the Body of a Get.
func whenRead(read func(p []byte, n int, err error) (int, error)) func(*access.Request, *access.Resource, error) (*access.Resource, error) {
	return whenGot(func(r *access.Resource) { r.Body = spoiledBody{ReadCloser: r.Body, read: read} })
}

// failsAs returns a read that replaces each error but io.EOF.
func failsAs(by error) func(p []byte, n int, err error) (int, error) {
	return func(_ []byte, n int, err error) (int, error) {
		if err != nil && !errors.Is(err, io.EOF) {
			err = by
		}
		return n, err
	}
}

// nothing is the outcome of an engine that returns neither a resource nor an error.
func nothing(*access.Resource, error) (*access.Resource, error) {
	return nil, nil //nolint:nilnil // this is the breakage
}

// withBody gives the outcome of an Op a Body that has to be closed.
func withBody(_ *access.Request, r *access.Resource) { r.Body = io.NopCloser(strings.NewReader("")) }

// dialsFor returns a before that dials for an Op of a URL with a text in it.
func dialsFor(op access.Op, text string) func(toy, *access.Request) {
	return func(e toy, req *access.Request) {
		if req.Op != op || !strings.Contains(req.URL.String(), text) {
			return
		}
		if c, err := e.dial(context.Background(), "tcp", "h:1"); err == nil {
			c.Close()
		}
	}
}

var errOther = errors.New("another error")

const (
	needsNoBody = "want access.NoBody"
	needsURL    = "want an *access.Error with that URL"
	sameRequest = "has changed the Request: "
	isNothing   = "nil Resource or Body without an error"
	dialsSome   = "connections were made, want 0"
)

// contractBreakages each break one sentence of the contract in [access.Engine], or one
// check of a part, that breakages do not.
var contractBreakages = []breakage{
	// "Without an error, the Resource is never nil … after any other Op the Body is NoBody".
	{name: "Stat has a body", part: "Stat", message: needsNoBody, after: whenDone(access.Stat, withBody)},
	{name: "Put has a body", part: "Put", message: needsNoBody, after: whenDone(access.Put, withBody)},
	{name: "Append has a body", part: "Append", message: needsNoBody, after: whenDone(access.Append, withBody)},
	{name: "Delete has a body", part: "Delete", message: needsNoBody, after: whenDone(access.Delete, withBody)},
	{name: "Stat has nothing", part: "Stat", message: isNothing, after: onOp(access.Stat, nothing)},
	{name: "Put has nothing", part: "Put", message: isNothing, after: onOp(access.Put, nothing)},
	{name: "what is missing is nothing", part: "Missing", message: isNothing, after: onOp(access.Get, nothing)},
	{name: "what is not done is nothing", part: "Unsupported", message: isNothing, after: onOp(access.MakeDir, nothing)},

	// "must not change the Request".
	{name: "a failure changes the Request", part: "Missing", message: sameRequest + "Offset", after: func(req *access.Request, r *access.Resource, err error) (*access.Resource, error) {
		req.Offset++
		return r, err
	}},
	{name: "Stat changes the Request", part: "Stat", message: sameRequest + "List", after: whenDone(access.Stat, func(req *access.Request, _ *access.Resource) { req.List = true })},
	{name: "Put changes the Request", part: "Put", message: sameRequest + "Size, ModTime", after: whenDone(access.Put, func(req *access.Request, _ *access.Resource) {
		req.Size, req.ModTime = req.Size+7, req.ModTime.AddDate(0, 0, 1)
	})},
	{name: "Append takes the Body", part: "Append", message: sameRequest + "Body", after: whenDone(access.Append, func(req *access.Request, _ *access.Resource) { req.Body = nil })},
	{name: "Delete keeps a Login", part: "Delete", message: sameRequest + "Login", after: whenDone(access.Delete, func(req *access.Request, _ *access.Resource) {
		req.Login = func(context.Context, access.Challenge) (access.Credentials, error) { return access.Credentials{}, nil }
	})},

	// "returns each error as an *Error".
	{name: "Stat fails without the URL", part: "Stat", message: needsURL, after: whenFails(access.Stat, fs.ErrNotExist)},
	{name: "Put fails without the URL", part: "PutBroken", message: needsURL, after: whenFails(access.Put, context.Canceled)},
	{name: "Delete fails without the URL", part: "Delete", message: needsURL, after: whenFails(access.Delete, fs.ErrNotExist)},
	{name: "what is not done fails without the URL", part: "Unsupported", message: needsURL, after: whenFails(access.MakeDir, errors.ErrUnsupported)},
	{name: "a cancelled open fails without the URL", part: "CancelBeforeOpen", message: needsURL, after: whenFails(access.Get, context.Canceled)},
	{name: "a hostile URL fails without the URL", part: "Hostile", message: needsURL, after: whenFails(access.Get, errOther)},
	{name: "another scheme fails without the URL", part: "OtherScheme", message: needsURL, after: whenFails(access.Get, errors.ErrUnsupported)},
	{name: "the error has another URL", part: "Missing", message: needsURL, after: func(req *access.Request, r *access.Resource, err error) (*access.Resource, error) {
		if err != nil {
			err = engine.Fail("open", url.MustParse("toy://h/other"), fs.ErrNotExist)
		}
		return r, err
	}},

	// "must refuse an Op that it does not have, and Answers if it has no forms".
	{name: "answers are ignored", part: "Unsupported", message: "with answers = <nil>", after: func(req *access.Request, r *access.Resource, err error) (*access.Resource, error) {
		if req.Answers != nil {
			return nothingDone(nil, nil)
		}
		return r, err
	}},
	{name: "it dials for what it does not do", part: "Unsupported", message: dialsSome, before: dialsFor(access.MakeDir, "")},

	// "must refuse, before it connects, a URL with decoded parts that would end a command".
	{name: "it dials for a hostile URL", part: "Hostile", message: dialsSome, before: dialsFor(access.Get, "%0A")},
	{name: "it dials for the attributes of a hostile URL", part: "Hostile", message: dialsSome, before: dialsFor(access.Stat, "%0A")},
	{name: "it dials to change a hostile URL", part: "HostileChanges", message: dialsSome, before: dialsFor(access.Delete, "%0A")},

	// "when ctx is done, Read fails", and other ends.
	{name: "another error after cancel", part: "CancelBeforeOpen", message: "want context.Canceled", after: whenFailsWith(access.Get, context.Canceled, errOther)},
	{name: "another error of Read after cancel", part: "CancelWhileReading", message: "want 0, context.Canceled", after: whenRead(failsAs(errOther))},
	{name: "another error of a server that stalls", part: "CancelStalled", message: "want context.Canceled", after: whenRead(failsAs(errOther))},
	{name: "Close is an end", part: "CloseStalled", message: "want an error that is not io.EOF", after: whenRead(failsAs(io.EOF))},
	{name: "after Close there is an end", part: "CloseEarly", message: "want 0 and an error that is not io.EOF", after: whenRead(failsAs(io.EOF))},
	{name: "an early end is the error io.EOF", part: "Truncated", message: "want an error that is not io.EOF", after: func(req *access.Request, r *access.Resource, err error) (*access.Resource, error) {
		if err == nil && strings.Contains(req.URL.Path(), "truncated") {
			return nil, errors.Join(engine.Fail("open", req.URL, io.EOF), r.Body.Close())
		}
		return r, err
	}},

	// An Offset.
	{name: "another byte at the Offset", part: "Offset", message: `the byte at 2 is "x"`, after: onOp(access.Get, startingAt(2))},
	{name: "the size from the Offset on", part: "Offset", message: "want -1 or the whole size, 5", after: onOp(access.Get, func(*access.Resource, error) (*access.Resource, error) {
		r, _ := startingAt(2)(nil, nil)
		r.Size = 3
		return r, nil
	})},
	{name: "another error past the end", part: "OffsetPastEnd", message: "want an empty resource or access.ErrRange", after: whenFailsWith(access.Get, errors.ErrUnsupported, errOther)},

	// Listings.
	{name: "Next goes on after the end", part: "Listing", message: "Next past the end = another error", after: whenGot(func(r *access.Resource) {
		if r.List != nil {
			r.List = &endsOnce{Lister: r.List}
		}
	})},
	{name: "the bytes of a listing fail", part: "Listing", message: "reading the bytes of", after: whenRead(func(_ []byte, n int, _ error) (int, error) { return n, errOther })},
	{name: "a listing that breaks off", part: "Listing", message: "another error, want", after: whenGot(func(r *access.Resource) {
		if r.List != nil {
			r.List = fails{}
		}
	})},

	// Changes.
	{name: "Stat does not have the stored time", part: "Put", message: "after a Put that stored", after: func(req *access.Request, r *access.Resource, err error) (*access.Resource, error) {
		if err == nil && req.Op == access.Put {
			r.ModTime = req.ModTime
		}
		return r, err
	}},
	{name: "another error after cancel", part: "PutBroken", message: "Put after cancel = ", after: whenFailsWith(access.Put, context.Canceled, errOther)},
	{name: "half of it is stored", part: "PutBroken", message: `has "half"`, before: func(e toy, req *access.Request) {
		if req.Op == access.Put {
			content, _ := io.ReadAll(req.Body)
			*e.shelf = shelf{string(content), true}
			req.Body = strings.NewReader(string(content))
		}
	}},
	{name: "Append replaces", part: "Append", message: `has "two"`, before: func(e toy, req *access.Request) {
		if req.Op == access.Append {
			e.shelf.content = ""
		}
	}},
	{name: "hostile URLs can be stored", part: "HostileChanges", message: "Put(", after: onOp(access.Put, nothingDone)},
}

// endsOnce is a listing whose end is followed by an error.
type endsOnce struct {
	access.Lister
	ended bool
}

func (l *endsOnce) Next() (access.Entry, error) {
	e, err := l.Lister.Next()
	if errors.Is(err, io.EOF) {
		if l.ended {
			return e, errOther
		}
		l.ended = true
	}
	return e, err
}

// fails is a listing that cannot be read.
type fails struct{}

func (fails) Next() (access.Entry, error) { return access.Entry{}, errOther }
