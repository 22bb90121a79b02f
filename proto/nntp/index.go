package nntp

import (
	"bufio"
	"cmp"
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

// An index says which file of a spool has which article. Its zero value knows
// none yet.
type index struct {
	mu    sync.Mutex
	files map[string]spooled // by path, those that are no articles too
	ids   map[string]string  // path by message-id
	most  int                // files; 0 is maxSpooled
}

// A spooled file is one that the index has read.
type spooled struct {
	path   string
	size   int64
	time   time.Time
	header header // its id is "" if it is no article
}

// find returns the file of an article: as the index knows it, if it is still so,
// or else after looking at all files that have changed.
func (x *index) find(ctx context.Context, files fs.FS, id string) (spooled, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for range 2 {
		if a, ok := x.files[x.ids[id]]; ok && a.isFresh(files) {
			return a, nil
		}
		if err := x.refresh(ctx, files); err != nil {
			return spooled{}, err
		}
	}
	return spooled{}, fs.ErrNotExist
}

// all returns every article that is there now, in the order of their paths.
func (x *index) all(ctx context.Context, files fs.FS) ([]spooled, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.refresh(ctx, files); err != nil {
		return nil, err
	}
	var all []spooled
	for _, name := range slices.Sorted(maps.Values(x.ids)) {
		all = append(all, x.files[name])
	}
	return all, nil
}

// maxSpooled is how many files of a spool are looked at, of which each takes some
// hundred octets of memory, and no more than maxField for each field.
const (
	maxSpooled = 500_000
	maxField   = 1 << 10
)

// refresh reads the headers of all files that are new or have changed.
func (x *index) refresh(ctx context.Context, files fs.FS) error {
	known := map[string]spooled{}
	ids := map[string]string{}
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && name == ".":
			return err
		case err != nil && d.IsDir():
			return fs.SkipDir // it may not be read, or has gone
		case err != nil || d.IsDir():
			return nil //nolint:nilerr // a file that has gone has no article
		}
		a, ok := x.look(files, name)
		if !ok {
			return nil
		}
		if len(known) == x.limit() {
			return fmt.Errorf("%w: more than %d files", access.ErrTooLong, x.limit())
		}
		known[name] = a
		if id, is := bare(a.header.id); is && ids[id] == "" {
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

// look returns what is in a file, which is read only if it has changed.
func (x *index) look(files fs.FS, name string) (spooled, bool) {
	info, err := fs.Stat(files, name)
	if err != nil || !info.Mode().IsRegular() {
		return spooled{}, false
	}
	if a, ok := x.files[name]; ok && a.isLike(info) {
		return a, true
	}
	a := spooled{path: name, size: info.Size(), time: info.ModTime()}
	if f, err := files.Open(name); err == nil {
		defer f.Close()
		h, err := readHeader(bufio.NewReaderSize(f, maxLine))
		if err == nil || errors.Is(err, access.ErrTooLong) && h.id != "" {
			a.header = h.clipped()
			a.header.octets = info.Size()
		}
	}
	return a, true
}

// limit returns how many files are looked at.
func (x *index) limit() int { return cmp.Or(x.most, maxSpooled) }

// clipped returns h without what is more than is kept of each field. What a
// message-id has too much is all of it: it would be another.
func (h header) clipped() header {
	if len(h.newsgroups) > maxField { // the last one is no whole name
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

func (a spooled) isLike(info fs.FileInfo) bool {
	return a.size == info.Size() && a.time.Equal(info.ModTime())
}

func (a spooled) isFresh(files fs.FS) bool {
	info, err := fs.Stat(files, a.path)
	return err == nil && a.isLike(info)
}

// in reports whether the article is in a group, and its number there; 0 if it has
// none.
func (a spooled) in(group string) (number uint64, ok bool) {
	if n, err := strconv.ParseUint(path.Base(a.path), 10, 64); err == nil && path.Dir(a.path) == strings.ReplaceAll(group, ".", "/") {
		return n, true
	}
	return 0, slices.Contains(names(a.header.newsgroups), group)
}

// groups returns the groups that the article is in.
func (a spooled) groups() []string {
	if listed := names(a.header.newsgroups); len(listed) > 0 {
		return listed
	}
	if _, err := strconv.ParseUint(path.Base(a.path), 10, 64); err == nil && path.Dir(a.path) != "." {
		return []string{strings.ReplaceAll(path.Dir(a.path), "/", ".")}
	}
	return nil
}
