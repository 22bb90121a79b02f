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
// An index of message-ids is made when the first message is looked for, and of
// content-ids when the first part is: then the messages with several parts are
// read whole. Later only messages that are new are read, and those whose size or
// time of change is another. A message that was moved from new to cur, or whose
// flags have changed, is no other message.
//
// What the index has is looked at before it is believed; before it is said that
// a message is not there, every file is looked at, though not read. Then it is an
// error, too, if some cannot be read.
//
// It may be used by several goroutines at once, but not copied.
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

// What of a Maildir is looked through.
const (
	maxFolders     = 10_000
	maxFolderDepth = 16
)

// Find opens a message. An index that cannot be written is no error.
func (m *Maildir) Find(ctx context.Context, q Query) (*Message, error) {
	if m.Root == nil {
		return nil, access.Reason("no Maildir was given", fs.ErrPermission)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	name := indexName("maildir", m.Root.Name())
	if m.index == nil {
		m.index = loadIndex(m.Cache, name)
	}
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
		if !x.isLike(was) {
			_ = x.save(m.Cache, name) // without it the next look-up is slower
		}
		if found == nil && err == nil {
			err = cmp.Or(failed.error(q), notFound(q))
		}
		return found, err
	}
	return nil, notFound(q)
}

// errMoved says that a message is not where the index has it.
var errMoved = errors.New("the mail has changed")

// open opens what the index has for q; nil if it has nothing. What turns out to
// be another message will be read anew.
func (m *Maildir) open(ctx context.Context, q Query) (*Message, error) {
	var failed error
	for _, e := range m.index.find(q) {
		f, err := m.Root.Open(e.place)
		if err == nil {
			var found *Message
			if found, err = verified(ctx, f, q); err == nil {
				return found, nil
			}
			f.Close()
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
	if ok, err := isIt(ctx, f, q); err != nil {
		return nil, err
	} else if !ok {
		return nil, errMoved
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return &Message{Body: f, Size: info.Size(), ModTime: info.ModTime()}, nil
}

// isIt reports whether the message in r is what q asks for. It fails if r does.
func isIt(ctx context.Context, r io.Reader, q Query) (bool, error) {
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
			return ctx.Err()
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

// An unread is what could not be read.
type unread struct {
	first error
	count int
}

// add notes an error; that something has gone is none.
func (u *unread) add(err error) {
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return
	}
	u.first = cmp.Or(u.first, err)
	u.count++
}

// error says that q was not found, but may be in what could not be read; nil if
// all could.
func (u *unread) error(q Query) error {
	if u.count == 0 {
		return nil
	}
	return fmt.Errorf("no mail that can be read has %s; what cannot is %d in all: %w", q, u.count, u.first)
}

// read makes the index anew. Of messages that are in the old one only the
// attributes are read, if parts does not ask for more.
func (m *Maildir) read(ctx context.Context, parts bool) (*index, *unread, error) {
	old := make(map[string]entry, len(m.index.entries))
	for _, e := range m.index.entries {
		old[unique(e.place)] = e
	}
	failed := &unread{}
	folders, err := m.folders(ctx, failed)
	if err != nil {
		return nil, nil, err
	}
	x := &index{}
	reader := newIndexer(ctx)
	for _, folder := range folders {
		files, err := m.list(folder, failed)
		failed.add(err)
		for _, is := range files {
			e, known := old[unique(is.place)]
			e.place = is.place
			if !known || e.stamp != is.stamp || parts && !e.parts {
				e, err = m.scan(reader, is.place, parts)
			}
			if done := ctx.Err(); done != nil {
				return nil, nil, done
			}
			if err != nil {
				failed.add(err)
				continue
			}
			x.entries = append(x.entries, e)
		}
	}
	return x, failed, nil
}

// list returns the files in a folder, as entries with a place and a stamp.
func (m *Maildir) list(folder string, failed *unread) ([]entry, error) {
	f, err := m.Root.Open(folder)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all, err := f.ReadDir(-1)
	files := make([]entry, 0, len(all))
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
	return files, err
}

// unique is what stays of a message's place when it is moved from new to cur or
// gets other flags: its folder and the name before ":2,".
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
	is := stampOf(info).settled(time.Now())
	e, err := r.message(f, parts)
	if errors.Is(err, access.ErrTooLong) { // it is no message
		e, err = entry{parts: true}, nil
	}
	e.place, e.stamp = place, is
	return e, err
}

// isLike reports whether an index has what x has, and need not be written.
func (x *index) isLike(other *index) bool {
	return slices.EqualFunc(x.entries, other.entries, func(a, b entry) bool {
		return a.place == b.place && a.parts == b.parts && a.stamp == b.stamp && a.stamp != stamp{}
	})
}

// An indexer reads what an index has to know of messages, one after the other.
type indexer struct {
	source watched
	buffer *bufio.Reader
	header []byte
}

func newIndexer(ctx context.Context) *indexer {
	return &indexer{source: watched{ctx: ctx}, buffer: bufio.NewReader(nil)}
}

// message reads the ids of a message: that of its own from its header, and, if
// parts is set, those of its parts. It fails if r does.
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
		if err != nil { // what cannot be understood has no ids
			return e, x.source.err
		}
		if p.id != "" {
			e.ids = append(e.ids, hashContentID(p.id))
		}
	}
}
