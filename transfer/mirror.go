package transfer

import (
	"context"
	"crypto/rand"
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
	"locus/url"
)

// MirrorOptions say what a mirror fetches, and what it does besides.
type MirrorOptions struct {
	// Options say how each file is fetched. Continue is implied, and there is
	// no Digest. Split is for the large files.
	Options

	// Jobs is how many files and directories are fetched at once; 0 means 1.
	Jobs int

	// Level is how far below the root it goes: 1 is the root's own files alone,
	// or for pages of the web those that the first one links to. 0 sets no limit.
	Level int

	// Filter chooses files and directories. A page of the web that is not taken
	// is still read for its links, and not kept.
	Filter Filter

	// Delete removes what is below the local root and was not found in the
	// remote one, and is not left out by Filter.Exclude. It removes nothing
	// unless every directory was listed to its end and understood, every page of
	// the web read, and something was found. It excludes Level.
	Delete bool

	// DryRun only tells what would be done. It changes nothing here.
	DryRun bool

	// MaxEntries is how many entries of listings and links of pages are read; 0
	// means ten million. If there are more, Mirror ends with ErrTooManyEntries.
	MaxEntries int

	// MaxSpool is how many bytes temporary files may have; 0 means 1 GiB. A mirror
	// of more than some hundred thousand entries needs them. If it needs more,
	// Mirror ends with ErrSpoolFull.
	MaxSpool int64

	// Spool is the folder of the temporary files. nil: they are below the local
	// root, and a dry run that needs them fails.
	Spool *os.Root

	// Listings keeps the pages that web servers make of directories, as
	// index.html. Otherwise they are read and not kept.
	Listings bool

	// IgnoreRobots follows links that the server's robots.txt disallows to all
	// programs, or to one named "locus". Otherwise they are skipped, and if
	// robots.txt cannot be had, all are (RFC 9309 §2.3.1). The URL of the mirror
	// itself is always asked for.
	IgnoreRobots bool

	// Portable makes names that every system can have. On Windows it is implied.
	Portable bool

	// Login is that of [access.Request].
	Login func(ctx context.Context, c access.Challenge) (access.Credentials, error)
}

// A Report is what a mirror did.
type Report struct {
	Files      int   // fetched, or in a dry run to be fetched
	Octets     int64 // fetched
	Skipped    int   // files that were here already
	Failed     int   // files and directories that could not be fetched
	Disallowed int   // links that were not followed because of robots.txt
	Deleted    int   // files and directories removed, or in a dry run to be removed
	Kept       error // why nothing was deleted, although it was asked for; nil if that was done
}

var (
	errFailures = errors.New("not all of the remote directories could be read")
	errNothing  = errors.New("the remote directory is empty")
)

// Mirror lets root have what is below u: the directory that an ftp or file URL
// names; the pages and files that links lead to in the directory of an http URL,
// and no higher; the items of a gopher menu whose selectors are below its own.
// Only what is new or has changed is fetched: by size and time of change, or by
// ETag where a server tells no time. Times of change are kept. Links are not
// followed to directories.
//
// Names are made safe, see doc/transfer.md; two that would be the same are an
// error. Nothing is written through a symbolic link. What is not complete is
// under root in the directory ".locus-mirror", which goes when all is done; a
// Mirror that was ended at any moment is gone on with by the same call. A second
// one into the same root, while the first is under way, has [ErrBusy], by a lock on
// that directory. Where the lock is none, or not one for other machines, both go on,
// and the files are right.
//
// Mirror keeps some 20 MB in memory however many entries there are, and the rest in
// temporary files, which have no names where the system allows that.
//
// The error is that of ctx, says that no mirror could be made at all, or that the
// tree is too large; then nothing is deleted. What failed in it is told to
// Options.Event and counted in the Report.
func Mirror(ctx context.Context, o access.Engine, u url.URL, root *os.Root, opts MirrorOptions) (Report, error) {
	return mirrorWithin(ctx, usualBounds(), o, u, root, opts)
}

// mirrorWithin is Mirror with other bounds of memory.
func mirrorWithin(ctx context.Context, bounds memoryBounds, o access.Engine, u url.URL, root *os.Root, opts MirrorOptions) (Report, error) {
	if root == nil {
		return Report{}, errNoRoot
	}
	if err := opts.Filter.Check(); err != nil {
		return Report{}, err
	}
	if opts.Delete && opts.Level > 0 {
		return Report{}, errors.New("a mirror that is not of all levels deletes nothing")
	}
	t, err := treeAt(u)
	if err != nil {
		return Report{}, err
	}
	opts.Event = oneAtATime(opts.Event)
	opts.Continue, opts.Digest = true, Digest{}
	m := &mirror{MirrorOptions: opts, opener: o, root: root, tree: t, bounds: bounds}
	_, m.web = t.(webTree)
	return m.run(ctx)
}

