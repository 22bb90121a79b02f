package transfer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"locus/access"
	"locus/url"
)

// A state is what is kept beside a part of a file, so that it can be gone on
// with: which version it is of, and which octets are in it.
type state struct {
	URL     string    `json:"url"` // without user name and password
	Size    int64     `json:"size"`
	ETag    string    `json:"etag,omitempty"`
	ModTime time.Time `json:"modified,omitzero"`
	SHA256  string    `json:"sha256,omitempty"` // what is wanted, in hexadecimal digits; sha512 if it is that long
	Done    []span    `json:"done,omitzero"`    // if it was fetched in ranges; nil: the part has all octets up to its length
}

// A span is some of the octets of a file, from the first up to and without the
// last.
type span [2]int64

func (s state) version() access.Validator { return access.Validator{ETag: s.ETag, ModTime: s.ModTime} }

// provable reports whether it can be told if the remote resource is the same.
func (s state) provable() bool { return !s.version().IsZero() || s.Size >= 0 }

// anonymous returns u without user name and password.
func anonymous(u url.URL) string {
	text := u.String()
	if start, _, ok := u.Span(url.User); ok {
		if host, _, ok := u.Span(url.Host); ok {
			text = text[:start] + text[host:]
		}
	}
	return text
}

// What the names of parts end in, and those of their states after that.
const (
	partSuffix  = ".part"
	stateSuffix = ".json"
)

// maxState is how large a state may be.
const maxState = 1 << 20

// loadState reads a state; it is nil if there is none that can be used.
func loadState(root *os.Root, name string) *state {
	f, err := root.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxState+1))
	var s state
	if err != nil || len(text) > maxState || json.Unmarshal(text, &s) != nil || !s.sane() {
		return nil
	}
	return &s
}

// sane reports whether the spans are in order, apart, and within the size.
func (s *state) sane() bool {
	last := int64(0)
	for _, d := range s.Done {
		if d[0] < last || d[1] < d[0] || s.Size < 0 || d[1] > s.Size {
			return false
		}
		last = d[1]
	}
	return true
}

// save replaces the state of that name at one stroke.
func (s *state) save(root *os.Root, name string) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	fresh := name + ".new"
	if err := removeFile(root, fresh); err != nil {
		return err
	}
	if err := root.WriteFile(fresh, append(text, '\n'), 0o666); err != nil {
		_ = removeFile(root, fresh) // of which the disk took a part
		return err
	}
	return root.Rename(fresh, name)
}

// removeFile removes a file, or the link of that name, if there is one.
func removeFile(root *os.Root, name string) error {
	err := root.Remove(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// regular returns what the regular file of that name is, nil if there is none.
// What else has the name is an error: nothing is written through a link.
func regular(root *os.Root, name string) (fs.FileInfo, error) {
	info, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("write %q: it is a directory", name)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("write %q: it is no regular file", name)
	}
	return info, nil
}

// A segment is a run of octets that is to be fetched.
type segment struct {
	start int64 // octets from here to pos are in the part
	pos   int64 // the next octet to fetch
	end   int64 // after the last one; -1 if only the server knows
}

// gaps returns what a file of some size still wants, beside what is done.
func gaps(done []span, size int64) []*segment {
	var all []*segment
	pos, start := int64(0), int64(0)
	for _, d := range append(slices.Clone(done), span{size, size}) {
		if d[0] > pos {
			all = append(all, &segment{start: start, pos: pos, end: d[0]})
		}
		if d[0] != pos {
			start = d[0]
		}
		pos = d[1]
	}
	return all
}

// divide cuts the largest of segments until there are n of them, none smaller
// than least.
func divide(all []*segment, n int, least int64) []*segment {
	all = slices.Clone(all)
	for len(all) > 0 && len(all) < n {
		large := slices.MaxFunc(all, func(a, b *segment) int { return int(min(max(a.end-a.pos-b.end+b.pos, -1), 1)) })
		half := (large.pos + large.end) / 2
		if half-large.pos < least || large.end-half < least {
			break
		}
		all = append(all, &segment{start: half, pos: half, end: large.end})
		large.end = half
	}
	return all
}

// spans returns what is done of a file of some size when all still want what is
// in them; not nil.
func spans(all []*segment, size int64) []span {
	open := slices.Clone(all)
	slices.SortFunc(open, func(a, b *segment) int { return int(min(max(a.pos-b.pos, -1), 1)) })
	done := []span{}
	last := int64(0)
	for _, s := range open {
		if s.pos > last {
			done = append(done, span{last, s.pos})
		}
		last = max(last, s.end)
	}
	if last < size {
		done = append(done, span{last, size})
	}
	return done
}
