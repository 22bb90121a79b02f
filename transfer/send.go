package transfer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"sync"
	"sync/atomic"

	"locus/access"
	"locus/internal/spill"
	"locus/retry"
	"locus/url"
)

// A Place is the root of a tree, and the Engine that opens it. The scheme of URL is file,
// ftp, ftps, http or https, and URL names a directory, whether or not it ends in "/".
type Place struct {
	Engine access.Engine
	URL    url.URL

	// Shown is the URL of the root in events and for the manifest, if URL is not what
	// people call it: that of a folder that Engine has as its root. Zero: URL. Two places
	// with the same Shown are the same.
	Shown url.URL
}

// SendOptions say what Send sends. The zero SendOptions send everything that is new or
// has changed.
type SendOptions struct {
	// Retry says how often and after how long a transient failure is retried.
	Retry retry.Policy

	// Event, if not nil, receives the events, one call at a time. Send waits for it.
	Event func(Event)

	// Login is that of [access.Request].
	Login func(ctx context.Context, c access.Challenge) (access.Credentials, error)

	// What is sent, and how.

	// Filter chooses files and directories.
	Filter Filter

	// Replace replaces files that were changed at the target after the last change of the
	// source, and not by an earlier Send. Otherwise they are reported and stay.
	Replace bool

	// Permissions gives each file the permissions that it has in a file tree. Other
	// sources have none.
	Permissions bool

	// SkipLinks skips symbolic links. Otherwise a link to a file is sent as that file.
	// Links to directories are never followed.
	SkipLinks bool

	// Delete removes files and directories of the target that are not in the source,
	// unless Filter.Exclude matches them. It removes nothing unless both trees were read
	// without an error and the source has at least one file.
	Delete bool

	// MaxDelete is how many files and directories Delete may remove; nil: no limit. If
	// there are more, it removes none.
	MaxDelete *int

	// DryRun reports what would be done, and changes nothing.
	DryRun bool

	// How much.

	// Jobs is how many files and directories are read and sent at once; 0 means 4.
	Jobs int

	// MaxEntries is how many entries of listings are read, of both trees; 0 means ten
	// million. If there are more, Send fails with ErrTooManyEntries.
	MaxEntries int

	// Manifest is the file that remembers what was sent, for servers that do not store
	// the time of a file; the zero Manifest remembers nothing.
	Manifest Manifest

	// Spool is the folder of temporary files; nil: there are none, and Send fails for a
	// tree of more than some hundred thousand entries.
	Spool *os.Root

	// MaxSpool is the size of all temporary files in bytes; 0 means 1 GiB. If Send needs
	// more it fails with ErrSpoolFull.
	MaxSpool int64
}

// A SendReport says what Send did.
type SendReport struct {
	Files      int   // sent; in a dry run, to be sent
	Bytes      int64 // sent
	Skipped    int   // files that were up to date
	Newer      int   // files that stayed because they are newer at the target
	Failed     int   // files and directories that could not be read or sent
	Deleted    int   // files and directories removed; in a dry run, to be removed
	NotDeleted error // why Delete removed nothing; nil if it was free to
}

// ErrNewer says that a file of the target is newer than that of the source.
var ErrNewer = errors.New("it is newer at the target")

var errSame = errors.New("the target has it")

// Send copies everything below from to the directory to, which it makes if there is
// none. A file is sent if it is missing, or if its size or time differs. See
// doc/deploy.md for what is compared where a server does not store times.
//
// Each file is stored by one Put, so it appears under its name when it is complete, as
// far as the engine promises that. A file that changes while it is read is not stored.
// An interrupted Send is resumed by the same call: files that were sent are not sent
// again.
//
// No name leads out of to: names that have a slash, or mean another directory, fail.
//
// The error is that of ctx, or says that nothing could be sent at all, or that the trees
// are too large, or wraps [ErrOverlap]. Then nothing is deleted. Failures of single files and directories are
// sent to SendOptions.Event and counted in the report.
func Send(ctx context.Context, from, to Place, opts SendOptions) (SendReport, error) {
	if err := opts.Filter.Check(); err != nil {
		return SendReport{}, err
	}
	opts.Event = oneAtATime(opts.Event)
	s := &sender{SendOptions: opts, queue: queue{store: spill.NewStore(spill.Options{})}}
	s.Event = watchOutage(s.Event, s.Jobs, func(url.URL) bool { return true }, s.store.Fail)
	var err error
	if s.from, err = newSide(from, "read"); err != nil {
		return SendReport{}, err
	}
	if s.to, err = newSide(to, "written"); err != nil {
		return SendReport{}, err
	}
	if err := s.checkOverlap(from, to); err != nil {
		return SendReport{}, err
	}
	return s.run(ctx)
}