// stateDir is where a mirror keeps what is not complete, below its root.
const stateDir = ".locus-mirror"

// A mirror is one under way.
type mirror struct {
	MirrorOptions
	opener  access.Engine
	root    *os.Root
	tree    tree
	web     bool
	naming  naming
	names   names
	pages   *seen
	etags   *etags
	manners manners
	parts   *os.Root          // stateDir; nil in a dry run
	held    *os.File          // the same, which keeps other mirrors from it; nil if nothing does
	tag     string            // is in the names of this run's parts, and of no other's
	left    map[string]string // the parts that earlier runs left there, by what is before the tag
	junk    []string          // all that they left there
	bounds  memoryBounds      // of the spool
	spool   *spool
	entries atomic.Int64 // entries and links that were read

	queue

	counts     sync.Mutex // of what follows
	report     Report
	incomplete bool // something may be there that was not found
	found      int
	dirTimes   *stream // directories whose times are known
	listed     *stream // directories, if something is to be deleted
}

func (m *mirror) run(ctx context.Context) (Report, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	m.openSpool(cancel)
	defer m.close()
	if err := m.begin(); err != nil {
		return Report{}, err
	}
	m.pages.add(identity(m.tree.start()))
	m.push(task{url: m.tree.start(), name: ".", dir: !m.web})
	m.work(ctx, max(m.Jobs, 1), m.do)
	err := m.ended(ctx)
	if err == nil && m.Delete {
		err = m.deleteRest(ctx)
	}
	if err == nil && !m.DryRun {
		m.setTimes()
	}
	if err == nil {
		err = m.ended(ctx)
	}
	if endErr := m.end(err == nil); err == nil {
		err = endErr
	}
	return m.report, err
}

// openSpool prepares the spool. If the spool fails, the mirror ends.
func (m *mirror) openSpool(end context.CancelCauseFunc) {
	most := m.MaxSpool
	if most == 0 {
		most = 1 << 30
	}
	m.spool = &spool{create: m.temporary, most: most, fail: end, bounds: m.bounds}
	m.queue.spool = m.spool
	m.names.owners.spool = m.spool
	m.pages = newSeen(m.spool)
	m.dirTimes, m.listed = &stream{spool: m.spool}, &stream{spool: m.spool}
}

// temporary returns an empty file for the spool. It removes its name at once, if the
// system allows that, so that nothing of it can be left.
func (m *mirror) temporary() (*spoolFile, error) {
	dir := m.Spool
	if dir == nil {
		dir = m.parts
	}
	if dir == nil {
		return nil, errors.New("the tree is too large for memory, and a dry run was given no folder for temporary files")
	}
	name := "spool" + rand.Text()
	f, err := dir.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	if dir.Remove(name) == nil {
		return &spoolFile{f, func() {}}, nil
	}
	return &spoolFile{f, func() { _ = dir.Remove(name) }}, nil
}

// ended returns why the mirror must not go on; nil if it may.
func (m *mirror) ended(ctx context.Context) error {
	if err := m.spool.failure(); err != nil {
		return fmt.Errorf("mirror %s: %w", m.tree.start().Redacted(), err)
	}
	return ctx.Err()
}

// count counts an entry or a link that was read, and ends the mirror if there are
// too many.
func (m *mirror) count() error {
	most := int64(m.MaxEntries)
	if most == 0 {
		most = 10_000_000
	}
	if m.entries.Add(1) <= most {
		return nil
	}
	m.spool.broken(fmt.Errorf("%w: more than %d", ErrTooManyEntries, most))
	return m.spool.failure()
}

// begin prepares the local root.
func (m *mirror) begin() error {
	m.naming = naming{portable: m.Portable || runtime.GOOS == "windows"}
	if m.web {
		m.naming.also = "?"
	}
	m.names.fold = m.naming.portable
	if m.DryRun {
		m.etags = loadETags(m.root, m.spool)
		return nil
	}
	if err := m.mkdir(stateDir); err != nil {
		return err
	}
	if err := m.openParts(); err != nil {
		return err
	}
	m.etags = loadETags(m.root, m.spool)
	fold, err := foldsCase(m.root)
	m.names.fold = m.names.fold || fold
	if err != nil {
		return m.gone(err)
	}
	return nil
}

