package accesstest_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"locus/access"
	"locus/access/accesstest"
	"locus/proto"
	"locus/url"
)

// A breakage is a way to break an engine, and the failure that the suite must report.
type breakage struct {
	name    string
	part    string // the part of the suite that finds it
	message string // in its failure

	before func(e toy, req *access.Request)                                                   // runs before the request; may be nil
	after  func(req *access.Request, r *access.Resource, err error) (*access.Resource, error) // spoils the outcome; may be nil
}

// whenGot spoils each resource that a Get returns.
func whenGot(spoil func(r *access.Resource)) func(*access.Request, *access.Resource, error) (*access.Resource, error) {
	return func(req *access.Request, r *access.Resource, err error) (*access.Resource, error) {
		if err == nil && req.Op == access.Get {
			spoil(r)
		}
		return r, err
	}
}

// whenListed spoils each entry of listings.
func whenListed(spoil func(e *access.Entry)) func(*access.Request, *access.Resource, error) (*access.Resource, error) {
	return whenGot(func(r *access.Resource) {
		if r.List != nil {
			r.List = spoiledList{r.List, spoil}
		}
	})
}

type spoiledList struct {
	access.Lister
	spoil func(e *access.Entry)
}

func (l spoiledList) Next() (access.Entry, error) {
	e, err := l.Lister.Next()
	if err == nil {
		l.spoil(&e)
	}
	return e, err
}

// onOp replaces the outcome of an Op.
func onOp(op access.Op, replace func(r *access.Resource, err error) (*access.Resource, error)) func(*access.Request, *access.Resource, error) (*access.Resource, error) {
	return func(req *access.Request, r *access.Resource, err error) (*access.Resource, error) {
		if req.Op == op {
			return replace(r, err)
		}
		return r, err
	}
}

// nothingDone is the outcome of an Op that has succeeded.
func nothingDone(*access.Resource, error) (*access.Resource, error) {
	return &access.Resource{Body: access.NoBody}, nil
}

// startingAt replaces an outcome by a resource that begins at an offset.
func startingAt(offset int64) func(*access.Resource, error) (*access.Resource, error) {
	return func(*access.Resource, error) (*access.Resource, error) {
		return &access.Resource{Entry: access.Entry{Size: -1}, Offset: offset, Body: io.NopCloser(strings.NewReader("x"))}, nil
	}
}

// A spoiledBody is a Body with another Read or Close.
type spoiledBody struct {
	io.ReadCloser
	read  func(p []byte, n int, err error) (int, error)
	close func(err error) error
}

func (b spoiledBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.read != nil {
		return b.read(p, n, err)
	}
	return n, err
}

func (b spoiledBody) Close() error {
	err := b.ReadCloser.Close()
	if b.close != nil {
		return b.close(err)
	}
	return err
}

