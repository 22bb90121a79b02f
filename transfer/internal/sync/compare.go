package sync

import (
	"time"

	"locus/access"
	"locus/transfer/internal/fetch"
)

// A version is the size and the modification time of a file. Size is -1 and ModTime is zero if they
// are unknown.
type version struct {
	Size    int64     `json:"size"`
	ModTime time.Time `json:"modified,omitzero"`
}

// is reports whether two versions have the same size and time. Unknown sizes are equal, and so are
// unknown times.
func (v version) is(other version) bool {
	return v.Size == other.Size && v.ModTime.Equal(other.ModTime)
}

// A comparison is the result of compare.
type comparison uint8

const (
	same      comparison = iota
	different            // the times are equal and the sizes are not, or a time is unknown
	older                // the listed file is older
	newer                // the listed file is newer
	unclear              // the listing is not exact enough: Stat tells more
)

// compare compares a file that a server lists with the same file elsewhere. The results older and
// newer describe listed. A mirror compares the listing of its source with a local file, and a
// sender compares the listing of its target with the file to send. isExact says that listed comes
// from Stat. Then the result is never unclear, because asking again does not help.
//
// A listing may lack the size or the time. Its time may be to the minute, and in another time zone.
func compare(listed, file version, isExact bool) comparison {
	isSameTime := !listed.ModTime.IsZero() && !file.ModTime.IsZero() && fetch.IsSameTime(listed.ModTime, file.ModTime)
	isRough := listed.Size < 0 || listed.ModTime.IsZero() || !fetch.HasSeconds(listed.ModTime) && !isSameTime
	switch {
	case isRough && !isExact:
		return unclear
	case isSameTime && listed.Size == file.Size:
		return same
	case isSameTime || listed.ModTime.IsZero() || file.ModTime.IsZero():
		return different
	case listed.ModTime.Before(file.ModTime):
		return older
	}
	return newer
}

// An item is an entry of a listing, without its name.
type item struct {
	kind   access.Kind
	hasURL bool
	version
	rough access.Rough
}

// itemOf returns e as an item.
func itemOf(e access.Entry) item {
	return item{e.Kind, !e.URL.IsZero(), version{e.Size, e.ModTime}, e.Rough}
}

// seen returns the version in the listing, rough or exact, for the manifest. A later listing with
// another version shows that the file has changed. The Size of a rough size is negative, so that it
// differs from exact sizes.
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

// An action tells a sender how to treat a file of the source.
type action uint8

const (
	sendFile  action = iota // it is new or has changed
	leaveFile               // the target has it
	keepNewer               // the target has a newer file, which is not from an earlier run
	askTarget               // the listing of the target is not exact enough: Stat tells more
)

// decide returns the action for a file. source is the file to send. target is the file at the
// target, from a listing or, if isExact is set, from Stat. logged is the line of the file in the
// manifest, or nil without one.
//
// If a server stores its own time with a file, that time is later than the last change of the
// source. So a file of the same size that is newer at the target counts as sent.
func decide(source version, target item, isExact bool, logged *sentFile) action {
	if logged != nil && logged.Target.is(target.seen()) {
		if logged.Source.is(source) {
			return leaveFile
		}
		return sendFile
	}
	switch compare(target.version, source, isExact) {
	case same:
		return leaveFile
	case unclear:
		return askTarget
	case newer:
		if target.Size < 0 && isExact && source.Size == 0 {
			return leaveFile // QUIRK: Apache 2.4 sends no size for an empty file
		}
		if target.Size == source.Size {
			return leaveFile
		}
		return keepNewer
	}
	return sendFile
}
