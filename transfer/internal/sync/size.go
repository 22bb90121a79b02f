package sync

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"sync/atomic"

	"locus/transfer/internal/tree"
)

// DefaultMaxFiles is MirrorOptions.MaxFiles if that is 0.
const DefaultMaxFiles = 1_000_000

// A size is how many files and bytes a mirror has fetched or found up to date, and how many
// it may have.
type size struct {
	files, bytes atomic.Int64
	maxFiles     int64 // less than 0: no limit
	maxBytes     int64 // less than 0: no limit
	isDiskLimit  bool  // maxBytes only limits the bytes that the disk does not have yet
}

// setLimits sets the limits from MaxFiles and MaxTotal. If maxFiles is 0, the limit is
// DefaultMaxFiles. If maxTotal is 0, it is nine tenths of the free space of the disk. A negative
// value means no limit, and so does a maxTotal of 0 if the system does not tell the free space.
func (f *folder) setLimits(maxFiles int, maxTotal int64) {
	f.size.maxFiles, f.size.maxBytes = cmp.Or(int64(maxFiles), DefaultMaxFiles), maxTotal
	if maxTotal != 0 {
		return
	}
	f.size.maxBytes = -1
	if free, ok := FreeSpace(f.root); ok {
		f.size.maxBytes, f.size.isDiskLimit = (free+PartBytes(f.root))/10*9, true
	}
}

// PartBytes returns the size in bytes of the files in tree.StateDir below root. They count as free
// space, because this run counts them again when it resumes them.
func PartBytes(root *os.Root) (n int64) {
	entries, _ := fs.ReadDir(root.FS(), tree.StateDir) // there may be none
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			n += info.Size()
		}
	}
	return n
}

// countFile adds n, which may be negative, to the files of the copy. If there are too many, it
// stops the mirror and returns an error.
func (f *folder) countFile(n int64) error {
	if f.size.files.Add(n) <= f.size.maxFiles || f.size.maxFiles < 0 {
		return nil
	}
	f.store.Fail(fmt.Errorf("%w: more than %d", ErrTooManyFiles, f.size.maxFiles))
	return f.store.Err()
}

// countBytes adds n, which may be negative, to the bytes of the copy. If there are too many, it
// stops the mirror and returns an error.
func (f *folder) countBytes(n int64) error {
	limit := f.size.maxBytes
	if limit < 0 {
		return nil
	}
	for {
		have := f.size.bytes.Load()
		if n > limit-have {
			f.store.Fail(f.size.tooManyBytes())
			return f.store.Err()
		}
		if f.size.bytes.CompareAndSwap(have, have+n) {
			return nil
		}
	}
}

// tooManyBytes returns an error that wraps ErrTooManyBytes, and says whether the limit comes from
// the user or from the free space on the disk.
func (s *size) tooManyBytes() error {
	if s.isDiskLimit {
		return fmt.Errorf("%w: more than %d bytes, nine tenths of the free space", ErrTooManyBytes, s.maxBytes)
	}
	return fmt.Errorf("%w: more than %d bytes", ErrTooManyBytes, s.maxBytes)
}

// fileOverhead is how many bytes a file takes of the disk besides its own. Its last block is not
// full.
const fileOverhead = 4 << 10

// countNew returns a CountBytes for a file that is fetched. It is countBytes, but its first call
// also counts the overhead of a file, if the limit is the free space of the disk.
func (f *folder) countNew() func(n int64) error {
	overhead := int64(0)
	if f.size.isDiskLimit {
		overhead = fileOverhead
	}
	return func(n int64) error {
		n, overhead = n+overhead, 0
		return f.countBytes(n)
	}
}

// countOld counts the n bytes of a file that is up to date, like countBytes. If the limit is the
// free space of the disk, it does not count them, because the disk has the file already.
func (f *folder) countOld(n int64) error {
	if f.size.isDiskLimit {
		return nil
	}
	return f.countBytes(n)
}

// claimFile assigns the local name to the file of a URL, and counts the file if it is new. If
// there are too many files, it stops the mirror. Other errors wrap errTaken or errClash.
func (f *folder) claimFile(name, url string) error {
	isNew, err := f.names.claimFile(name, url)
	if err != nil || !isNew {
		return err
	}
	return f.countFile(1)
}