// A writableTree is a tree that has a URL for each name.
type writableTree interface {
	tree
	// at returns the URL of a file or a directory below the root, from decoded names.
	at(segments []string, isDir bool) (url.URL, error)
}

// A side is the source or the target of Send.
type side struct {
	engine access.Engine
	tree   writableTree
	shown  writableTree // the tree in events
}

func newSide(p Place, verb string) (side, error) {
	t, err := writableAt(p.URL, verb)
	shown := t
	if err == nil && !p.Shown.IsZero() {
		shown, err = writableAt(p.Shown, verb)
	}
	return side{access.Recover{Engine: p.Engine}, t, shown}, err
}

// writableAt returns the tree at u. It fails for a scheme whose trees cannot be what verb
// says.
func writableAt(u url.URL, verb string) (writableTree, error) {
	u, err := asDirectory(u)
	if err != nil {
		return nil, err
	}
	t, err := treeAt(u)
	if err != nil {
		return nil, err
	}
	w, ok := t.(writableTree)
	if !ok {
		return nil, fmt.Errorf("%s: a tree of this scheme cannot be %s: %w", u.Redacted(), verb, errors.ErrUnsupported)
	}
	return w, nil
}

// A sender is one call of Send.
type sender struct {
	SendOptions
	queue
	from, to side

	entries atomic.Int64
	sent    *spill.Set // files that were sent, with what is known of them: see sentKey
	log     *manifest

	mu         sync.Mutex
	report     SendReport
	incomplete bool       // a part of a tree could not be read
	unlisted   bool       // the target does not list its directories
	found      int        // files in the source
	review     *taskQueue // directories to list again
	reviewed   *spill.Set
	extra      *taskQueue // of the target: not in the source
	maybeLinks int        // directories to delete that may be links

	// Of files that are not complete, see partOf.
	thisRun   string     // of this call
	leftovers *taskQueue // parts of uploads that were killed
	ownParts  *spill.Set // of these, the ones of earlier runs of the same manifest
	ownRuns   []string   // those runs
	kept      *spill.Set // of these, the ones that a later run may continue

	twins    *spill.Set // names that differ from others only in case
	twinLock sync.Mutex
}

func (s *sender) run(ctx context.Context) (SendReport, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s.store.Create, s.store.MaxDisk, s.store.OnFail = s.createTemp, cmp.Or(s.MaxSpool, 1<<30), cancel
	s.sent, s.reviewed, s.twins = spill.NewSet(s.store), spill.NewSet(s.store), spill.NewSet(s.store)
	s.thisRun, s.ownParts, s.kept = newRun(), spill.NewSet(s.store), spill.NewSet(s.store)
	s.review, s.extra, s.leftovers = newTasks(s.store), newTasks(s.store), newTasks(s.store)
	defer s.store.Close()
	s.log = openManifest(s.Manifest, s.to.shown.start(), s.store)
	defer s.log.close()
	if !s.DryRun {
		s.log.begin(s.thisRun)
	}

	jobs := max(cmp.Or(s.Jobs, 4), 1)
	s.push(task{url: s.from.tree.start(), name: ".", isDir: true})
	s.work(ctx, jobs, s.do)
	if err := s.stopped(ctx); err != nil {
		return s.report, errors.Join(err, s.log.save(false))
	}
	if !s.DryRun {
		s.pushAll(s.review)
		s.work(ctx, jobs, func(ctx context.Context, t task, _ func()) { s.reviewDir(ctx, t) })
	}
	err := s.stopped(ctx)
	if err == nil {
		err = s.deleteAll(ctx)
	}
	if err == nil && s.report.Failed == 0 && !s.DryRun {
		s.log.end()
	}
	return s.report, errors.Join(err, s.log.save(err == nil && !s.incomplete && !s.DryRun))
}

