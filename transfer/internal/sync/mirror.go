package sync

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
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/internal/spill"
	"locus/retry"
	"locus/transfer/internal/fetch"
	"locus/transfer/internal/offline"
	"locus/transfer/internal/tree"
	"locus/url"
)

// How the pieces work together:
//
// Mirror checks the options, and calls run.do with the steps of a walk or a crawl: a walk copies a
// tree that has listings, and a crawl follows the links of web pages. A crawl of a folder for which the
// server has a listing and no page ends at once, and a walk takes its place (crawllisted.go). Both use
// one mirror, which has the remote server (remote.go) and the local folder (folder.go). begin opens the folder: its lock
// and the parts of earlier runs (statedir.go). The first task is the root of the tree.
//
// A walk does one task at a time (walk.go). For a directory, it lists the directory, makes the
// local one, and pushes a task for each entry. Before that, child names the entry, drops it if it is
// excluded, was visited or leads back to a directory above (loop.go), and claims its name, because
// two URLs may have the same local name (claims.go). For a file, fetchfile.go compares the listing
// with the local file (compare.go) and, if they differ, fetches the file by a fetch.Download. A
// crawl fetches a page, and pushes a task for each of its links (crawl.go).
//
// When all tasks are done, a crawl converts its pages (offline.go, urlindex.go), the deletion removes
// the local files whose names were not claimed (extra.go), and end removes tree.StateDir.
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
	File fetch.Options // of each file: Split, SplitSize, MaxSize and Sync

	Level        int      // how many levels below the root are copied; 0: all
	Listings     bool     // directory pages of web servers are kept
	IgnoreRobots bool     // links that robots.txt disallows are followed
	Parts        bool     // the files that pages load are fetched
	OtherHosts   []string // patterns of hosts from which files may come
	Lookup       Lookup   // the addresses of hosts; nil: a server has one name
	Convert      bool     // the copy is readable from a folder
	Portable     bool     // names are valid on every system
	MaxFiles     int      // how many files the copy may have; 0: DefaultMaxFiles
	MaxTotal     int64    // how many bytes they may have; 0: nine tenths of the free space
}

// ErrFailures forbids deletion, because a file that is not listed may still exist.
var ErrFailures = errors.New("not all remote folders could be read")

var (
	errNothing = errors.New("the remote folder is empty")

	errElsewhere = errors.New("all links lead to other servers")
)

// Mirror copies everything below u into root: see transfer.Mirror. If a web server refuses to send u as a page, but
// lists it as a folder (WebDAV), Mirror starts again and follows the listings.
func Mirror(ctx context.Context, e access.Engine, u url.URL, root *os.Root, opts MirrorOptions) (Report, error) {
	if root == nil {
		return Report{}, fetch.ErrNoRoot
	}
	if err := opts.checkFilter(); err != nil {
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
		return Report{}, errors.New("only pages of a web server have parts to fetch and links to convert")
	}
	if err := checkPatterns(opts.OtherHosts); err != nil {
		return Report{}, err
	}
	if isOffline && opts.Filter.Parts > 0 {
		return Report{}, errors.New("a part of a tree cannot be converted for reading offline, because its pages may need files of other parts")
	}
	opts.Listings = opts.Listings || opts.Convert
	opts.Portable = opts.Portable || opts.Convert
	opts.Event = withShownNames(opts.Event)
	from := remote{engine: e, tree: t, login: opts.Login, others: opts.OtherHosts, isOffline: isOffline, aliases: &aliases{lookup: opts.Lookup}}
	report, err := mirrorFrom(ctx, from, root, opts)
	listed, ok := errors.AsType[*listedError](err)
	if !ok {
		return report, err
	}
	if from.tree, err = tree.ListedAt(listed.folder); err != nil {
		return report, err
	}
	return mirrorFrom(ctx, from, root, opts)
}

// mirrorFrom copies the tree of from into root. It returns a listedError if the tree is a folder of a web server that
// has a listing instead of a page.
func mirrorFrom(ctx context.Context, from remote, root *os.Root, opts MirrorOptions) (Report, error) {
	m := newMirror(opts, from, root)
	m.engine = publicEngine{engine.Recover{Engine: from.engine}, &m.remote}
	defer m.state.close()
	if !m.tree.Pages {
		report, err := m.do(ctx, newWalk(m).steps())
		if err == nil && report.OmittedElsewhere > 0 && report.Files+report.Skipped+report.Failed == 0 {
			err = fmt.Errorf("%s: %w", m.title, errElsewhere)
		}
		return report, err
	}
	c := newCrawl(m)
	defer c.close()
	return m.do(ctx, c.steps())
}

