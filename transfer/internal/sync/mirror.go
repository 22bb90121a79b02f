package sync

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"runtime"

	"locus/access"
	"locus/access/engine"
	"locus/internal/spill"
	"locus/transfer/internal/fetch"
	"locus/transfer/internal/offline"
	"locus/transfer/internal/tree"
	"locus/url"
)

// NOTE: A mirror works in this order.
//
// Mirror checks the options, and calls run.do with the steps of a mirror. begin opens the local
// folder: its lock and the parts of earlier runs (statedir.go) and, for a web server, the journals
// of earlier runs (etags.go, urlindex.go). The first task is the root of the tree.
//
// do does one task. For a directory, list.go lists it, makes the local directory, and pushes a task
// for each entry. Before that, child names the entry, drops it if it is excluded, was visited or
// leads back to a directory above (loop.go), and claims its name, because two URLs may have the
// same local name (claims.go). For a file, fetchfile.go compares the listing with the local file
// (compare.go) and, if they differ, fetches the file by a fetch.Download. For a web server,
// crawl.go fetches a page, and pushes a task for each of its links.
//
// When all tasks are done, finish converts pages, the deletion removes the local files whose names
// were not claimed (extra.go), and end sets the times of directories and removes tree.StateDir.
//
// Several tasks are done at once. So the fields of a mirror are set before the first task, or are
// guarded by run.mu, or may be shared, as a spill.Set may.

// MirrorOptions choose the files of a mirror. See transfer.MirrorOptions.
type MirrorOptions struct {
	Options
	Mirroring
}

// Mirroring are the options of a mirror alone.
type Mirroring struct {
	Split     int   // of fetch.Options
	SplitSize int64 // of fetch.Options
	MaxSize   int64 // of fetch.Options
	Sync      bool  // of fetch.Options

	Level        int      // how many levels below the root are copied; 0: all
	Listings     bool     // directory pages of web servers are kept
	IgnoreRobots bool     // links that robots.txt disallows are followed
	Parts        bool     // the files that pages load are fetched
	OtherHosts   []string // patterns of hosts from which files may come
	Convert      bool     // the copy is readable from a folder
	Portable     bool     // names are valid on every system
	MaxFiles     int      // how many files the copy may have; 0: DefaultMaxFiles
	MaxTotal     int64    // how many bytes they may have; 0: nine tenths of the free space
}

var (
	ErrFailures = errors.New("not all of the remote directories could be read")
	errNothing  = errors.New("the remote directory is empty")
)

// Mirror copies everything below u into root. See transfer.Mirror.
func Mirror(ctx context.Context, e access.Engine, u url.URL, root *os.Root, opts MirrorOptions) (Report, error) {
	if root == nil {
		return Report{}, fetch.ErrNoRoot
	}
	if err := opts.Filter.Check(); err != nil {
		return Report{}, err
	}
	if opts.Delete && opts.Level > 0 {
		return Report{}, errors.New("a mirror with a Level cannot delete files")
	}
	t, err := tree.At(u)
	if err != nil {
		return Report{}, err
	}
	isOffline := opts.Parts || opts.Convert
	if !t.Pages && isOffline {
		return Report{}, errors.New("only pages of a web server have parts and links to convert")
	}
	if err := checkPatterns(opts.OtherHosts); err != nil {
		return Report{}, err
	}
	opts.Listings = opts.Listings || opts.Convert
	opts.Portable = opts.Portable || opts.Convert
	opts.Event = withShownNames(opts.Event)
	m := newMirror(opts, remote{tree: t, login: opts.Login, others: opts.OtherHosts, isOffline: isOffline}, root)
	m.engine = publicEngine{engine.Recover{Engine: e}, &m.remote}
	defer m.close()
	return m.run.do(ctx, steps{
		begin: m.begin, start: task{url: t.Start, name: ".", isDir: !t.Pages},
		do: m.do, finish: m.finish, delete: m.deletion(), end: m.end,
	})
}

// A mirror copies a remote tree into a local folder.
type mirror struct {
	*run
	Mirroring
	remote
	folder

	visited    *spill.Set // URLs that were pushed, so that each is copied once
	unfetched  *spill.Set // names of files that have failed, if the tree names its entries
	loops      loops
	timedDirs  *taskQueue // directories with a modification time
	listedDirs *taskQueue // all directories, if Delete needs them
	pages      *crawl     // the crawl of a web server; nil if the tree has listings
}