// openParts opens the folder of what is not complete, and looks what is there.
//
// A lock keeps other mirrors from it; but there are file systems where it keeps only
// those of the same machine, and people who remove the folder. So no other mirror has
// parts of the same names, and a part that has its name is this mirror's.
func (m *mirror) openParts() error {
	m.tag = "." + rand.Text()[:12]
	dir, err := m.root.Open(stateDir)
	if err != nil {
		return m.gone(err)
	}
	alone, err := seize(m.root, stateDir, dir)
	if alone {
		m.held = dir
	} else {
		dir.Close() // a directory that is open is not removed on every system
	}
	if err != nil {
		return m.gone(err)
	}
	if m.parts, err = m.root.OpenRoot(stateDir); err != nil {
		return m.gone(err)
	}
	there, err := fs.ReadDir(m.parts.FS(), ".")
	m.left = make(map[string]string)
	for _, e := range there {
		m.junk = append(m.junk, e.Name())
		if of, isPart := strings.CutSuffix(e.Name(), partSuffix); isPart {
			of, _, _ = strings.Cut(of, ".")
			m.left[of] = e.Name()
		}
	}
	return err
}

// gone returns err, which came when the folder of what is not complete was opened,
// as a user is told: if the folder is not there, which it was a moment ago, another
// mirror has come to its end.
func (m *mirror) gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		err = ErrBusy
	}
	return fmt.Errorf("mirror into %q: %w", m.root.Name(), err)
}

// foldsCase reports whether the file system takes names in upper and lower case
// for the same.
func foldsCase(root *os.Root) (bool, error) {
	probe := "probe" + rand.Text()
	name, other := path.Join(stateDir, probe), path.Join(stateDir, "P"+probe[1:])
	if err := root.WriteFile(name, nil, 0o666); err != nil {
		return false, err
	}
	_, err := root.Lstat(other)
	return err == nil, root.Remove(name)
}

// end clears away what is needed no more: if all went well, and the mirror came to
// its end, everything.
func (m *mirror) end(came bool) error {
	if m.DryRun {
		return nil
	}
	whole := came && m.report.Failed == 0 && !m.incomplete
	wanted := func(string) bool { return true } // what was not found may not have been looked for
	if whole {
		if err := m.clear(); err != nil {
			return err
		}
		wanted = m.names.has
	}
	isThere := m.hasFolder()
	m.parts.Close()
	if !isThere {
		return nil
	}
	if err := m.etags.save(wanted); err != nil {
		return err
	}
	m.spool.close()
	err := m.root.Remove(stateDir)
	if !whole || errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) { // tags are in it, or what another mirror has
		return nil
	}
	return err
}

// hasFolder reports whether the folder of what is not complete is still that of this
// mirror.
func (m *mirror) hasFolder() bool {
	info, err := m.parts.Stat(".")
	if err != nil {
		return false
	}
	there, err := m.root.Lstat(stateDir)
	return err == nil && os.SameFile(info, there)
}

// close lets others have the local root.
func (m *mirror) close() {
	m.etags.close()
	m.spool.close()
	if m.parts != nil {
		m.parts.Close()
	}
	if m.held != nil {
		m.held.Close()
	}
}

// clear removes what earlier runs left of files that are not wanted any more.
func (m *mirror) clear() error {
	var err error
	for _, name := range m.junk {
		if name == etagsFile {
			continue
		}
		if removeErr := removeFile(m.parts, name); err == nil {
			err = removeErr
		}
	}
	return err
}

// mkdir makes a directory, and those above it, none of which may be a link.
func (m *mirror) mkdir(name string) error {
	if name == "." {
		return nil
	}
	info, err := m.root.Lstat(name)
	switch {
	case err == nil && info.IsDir():
		return m.mkdir(path.Dir(name))
	case err == nil:
		return fmt.Errorf("%q is here, and no directory", name)
	case !errors.Is(err, fs.ErrNotExist) && !isNotDir(err):
		return err
	}
	if err := m.mkdir(path.Dir(name)); err != nil {
		return err
	}
	err = m.root.Mkdir(name, 0o777)
	if errors.Is(err, fs.ErrExist) { // another job was faster
		return nil
	}
	return err
}

// setTimes gives directories the times that their listings told. Nothing is written
// into them any more.
func (m *mirror) setTimes() {
	for d := range m.dirTimes.all {
		_ = m.root.Chtimes(d.name, d.modTime, d.modTime) // a nicety
	}
}

// failed tells that something could not be fetched. If that may have led to
// more, the mirror is not complete. What fails because the mirror has ended is not
// told.
func (m *mirror) failed(u url.URL, name string, leads bool, err error) {
	if m.spool.failure() != nil {
		return
	}
	m.counts.Lock()
	m.report.Failed++
	m.incomplete = m.incomplete || leads
	m.counts.Unlock()
	if err != nil {
		emit(m.Event, Event{Kind: Failed, URL: u, Name: name, Size: -1, Err: err})
	}
}
