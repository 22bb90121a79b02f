package cache

import (
	"container/list"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A Folder keeps resources in a folder: each in a file of its own, which is
// written under another name and renamed once it is whole. So a process that is
// killed leaves nothing that is half; there is no index to mend.
//
// A file counts as the blocks that it takes, of 4 KiB, and takes some hundred
// octets of memory besides; what was used last takes up to 32 MiB. A Folder may be
// used by several goroutines at once, and the folder by several processes, each of
// which counts only what it knows of.
type Folder struct {
	root *os.Root
	max  int64

	mu    sync.Mutex
	items map[string]*list.Element // by name; their values are *item
	order *list.List               // the most recently used first
	used  int64
	hot   hot

	tails sync.RWMutex // held while the tail of a file is written anew

	unkept atomic.Int64 // octets of files that are being written
}

// An item is a file of the folder.
type item struct {
	name string
	size int64

	hot    *list.Element // nil if nothing of the file is in memory
	kept   *record       // nil if that is not
	octets []byte        // of the resource; nil if they are not
}

const (
	block = 4 << 10

	tmp      = "tmp-" // begins the names of files that are being written
	youngest = time.Hour
)

// OpenFolder returns the Folder in root that takes at most most octets, and about
// as many that are being written besides; 0 means a GiB. What is there already is known again;
// what an earlier process left half is removed. The caller closes root when the
// Folder is no longer used.
func OpenFolder(root *os.Root, most int64) (*Folder, error) {
	if most <= 0 {
		most = 1 << 30
	}
	f := &Folder{root: root, max: most, items: make(map[string]*list.Element), order: list.New()}
	found, err := f.scan()
	if err != nil {
		return nil, fmt.Errorf("open the cache: %w", err)
	}
	slices.SortFunc(found, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, info := range found {
		f.add(info.Name(), info.Size(), nil)
	}
	f.evict()
	return f, nil
}

// scan returns the files of the folder, without those that were never finished,
// which it removes.
func (f *Folder) scan() ([]fs.FileInfo, error) {
	var found []fs.FileInfo
	err := fs.WalkDir(f.root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !d.Type().IsRegular() {
			return nil
		}
		if strings.HasPrefix(d.Name(), tmp) {
			return f.removeLeftover(path, d)
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) { // another process removed it
			return nil
		}
		if err == nil && path == pathOf(d.Name()) {
			found = append(found, info)
		}
		return err
	})
	return found, err
}

// removeLeftover removes a file that was never finished, unless it is so young
// that another process may be writing it.
func (f *Folder) removeLeftover(path string, d fs.DirEntry) error {
	info, err := d.Info()
	if err == nil && time.Since(info.ModTime()) < youngest {
		return nil
	}
	if err := f.root.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Used returns how many octets are kept.
func (f *Folder) Used() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.used
}

// nameOf returns the name of the file in which key is kept.
func nameOf(key string) string {
	sum := sha256.Sum256([]byte(key))
	var name [2 * sha256.Size]byte
	hex.Encode(name[:], sum[:])
	return string(name[:])
}

func pathOf(name string) string {
	if len(name) < 2 {
		return name
	}
	return name[:2] + "/" + name
}

// find returns what is kept under key.
func (f *Folder) find(key string) (*record, bool) {
	if kept, ok := f.findHot(key); ok {
		return kept, true
	}
	name := nameOf(key)
	if !f.use(name) {
		return nil, false
	}
	kept, err := f.read(name)
	if err == nil && kept.Key != key {
		err = errDamaged
	}
	if err != nil {
		f.lost(name, err)
		return nil, false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if e, ok := f.items[name]; ok && e.Value.(*item).kept == nil {
		f.hot.add(e, kept, nil)
	}
	return kept, true
}

// findHot returns what is kept under key, if its record is in memory.
func (f *Folder) findHot(key string) (*record, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	e, ok := f.hot.keys[key]
	if !ok {
		return nil, false
	}
	it := e.Value.(*item)
	f.order.MoveToFront(e)
	f.hot.use(it)
	return it.kept, true
}

// use lets a file be the most recently used, and reports whether it is there.
func (f *Folder) use(name string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	e, ok := f.items[name]
	if ok {
		f.order.MoveToFront(e)
	}
	return ok
}

// reread lets find read a record again whose file is another one now.
func (f *Folder) reread(kept *record) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if e, ok := f.items[nameOf(kept.Key)]; ok && e.Value.(*item).kept == kept {
		f.hot.drop(e.Value.(*item))
	}
}

// lost forgets a file that could not be read, unless that may be so for a moment
// alone, as when no more files may be open.
func (f *Folder) lost(name string, err error) {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errDamaged) {
		f.removeName(name)
	}
}

// remove forgets what is kept under key.
func (f *Folder) remove(key string) { f.removeName(nameOf(key)) }

func (f *Folder) removeName(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if e, ok := f.items[name]; ok {
		f.drop(e)
	}
}

// drop removes an item and its file. That the file stays where it cannot be
// removed costs room, and the next process finds it again.
func (f *Folder) drop(e *list.Element) {
	it := f.order.Remove(e).(*item)
	f.hot.drop(it)
	delete(f.items, it.name)
	f.used -= it.size
	_ = f.root.Remove(pathOf(it.name))
}

// add lets a file of so many octets be the most recently used. kept is its record;
// nil if that was not read.
func (f *Folder) add(name string, octets int64, kept *record) {
	if e, ok := f.items[name]; ok {
		f.used -= e.Value.(*item).size
		f.hot.drop(e.Value.(*item))
		f.order.Remove(e)
	}
	it := &item{name: name, size: (octets + block - 1) / block * block}
	e := f.order.PushFront(it)
	f.items[name] = e
	f.used += it.size
	if kept != nil {
		f.hot.add(e, kept, nil)
	}
}

// evict removes what was used least recently until the rest fits.
func (f *Folder) evict() {
	for f.used > f.max && f.order.Len() > 0 {
		f.drop(f.order.Back())
	}
}

// largest is the size of the largest resource that is kept: an eighth of the
// folder.
func (f *Folder) largest() int64 { return f.max / 8 }

// isFull reports whether as much is being written as may be kept in all: what
// comes now is not kept.
func (f *Folder) isFull() bool { return f.unkept.Load() > f.max }
