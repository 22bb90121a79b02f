package nntp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"locus/access"
)

// An index maps message-ids to the files of a spool. The zero index has no files.
type index struct {
	mu       sync.Mutex
	files    map[string]spoolFile // the files by path, including files that are not articles
	ids      map[string]string    // the paths by message-id
	maxFiles int                  // limits the files
}

// A spoolFile is a file that the index has read.
type spoolFile struct {
	path   string
	size   int64
	time   time.Time
	header header // its id is "" if the file is not an article
}

// find returns the file of the article with the message-id, which has no angle brackets. It
// refreshes the index only if the index lacks the article, or the file has changed. The error is
// fs.ErrNotExist if there is no such article.
func (x *index) find(ctx context.Context, files fs.FS, id string) (spoolFile, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if a, ok := x.files[x.ids[id]]; ok {
		if info, err := fs.Stat(files, a.path); err == nil && a.isSame(info) {
			return a, nil
		}
	}
	if err := x.refresh(ctx, files); err != nil {
		return spoolFile{}, err
	}
	if a, ok := x.files[x.ids[id]]; ok {
		return a, nil
	}
	return spoolFile{}, fs.ErrNotExist
}

// all refreshes the index, and returns every article of the spool, sorted by path.
func (x *index) all(ctx context.Context, files fs.FS) ([]spoolFile, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.refresh(ctx, files); err != nil {
		return nil, err
	}
	var all []spoolFile
	for _, name := range slices.Sorted(maps.Values(x.ids)) {
		all = append(all, x.files[name])
	}
	return all, nil
}

// maxSpooled limits the files of a spool, because each takes a few hundred bytes of memory. maxField
// limits the bytes of a header field in the index.
const (
	maxSpooled = 500_000
	maxField   = 1 << 10
)

// refresh updates the index: it reads new and changed files, and drops files that are gone. The caller holds mu. If it
// fails, the index stays unchanged.
func (x *index) refresh(ctx context.Context, files fs.FS) error {
	known := map[string]spoolFile{}
	ids := map[string]string{}
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && name == ".":
			return err
		case err != nil && d.IsDir():
			return fs.SkipDir // unreadable or removed
		case err != nil || d.IsDir():
			return nil //nolint:nilerr // the file was removed
		}
		a, ok := x.readFile(files, name)
		if !ok {
			return nil
		}
		if len(known) == x.maxFiles {
			return fmt.Errorf("%w: more than %d files", access.ErrTooLong, x.maxFiles)
		}
		known[name] = a
		if id, is := trimBrackets(a.header.id); is && ids[id] == "" {
			ids[id] = name
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the spool: %w", err)
	}
	x.files, x.ids = known, ids
	return nil
}

// readFile returns the size, time and header of a file. It opens the file only if the file is new or
// has changed; otherwise the result comes from the index. The result is false if name is not a
// regular file. A file that is not an article has a zero header. The caller holds mu.
func (x *index) readFile(files fs.FS, name string) (spoolFile, bool) {
	info, err := fs.Stat(files, name)
	if err != nil || !info.Mode().IsRegular() {
		return spoolFile{}, false
	}
	if a, ok := x.files[name]; ok && a.isSame(info) {
		return a, true
	}
	a := spoolFile{path: name, size: info.Size(), time: info.ModTime()}
	if f, err := files.Open(name); err == nil {
		defer f.Close()
		h, err := readHeader(bufio.NewReaderSize(f, maxLine))
		if err == nil || errors.Is(err, access.ErrTooLong) && h.id != "" {
			a.header = h.truncated()
			a.header.size = info.Size()
		}
	}
	return a, true
}

// truncated returns h with each field cut to maxField bytes, and groups cut between two names. A
// longer message-id becomes "", because a cut message-id would name another article.
func (h header) truncated() header {
	if len(h.newsgroups) > maxField { // cut between two names
		h.newsgroups = h.newsgroups[:1+strings.LastIndexByte(h.newsgroups[:maxField], ',')]
	}
	for _, field := range []*string{&h.subject, &h.from, &h.date, &h.references, &h.newsgroups} {
		*field = strings.Clone((*field)[:min(len(*field), maxField)])
	}
	if len(h.id) > maxField {
		h.id = ""
	}
	return h
}

// isSame reports whether the file still has the size and time that a was read with. info has its
// current attributes.
func (a spoolFile) isSame(info fs.FileInfo) bool {
	return a.size == info.Size() && a.time.Equal(info.ModTime())
}

// numberIn reports whether the article is in group. number is its number in the group if the path
// gives one, else 0.
func (a spoolFile) numberIn(group string) (number uint64, ok bool) {
	if n, err := strconv.ParseUint(path.Base(a.path), 10, 64); err == nil && path.Dir(a.path) == strings.ReplaceAll(group, ".", "/") {
		return n, true
	}
	return 0, slices.Contains(splitGroups(a.header.newsgroups), group)
}

// groups returns the names of the article's groups: its Newsgroups field, or else the group that the
// path gives. It is nil if neither gives a group.
func (a spoolFile) groups() []string {
	if listed := splitGroups(a.header.newsgroups); len(listed) > 0 {
		return listed
	}
	if _, err := strconv.ParseUint(path.Base(a.path), 10, 64); err == nil && path.Dir(a.path) != "." {
		return []string{strings.ReplaceAll(path.Dir(a.path), "/", ".")}
	}
	return nil
}