var breakages = []breakage{
	{name: "another URL", part: "SameBytesTwice", message: "Resource.URL =", after: whenGot(func(r *access.Resource) { r.URL = url.MustParse("toy://h/other") })},
	{name: "another size", part: "SameBytesTwice", message: "Resource.Size = 7", after: whenGot(func(r *access.Resource) { r.Size = 7 })},
	{name: "no body", part: "SameBytesTwice", message: "nil Resource or Body", after: whenGot(func(r *access.Resource) {
		r.Body.Close()
		r.Body = nil
	})},
	{name: "no resource", part: "SameBytesTwice", message: "nil Resource or Body", after: onOp(access.Get, func(r *access.Resource, err error) (*access.Resource, error) {
		if err == nil {
			r.Body.Close()
		}
		return nil, nil //nolint:nilnil // this is the breakage
	})},
	{name: "a byte is wrong", part: "SameBytesTwice", message: `= "HELLO"`, after: whenGot(func(r *access.Resource) {
		r.Body = spoiledBody{ReadCloser: r.Body, read: func(p []byte, n int, err error) (int, error) {
			return copy(p, bytes.ToUpper(p[:n])), err
		}}
	})},
	{name: "no end", part: "SameBytesTwice", message: "past its end", after: whenGot(func(r *access.Resource) {
		ends := 0
		r.Body = spoiledBody{ReadCloser: r.Body, read: func(p []byte, n int, err error) (int, error) {
			if !errors.Is(err, io.EOF) {
				return n, err
			}
			if ends++; ends > 1 {
				return copy(p, "x"), nil
			}
			return n, err
		}}
	})},
	{name: "Close fails", part: "SameBytesTwice", message: "after its end", after: whenGot(func(r *access.Resource) {
		r.Body = spoiledBody{ReadCloser: r.Body, close: func(error) error { return errors.New("no") }}
	})},
	{name: "the Request changes", part: "SameBytesTwice", message: "has changed the Request", after: func(req *access.Request, r *access.Resource, err error) (*access.Resource, error) {
		req.Offset = 1
		return r, err
	}},
	{name: "a connection stays open", part: "SameBytesTwice", message: "left behind: 2 open connections", before: func(e toy, req *access.Request) {
		_, _ = e.dial(context.Background(), "tcp", "h:1")
	}},
	{name: "a goroutine stays", part: "SameBytesTwice", message: "left behind: 0 open connections and", before: func(toy, *access.Request) { go func() { select {} }() }},
	{name: "it dials for another scheme", part: "OtherScheme", message: "connections were made", before: func(e toy, req *access.Request) {
		if c, err := e.dial(context.Background(), "tcp", "h:1"); err == nil {
			c.Close()
		}
	}},
	{name: "a foreign scheme does not exist", part: "OtherScheme", message: "want errors.ErrUnsupported", after: onOp(access.Get, func(_ *access.Resource, err error) (*access.Resource, error) { return nil, fs.ErrNotExist })},
	{name: "what is not done reads the body", part: "Unsupported", message: "with 0 bytes unread", before: func(_ toy, req *access.Request) {
		if req.Body != nil {
			_, _ = io.Copy(io.Discard, req.Body)
		}
	}},
	{name: "what is not done succeeds", part: "Unsupported", message: "want errors.ErrUnsupported", after: onOp(access.MakeDir, nothingDone)},
	{name: "the Offset is another", part: "Offset", message: "Resource.Offset =", after: onOp(access.Get, startingAt(1))},
	{name: "an Offset that is not there", part: "OffsetPastEnd", message: "reading past the end = ", after: onOp(access.Get, startingAt(5))},
	{name: "no error for what is missing", part: "Missing", message: "gives no error", after: onOp(access.Get, nothingDone)},
	{name: "an error without the URL", part: "Missing", message: "want an *access.Error with that URL", after: whenFails(access.Get, fs.ErrNotExist)},
	{name: "another error for what is missing", part: "Missing", message: "want fs.ErrNotExist", after: onOp(access.Get, func(*access.Resource, error) (*access.Resource, error) { return nil, errors.New("no") })},
	{name: "no List", part: "Listing", message: "has no List", after: whenGot(func(r *access.Resource) { r.List = nil })},
	{name: "another title", part: "Listing", message: `the titles of`, after: whenListed(func(e *access.Entry) { e.Title += "!" })},
	{name: "a relative URL", part: "Listing", message: "is relative", after: whenListed(func(e *access.Entry) { e.URL = url.MustParse("one") })},
	{name: "a size below -1", part: "Listing", message: "has the size -2", after: whenListed(func(e *access.Entry) { e.Size = -2 })},
	{name: "a listing that is not cancelled", part: "CancelListing", message: "Next after cancel = <nil>", after: whenGot(func(r *access.Resource) {
		if r.List != nil {
			r.List = endless{}
		}
	})},
	{name: "another size", part: "Stat", message: "of 7 bytes", after: onOp(access.Stat, func(r *access.Resource, err error) (*access.Resource, error) {
		if err == nil {
			r.Size = 7
		}
		return r, err
	})},
	{name: "what is missing has attributes", part: "Stat", message: "want fs.ErrNotExist", after: onOp(access.Stat, func(r *access.Resource, err error) (*access.Resource, error) {
		if err != nil {
			return nothingDone(nil, nil)
		}
		return r, err
	})},
	{name: "an early end is an end", part: "Truncated", message: "gives no error", after: whenGot(func(r *access.Resource) {
		r.Body = spoiledBody{ReadCloser: r.Body, read: func(_ []byte, n int, err error) (int, error) {
			if errors.Is(err, io.ErrUnexpectedEOF) {
				err = io.EOF
			}
			return n, err
		}}
	})},
	{name: "a hostile URL has attributes", part: "Hostile", message: "gives no error", after: onOp(access.Stat, nothingDone)},
	{name: "Put stores nothing", part: "Put", message: "file does not exist", after: onOp(access.Put, nothingDone), before: func(_ toy, req *access.Request) {
		if req.Op == access.Put {
			req.Op = access.Delete
		}
	}},
	{name: "Put has another time", part: "Put", message: "want that time or the zero time", after: onOp(access.Put, func(r *access.Resource, err error) (*access.Resource, error) {
		if err == nil {
			r.ModTime = time.Unix(1, 0)
		}
		return r, err
	})},
	{name: "a source that fails is stored", part: "PutBroken", message: "want its error", after: onOp(access.Put, nothingDone)},
	{name: "Append does nothing", part: "Append", message: `want "one two"`, after: onOp(access.Append, nothingDone), before: func(_ toy, req *access.Request) {
		if req.Op == access.Append {
			req.Body = strings.NewReader("")
		}
	}},
	{name: "Delete always succeeds", part: "Delete", message: "again = <nil>", after: onOp(access.Delete, nothingDone)},
	{name: "Delete removes nothing", part: "Delete", message: "gives no error", before: func(_ toy, req *access.Request) {
		if req.Op == access.Delete {
			req.Op = access.Stat
		}
	}},
	{name: "hostile URLs can be removed", part: "HostileChanges", message: "Delete(", after: onOp(access.Delete, nothingDone)},
	{name: "the remedy shows the password", part: "Secret", message: "shows the password", after: onOp(access.Get, func(_ *access.Resource, err error) (*access.Resource, error) {
		return nil, errors.Join(err, errors.New("try "+accesstest.Secret))
	})},
}

