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
)

// A Maildir is a folder of messages, one file each, in new and cur; and of such
// folders in it, at any depth, whose names start with a dot (Maildir++) or do
// not. It implements [Source].
//
// The first look-up reads the header of every message, and makes an index of
// message-ids. The first look-up of a part reads the messages with several parts
// whole, and adds their content-ids. Later look-ups read only what is new: a
// folder is listed again when it has changed, and a file in it is read again
// when its size or its time of change differs. A message that moved from new to
// cur, or whose flags changed, is still the same message.
//
// Find checks every message before it returns it. A message that was overwritten
// in place, which no program that follows the rules of Maildir does, is noticed
// when its old id is looked for, or when its folder has changed.
//
// If a message cannot be read, and the id is in no other, Find returns an error
// that says so.
//
// Several goroutines may use a Maildir at once. It must not be copied.
type Maildir struct {
	// Root is the folder. Nil refuses every access.
	Root *os.Root
	// Cache is the folder in which the index is kept, under a name made from that
	// of Root. Nil keeps it in memory only.
	Cache *os.Root

	mu    sync.Mutex
	index *index           // nil until it was asked for
	now   func() time.Time // nil: time.Now
}

// Limits of the search for folders.
const (
	maxFolders     = 10_000
	maxFolderDepth = 16
)

// Find opens a message. Failing to write the index is no error.
func (m *Maildir) Find(ctx context.Context, q Query) (*Message, error) {
	if m.Root == nil {
		return nil, access.Reason("no Maildir was given", fs.ErrPermission)
	}
	name := indexName("maildir", m.Root.Name())
	for _, place := range m.places(q, name) {
		if found, _ := m.openAt(ctx, place, q); found != nil {
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
			_ = x.save(m.Cache, name) // without it the next look-up is slower
		}
		if found == nil && err == nil {
			err = cmp.Or(failed.error(q), notFound(q))
		}
		return found, err
	}
	return nil, notFound(q)
}

// places returns where the index has messages for q. It loads the index under a name if that
// was not done yet.
func (m *Maildir) places(q Query, name string) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.index == nil {
		m.index = loadIndex(m.Cache, name)
	}
	var places []string
	for _, e := range m.index.find(q) {
		places = append(places, e.place)
	}
	return places
}

// openAt opens the message at a place. If the file there holds another message than q asks
// for, the error is errMoved.
func (m *Maildir) openAt(ctx context.Context, place string, q Query) (*Message, error) {
	f, err := m.Root.Open(place)
	if err != nil {
		return nil, err
	}
	found, err := verified(ctx, f, q)
	if err != nil {
		f.Close()
	}
	return found, err
}

// errMoved means that a message is not where the index says.
var errMoved = errors.New("the mail has changed")

// open opens the message that the index has for q; nil if it has none. An entry
// whose file holds another message is marked to be read again. The caller holds mu.
func (m *Maildir) open(ctx context.Context, q Query) (*Message, error) {
	var failed error
	for _, e := range m.index.find(q) {
		found, err := m.openAt(ctx, e.place, q)
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

// verified returns the message in f if it is what q asks for; errMoved if not.
func verified(ctx context.Context, f *os.File, q Query) (*Message, error) {
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

// matchesQuery reports whether the message in r is what q asks for. It fails if r does.
func matchesQuery(ctx context.Context, r io.Reader, q Query) (bool, error) {
	source := &watched{ctx: ctx, r: r}
	rest := bufio.NewReader(source)
	h, err := readHeader(rest, nil)
	if err != nil {
		return false, source.err
	}
	if q.MessageID != "" {
		return bareID(h.Get("Message-Id")) == q.MessageID, nil
	}
	if _, err = newParts(h, rest).find(q.ContentID); err != nil {
		return false, source.err
	}
	return true, nil
}

// folders returns every new and cur.
func (m *Maildir) folders(ctx context.Context, failed *unread) ([]string, error) {
	var folders []string
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
			folders = append(folders, name)
			return fs.SkipDir
		case base == "tmp" || strings.Count(name, "/") == maxFolderDepth:
			return fs.SkipDir
		}
		if seen++; seen > maxFolders {
			return fmt.Errorf("%s has more than %d folders", m.Root.Name(), maxFolders)
		}
		return nil
	})
	if err == nil && len(folders) == 0 && failed.count == 0 {
		err = fmt.Errorf("%s is no Maildir: it has no folder cur or new", m.Root.Name())
	}
	return folders, err
}

// An unread counts the failures to read files and folders.
type unread struct {
	first error
	count int
}

// add counts an error, unless it says that the file is gone.
func (u *unread) add(err error) {
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return
	}
	u.first = cmp.Or(u.first, err)
	u.count++
}

// error returns an error if some files could not be read, any of which may hold
// what q asks for; nil if all could.
func (u *unread) error(q Query) error {
	if u.count == 0 {
		return nil
	}
	return fmt.Errorf("no mail that can be read has %s; what cannot is %d in all: %w", q, u.count, u.first)
}

