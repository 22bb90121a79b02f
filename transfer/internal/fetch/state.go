package fetch

import (
	"cmp"
	"encoding/json"
	"io"
	"os"
	"slices"
	"time"

	"locus/access"
)

// A state is the content of a state file. It says which version of the resource the
// part belongs to, and which bytes the part has.
type state struct {
	URL     string    `json:"url"` // without user name and password
	Size    int64     `json:"size"`
	ETag    string    `json:"etag,omitempty"`
	ModTime time.Time `json:"modified,omitzero"`
	SHA256  string    `json:"sha256,omitempty"` // the digest to verify, in hexadecimal; of its length, also a SHA-512
	Done    []span    `json:"done,omitzero"`    // the ranges in the part; nil: it has all bytes up to its length
}

// A span is a range of bytes: the offset of the first one, and the offset after the
// last one.
type span [2]int64

// version returns the validator of the resource to which the part belongs.
func (s state) version() access.Validator { return access.Validator{ETag: s.ETag, ModTime: s.ModTime} }

// isProvable reports whether a later run can tell by the last bytes of the part if the resource
// is the same. Otherwise the run compares the whole part.
func (s state) isProvable() bool { return !s.version().IsZero() || s.Size >= 0 }

// newSuffix is the further suffix of a state file until it is complete.
const newSuffix = ".new"

// maxState is the size of the largest state file that is read.
const maxState = 1 << 20

// LoadState reads a state file. It returns nil if the file does not exist or is invalid.
func LoadState(root *os.Root, name string) *state { //nolint:revive // a test of package transfer reads the fields
	f, err := root.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxState+1))
	var s state
	if err != nil || len(text) > maxState || json.Unmarshal(text, &s) != nil || !s.isValid() {
		return nil
	}
	return &s
}

// isValid reports whether the spans in Done are in order, do not overlap, and end within Size.
func (s *state) isValid() bool {
	last := int64(0)
	for _, d := range s.Done {
		if d[0] < last || d[1] < d[0] || s.Size < 0 || d[1] > s.Size {
			return false
		}
		last = d[1]
	}
	return true
}

// save writes s into the named state file, which it replaces atomically.
func (s *state) save(root *os.Root, name string) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	fresh := name + newSuffix
	if err := RemoveFile(root, fresh); err != nil {
		return err
	}
	if err := root.WriteFile(fresh, append(text, '\n'), 0o666); err != nil {
		_ = RemoveFile(root, fresh) // a full disk may have taken a part of it
		return err
	}
	return root.Rename(fresh, name)
}

// removeState deletes the named state file, and also an incomplete one, because a run that was killed while it
// saved a state has left it.
func removeState(root *os.Root, name string) error {
	_ = RemoveFile(root, name+newSuffix) // if it stays, the next save deletes it
	return RemoveFile(root, name)
}

// A segment is a range that is being fetched.
type segment struct {
	start int64 // the part has the bytes from start to pos
	pos   int64 // offset of the next byte to fetch
	end   int64 // offset after the last one; -1 if the size is unknown
}

// gaps returns the segments that are missing between the spans done in a file of size bytes, in
// their order. The start of a segment is the start of the span before it.
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

// divide halves the largest segment until there are n segments, or until a half would have fewer
// than least bytes. It shortens the segments of all, and returns a new slice.
func divide(all []*segment, n int, least int64) []*segment {
	all = slices.Clone(all)
	for len(all) > 0 && len(all) < n {
		large := slices.MaxFunc(all, func(a, b *segment) int { return cmp.Compare(a.end-a.pos, b.end-b.pos) })
		half := (large.pos + large.end) / 2
		if half-large.pos < least || large.end-half < least {
			break
		}
		all = append(all, &segment{start: half, pos: half, end: large.end})
		large.end = half
	}
	return all
}

// spans returns the ranges that a file of size bytes has while the segments are missing. It
// inverts gaps, and never returns nil.
func spans(missing []*segment, size int64) []span {
	missing = slices.Clone(missing)
	slices.SortFunc(missing, func(a, b *segment) int { return cmp.Compare(a.pos, b.pos) })
	done := []span{}
	last := int64(0)
	for _, s := range missing {
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
