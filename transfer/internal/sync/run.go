// Package sync makes two trees equal: it lists one, compares it with the other, and copies
// the differences.
//
// # How the pieces work together
//
// A run is one such copy, in either direction (run.go). It prepares the target, pushes the task of
// the root, and lets workers do tasks until the queue is empty (queue.go, tasks.go): 2·Jobs
// goroutines, of which Jobs use the server while the others verify and rename. Then it deletes the
// files that are not in the source, if that is safe (delete.go). The two kinds of run give it their
// steps:
//
//   - A mirror copies a remote tree into a local folder (mirror.go): a walk reads listings
//     (walk.go, fetchfile.go), and a crawl the links of web pages (crawl.go, crawllinks.go,
//     crawllisted.go, unchanged.go). claims.go keeps the local names apart, because two URLs may
//     have one name.
//   - A sender copies a tree to a server (send.go). It compares two directories (senddir.go), sends
//     the files that differ (sendfile.go, sendpart.go), checks the result (sendend.go) and records
//     it (manifest.go).
//
// Both push a task for each entry of a directory, and compare files by compare.go. Neither asks for
// the scheme of a URL, because a tree.Tree has traits.
package sync

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"locus/access"
	"locus/internal/glob"
	"locus/internal/spill"
	"locus/retry"
	"locus/transfer/internal/fetch"
	"locus/url"
)

// Options are the options of every run. Zero means the documented default, and a negative value of
// a limit means no limit.
type Options struct {
	Retry  retry.Policy
	Event  func(fetch.Event) // receives the events; may be nil
	Login  func(ctx context.Context, c access.Challenge) (access.Credentials, error)
	Filter glob.Filter // chooses files and directories

	Delete     bool // removes the files of the target that are not in the source
	MaxDelete  int  // how many files and directories Delete may remove; 0: any number
	DeleteNone bool // a MaxDelete of no file, because its 0 means any number
	DryRun     bool // reports changes without making them

	Jobs       int      // how many files and directories are copied at once; 0: 4
	MaxEntries int      // how many entries of listings and links of pages are read; 0: ten million
	MaxTemp    int64    // the size of all temporary files in bytes; 0: 1 GiB
	TempDir    *os.Root // the folder of the temporary files; nil: see transfer.TreeOptions
	Bounds     spill.Bounds
}

// orNoLimit returns limit, or the greatest int64 if limit is negative.
func orNoLimit(limit int64) int64 {
	if limit < 0 {
		return math.MaxInt64
	}
	return limit
}

// jobs returns how many tasks use a server at once.
func (o Options) jobs() int { return max(cmp.Or(o.Jobs, 4), 1) }

// checkDeletes returns an error if n files and directories are more than Delete may remove: at most MaxDelete. A
// MaxDelete of 0 allows any number, or forbids every deletion if DeleteNone is set.
func (o Options) checkDeletes(n int) error {
	most := max(o.MaxDelete, 0)
	if n <= most || most == 0 && !o.DeleteNone {
		return nil
	}
	return fmt.Errorf("the copy would delete %d files and folders; the limit is %d", n, most)
}

// checkFilter returns an error if the filter is invalid, or if Delete is set for a part of a divided tree. Then a file
// in another part would look as if the source did not have it.
func (o Options) checkFilter() error {
	if o.Delete && o.Filter.Parts > 0 {
		return errors.New("a part of a tree cannot delete files")
	}
	return o.Filter.Check()
}

// hasPatterns reports whether the filter has patterns, which may leave files out.
func (o Options) hasPatterns() bool { return len(o.Filter.Include)+len(o.Filter.Exclude) > 0 }

// A Report counts the files of a run. See transfer.Report.
type Report struct {
	Files      int
	Bytes      int64
	Skipped    int
	Newer      int
	Failed     int
	Disallowed int
	Converted  int
	Missing    int
	Omitted    int
	Deleted    int
	NotDeleted error

	MissingElsewhere int
	OmittedElsewhere int
}

// The errors of Options.MaxEntries, MirrorOptions.MaxFiles and MaxTotal.
var (
	ErrTooManyEntries = errors.New("the tree has too many entries")
	ErrTooManyFiles   = errors.New("the tree has too many files")
	ErrTooManyBytes   = errors.New("the files of the tree are too large together")
)

// A run is one copy of a tree.
type run struct {
	Options
	queue
	title string // begins its errors: "mirror ftp://h/pub/"

	counted atomic.Int64 // entries and links that were read

	mu         sync.Mutex // guards the rest
	report     Report
	incomplete bool // a listing failed, so files of the source may be unknown
	found      int  // files and directories of the source
}