// read returns an up-to-date index: the old one if nothing has changed. parts
// asks for content-ids.
func (m *Maildir) read(ctx context.Context, parts bool) (*index, *unread, error) {
	failed := &unread{}
	folders, err := m.folders(ctx, failed)
	if err != nil {
		return nil, nil, err
	}
	if m.isCurrent(folders, parts) {
		return m.index, failed, nil
	}
	x := &index{entries: make([]entry, 0, len(m.index.entries))}
	r := newIndexer(ctx)
	old := m.index.byName()
	for _, folder := range folders {
		failures := failed.count
		listed, files, err := m.list(folder, failed)
		failed.add(err)
		for _, file := range files {
			e, known := old[unique(file.place)]
			e.place = file.place
			if !known || e.stamp != file.stamp || parts && !e.parts {
				e, err = m.scan(r, file.place, parts)
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
			listed = 0 // list it again, to report the failures again
		}
		x.folders = append(x.folders, folderStamp{folder, listed})
	}
	return x, failed, nil
}

// isCurrent reports whether the index is up to date: it was made from these
// folders, none has changed since, and no entry has to be read again.
func (m *Maildir) isCurrent(folders []string, parts bool) bool {
	if len(folders) != len(m.index.folders) {
		return false
	}
	for i, folder := range m.index.folders {
		if folder.name != folders[i] || folder.changed == 0 {
			return false
		}
		info, err := m.Root.Stat(folder.name)
		if err != nil || changeTime(info) != folder.changed {
			return false
		}
	}
	return !slices.ContainsFunc(m.index.entries, func(e entry) bool {
		return e.stamp == stamp{} || parts && !e.parts
	})
}

// list returns the files in a folder, as entries with a place and a stamp, and
// when the folder had last changed; 0 if that does not tell versions apart.
func (m *Maildir) list(folder string, failed *unread) (changed int64, files []entry, err error) {
	f, err := m.Root.Open(folder)
	if err != nil {
		return 0, nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil { // before the files, so that a change meanwhile is noticed later
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
		files = append(files, entry{place: folder + "/" + file.Name(), stamp: stampOf(info)})
	}
	return changed, files, err
}

func (m *Maildir) clock() time.Time {
	if m.now != nil {
		return m.now()
	}
	return time.Now()
}

// unique returns the part of a message's place that stays when the message moves
// from new to cur or gets other flags: its folder, and its name before ":2,".
func unique(place string) string {
	folder, name := path.Split(place)
	name, _, _ = strings.Cut(name, ":2,")
	name, _, _ = strings.Cut(name, ";2,") // QUIRK: Windows has no ":" in names
	return path.Join(path.Dir(path.Clean(folder)), name)
}

func (m *Maildir) scan(r *indexer, place string, parts bool) (entry, error) {
	f, err := m.Root.Open(place)
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
	if errors.Is(err, access.ErrTooLong) { // it is no message
		e, err = entry{parts: true}, nil
	}
	e.place, e.stamp = place, is
	return e, err
}

// byName returns the entries of a Maildir by what is unique about their places.
func (x *index) byName() map[string]entry {
	m := make(map[string]entry, len(x.entries))
	for _, e := range x.entries {
		m[unique(e.place)] = e
	}
	return m
}

// equal reports whether x and other hold the same, so that x need not be saved.
func (x *index) equal(other *index) bool {
	return slices.Equal(x.folders, other.folders) && slices.EqualFunc(x.entries, other.entries, func(a, b entry) bool {
		return a.place == b.place && a.parts == b.parts && a.stamp == b.stamp && a.stamp != stamp{}
	})
}

// An indexer reads the ids of messages, one message after the other.
type indexer struct {
	source watched
	buffer *bufio.Reader
	header []byte
}

func newIndexer(ctx context.Context) *indexer {
	return &indexer{source: watched{ctx: ctx}, buffer: bufio.NewReader(nil)}
}

// message reads the ids of a message: its own from its header, and if parts is
// set those of its parts. It fails if r does.
func (x *indexer) message(r io.Reader, parts bool) (entry, error) {
	x.source.r, x.source.err = r, nil
	x.buffer.Reset(&x.source)
	h, err := readHeader(x.buffer, x.header[:0])
	if err != nil {
		return entry{}, err
	}
	x.header = h
	e := entry{parts: true}
	if id := bareID(h.Get("Message-Id")); id != "" {
		e.ids = append(e.ids, hashMessageID(id))
	}
	ps := newParts(h, x.buffer)
	if ps.first.boundary() != "" && !parts {
		e.parts = false
		return e, nil
	}
	for {
		p, err := ps.next()
		if err != nil { // a broken message has no more ids
			return e, x.source.err
		}
		if p.id != "" {
			e.ids = append(e.ids, hashContentID(p.id))
		}
	}
}
