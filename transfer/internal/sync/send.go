package sync

import (
	"context"
	"errors"
	"sync"

	"locus/access"
	"locus/access/engine"
	"locus/internal/spill"
	"locus/transfer/internal/tree"
	"locus/url"
)

// An Endpoint is the root of a tree, and the Engine that opens it. See transfer.Endpoint.
type Endpoint struct {
	Engine access.Engine
	URL    url.URL
	Shown  url.URL // in events and for the manifest; zero: URL
}

// SendOptions choose the files to send. See transfer.SendOptions.
type SendOptions struct {
	Options
	Sending
}

// Sending are the options of Send alone.
type Sending struct {
	Replace     bool // files that were changed at the target are replaced
	Permissions bool // files get the permissions that they have in a file tree
	SkipLinks   bool // symbolic links are skipped
	Manifest    Manifest
}

// ErrNewer says that a file of the target is newer than the file of the source.
var ErrNewer = errors.New("it is newer at the target")

var errSame = errors.New("the target has it")

// Send copies the tree at the source from into the directory to. See transfer.Send.
func Send(ctx context.Context, from, to Endpoint, opts SendOptions) (Report, error) {
	if err := opts.checkFilter(); err != nil {
		return Report{}, err
	}
	source, err := newSide(from, "read")
	if err != nil {
		return Report{}, err
	}
	target, err := newSide(to, "written")
	if err != nil {
		return Report{}, err
	}
	r := newRun(opts.Options, "send to "+target.shown.Start.Redacted(), func(url.URL) bool { return true })
	s := &sender{ends: ends{run: r, from: source, to: target}, Sending: opts.Sending}
	if err := s.checkOverlap(from, to); err != nil {
		return Report{}, err
	}
	return r.do(ctx, steps{
		begin: s.begin, start: task{url: source.tree.Start, name: ".", isDir: true},
		do: s.do, finish: s.finish, delete: s.deletion(), end: s.end,
	})
}

// newSide returns the side of an Endpoint. It returns an error if locus cannot write trees of the
// scheme of e.URL or e.Shown; a source is checked in this way, too. verb is the participle for the
// text of the error, such as "written".
func newSide(e Endpoint, verb string) (side, error) {
	t, err := tree.WritableAt(e.URL, verb)
	shown := t
	if err == nil && !e.Shown.IsZero() {
		shown, err = tree.WritableAt(e.Shown, verb)
	}
	return side{engine.Recover{Engine: e.Engine}, t, shown}, err
}

// A sender copies a tree to a directory of a server.
//
// directory lists the same directory at both ends, and pushes a task for each file that is
// missing or differs (decide, in compare.go). file stores it by one Put (a sending, in
// sendfile.go). At the end finish lists the directories again into which files were sent. The
// manifest records the files that were sent, because some servers do not store times.
type sender struct {
	ends
	Sending

	sent   sentFiles
	hidden *spill.Set // files that the target has and does not list; Stat has found them
	log    *manifest

	unlisted   bool       // the target does not list its directories; guarded by run.mu, as the rest
	review     *taskQueue // directories to list again
	reviewed   *spill.Set
	extra      *taskQueue // of the target: not in the source
	maybeLinks int        // directories to delete that may be links

	// Of files that are not complete, see partOf.
	thisRun   string     // of this call
	leftovers *taskQueue // parts of uploads that were killed
	ownParts  *spill.Set // of leftovers, the parts of earlier runs of the same manifest
	ownRuns   []string   // the runs of ownParts
	kept      *spill.Set // of leftovers, the parts that a later run may continue

	twins    *spill.Set // names that differ from others only in case
	twinLock sync.Mutex
}

// begin creates the sets and task queues of the run, and opens its manifest. It always returns
// nil, because only the begin of a mirror can fail.
func (s *sender) begin() error {
	s.sent = sentFiles{numbers: spill.NewTable(s.store)}
	s.reviewed, s.twins, s.hidden = spill.NewSet(s.store), spill.NewSet(s.store), spill.NewSet(s.store)
	s.thisRun, s.ownParts, s.kept = newRunID(), spill.NewSet(s.store), spill.NewSet(s.store)
	s.review, s.extra, s.leftovers = newTasks(s.store), newTasks(s.store), newTasks(s.store)
	s.log = openManifest(s.Manifest, s.to.shown.Start, s.store)
	if !s.DryRun {
		s.log.begin(s.thisRun)
	}
	return nil
}

// finish lists the directories again into which files were sent, and removes the parts of killed
// uploads. In a dry run it returns at once.
func (s *sender) finish(ctx context.Context) error {
	if s.DryRun {
		return nil
	}
	s.pushAll(s.review)
	s.work(ctx, s.jobs(), func(ctx context.Context, t task, _ func()) { s.reviewDir(ctx, t) })
	if err := s.stopped(ctx); err != nil {
		return err
	}
	return s.removeLeftovers(ctx)
}

// end saves and closes the manifest. complete says that the run was not stopped. A run without
// failures has left no parts at the target, so the manifest forgets its runs then.
func (s *sender) end(complete bool) error {
	defer s.log.close()
	if complete && s.report.Failed == 0 && !s.DryRun {
		s.log.end()
	}
	return s.log.save(complete && !s.incomplete && !s.DryRun)
}

// do sends the directory or the file of t, and reports its errors.
func (s *sender) do(ctx context.Context, t task, _ func()) {
	if t.isDir {
		s.directory(ctx, t)
	} else {
		s.file(ctx, t)
	}
}
