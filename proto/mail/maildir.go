package mail

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/proto/internal/message"
)

// A Maildir is a directory whose messages are files in its directories new and cur. It also has the
// messages of all such directories in it, at any depth, whether their names start with a dot
// (Maildir++) or not. It implements [Source].
//
// The first look-up reads the header of every message, and makes an index of message-ids. The first
// look-up of a part reads all messages that have several parts, and adds their content-ids. Later
// look-ups read only new mail: a directory is listed again when it has changed, and a file in it is
// read again when its size or its time of change differs. A message that moved from new to cur, or
// whose flags changed, is still the same message.
//
// Find checks every message before it returns it. It notices a message that was overwritten in
// place when it looks for the old id, or when the directory has changed. Programs that follow the
// rules of Maildir never overwrite a message.
//
// If a message cannot be read, and no other message has the id, Find returns an error that says so.
//
// Several goroutines may use a Maildir at once. It must not be copied.
type Maildir struct {
	// Root is the directory. Nil refuses every access.
	Root *os.Root
	// Cache is the directory for the index, whose name is made from the name of Root.
	// Nil keeps the index in memory only.
	Cache *os.Root

	mu    sync.Mutex
	index *index           // nil before the first Find
	now   func() time.Time // nil: time.Now
}

// The limits of the search for directories.
const (
	maxDirs     = 10_000
	maxDirDepth = 16
)

// Find opens the message for q. It first checks the messages that the index has for q, and brings
// the index up to date if they do not match. It ignores errors of writing the index. The error wraps
// fs.ErrNotExist if there is no such message.
func (m *Maildir) Find(ctx context.Context, q Query) (*Message, error) {
	if m.Root == nil {
		return nil, engine.Reason("no Maildir was given", fs.ErrPermission)
	}
	cacheName := indexName("maildir", m.Root.Name())
	for _, name := range m.paths(q, cacheName) {
		if found, _ := m.openAt(ctx, name, q); found != nil {
			return found, nil
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if found, _ := m.open(ctx, q); found != nil {
		return found, nil
	}
	for range 3 { // mail may move while it is read
		was := m.index
		x, failed, err := m.read(ctx, q.needsParts())
		if err != nil {
			return nil, err
		}
		m.index = x
		found, err := m.open(ctx, q)
		if errors.Is(err, errMoved) {
			continue
		}
		if x != was && !x.equal(was) {
			_ = x.save(m.Cache, cacheName) // if it fails, the next look-up is only slower
		}
		if found == nil && err == nil {
			err = cmp.Or(failed.error(q), notFound(q))
		}
		return found, err
	}
	return nil, notFound(q)
}

// paths returns the paths of the messages that the index has for q. If the index is nil, paths loads
// it from the file cacheName of the cache.
func (m *Maildir) paths(q Query, cacheName string) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.index == nil {
		m.index = loadIndex(m.Cache, cacheName)
	}
	var paths []string
	for _, e := range m.index.find(q) {
		paths = append(paths, e.path)
	}
	return paths
}

// openAt opens the message in the file name, relative to Root. The error is errMoved if the message
// does not match q.
func (m *Maildir) openAt(ctx context.Context, name string, q Query) (*Message, error) {
	f, err := m.Root.Open(name)
	if err != nil {
		return nil, err
	}
	found, err := verifiedMessage(ctx, f, q)
	if err != nil {
		f.Close()
	}
	return found, err
}

// errMoved is the error for a message that is not in the file that the index has for it.
var errMoved = errors.New("the mail has changed")

// open opens the message that the index has for q. It returns nil, nil if the index lacks one, and
// errMoved if the index is out of date. It marks an entry whose file holds another message or is
// missing, so that read reads the file again. The caller holds mu.
func (m *Maildir) open(ctx context.Context, q Query) (*Message, error) {
	var failed error
	for _, e := range m.index.find(q) {
		found, err := m.openAt(ctx, e.path, q)
		if err == nil {
			return found, nil
		}
		if errors.Is(err, errMoved) || errors.Is(err, fs.ErrNotExist) {
			e.stamp = stamp{}
			err = errMoved
		}
		failed = cmp.Or(failed, err)
	}
	return nil, failed
}

// verifiedMessage returns the message in f, which reads from its start. The error is errMoved if f
// is not a regular file, or if the message does not match q. On success the message owns f; on
// failure the caller closes it.
func verifiedMessage(ctx context.Context, f *os.File, q Query) (*Message, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errMoved
	}
	if ok, err := matchesQuery(ctx, f, q); err != nil {
		return nil, err
	} else if !ok {
		return nil, errMoved
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return &Message{Body: f, Size: info.Size(), ModTime: info.ModTime()}, nil
}

// matchesQuery reports whether the message in r has the id of q. It returns an error only if
// reading r fails.
func matchesQuery(ctx context.Context, r io.Reader, q Query) (bool, error) {
	source := &contextReader{ctx: ctx, r: r}
	rest := bufio.NewReader(source)
	h, err := message.ReadHeader(rest, nil)
	if err != nil {
		return false, source.err
	}
	if q.MessageID != "" {
		return message.BareID(h.Get("Message-Id")) == q.MessageID, nil
	}
	if _, err = message.NewParts(h, rest).Find(q.ContentID); err != nil {
		return false, source.err
	}
	return true, nil
}

// dirs returns the path, relative to m.Root, of each directory below it that is named new or cur. It
// adds the errors of unreadable directories to failed. It returns an error if m is not a Maildir,
// because it lacks such directories, if it has more than maxDirs folders, or if ctx is done.
func (m *Maildir) dirs(ctx context.Context, failed *readFailures) ([]string, error) {
	var dirs []string
	seen := 0
	err := fs.WalkDir(m.Root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch base := path.Base(name); {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			failed.add(err)
			return nil
		case !d.IsDir():
			return nil
		case base == "new" || base == "cur":
			dirs = append(dirs, name)
			return fs.SkipDir
		case base == "tmp" || strings.Count(name, "/") == maxDirDepth:
			return fs.SkipDir
		}
		if seen++; seen > maxDirs {
			return fmt.Errorf("%s has more than %d folders", m.Root.Name(), maxDirs)
		}
		return nil
	})
	if err == nil && len(dirs) == 0 && failed.count == 0 {
		err = fmt.Errorf("%s is not a Maildir: it has no folder cur or new", m.Root.Name())
	}
	return dirs, err
}