// steps are the parts of a run that differ by its ends.
type steps struct {
	begin  func() error                                       // prepares the target
	start  task                                               // leads to all others
	do     func(ctx context.Context, t task, received func()) // does a task
	finish func(ctx context.Context) error                    // completes the copy when all tasks are done
	delete deletion
	end    func(complete bool) error // removes temporary files; complete: the run was not stopped
}

// newRun returns a run whose errors begin with title; do starts it. counts reports whether a failure at a URL counts
// toward ErrNoAnswer.
func newRun(o Options, title string, counts func(url.URL) bool) *run {
	r := &run{Options: o, title: title}
	r.store = spill.NewStore(spill.Options{MaxDisk: orNoLimit(cmp.Or(o.MaxTemp, 1<<30)), Bounds: o.Bounds})
	r.store.Create = r.createTemp
	r.Event = watchOutage(r.countFailures(fetch.OneAtATime(o.Event)), o.Jobs, counts, r.store.Fail)
	return r
}

// do does the steps of a run in their order, and returns its report. After an error of begin it returns at once. After
// any later error it goes on with end.
func (r *run) do(ctx context.Context, s steps) (Report, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r.store.OnFail = cancel
	defer r.store.Close()
	if err := s.begin(); err != nil {
		return Report{}, err
	}
	r.push(s.start)
	r.work(ctx, r.jobs(), s.do)
	err := r.stopped(ctx)
	if err == nil {
		err = s.finish(ctx)
	}
	if err == nil {
		err = r.deleteExtra(ctx, s.delete)
	}
	if err == nil {
		err = r.stopped(ctx)
	}
	if endErr := s.end(err == nil); endErr != nil {
		err = errors.Join(err, endErr)
	}
	return r.report, err
}

// repeat calls do until it succeeds or its failure is not transient, as often as Options.Retry says, and returns its
// last error. Its Retrying events have u and name.
func (r *run) repeat(ctx context.Context, u url.URL, name string, do func(context.Context) error) error {
	return r.Retry.Do(ctx, do, func(err error, wait time.Duration) { r.retrying(u, name, err, wait) })
}

// retrying reports that a request is repeated after wait.
func (r *run) retrying(u url.URL, name string, err error, wait time.Duration) {
	r.Event(fetch.Event{Kind: fetch.Retrying, URL: u, Name: name, Size: -1, Wait: wait, Err: err})
}

// createTemp returns an empty temporary file for the store. It returns an error without a TempDir.
func (r *run) createTemp() (*spill.Temp, error) {
	if r.TempDir == nil {
		return nil, errors.New("the tree is too large for memory, and no folder was given for temporary files")
	}
	return spill.NewTemp(r.TempDir)
}

// update calls change while it holds r.mu.
func (r *run) update(change func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change()
}

// stopped returns the error that stops the run: the error of the store or of ctx, or nil if the run goes on.
func (r *run) stopped(ctx context.Context) error {
	if err := r.store.Err(); err != nil {
		return fmt.Errorf("%s: %w", r.title, err)
	}
	return ctx.Err()
}

// countFailures returns a function that passes each event to event, and counts the Failed events in the report.
func (r *run) countFailures(event func(fetch.Event)) func(fetch.Event) {
	return func(e fetch.Event) {
		if e.Kind == fetch.Failed {
			r.update(func() { r.report.Failed++ })
		}
		event(e)
	}
}

// miss notes that files of the source may not have been found.
func (r *run) miss() { r.update(func() { r.incomplete = true }) }

// countEntry counts an entry or a link. If there are too many, it stops the run and
// returns an error.
func (r *run) countEntry() error {
	limit := orNoLimit(int64(cmp.Or(r.MaxEntries, 10_000_000)))
	if r.counted.Add(1) <= limit {
		return nil
	}
	r.store.Fail(fmt.Errorf("%w: more than %d", ErrTooManyEntries, limit))
	return r.store.Err()
}

// entries calls each for every entry of a listing, until each returns an error, and returns that error. It counts the
// entries in r.counted. If the listing breaks off, it takes the count back, because a retry counts the entries again.
func (r *run) entries(ctx context.Context, list access.Lister, each func(access.Entry) error) error {
	read := int64(0)
	err := access.Entries(list, func(e access.Entry) error {
		if err := cmp.Or(r.countEntry(), ctx.Err()); err != nil {
			return err
		}
		read++
		return each(e)
	})
	if err != nil {
		r.counted.Add(-read)
	}
	return err
}