func (s *sender) createTemp() (*spill.Temp, error) {
	if s.Spool == nil {
		return nil, errors.New("the tree is too large for memory, and there is no folder for temporary files")
	}
	return spill.NewTemp(s.Spool)
}

// stopped returns the error of the spool or of ctx, if there is one.
func (s *sender) stopped(ctx context.Context) error {
	if err := s.store.Err(); err != nil {
		return fmt.Errorf("send to %s: %w", s.to.shown.start().Redacted(), err)
	}
	return ctx.Err()
}

// update calls change with the lock held.
func (s *sender) update(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// do does a task.
func (s *sender) do(ctx context.Context, t task, _ func()) {
	if t.isDir {
		s.directory(ctx, t)
	} else {
		s.file(ctx, t)
	}
}

// failed counts and reports a failure. mayLead says that a part of a tree was not read.
func (s *sender) failed(ctx context.Context, name string, mayLead bool, err error) {
	s.update(func() {
		s.report.Failed++
		s.incomplete = s.incomplete || mayLead
	})
	if ctx.Err() == nil && s.store.Err() == nil {
		s.Event(Event{Kind: Failed, URL: s.target(name), Name: name, Size: -1, Err: err})
	}
}

func (s *sender) skip(name string, size int64, why error) {
	s.Event(Event{Kind: Skipped, URL: s.target(name), Name: name, Size: size, Err: why})
}

// target returns the URL of a name at the target for events; the root if the name has
// none.
func (s *sender) target(name string) url.URL {
	shown := side{tree: s.to.shown}
	u, err := shown.at(name, false)
	if err != nil {
		return s.to.shown.start()
	}
	return u
}

// at returns the URL of a name below the root of the side.
func (s side) at(name string, isDir bool) (url.URL, error) {
	if name == "." {
		return s.tree.start(), nil
	}
	return s.tree.at(splitName(name), isDir)
}

// makeDir makes a directory of the target. It is no error if it exists, or if the server
// makes directories by itself.
func (s *sender) makeDir(ctx context.Context, name string) error {
	u, err := s.to.at(name, true)
	if err != nil {
		return err
	}
	err = s.Retry.Do(ctx, func(ctx context.Context) error {
		_, err := s.to.engine.Do(ctx, &access.Request{Op: access.MakeDir, URL: u, Login: s.Login})
		return err
	}, s.notify(name))
	if errors.Is(err, fs.ErrExist) || errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}

// makeRoot makes the root of the target, and the directories above it that are missing.
func (s *sender) makeRoot(ctx context.Context) error {
	err := s.makeDir(ctx, ".")
	if err == nil {
		return nil
	}
	above, ok := parentOf(s.to.tree.start())
	if !ok {
		return err
	}
	t, treeErr := treeAt(above)
	w, isTree := t.(writableTree)
	if treeErr != nil || !isTree {
		return err
	}
	higher := &sender{SendOptions: s.SendOptions, to: side{s.to.engine, w, w}}
	if higherErr := higher.makeRoot(ctx); higherErr != nil {
		return err
	}
	return s.makeDir(ctx, ".")
}

// localPath joins the name of a directory, "." for the root, and a name in it.
func localPath(dir, name string) string {
	if dir == "." {
		return name
	}
	return dir + "/" + name
}

// checkName returns an error unless name is one that can only be in its directory.
func checkName(name string) error {
	if name == "" || name == "." || name == ".." || path.Base(name) != name || containsNUL(name) {
		return fmt.Errorf("%q is no name of a file: %w", name, fs.ErrInvalid)
	}
	return nil
}
