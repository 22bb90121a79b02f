package mail

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync"
	"time"
)

// A Maildir is a folder of messages, one file each, in new and cur; and of such
// folders, whose names start with a dot (Maildir++) or do not. It implements
// [Source].
//
// An index of message-ids is made when the first message is looked for, and of
// content-ids when the first part is: then the messages with several parts are
// read whole. Later only messages that are new are read. A message that was
// moved from new to cur, whose flags have changed or that is gone is no other
// message; the text of a message does not change, says Maildir.
//
// It may be used by several goroutines at once, but not copied.
type Maildir struct {
	// Root is the folder. Nil refuses every access.
	Root *os.Root
	// Cache is the folder in which the index is kept, under a name made from that
	// of Root. Nil keeps it in memory only.
	Cache *os.Root

	mu    sync.Mutex
	index *index // nil until it was asked for
}

// maxFolders is how many folders of a Maildir are looked through.
const maxFolders = 10_000

// Find opens a message. An index that cannot be written is no error.
func (m *Maildir) Find(ctx context.Context, q Query) (*Message, error) {
	if m.Root == nil {
		return nil, fmt.Errorf("no Maildir was given: %w", fs.ErrPermission)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	name := indexName("maildir", m.Root.Name())
	if m.index == nil {
		m.index = loadIndex(m.Cache, name)
	}
	if found, stale := m.open(q); found != nil {
		return found, nil
	} else if !stale && m.index.knows(q) && m.unchanged() {
		return nil, notFound(q)
	}
	for range 3 { // mail may move while it is read
		x, err := m.read(ctx, q.needsParts())
		if err != nil {
			return nil, err
		}
		m.index = x
		found, stale := m.open(q)
		if found == nil && stale {
			continue
		}
		_ = x.save(m.Cache, name) // without it the next look-up is slower
		if found != nil {
			return found, nil
		}
		break
	}
	return nil, notFound(q)
}

// open opens what the index has for q. stale says that the index named what is
// not there.
func (m *Maildir) open(q Query) (found *Message, stale bool) {
	for _, e := range m.index.find(q) {
		f, err := m.Root.Open(e.place)
		if err != nil {
			stale = true
			continue
		}
		if message, ok := verified(f, q); ok {
			return message, stale
		}
		f.Close()
		stale = true
	}
	return nil, stale
}

// verified returns the message in f, if it is what q asks for.
func verified(f *os.File, q Query) (*Message, bool) {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || !isIt(f, q) {
		return nil, false
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, false
	}
	return &Message{Body: f, Size: info.Size(), ModTime: info.ModTime()}, true
}

// isIt reports whether the message in r is what q asks for.
func isIt(r io.Reader, q Query) bool {
	rest := bufio.NewReader(r)
	h, err := readHeader(rest, nil)
	if err != nil {
		return false
	}
	if q.MessageID != "" {
		return bareID(h.Get("Message-Id")) == q.MessageID
	}
	_, err = newParts(h, rest).find(q.ContentID)
	return err == nil
}

// unchanged reports whether the folders are those that were indexed, with the
// same files in them.
func (m *Maildir) unchanged() bool {
	folders, err := m.folders()
	if err != nil || len(folders) != len(m.index.stamps) {
		return false
	}
	for _, folder := range folders {
		info, err := m.Root.Stat(folder)
		if err != nil {
			return false
		}
		is := stampOf(info, time.Now().UnixNano())
		if is == (stamp{}) || is != m.index.stamps[folder] {
			return false
		}
	}
	return true
}

// folders returns every new and cur.
func (m *Maildir) folders() ([]string, error) {
	top, err := fs.ReadDir(m.Root.FS(), ".")
	if err != nil {
		return nil, err
	}
	var folders []string
	for _, folder := range append([]string{"."}, names(top)...) {
		for _, state := range []string{"new", "cur"} {
			name := path.Join(folder, state)
			if info, err := m.Root.Stat(name); err == nil && info.IsDir() {
				folders = append(folders, name)
			}
		}
		if len(folders) > maxFolders {
			return nil, fmt.Errorf("more than %d folders of mail", maxFolders)
		}
	}
	return folders, nil
}

func names(entries []fs.DirEntry) []string {
	var names []string
	for _, e := range entries {
		if n := e.Name(); e.IsDir() && n != "new" && n != "cur" && n != "tmp" {
			names = append(names, n)
		}
	}
	return names
}

// read makes the index anew. Of messages that are in the old one only the names
// are read, if parts does not ask for more.
func (m *Maildir) read(ctx context.Context, parts bool) (*index, error) {
	old := make(map[string]entry, len(m.index.entries))
	for _, e := range m.index.entries {
		old[unique(e.place)] = e
	}
	folders, err := m.folders()
	if err != nil {
		return nil, err
	}
	x := &index{stamps: make(map[string]stamp)}
	reader := newIndexer()
	for _, folder := range folders {
		files, err := m.list(folder, x)
		if err != nil {
			return nil, err
		}
		for _, place := range files {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			e, known := old[unique(place)]
			e.place = place
			if !known || parts && !e.parts {
				if e, err = m.scan(reader, place, parts); err != nil {
					continue // it is gone, or no message
				}
			}
			x.entries = append(x.entries, e)
		}
	}
	return x, nil
}

// list returns the files in a folder and notes the folder's stamp, which is
// from before.
func (m *Maildir) list(folder string, x *index) ([]string, error) {
	f, err := m.Root.Open(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	x.stamps[folder] = stampOf(info, time.Now().UnixNano())
	all, err := f.ReadDir(-1)
	var files []string
	for _, file := range all {
		if file.Type().IsRegular() && !strings.HasPrefix(file.Name(), ".") {
			files = append(files, folder+"/"+file.Name())
		}
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
	e, err := r.message(f, parts)
	e.place = place
	return e, err
}

// An indexer reads what an index has to know of messages, one after the other.
type indexer struct {
	buffer *bufio.Reader
	header []byte
}

func newIndexer() *indexer { return &indexer{buffer: bufio.NewReader(nil)} }

// message reads the ids of a message: that of its own from its header, and, if
// parts is set, those of its parts.
func (x *indexer) message(r io.Reader, parts bool) (entry, error) {
	x.buffer.Reset(r)
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
		if err != nil { // what cannot be read has no ids
			return e, nil //nolint:nilerr // as far as it goes
		}
		if p.id != "" {
			e.ids = append(e.ids, hashContentID(p.id))
		}
	}
}
