package sync

import (
	"time"

	"locus/access"
	"locus/transfer/internal/fetch"
)

// A version is what is known of a file: its size (-1 if unknown), and its modification
// time (zero if unknown).
type version struct {
	Size    int64     `json:"size"`
	ModTime time.Time `json:"modified,omitzero"`
}

// An item is an entry of a listing, without its name.
type item struct {
	kind   access.Kind
	hasURL bool
	version
	rough access.Rough
}

func itemOf(e access.Entry) item {
	return item{e.Kind, !e.URL.IsZero(), version{e.Size, e.ModTime}, e.Rough}
}

// seen returns what a listing tells of a file, if not exactly. It tells a change.
func (i item) seen() version {
	v := i.version
	if v.Size < 0 && i.rough.Size > 0 {
		v.Size = -1 - i.rough.Size // differs from exact sizes
	}
	if v.ModTime.IsZero() {
		v.ModTime = i.rough.ModTime
	}
	return v
}

// is reports whether two versions are the same, as far as both are known.
func (v version) is(other version) bool {
	return v.Size == other.Size && v.ModTime.Equal(other.ModTime)
}

// An action is what to do with a file of the source.
type action uint8

const (
	sendFile  action = iota // it is new or has changed
	leaveFile               // the target has it
	keepNewer               // the target has a newer file, which is not from an earlier run
	askTarget               // the listing of the target is not exact enough: Stat tells more
)

// decide returns what to do with a file. source is the file, and target is the file of
// the target as far as its listing, or Stat, tells; isExact says that Stat did. logged is
// what the manifest remembers; nil if it does not know the file.
//
// Where a server stores its own time with a file, that is later than the last change of
// the source. So a file of the same size that is not older counts as sent.
func decide(source version, target item, isExact bool, logged *sentFile) action {
	ours := logged != nil && logged.Target.is(target.seen())
	inexact := target.Size < 0 || target.ModTime.IsZero() || !fetch.HasSeconds(target.ModTime) && !fetch.IsSameTime(target.ModTime, source.ModTime)
	switch {
	case ours && logged.Source.is(source):
		return leaveFile
	case ours:
		return sendFile
	case inexact && !isExact:
		return askTarget
	case target.ModTime.IsZero() || source.ModTime.IsZero():
		return sendFile
	case fetch.IsSameTime(target.ModTime, source.ModTime):
		if target.Size == source.Size {
			return leaveFile
		}
		return sendFile
	case target.ModTime.Before(source.ModTime):
		return sendFile
	case target.Size == source.Size:
		return leaveFile
	}
	return keepNewer
}
