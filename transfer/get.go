package transfer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"locus/access"
	"locus/retry"
	"locus/url"
)

// Options say how a file is fetched. The zero Options fetch it anew, in one
// piece, and try again after failures that may pass.
type Options struct {
	// Retry says how often and after how long a failure that may pass is tried again.
	Retry retry.Policy

	// Continue goes on with the part of an earlier run, if the remote resource
	// is proved to be the same, and begins again otherwise. A file that is
	// complete, and whose size and time of change are those of the resource, is
	// not fetched again.
	Continue bool

	// Split is how many ranges of one file are fetched at once, where the
	// resource is large, of known size, has a validator, and its server can
	// begin anywhere. 0 and 1 mean one.
	Split int

	// SplitSize is how small a range may be; 0 means 4 MiB.
	SplitSize int64

	// MaxSize is how many octets a file may have; 0 sets no limit.
	MaxSize int64

	// Digest is what the octets must come to.
	Digest Digest

	// Sync lets every file be on the disk before it gets its name. Otherwise
	// that is so for those that took more than five seconds to fetch, and a
	// power cut may cost what came quickly.
	Sync bool

	// Received, if not nil, is called once all octets are here and nothing more
	// is wanted of the server, before they are verified and the file gets its
	// name: the next transfer can begin. A Mirror has one of its own.
	Received func()

	// Event, if not nil, is told what happens, by one goroutine at a time. It
	// returns soon: the transfer waits for it.
	Event func(Event)
}

// A Result is what came of fetching a file.
type Result struct {
	URL     url.URL   // where it was found
	Name    string    // of the file, below the root
	Size    int64     // its octets
	ModTime time.Time // when the resource was last changed; zero if unknown
	Resumed int64     // how many octets were here before
	Skipped bool      // it was here already
}

// ErrHere says that a file is not fetched because it is here already.
var ErrHere = errors.New("it is here already")

// Get fetches the resource that req names into the file of that name below root.
// It writes into name.part, with what is needed to go on in name.part.json, and
// lets the file have its name once it is complete and verified, over a file that
// is there. Its time of change is that of the resource.
//
// After a failure that Options.Continue can make up for the part stays;
// otherwise nothing does. Who comes second to the same name while the first is
// still fetching, in this process or another, has an error. Directories in name must be there. Get does not write
// through a symbolic link, but the directories in name may be such, below root.
//
// Of req, URL, Login and Known are used. A nil root refuses to write.
func Get(ctx context.Context, o access.Engine, req *access.Request, root *os.Root, name string, opts Options) (Result, error) {
	if root == nil {
		return Result{}, errNoRoot
	}
	if !filepath.IsLocal(name) {
		return Result{}, fmt.Errorf("write %q: %w", name, fs.ErrInvalid)
	}
	opts.Event = oneAtATime(opts.Event)
	d := &download{
		Options: opts, opener: o, req: *req, root: root, name: name,
		parts: root, part: name + partSuffix, from: name + partSuffix, state: name + partSuffix + stateSuffix,
		left: name + partSuffix,
	}
	return d.run(ctx)
}

var errNoRoot = access.Reason("no folder was given to write into", fs.ErrPermission)

// run fetches the file and says what came of it.
func (d *download) run(ctx context.Context) (Result, error) {
	err := d.fetch(ctx)
	known, done := d.known, d.done
	if err != nil {
		d.abandon(err)
		d.known, d.done = known, done
	}
	if d.file != nil {
		d.file.Close()
	}
	d.release()
	skipped, isSkipped := errors.AsType[*skip](err)
	result := Result{URL: d.found, Name: d.name, Size: d.known.Size, ModTime: d.known.ModTime, Resumed: d.resumed, Skipped: isSkipped}
	switch {
	case err == nil:
		d.tell(Event{Kind: Done})
	case isSkipped:
		d.tell(Event{Kind: skipped.kind, Err: skipped.why})
		err = nil
	case d.quiet == nil || !d.quiet(err):
		d.tell(Event{Kind: Failed, Err: err})
	}
	return result, err
}

// A skip ends a download that has nothing to do.
type skip struct {
	kind Kind
	why  error
}

func (s *skip) Error() string { return s.why.Error() }
func (s *skip) Unwrap() error { return s.why }

// fetch does all of it.
func (d *download) fetch(ctx context.Context) error {
	if d.choose == nil { // who chooses looks then
		if _, err := regular(d.root, d.name); err != nil {
			return err
		}
	}
	d.found = d.req.URL
	d.known.Size = -1
	for range maxRestarts {
		err := d.once(ctx)
		again, ok := errors.AsType[*restart](err)
		if !ok {
			return err
		}
		d.tell(Event{Kind: Restarted, Err: again.why})
		if again.whole {
			d.Split = 1
		}
		d.req.Known = nil // it was of another version
		if err := d.forget(); err != nil {
			return err
		}
	}
	return &access.Error{Op: "get", URL: d.req.URL, Err: fmt.Errorf("it kept changing: %w", access.ErrChanged)}
}

// maxRestarts is how often a file is begun.
const maxRestarts = 4

// A restart asks for a file to be begun again.
type restart struct {
	why   error
	whole bool // the server cannot begin in the middle
}

func (r *restart) Error() string { return r.why.Error() }

// abandon leaves behind what can be gone on with, and nothing else.
func (d *download) abandon(err error) {
	passes := retry.Transient(err) || d.local || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	if passes && d.keep && d.file != nil && d.done > 0 && (d.save() == nil || d.good) {
		return
	}
	_ = d.forget() // there is an error to report already
}

// forget removes what there is of a file that is not complete.
func (d *download) forget() error {
	if d.file != nil {
		d.mine = d.mine && d.hasName()
		d.file.Close()
		d.file = nil
	}
	d.keep, d.resumed, d.todo, d.split = false, 0, nil, false
	d.known, d.done = state{Size: -1}, 0
	d.old, d.chosen = nil, false
	defer d.release()
	if !d.mine {
		return nil
	}
	d.mine = false
	if err := d.forgetState(); err != nil {
		return err
	}
	return removeFile(d.parts, d.part)
}

// forgetState removes the state, if there is one.
func (d *download) forgetState() error {
	if !d.noted {
		return nil
	}
	d.noted, d.good = false, false
	return removeFile(d.parts, d.state)
}
