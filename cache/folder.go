package cache

import (
	"cmp"
	"container/list"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A Folder stores each resource in a file of its own. A file is written under a temporary
// name and renamed when it is complete, so a process that is killed does not leave half a
// resource. The folder works without an index, because the name of a file is the hash of
// its key.
//
// A file counts as the blocks of 4 KiB that it takes. It also takes some hundred bytes of
// memory; the resources that were used last take up to 32 MiB. Several goroutines may use a
// Folder at once. Several processes may use the same folder; each counts only the files
// that it knows of.
type Folder struct {
	root *os.Root
	max  int64

	mu    sync.Mutex
	items map[string]*list.Element // the elements of order, by the names of their files
	order *list.List               // of *item, the most recently used first
	used  int64                    // bytes of the items
	hot   hot

	tails locks // held while the tail of a file is read or rewritten

	unfinished atomic.Int64 // bytes of files that are being written
}

// An item is a file of the folder.
type item struct {
	name string
	size int64

	hot    *list.Element // nil if the file is not in memory
	stored *metadata     // nil if the file is not in memory
	data   []byte        // of the resource; nil if they are not in memory
}

const (
	block = 4 << 10

	tmp      = "tmp-"    // begins the names of files that are being written
	youngest = time.Hour // a younger temporary file may be in use
)

// OpenFolder returns the Folder in root. Its files take at most most bytes, and unfinished
// files about as many again. 0 means a GiB, and a negative value means no limit. Resources
// that are already in root are found again, and temporary files of an earlier process are
// removed. The caller closes root when the Folder is no longer used.
func OpenFolder(root *os.Root, most int64) (*Folder, error) {
	if most = cmp.Or(most, 1<<30); most < 0 {
		most = math.MaxInt64
	}
	f := &Folder{root: root, max: most, items: make(map[string]*list.Element), order: list.New()}
	found, err := f.scan()
	if err != nil {
		return nil, fmt.Errorf("open the cache: %w", err)
	}
	sort.Slice(found, func(i, j int) bool { return found[i].ModTime().Before(found[j].ModTime()) })
	for _, info := range found {
		f.add(info.Name(), info.Size(), nil)
	}
	f.evict()
	return f, nil
}

// scan returns the complete files of the folder, and removes temporary files that are old enough to
// be left over.
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

// removeLeftover removes the temporary file at path, unless it is so young that another process may
// be writing it. A file that is already gone is not an error.
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

// Used returns how many bytes the complete files take, in whole blocks.
func (f *Folder) Used() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.used
}

// nameOf returns the name of the file for key: 64 hexadecimal digits, without a directory.
func nameOf(key string) string {
	sum := sha256.Sum256([]byte(key))
	var name [2 * sha256.Size]byte
	hex.Encode(name[:], sum[:])
	return string(name[:])
}

// pathOf returns the path of the named file in the folder. Its directory is named for the first two
// letters of the name, so that directories stay small.
func pathOf(name string) string {
	if len(name) < 2 {
		return name
	}
	return name[:2] + "/" + name
}

// locks are locks for files by their names, 256 in all, so that a slow file delays few others.
type locks [256]sync.RWMutex

// forFile returns the lock for the named file. name is a result of nameOf. Other files may share
// the lock.
func (l *locks) forFile(name string) *sync.RWMutex {
	first, _ := strconv.ParseUint(name[:2], 16, 8) // it is a hash in hexadecimal digits
	return &l[first]
}

// find returns the metadata of the resource under key, and marks its file as the most recently used
// one. It returns nil and false if the folder lacks the resource or cannot read it.
func (f *Folder) find(key string) (*metadata, bool) {
	if stored, ok := f.findHot(key); ok {
		return stored, true
	}
	name := nameOf(key)
	if !f.use(name) {
		return nil, false
	}
	file, stored, err := f.read(name)
	if err != nil {
		return nil, false
	}
	file.Close()
	if stored.Key != key {
		f.removeName(name)
		return nil, false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if e, ok := f.items[name]; ok && e.Value.(*item).stored == nil {
		f.hot.add(e, stored, nil)
	}
	return stored, true
}

// findHot returns the metadata of the resource under key if they are in memory, and marks the
// resource as the most recently used one. Otherwise it returns nil and false.
func (f *Folder) findHot(key string) (*metadata, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	e, ok := f.hot.keys[key]
	if !ok {
		return nil, false
	}
	it := e.Value.(*item)
	f.order.MoveToFront(e)
	f.hot.order.MoveToFront(it.hot)
	return it.stored, true
}

// use marks the named file as the most recently used one. It returns false if the folder lacks the
// file.
func (f *Folder) use(name string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	e, ok := f.items[name]
	if ok {
		f.order.MoveToFront(e)
	}
	return ok
}

// reread removes stored from memory, so that find reads the metadata from the file again. It has no
// effect if the memory already has other metadata.
func (f *Folder) reread(stored *metadata) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if e, ok := f.items[nameOf(stored.Key)]; ok && e.Value.(*item).stored == stored {
		f.hot.drop(e.Value.(*item))
	}
}

// removeIfLost removes the named file from the folder if err says that the file is gone or damaged.
// It keeps the file after another error, because such an error may pass, as when too many files are
// open.
func (f *Folder) removeIfLost(name string, err error) {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errDamaged) {
		f.removeName(name)
	}
}

// remove removes the resource under key.
func (f *Folder) remove(key string) { f.removeName(nameOf(key)) }

// removeName removes the named file, if the folder has it.
func (f *Folder) removeName(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if e, ok := f.items[name]; ok {
		f.drop(e)
	}
}

// drop removes an item and its file. If the file cannot be removed, it is no longer counted, and
// the next process finds it again. The caller holds mu, unless it is creating the Folder.
func (f *Folder) drop(e *list.Element) {
	it := f.order.Remove(e).(*item)
	f.hot.drop(it)
	delete(f.items, it.name)
	f.used -= it.size
	_ = f.root.Remove(pathOf(it.name))
}

// add records the named file of size bytes as the most recently used one, replacing an item of the
// same name. stored is nil if the caller has not read the file's metadata. It does not evict files,
// even if they then take too much space. The caller holds mu, unless it is creating the Folder.
func (f *Folder) add(name string, size int64, stored *metadata) {
	if e, ok := f.items[name]; ok {
		f.used -= e.Value.(*item).size
		f.hot.drop(e.Value.(*item))
		f.order.Remove(e)
	}
	it := &item{name: name, size: (size + block - 1) / block * block}
	e := f.order.PushFront(it)
	f.items[name] = e
	f.used += it.size
	if stored != nil {
		f.hot.add(e, stored, nil)
	}
}

// evict removes the least recently used files until the other files fit into max. The caller holds
// mu, unless it is creating the Folder.
func (f *Folder) evict() {
	for f.used > f.max && f.order.Len() > 0 {
		f.drop(f.order.Back())
	}
}

// largest returns how many bytes a stored resource may have: an eighth of the folder.
func (f *Folder) largest() int64 { return f.max / 8 }

// isFull reports whether the unfinished files take so much space that they must not grow, and new
// ones must not be created.
func (f *Folder) isFull() bool { return f.unfinished.Load() > f.max }
