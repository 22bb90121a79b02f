package transfer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"locus/access"
	"locus/internal/spill"
	"locus/url"
)

// MirrorOptions say what a mirror fetches.
type MirrorOptions struct {
	// Options say how each file is fetched. Continue is always on, and Digest is
	// ignored.
	Options

	// What is copied, and how.

	// Level is how many levels below the root are mirrored; 0: all. Level 1 is the
	// files of the root, or the pages that the first page links to.
	Level int

	// Filter chooses files and directories. A web page that does not match is still
	// read for its links, and not kept.
	Filter Filter

	// Listings keeps the directory pages that web servers generate, as index.html.
	// Otherwise they are only read for their links. If such a page lists a file of that
	// name, the file is fetched, and the page is not kept.
	Listings bool

	// IgnoreRobots follows links that robots.txt disallows for all programs or for
	// "locus". Otherwise Mirror skips them. If robots.txt cannot be fetched, it
	// skips all links (RFC 9309 §2.3.1). The URL of the mirror is always fetched.
	IgnoreRobots bool

	// Parts also fetches what pages load, from anywhere on their server and at any
	// Level: style sheets and what those load, images, scripts, fonts, media, frames.
	// Files from outside of the directory are in the local directory "_outside".
	Parts bool

	// OtherHosts are patterns of other hosts, such as "*.example.net". Parts may come
	// from them, and so may files to which directories of Prospero and documents of
	// WAIS lead; none: only the server of the mirror. A host that a pattern with "*"
	// matches must have a public address, if the engine obeys Request.PublicOnly.
	OtherHosts []string

	// Convert makes the copy readable from a folder. URLs of pages and style sheets
	// become relative if their target is in the copy, and absolute otherwise. Names get
	// the extension of their type. It implies Listings and Portable. The pages as they
	// were fetched are kept in ".locus-mirror/pages".
	Convert bool

	// Delete removes local files and directories that are not in the remote tree,
	// unless Filter.Exclude matches them. It removes nothing unless the whole
	// remote tree was read without an error and has at least one file. It needs
	// Level 0.
	Delete bool

	// MaxDelete is how many files and directories Delete may remove; nil: no limit. If
	// there are more, it removes none.
	MaxDelete *int

	// DryRun reports what would be done, and changes nothing.
	DryRun bool

	// Portable makes names that are valid on every system. Windows implies it.
	Portable bool

	// Login is that of [access.Request].
	Login func(ctx context.Context, c access.Challenge) (access.Credentials, error)

	// How much.

	// Jobs is how many files and directories are fetched at once; 0 means 4.
	Jobs int

	// MaxEntries is how many entries of listings and links of pages are read; 0
	// means ten million. If there are more, Mirror fails with ErrTooManyEntries.
	MaxEntries int

	// MaxFiles is how many files the copy may have; 0: DefaultMaxFiles, less: no limit
	// but MaxEntries. If there are more, Mirror fails with ErrTooManyFiles.
	MaxFiles int

	// MaxTotal is how many bytes all files of the copy may have, those that are up
	// to date included; less than 0: no limit. 0: those that are fetched may have nine
	// tenths of the disk's free space, where the system tells that (Linux, macOS). If
	// they have more, Mirror fails with ErrTooManyBytes.
	MaxTotal int64

	// MaxSpool is the size of all temporary files in bytes; 0 means 1 GiB. A mirror
	// of more than some hundred thousand entries needs them. If it needs more,
	// Mirror fails with ErrSpoolFull.
	MaxSpool int64

	// Spool is the folder of the temporary files; nil: the local root. A dry run
	// without one fails if it needs temporary files.
	Spool *os.Root
}

// A Report says what a mirror did.
type Report struct {
	Files      int   // fetched; in a dry run, to be fetched
	Bytes      int64 // fetched
	Skipped    int   // files that were up to date
	Failed     int   // files and directories that could not be fetched
	Disallowed int   // links that robots.txt disallows
	Converted  int   // pages and style sheets that were written with other URLs
	Missing    int   // files that pages load and that are not in the copy
	Omitted    int   // entries of listings that are not in the copy, which is no failure
	Deleted    int   // files and directories removed; in a dry run, to be removed
	NotDeleted error // why Delete removed nothing; nil if it was free to

	MissingElsewhere int // of Missing: those at hosts that OtherHosts does not have
	OmittedElsewhere int // of Omitted: those at servers that OtherHosts does not have
}