// A readFailures counts the files and directories that could not be read.
type readFailures struct {
	first error
	count int
}

// add counts err, and keeps the first error. It ignores nil, and the error of a file that no longer
// exists.
func (u *readFailures) add(err error) {
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return
	}
	u.first = cmp.Or(u.first, err)
	u.count++
}

// error returns nil if every file could be read. Otherwise it returns an error for the failed query
// q, because an unreadable file may be the message.
func (u *readFailures) error(q Query) error {
	if u.count == 0 {
		return nil
	}
	return fmt.Errorf("%s is not in any mail that could be read; %d files or folders could not: %w", q, u.count, u.first)
}

// read returns an index of the mail as it is now; it is m.index if the mail has not changed. It
// reads only new and changed messages, and counts unreadable files in the readFailures. parts says
// whether the index needs content-ids. It does not set m.index. The caller holds mu.
func (m *Maildir) read(ctx context.Context, parts bool) (*index, *readFailures, error) {
	failed := &readFailures{}
	dirs, err := m.dirs(ctx, failed)
	if err != nil {
		return nil, nil, err
	}
	if m.isCurrent(dirs, parts) {
		return m.index, failed, nil
	}
	x := &index{entries: make([]entry, 0, len(m.index.entries))}
	r := newIndexer(ctx)
	old := m.index.byName()
	for _, dir := range dirs {
		failures := failed.count
		listed, files, err := m.list(dir, failed)
		failed.add(err)
		for _, file := range files {
			e, known := old[stablePath(file.path)]
			e.path = file.path
			if !known || e.stamp != file.stamp || parts && !e.parts {
				e, err = m.scan(r, file.path, parts)
			}
			if ctx.Err() != nil {
				return nil, nil, context.Cause(ctx)
			}
			if err != nil {
				failed.add(err)
				continue
			}
			x.entries = append(x.entries, e)
		}
		if failed.count > failures {
			listed = 0 // so that the next read lists it, and reports the failures, again
		}
		x.dirs = append(x.dirs, dirStamp{dir, listed})
	}
	return x, failed, nil
}

// isCurrent reports whether the index is up to date: it was made from these directories, they have not
// changed since, and all entries are complete. If parts is set, complete entries have the content-ids.
func (m *Maildir) isCurrent(dirs []string, parts bool) bool {
	if len(dirs) != len(m.index.dirs) {
		return false
	}
	for i, dir := range m.index.dirs {
		if dir.name != dirs[i] || dir.changed == 0 {
			return false
		}
		info, err := m.Root.Stat(dir.name)
		if err != nil || changeTime(info) != dir.changed {
			return false
		}
	}
	return !slices.ContainsFunc(m.index.entries, func(e entry) bool {
		return e.stamp == stamp{} || parts && !e.parts
	})
}

