package sync

import (
	"encoding/binary"
	"errors"
	"fmt"
	"path"
	"strings"
	"sync"

	"locus/internal/spill"
)

// names are the local names that a mirror has assigned, each to one URL or to a
// directory. They are kept as hashes.
type names struct {
	foldCase bool // names that differ in case are the same

	mu      sync.Mutex
	owners  *spill.Table // by name; a zero value means that the name is free again
	lastDir string       // the directory that was claimed last
}

var (
	errTaken = errors.New("another URL has the same local name")
	errClash = errors.New("a file and a folder have the same local name")
)

// directory is the owner of the name of a directory.
const directory = "\x00directory"

// claimFile assigns a name to the file of a URL, and the names of the directories above it to
// directories. isNew is false if the URL had the name already. The error wraps errTaken if another
// URL has the name, and errClash if a directory has it, or a file has the name of a directory.
func (n *names) claimFile(name, url string) (isNew bool, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := n.claimDirLocked(path.Dir(name)); err != nil {
		return false, err
	}
	whose, _ := n.owners.Get(n.key(name))
	return whose == 0, n.claim(name, url)
}

// claimDir assigns a name, and the names of the directories above it, to directories. The error
// wraps errClash if one of the names belongs to a file.
func (n *names) claimDir(name string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.claimDirLocked(name)
}

// claimDirLocked is claimDir for a caller that holds mu.
func (n *names) claimDirLocked(name string) error {
	if name == n.lastDir { // true for most files
		return nil
	}
	last := name
	for ; name != "." && name != "/"; name = path.Dir(name) {
		if err := n.claim(name, directory); err != nil {
			return err
		}
	}
	n.lastDir = last
	return nil
}

// claim makes owner, a URL or the constant directory, the owner of a name. It returns nil if owner
// has the name already. If another URL owns the name, the error wraps errTaken. If a directory has
// the name, or if owner is directory and a URL has the name, the error wraps errClash.
func (n *names) claim(name, owner string) error {
	key, whose := n.key(name), valueOf(owner)
	exact := valueOf(directory + "\x00" + name)
	if owner == directory {
		whose = exact
	}
	before, taken := n.owners.Get(key)
	switch {
	case !taken || before == 0:
		n.owners.Put(key, whose)
	case before == whose:
	case before == exact || owner == directory:
		return fmt.Errorf("%q: %w", name, errClash)
	default:
		return fmt.Errorf("%q: %w", name, errTaken)
	}
	return nil
}

// key returns the key of name in owners. Names that differ only in case have the same key if
// foldCase is set.
func (n *names) key(name string) spill.Key {
	if n.foldCase {
		name = strings.ToLower(strings.ToUpper(name))
	}
	return spill.KeyOf(name)
}

// valueOf returns the hash of a text as a value for a spill.Table. It is never zero.
func valueOf(text string) uint64 {
	h := spill.HashOf(text)
	return binary.BigEndian.Uint64(h[:])>>(64-8*spill.ValueSize) | 1
}

// release takes the name from its owner, so that it can be claimed again. The name of the
// directory above stays claimed.
func (n *names) release(name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.owners.Put(n.key(name), 0)
}

// has reports whether a name has an owner. After the store has failed it returns true, so that
// Delete removes no file by mistake.
func (n *names) has(name string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	v, ok := n.owners.Get(n.key(name))
	return ok && v != 0 || n.owners.Err() != nil
}