var (
	errFailures = errors.New("not all of the remote directories could be read")
	errNothing  = errors.New("the remote directory is empty")
	errNoMatch  = errors.New("no file matches the patterns")
)

// Mirror copies everything below u into root:
//
//   - ftp and file: the directory and its directories
//   - http: the pages and files in the directory of u that links lead to
//   - gopher: the items whose selectors begin with that of the menu
//   - prospero: the directory and its directories at the same server
//   - wais: the documents in the catalog of a database, or those that a search finds
//
// It fetches only new and changed files. It compares size and modification time, or
// the ETag if the server gives no time. It sets the modification times of files and
// directories. It does not follow symbolic links to directories. Where a
// server shows one as a directory, it does not follow it to a directory above.
//
// Local names are made safe, see doc/transfer.md. Two URLs with the same local name
// are an error. Mirror does not write through a symbolic link. Incomplete files are
// in the directory ".locus-mirror" below root, which is removed at the end. A Mirror
// that was interrupted at any moment is resumed by the same call. A second Mirror
// into the same root fails with [ErrBusy]. Where the file system has no locks, both
// run and the files are right.
//
// Mirror needs about 20 MB of memory for any number of entries. The rest is in
// temporary files, which have no names where the system allows that.
//
// The error is that of ctx, or says that there is no mirror at all, or that the tree
// is too large. Then nothing is deleted. Failures of single files and directories
// are sent to Options.Event and counted in the Report.
func Mirror(ctx context.Context, engine access.Engine, u url.URL, root *os.Root, opts MirrorOptions) (Report, error) {
	return mirrorWithin(ctx, spill.Usual, engine, u, root, opts)
}

// mirrorWithin is Mirror with other memory bounds.
func mirrorWithin(ctx context.Context, bounds spill.Bounds, engine access.Engine, u url.URL, root *os.Root, opts MirrorOptions) (Report, error) {
	if root == nil {
		return Report{}, errNoRoot
	}
	if err := opts.Filter.Check(); err != nil {
		return Report{}, err
	}
	if opts.Delete && opts.Level > 0 {
		return Report{}, errors.New("a mirror with a Level cannot delete files")
	}
	t, err := treeAt(u)
	if err != nil {
		return Report{}, err
	}
	opts.Event = withShownNames(oneAtATime(opts.Event))
	opts.Continue, opts.Digest = true, Digest{}
	opts.Listings = opts.Listings || opts.Convert
	opts.Portable = opts.Portable || opts.Convert
	m := &mirror{
		MirrorOptions: opts, remote: remote{tree: t}, copied: copied{root: root},
		queue: queue{store: spill.NewStore(spill.Options{Bounds: bounds})},
	}
	m.engine = publicly{access.Recover{Engine: engine}, m}
	m.Event = watchOutage(m.countFailures(m.Event), m.Jobs, func(u url.URL) bool { return !m.isOtherServer(u) }, m.store.Fail)
	if _, m.isWeb = t.(webTree); !m.isWeb && m.isOffline() {
		return Report{}, errors.New("only pages of a web server have parts and links to convert")
	}
	if err := checkPatterns(opts.OtherHosts); err != nil {
		return Report{}, err
	}
	return m.run(ctx)
}

// A mirror is one call of Mirror.
type mirror struct {
	MirrorOptions
	remote
	copied

	queue
	visited *spill.Set // URLs that were pushed
	missing *spill.Set // URLs that pages load and that are not in the copy
	loops   loops
	entries atomic.Int64 // entries and links that were read
	outcome outcome
	size    size
}

// A remote is what a mirror copies.
type remote struct {
	engine access.Engine
	tree   tree
	isWeb  bool
	robots robotsOfServers
}

// A copied is where a mirror copies it to.
type copied struct {
	root   *os.Root
	naming naming
	names  names
	parts  partsDir
	etags  *etags
	places *places // nil unless the copy is for reading offline
}

// An outcome is what a mirror has found and done so far.
type outcome struct {
	sync.Mutex
	report     Report
	incomplete bool       // there may be files that were not found
	found      int        // entries and links in the tree
	timedDirs  *taskQueue // directories with a modification time
	listedDirs *taskQueue // all directories, if Delete needs them
	pages      *taskQueue // pages and style sheets to convert, with their types as titles
}