// list returns the messages in the directory dir, as entries with a path and a stamp. changed is the
// time of the directory's last change; 0 if it must be listed again, because it changed so recently
// that a further change might not change the time. Files whose attributes cannot be read are added
// to failed.
func (m *Maildir) list(dir string, failed *readFailures) (changed int64, files []entry, err error) {
	f, err := m.Root.Open(dir)
	if err != nil {
		return 0, nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil { // before the files are listed, so that a change meanwhile makes the time differ
		changed = stamp{mtime: changeTime(info)}.settled(m.clock()).mtime
	}
	all, err := f.ReadDir(-1)
	files = make([]entry, 0, len(all))
	for _, file := range all {
		if !file.Type().IsRegular() || strings.HasPrefix(file.Name(), ".") {
			continue
		}
		info, err := file.Info()
		if err != nil {
			failed.add(err)
			continue
		}
		files = append(files, entry{path: dir + "/" + file.Name(), stamp: stampOf(info)})
	}
	return changed, files, err
}

// clock returns the current time, from m.now if that is set.
func (m *Maildir) clock() time.Time {
	if m.now != nil {
		return m.now()
	}
	return time.Now()
}

// stablePath returns a path for a message that stays equal when the message moves from new to cur or
// gets other flags: its Maildir, and its name before ":2,".
func stablePath(name string) string {
	dir, name := path.Split(name)
	name, _, _ = strings.Cut(name, ":2,")
	name, _, _ = strings.Cut(name, ";2,") // QUIRK: Windows has no ":" in names
	return path.Join(path.Dir(path.Clean(dir)), name)
}

// scan reads the message in the file name, and returns its entry. parts says whether the entry needs
// the content-ids. A file that is not a message gets an entry without ids. scan returns an error
// only if opening or reading the file fails.
func (m *Maildir) scan(r *indexer, name string, parts bool) (entry, error) {
	f, err := m.Root.Open(name)
	if err != nil {
		return entry{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return entry{}, err
	}
	is := stampOf(info).settled(m.clock())
	e, err := r.message(f, parts)
	if errors.Is(err, access.ErrTooLong) { // not a message
		e, err = entry{parts: true}, nil
	}
	e.path, e.stamp = name, is
	return e, err
}

// byName returns the entries of a Maildir's index by their stable paths.
func (x *index) byName() map[string]entry {
	m := make(map[string]entry, len(x.entries))
	for _, e := range x.entries {
		m[stablePath(e.path)] = e
	}
	return m
}

// equal reports whether x and other are equal, so that x need not be saved. It is false if x has an
// entry with the zero stamp.
func (x *index) equal(other *index) bool {
	return slices.Equal(x.dirs, other.dirs) && slices.EqualFunc(x.entries, other.entries, func(a, b entry) bool {
		return a.path == b.path && a.parts == b.parts && a.stamp == b.stamp && a.stamp != stamp{}
	})
}

// An indexer reads the ids of messages, one message after the other. It reuses its buffers.
type indexer struct {
	source contextReader
	buffer *bufio.Reader
	header []byte
}

// newIndexer returns an indexer whose reads fail when ctx is done.
func newIndexer(ctx context.Context) *indexer {
	return &indexer{source: contextReader{ctx: ctx}, buffer: bufio.NewReader(nil)}
}

// message reads the message in r, and returns an entry with its message-id, without a path and a
// stamp. If parts is set, or the message has only one part, the entry has the content-ids too. The
// error is access.ErrTooLong for a header that is too long, or the error of r.
func (x *indexer) message(r io.Reader, parts bool) (entry, error) {
	x.source.r, x.source.err = r, nil
	x.buffer.Reset(&x.source)
	h, err := message.ReadHeader(x.buffer, x.header[:0])
	if err != nil {
		return entry{}, err
	}
	x.header = h
	e := entry{parts: true}
	if id := message.BareID(h.Get("Message-Id")); id != "" {
		e.ids = append(e.ids, hashMessageID(id))
	}
	ps := message.NewParts(h, x.buffer)
	if !parts && ps.IsMultipart() {
		e.parts = false
		return e, nil
	}
	for {
		p, err := ps.Next()
		if err != nil { // a broken message has no more ids
			return e, x.source.err
		}
		if p.ID != "" {
			e.ids = append(e.ids, hashContentID(p.ID))
		}
	}
}
