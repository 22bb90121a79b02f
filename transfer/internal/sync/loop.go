package sync

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"path"
	"sync"

	"locus/access"
	"locus/internal/spill"
)

// errLoop says that a directory is also a directory above itself, because the server shows a link
// as a directory.
var errLoop = errors.New("the link leads back to a folder above it")

// loops finds a directory that leads back to a directory above it. Each directory has an id, which
// the server gives, or which is a hash of its listing. Two directories with one id are the same
// directory.
type loops struct {
	known *spill.Set // local names of directories, with their ids
	root  sync.Once
}

// add records the id of the directory with that local name.
func (l *loops) add(name, id string) { l.known.Add(name + "\x00" + id) }

// isAbove reports whether a directory above the named directory has this id.
func (l *loops) isAbove(name, id string) bool {
	for name != "." {
		name = path.Dir(name)
		if l.known.Has(name + "\x00" + id) {
			return true
		}
	}
	return false
}

// isLoop reports whether the directory of t has the id of a directory above it. If not, isLoop
// records the id. It returns false for a directory without an id. The first call for a directory
// with an id asks the server for the id of the root.
func (m *walk) isLoop(ctx context.Context, t task) bool {
	if t.unique == "" {
		return false
	}
	m.loops.root.Do(func() {
		r, err := m.engine.Do(ctx, &access.Request{Op: access.Stat, URL: m.tree.Start, Login: m.Login})
		if err != nil { // then only a second copy of the root is recognized
			return
		}
		if id := r.ID; id != "" {
			m.loops.add(".", id)
		}
	})
	if m.loops.isAbove(t.name, t.unique) {
		return true
	}
	m.loops.add(t.name, t.unique)
	return false
}

// checkListing returns an error if the directory of t has the same listing l as a directory above
// it. If not, it records the listing. Directories with an id always pass, and so do menus, because
// without sizes and times two of them may be equal.
func (m *walk) checkListing(t task, l *listingHash) error {
	if err := m.store.Err(); err != nil || t.unique != "" || !l.hasFile || !l.hasDir {
		return err
	}
	id := hex.EncodeToString(l.sum.Sum(nil))
	if m.loops.isAbove(t.name, id) {
		return fmt.Errorf("%s: it has the same listing as a folder above it, so it seems to be a link to that folder", t.url.Redacted())
	}
	m.loops.add(t.name, id)
	return nil
}

// A listingHash is a hash of the names, sizes and times in a listing.
type listingHash struct {
	sum     hash.Hash
	hasFile bool // with a size and a time, which another directory would not have
	hasDir  bool
}

// newListingHash returns the hash of an empty listing.
func newListingHash() *listingHash { return &listingHash{sum: sha256.New()} }

// add adds an entry to the hash, and notes whether the listing has a directory and a file with a
// size and a time.
func (l *listingHash) add(e access.Entry) {
	l.hasFile = l.hasFile || e.Kind == access.Object && e.Size >= 0 && !e.ModTime.IsZero()
	l.hasDir = l.hasDir || e.Kind == access.Directory
	fmt.Fprintf(l.sum, "%q %d %d %d\n", e.Title, e.Kind, e.Size, e.ModTime.Unix())
}
