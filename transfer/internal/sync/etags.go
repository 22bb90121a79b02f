package sync

import (
	"io/fs"
	"os"
	"time"

	"locus/internal/spill"
	"locus/transfer/internal/fetch"
	"locus/transfer/internal/tree"
)

// ETagsFile is the journal of the ETags of a mirror.
const (
	ETagsFile = "etags"
	etagsPath = tree.StateDir + "/" + ETagsFile // below the root
)

// An etag identifies the version of a page whose server gives an ETag without a modification time.
type etag struct {
	Name    string    `json:"name"`
	ETag    string    `json:"etag"`
	Type    string    `json:"type,omitempty"`
	Size    int64     `json:"size"`     // of the local file
	ModTime time.Time `json:"modified"` // of the local file

	// Unconfirmed says that the page had no size, so it may have been cut off. The next run fetches
	// it again. If it then has the same size and ETag, it is whole.
	Unconfirmed bool `json:"unconfirmed,omitempty"`
}

// Key implements spill.Keyed. It returns "" for an entry without an ETag, so that the journal ignores
// the entry.
func (e etag) Key() string {
	if e.ETag == "" {
		return ""
	}
	return e.Name
}

// etags are the ETags of a mirror.
type etags struct {
	*spill.Journal[etag]
	root *os.Root
}

// loadETags opens the journal below root, and reads the entries of earlier runs, if there are any.
func loadETags(root *os.Root, s *spill.Store) *etags {
	return &etags{spill.OpenJournal[etag](root, etagsPath, s), root}
}

// find returns the recorded ETag of the named local file, which info describes. ok is false without
// an ETag, and for a file that has changed since it was fetched or may have been cut off.
func (e *etags) find(name string, info fs.FileInfo) (k etag, ok bool) {
	k, ok = e.Get(name)
	return k, ok && !k.Unconfirmed && k.Size == info.Size() && k.ModTime.Equal(info.ModTime())
}

// record stores the ETag of a fetched file under its name, if its server gave an ETag and no
// modification time. Otherwise it drops the ETag of an earlier run. isUnsized says that the server
// gave no size either: then the next run fetches the file again, unless this run has fetched the same
// ETag and size as an earlier one.
func (e *etags) record(name string, r fetch.Result, isUnsized bool) {
	if r.ETag == "" || !r.ModTime.IsZero() {
		e.Drop(name)
		return
	}
	info, err := e.root.Lstat(name)
	if err != nil {
		e.Drop(name)
		return
	}
	before, ok := e.Get(name)
	isSame := ok && before.ETag == r.ETag && before.Size == info.Size()
	e.Put(etag{Name: name, ETag: r.ETag, Type: r.Type, Size: info.Size(), ModTime: info.ModTime(), Unconfirmed: isUnsized && !isSame})
}