// endless is a listing without an end.
type endless struct{}

func (endless) Next() (access.Entry, error) { return access.Entry{Title: "x", Size: -1}, nil }

// A broken is a toy with a breakage.
type broken struct {
	toy
	breakage
}

func (b broken) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	done := *req
	if b.before != nil {
		b.before(b.toy, &done)
	}
	r, err := b.toy.Do(ctx, &done)
	if b.after != nil {
		return b.after(req, r, err)
	}
	return r, err
}

// breakagePart is the environment variable that selects the breakages of TestBroken.
const breakagePart = "LOCUS_ACCESSTEST_BREAKAGES"

// TestBroken is run by TestBreakages, as a process of its own.
func TestBroken(t *testing.T) {
	for _, b := range slices.Concat(breakages, contractBreakages) {
		if b.part == os.Getenv(breakagePart) {
			t.Run(b.name, func(t *testing.T) {
				c := toyConfig(t)
				c.Timeout = 200 * time.Millisecond // is used up
				c.New = func(dial proto.Dial) access.Engine { return broken{newToy(dial, ""), b} }
				accesstest.Test(t, c)
			})
		}
	}
}

// Each broken engine fails in the right part of the suite, with a message that describes
// the breakage.
func TestBreakages(t *testing.T) {
	byPart := map[string][]breakage{}
	for _, b := range slices.Concat(breakages, contractBreakages) {
		byPart[b.part] = append(byPart[b.part], b)
	}
	for part, all := range byPart {
		t.Run(part, func(t *testing.T) {
			t.Parallel()
			c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestBroken$/^.*$/^"+part+"$")
			c.Env = append(os.Environ(), breakagePart+"="+part)
			output, err := c.CombinedOutput()
			if err == nil {
				t.Errorf("the suite passes: %s", output)
			}
			failures := map[string]string{}
			for report := range strings.SplitSeq(string(output), "--- FAIL: TestBroken/") {
				name, _, _ := strings.Cut(report, " (")
				failures[name] = report
			}
			for _, b := range all {
				report := failures[strings.ReplaceAll(b.name, " ", "_")+"/"+part]
				if !strings.Contains(report, b.message) {
					t.Errorf("%s: %s\nwant that %s says %q", b.name, report, part, b.message)
				}
			}
		})
	}
}