// update calls change with the lock held.
func (o *outcome) update(change func()) {
	o.Lock()
	defer o.Unlock()
	change()
}

func (m *mirror) run(ctx context.Context) (Report, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	m.openSpool(cancel)
	defer m.close()
	m.setLimits()
	if err := m.begin(); err != nil {
		return Report{}, err
	}
	m.visited.Add(pageID(m.tree.start()))
	m.push(task{url: m.tree.start(), name: ".", isDir: !m.isWeb})
	m.work(ctx, max(cmp.Or(m.Jobs, 4), 1), m.do)
	err := m.stopped(ctx)
	if err == nil && m.Convert && !m.DryRun {
		err = m.convertAll(ctx)
	}
	if err == nil && m.Delete {
		err = m.deleteExtra(ctx)
	}
	if err == nil && !m.DryRun {
		m.setDirTimes()
	}
	if err == nil {
		err = m.stopped(ctx)
	}
	if endErr := m.end(err == nil); err == nil {
		err = endErr
	}
	return m.outcome.report, err
}

// openSpool prepares the spool, which calls cancel if it fails.
func (m *mirror) openSpool(cancel context.CancelCauseFunc) {
	maxDisk := cmp.Or(m.MaxSpool, 1<<30)
	m.store.Create, m.store.MaxDisk, m.store.OnFail = m.createTemp, maxDisk, cancel
	m.names.owners = spill.NewTable(m.store)
	m.visited = spill.NewSet(m.store)
	m.loops.known = spill.NewSet(m.store)
	m.outcome.timedDirs, m.outcome.listedDirs, m.outcome.pages = newTasks(m.store), newTasks(m.store), newTasks(m.store)
	m.missing = spill.NewSet(m.store)
}

// createTemp returns an empty file for the spool.
func (m *mirror) createTemp() (*spill.Temp, error) {
	dir := m.Spool
	if dir == nil {
		dir = m.parts.dir
	}
	if dir == nil {
		return nil, errors.New("the tree is too large for memory, and a dry run was given no folder for temporary files")
	}
	return spill.NewTemp(dir)
}

// stopped returns the error of the spool or of ctx, if there is one.
func (m *mirror) stopped(ctx context.Context) error {
	if err := m.store.Err(); err != nil {
		return fmt.Errorf("mirror %s: %w", m.tree.start().Redacted(), err)
	}
	return ctx.Err()
}

// countEntry counts an entry or a link. If there are too many, it stops the mirror
// and returns an error.
func (m *mirror) countEntry() error {
	limit := int64(cmp.Or(m.MaxEntries, 10_000_000))
	if m.entries.Add(1) <= limit {
		return nil
	}
	m.store.Fail(fmt.Errorf("%w: more than %d", ErrTooManyEntries, limit))
	return m.store.Err()
}

// begin prepares the local root.
func (m *mirror) begin() error {
	m.naming = naming{portable: m.Portable || runtime.GOOS == "windows"}
	if m.isWeb {
		m.naming.escape = "?"
	}
	m.names.foldCase = m.naming.portable
	if m.isOffline() {
		m.naming.reserved = outsideDir
	}
	if m.DryRun {
		m.loadJournals()
		return nil
	}
	if err := m.mkdir(stateDir); err != nil {
		return partsDirError(m.root, err)
	}
	if err := m.parts.open(m.root); err != nil {
		return err
	}
	m.loadJournals()
	fold, err := foldsCase(m.root)
	m.names.foldCase = m.names.foldCase || fold
	if err != nil {
		return partsDirError(m.root, err)
	}
	return nil
}

// end removes what is not needed any more. That is everything if the mirror is
// finished and had no failure.
func (m *mirror) end(finished bool) error {
	if m.DryRun {
		return nil
	}
	complete := finished && m.outcome.report.Failed == 0 && !m.outcome.incomplete
	keep := func(string) bool { return true } // a name that was not found may exist all the same
	if complete {
		if err := m.parts.clear(); err != nil {
			return err
		}
		keep = func(name string) bool { return m.names.has(shownName(name)) }
		m.removeOldPages()
	}
	isCurrent := m.parts.isCurrent(m.root)
	m.parts.dir.Close()
	if !isCurrent {
		return nil
	}
	if err := m.etags.Save(keep); err != nil {
		return err
	}
	if err := m.places.save(complete, m.visited); err != nil {
		return err
	}
	m.store.Close()
	err := m.root.Remove(stateDir)
	if !complete || errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) { // it has ETags, or files of another mirror
		return nil
	}
	return err
}