// A mirror copies a remote tree into a local folder. It has everything that a walk and a crawl
// share: the two ends, and the files that they have copied or visited.
type mirror struct {
	*run
	Mirroring
	remote
	folder

	visited   *spill.Set // URLs that were pushed, so that each is copied once
	unfetched *spill.Set // names of files that have failed, if the tree names its entries
}

// newMirror returns a mirror of from into root. begin opens its folder.
func newMirror(opts MirrorOptions, from remote, root *os.Root) *mirror {
	r := newRun(opts.Options, "mirror "+from.tree.Start.Redacted(), func(u url.URL) bool { return !from.isOtherServer(u) })
	return &mirror{
		run: r, Mirroring: opts.Mirroring, remote: from,
		folder:  folder{store: r.store, root: root, dryRun: opts.DryRun, names: names{owners: spill.NewTable(r.store)}},
		visited: spill.NewSet(r.store), unfetched: spill.NewSet(r.store),
	}
}

// begin sets the limits and the naming of local files, and opens the folder. Call it before the first task. An error of
// the folder ends the run.
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
	err := m.folder.open()
	m.TempDir = cmp.Or(m.TempDir, m.state.dir)
	return err
}

// end closes the state directory, and calls save to write the files that a later run needs. finished says that the
// mirror reached its end. If it did, and no failure occurred, the mirror is complete, and end also removes the files
// that earlier runs left, such as parts of files. Otherwise it keeps them, because a later run resumes the parts. A dry
// run, or a mirror whose state directory was replaced, writes nothing.
func (m *mirror) end(finished bool, save func(complete bool) error) error {
	if m.DryRun {
		return nil
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
	if err := save(complete); err != nil {
		return err
	}
	m.store.Close()
	err := m.root.Remove(tree.StateDir)
	if !complete || errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) { // the directory has ETags, or files of another mirror
		return nil
	}
	return err
}

// retries returns the engine of the mirror with retries. A Retrying event has name, the local name.
func (m *mirror) retries(name string) retry.Engine {
	return retry.Engine{Engine: m.engine, Policy: m.Retry, Notify: func(u url.URL, err error, wait time.Duration) {
		m.retrying(u, name, err, wait)
	}}
}

// failed reports err, the failure of the named file or directory at u. If err is nil, it was reported before, and
// failed only records it. mayLead says that the resource might have led to others, so that the mirror is incomplete. A
// full disk stops the mirror, and after that failed ignores further failures.
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

// upToDate counts and reports a file whose local copy is up to date. info describes the copy.
func (m *mirror) upToDate(t task, info fs.FileInfo) {
	if m.countOld(info.Size()) != nil {
		return // the mirror stops
	}
	m.update(func() { m.report.Skipped++ })
	m.Event(fetch.Event{Kind: fetch.Skipped, URL: t.url, Name: t.name, Done: info.Size(), Size: info.Size(), Err: fetch.ErrUpToDate})
}

// wouldFetch counts and reports a file that a dry run would fetch.
func (m *mirror) wouldFetch(t task) {
	if m.countBytes(max(t.size, 0)) != nil {
		return // the mirror stops
	}
	m.update(func() { m.report.Files++ })
	m.Event(fetch.Event{Kind: fetch.WouldFetch, URL: t.url, Name: t.name, Size: t.size})
}

// fetched counts a file that was fetched, and its bytes. It ignores a skipped file.
func (m *mirror) fetched(r fetch.Result) {
	if r.Skipped {
		return
	}
	m.update(func() {
		m.report.Files++
		m.report.Bytes += r.Size - r.Resumed
	})
}

// mayBeUnfetched reports whether the named local file may be the copy of a file that has failed in this run. In a tree
// that names its entries the media type gives that copy its extension, so name is compared without its extension, too.
func (m *mirror) mayBeUnfetched(name string) bool {
	return m.tree.Name != nil && (m.unfetched.Has(name) || m.unfetched.Has(strings.TrimSuffix(name, path.Ext(name))))
}

// download returns a Download of req into the named local file, which continues the part of an earlier run. It calls
// received when it has read all bytes.
func (m *mirror) download(req *access.Request, name string, received func()) *fetch.Download {
	o := m.File
	o.Retry, o.Continue, o.Received, o.Event = m.Retry, true, received, m.Event
	d := fetch.New(o, m.engine, req, m.root, name)
	d.CountBytes = m.countNew()
	d.Part(m.state.part(m.identity(task{url: req.URL, name: name}))) // two links to one file have two parts
	return d
}

// stopIfFull stops the mirror if err, the error of writing the named file, says that the disk is full, because no other
// file would fit either. It reports whether the mirror is stopped, for this or any other reason.
func (m *mirror) stopIfFull(name string, err error) (isStopped bool) {
	if fetch.IsDiskFull(err) {
		m.store.Fail(fmt.Errorf("%w, for %q: %w", fetch.ErrDiskFull, name, fetch.Local(err)))
	}
	return m.store.Err() != nil
}
