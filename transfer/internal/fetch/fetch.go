// Package fetch fetches one file: into a part that an interrupted run can resume, verified by its
// digests, and renamed when it is complete.
//
// # How the pieces work together
//
// A Download is one file. Its Run calls fetchOnce, which does these steps:
//
//   - loadPart opens the part of an earlier run under a lock (lock.go), and finds the segments that
//     it lacks (part.go, state.go). Without such a part, begin makes one when the server has
//     answered.
//   - fetchAll, or resume for the part of an earlier run, fetches the segments, each in a goroutine
//     and up to Split at once. fetchSegment first compares the end of the bytes that are here with
//     the resource (download.go).
//   - copy writes the bytes of one segment into the part, and saves the state from time to time
//     (write.go), because the process may be killed.
//   - finish verifies the size and the digests (digest.go, reprdigest.go), and renames the part.
//
// A step that finds that the resource has changed, or that the server cannot continue, returns a
// restart, and Run calls fetchOnce again from the start. The Hooks let a mirror name the file, read
// it before it is renamed, and count its bytes.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/internal/sentinel"
	"locus/retry"
	"locus/url"
)

// Options say how a file is fetched. See transfer.Options. Zero means the documented default, and a
// negative value of a limit means no limit.
type Options struct {
	Retry     retry.Policy
	Continue  bool        // resumes the part of an earlier run
	Split     int         // how many ranges are fetched at once; 0: 1
	SplitSize int64       // the size of the smallest range; 0: 4 MiB
	MaxSize   int64       // how many bytes the file may have; 0: any number
	Digest    Digest      // that the file must have; the zero Digest: any
	Size      int64       // that the file must have; 0: any
	Sync      bool        // the file is flushed to the disk before it gets its name
	Received  func()      // is called once all bytes are here; may be nil
	Event     func(Event) // receives the events, one call at a time; may be nil
}

// A Result describes a file that was fetched. See transfer.Result.
type Result struct {
	URL     url.URL
	Name    string
	Size    int64
	ModTime time.Time
	ETag    string // of the resource; "" if unknown
	Type    string // the media type; "" if unknown
	Resumed int64
	Skipped bool
	Linked  Linked
}

// ErrUpToDate says that a file was not fetched because the local one is complete and
// the same.
var ErrUpToDate = errors.New("the local file is up to date")

// ErrNoRoot is the error of a nil root.
var ErrNoRoot = sentinel.New("no folder was given to write into", fs.ErrPermission)

// Get fetches the resource that req names into the named file below root. It writes a part, and
// replaces the file when the part is complete and verified: see transfer.Get.
func Get(ctx context.Context, e access.Engine, req *access.Request, root *os.Root, name string, opts Options) (Result, error) {
	if root == nil {
		return Result{}, ErrNoRoot
	}
	if !filepath.IsLocal(name) {
		return Result{}, fmt.Errorf("write %q: %w", name, fs.ErrInvalid)
	}
	opts.Event = OneAtATime(opts.Event)
	part := name + PartSuffix
	d := New(opts, engine.Recover{Engine: e}, req, root, name)
	d.part.PartName = PartName{Dir: root, Name: part, Path: part, Earlier: part}
	return d.Run(ctx)
}

// Run fetches the file, sends the last event, and releases the part. The event is Done, Skipped or
// Failed, but IsQuiet can suppress Failed. After a failure the part stays if it can be resumed. A
// skipped file is not an error: Run sets Result.Skipped. Run may be called once.
func (d *Download) Run(ctx context.Context) (Result, error) {
	err := d.fetch(ctx)
	if IsDiskFull(err) { // also in an engine that writes, such as one that records
		err = Local(err)
	}
	state, done, linked := d.state, d.done, d.linked
	if err != nil {
		d.cleanUp(err)
		d.state, d.done = state, done
	}
	if d.part.file != nil {
		d.part.file.Close()
	}
	d.part.unlock()
	result := Result{URL: d.found, Name: d.name, Size: state.Size, ModTime: state.ModTime, ETag: state.ETag, Type: d.mediaType, Resumed: d.resumed, Linked: linked}
	skipped, isSkipped := errors.AsType[*Skip](err)
	switch {
	case err == nil:
		d.emit(Event{Kind: Done})
	case isSkipped:
		d.emit(Event{Kind: Skipped, Err: skipped.Why})
		result.Skipped = true
		return result, nil
	case d.IsQuiet == nil || !d.IsQuiet(err):
		d.emit(Event{Kind: Failed, Err: err})
	}
	return result, err
}

// A Skip ends a download without fetching the file. Run reports it by a Skipped event and returns
// no error.
type Skip struct{ Why error }

func (s *Skip) Error() string { return s.Why.Error() }
func (s *Skip) Unwrap() error { return s.Why }

// A restart is an error after which the file is fetched again from its start.
type restart struct {
	why      error
	noRanges bool // the server does not support ranges
}

func (r *restart) Error() string { return r.why.Error() }

// restartAfter returns the restart to which err, the error of a request with an offset, leads. It returns
// nil for any other error.
func restartAfter(err error) *restart {
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return &restart{why: whyNoRanges(err), noRanges: true}
	case errors.Is(err, access.ErrChanged), errors.Is(err, access.ErrRange):
		return &restart{why: access.ErrChanged}
	}
	return nil
}

// whyNoRanges returns the reason why an engine refused an offset with err. If err has only
// errors.ErrUnsupported or a reply, the reason is that the server does not support ranges.
func whyNoRanges(err error) error {
	e, ok := errors.AsType[*access.Error](err)
	if ok && e.Reply == nil && e.Err != errors.ErrUnsupported { //nolint:errorlint // an error that wraps it has a reason
		return e.Err
	}
	return errors.New("the server does not support ranges")
}

// maxAttempts is how often a file is fetched from its start.
const maxAttempts = 4

// fetch fetches the file and gives it its name. If the resource changes meanwhile, fetch starts
// again, up to maxAttempts times in all. The error after the last attempt wraps access.ErrChanged.
func (d *Download) fetch(ctx context.Context) error {
	if d.ChooseName == nil { // otherwise onResponse checks the name
		if _, err := Regular(d.root, d.name); err != nil {
			return Local(err)
		}
	}
	for range maxAttempts {
		err := d.fetchOnce(ctx)
		again, ok := errors.AsType[*restart](err)
		if !ok {
			return err
		}
		d.emit(Event{Kind: Restarted, Err: again.why})
		if again.noRanges {
			d.Split = 1
		}
		d.req.Known = nil // the listing described another version
		if err := d.reset(); err != nil {
			return Local(err)
		}
	}
	return &access.Error{Op: "get", URL: d.req.URL, Err: fmt.Errorf("the resource keeps changing: %w", access.ErrChanged)}
}

// cleanUp keeps the part and its state after the failure err, if a later run can resume the part,
// and removes both otherwise.
func (d *Download) cleanUp(err error) {
	mayPass := retry.Transient(err) || d.writeFailed || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	if mayPass && d.resumable && d.part.file != nil && d.done > 0 && (d.save() == nil || d.part.stateValid) {
		return
	}
	_ = d.reset() // err has been reported
}

// reset forgets all progress, removes the part with its state, and subtracts the bytes of the file
// from CountBytes.
func (d *Download) reset() error {
	if d.reserved > 0 {
		_ = d.reserveMore(-d.reserved) // a smaller count cannot fail
	}
	d.progress = progress{state: state{Size: -1}}
	d.fromServer, d.linked = nil, Linked{}
	return d.part.remove()
}