// loadJournals reads what earlier runs have recorded.
func (m *mirror) loadJournals() {
	m.etags = loadETags(m.root, m.store)
	if m.isOffline() {
		m.places = loadPlaces(m.root, m.store, m.DryRun)
	}
}

// close closes all files.
func (m *mirror) close() {
	m.store.Close()
	if m.etags != nil {
		m.etags.Close()
	}
	m.places.close()
	m.parts.close()
}

// mkdir makes a directory and those above it, unless this is a dry run. None of them may
// be a link. It opens each directory once, however deep it is.
func (m *mirror) mkdir(name string) error {
	if name == "." || m.DryRun {
		return nil
	}
	at, above := m.root, ""
	for part := range strings.SplitSeq(name, "/") {
		next, err := enter(at, part, above)
		if at != m.root {
			at.Close()
		}
		above = path.Join(above, part)
		if e, ok := errors.AsType[*fs.PathError](err); ok {
			e.Path = above // not only its last name
		}
		if err != nil {
			return err
		}
		at = next
	}
	return at.Close()
}

// enter opens a directory in another one, which has the path above. It makes it if it is
// not there.
func enter(at *os.Root, name, above string) (*os.Root, error) {
	info, err := at.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		if err := at.Mkdir(name, 0o777); err != nil && !errors.Is(err, fs.ErrExist) { // another job made it
			return nil, err
		}
		info, err = at.Lstat(name)
	}
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%q exists and is not a directory", path.Join(above, name))
	}
	return at.OpenRoot(name)
}

// setDirTimes gives directories their modification times, after the last file was
// written into them.
func (m *mirror) setDirTimes() {
	for d := range m.outcome.timedDirs.All() {
		_ = m.root.Chtimes(d.name, d.modTime, d.modTime) // best effort
	}
}

// countFailures returns a function for events that counts the failures and passes all to event.
func (m *mirror) countFailures(event func(Event)) func(Event) {
	return func(e Event) {
		if e.Kind == Failed {
			m.outcome.update(func() { m.outcome.report.Failed++ })
		}
		event(e)
	}
}

// failed records a failure, and reports err; nil if it is reported. mayLead says that the
// resource might have led to others, so that the mirror is incomplete. After the
// spool has failed it does nothing. A full disk stops the mirror.
func (m *mirror) failed(u url.URL, name string, mayLead bool, err error) {
	if m.stopIfFull(name, err) {
		return
	}
	m.outcome.update(func() { m.outcome.incomplete = m.outcome.incomplete || mayLead })
	if err != nil {
		m.Event(Event{Kind: Failed, URL: u, Name: name, Size: -1, Err: err})
	}
}

// skip reports that nothing is done for t.
func (m *mirror) skip(t task, why error) {
	m.Event(Event{Kind: Skipped, URL: t.url, Name: t.name, Size: t.size, Err: why})
}

// upToDate counts a file whose local copy is up to date.
func (m *mirror) upToDate(t task, info fs.FileInfo) {
	if m.countOld(info.Size()) != nil {
		return // the mirror stops
	}
	m.outcome.update(func() { m.outcome.report.Skipped++ })
	m.Event(Event{Kind: Skipped, URL: t.url, Name: t.name, Done: info.Size(), Size: info.Size(), Err: ErrUpToDate})
}

// wouldFetch counts a file that a dry run would fetch.
func (m *mirror) wouldFetch(t task) {
	if m.countBytes(max(t.size, 0)) != nil {
		return // the mirror stops
	}
	m.outcome.update(func() { m.outcome.report.Files++ })
	m.Event(Event{Kind: WouldFetch, URL: t.url, Name: t.name, Size: t.size})
}

// fetched counts a file that was fetched.
func (m *mirror) fetched(r Result) {
	if r.Skipped {
		return
	}
	m.outcome.update(func() {
		m.outcome.report.Files++
		m.outcome.report.Bytes += r.Size - r.Resumed
	})
}