// newMirror returns a mirror whose folder is not yet prepared.
func newMirror(opts MirrorOptions, from remote, root *os.Root) *mirror {
	r := newRun(opts.Options, "mirror "+from.tree.Start.Redacted(), func(u url.URL) bool { return !from.isOtherServer(u) })
	m := &mirror{
		run: r, Mirroring: opts.Mirroring, remote: from,
		folder:  folder{store: r.store, root: root, dryRun: opts.DryRun, names: names{owners: spill.NewTable(r.store)}},
		visited: spill.NewSet(r.store), unfetched: spill.NewSet(r.store), loops: loops{known: spill.NewSet(r.store)},
		timedDirs: newTasks(r.store), listedDirs: newTasks(r.store),
	}
	if from.tree.Pages {
		m.pages = &crawl{
			mirror: m, site: offline.Site{Tree: from.tree, WithParts: from.isOffline, Convert: opts.Convert},
			redirects: spill.NewSet(r.store), missing: spill.NewSet(r.store),
			toConvert: newTasks(r.store), unsized: newTasks(r.store),
		}
	}
	r.store.Create = m.createTemp
	return m
}

// createTemp returns an empty file for the store.
func (m *mirror) createTemp() (*spill.Temp, error) {
	dir := m.TempDir
	if dir == nil {
		dir = m.state.dir
	}
	if dir == nil {
		return nil, errors.New("the tree is too large for memory, and a dry run was given no folder for temporary files")
	}
	return spill.NewTemp(dir)
}

// begin prepares the local root.
func (m *mirror) begin() error {
	m.setLimits(m.MaxFiles, m.MaxTotal)
	m.naming = tree.Naming{Portable: m.Portable || runtime.GOOS == "windows"}
	if m.tree.Pages {
		m.naming.Escape = "?"
	}
	if m.isOffline {
		m.naming.Reserved = offline.OutsideDir
	}
	m.visited.Add(offline.PageID(m.tree.Start))
	if err := m.folder.open(); err != nil {
		return err
	}
	if m.pages != nil {
		m.pages.site.Naming = m.naming
		m.pages.loadJournals()
	}
	return nil
}

// finish converts pages, if the copy is for reading offline.
func (m *mirror) finish(ctx context.Context) error {
	if m.Convert && !m.DryRun {
		return m.pages.convertAll(ctx)
	}
	return nil
}

// setDirTimes gives directories their modification times. It comes last, because writing a file
// into a directory changes its time.
func (m *mirror) setDirTimes() {
	for d := range m.timedDirs.All() {
		_ = m.root.Chtimes(d.name, d.modTime, d.modTime) // best effort
	}
}

// end removes the temporary files. It keeps the parts of files if a failure occurred, because a
// later run resumes them.
func (m *mirror) end(finished bool) error {
	if m.DryRun {
		return nil
	}
	if finished {
		m.setDirTimes()
	}
	complete := finished && m.report.Failed == 0 && !m.incomplete
	if complete {
		if err := m.state.clear(); err != nil {
			return err
		}
	}
	isCurrent := m.state.isCurrent(m.root)
	m.state.dir.Close()
	if !isCurrent {
		return nil
	}
	if m.pages != nil {
		if err := m.pages.save(complete); err != nil {
			return err
		}
	}
	m.store.Close()
	err := m.root.Remove(tree.StateDir)
	if !complete || errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) { // the directory has ETags, or files of another mirror
		return nil
	}
	return err
}

// close closes all files.
func (m *mirror) close() {
	if m.pages != nil {
		m.pages.close()
	}
	m.state.close()
}

// failed records a failure, and reports err, which is nil if it has been reported. mayLead says
// that the resource might have led to others, so that the mirror is incomplete. A full disk stops
// the mirror, and after that failed ignores further failures.
func (m *mirror) failed(u url.URL, name string, mayLead bool, err error) {
	if m.stopIfFull(name, err) {
		return
	}
	if mayLead {
		m.miss()
	}
	if m.tree.Name != nil && name != "" {
		m.unfetched.Add(name)
	}
	if err != nil {
		m.Event(fetch.Event{Kind: fetch.Failed, URL: u, Name: name, Size: -1, Err: err})
	}
}

// skip reports that t is not copied, for the reason why.
func (m *mirror) skip(t task, why error) {
	m.Event(fetch.Event{Kind: fetch.Skipped, URL: t.url, Name: t.name, Size: t.size, Err: why})
}

// upToDate counts a file whose local copy is up to date.
func (m *mirror) upToDate(t task, info fs.FileInfo) {
	if m.countOld(info.Size()) != nil {
		return // the mirror stops
	}
	m.update(func() { m.report.Skipped++ })
	m.Event(fetch.Event{Kind: fetch.Skipped, URL: t.url, Name: t.name, Done: info.Size(), Size: info.Size(), Err: fetch.ErrUpToDate})
}

// wouldFetch counts a file that a dry run would fetch.
func (m *mirror) wouldFetch(t task) {
	if m.countBytes(max(t.size, 0)) != nil {
		return // the mirror stops
	}
	m.update(func() { m.report.Files++ })
	m.Event(fetch.Event{Kind: fetch.WouldFetch, URL: t.url, Name: t.name, Size: t.size})
}

// fetched counts a file that was fetched.
func (m *mirror) fetched(r fetch.Result) {
	if r.Skipped {
		return
	}
	m.update(func() {
		m.report.Files++
		m.report.Bytes += r.Size - r.Resumed
	})
}
