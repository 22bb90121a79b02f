package spill

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"
)

// MaxLine is the length of the longest line of a journal. Longer lines are ignored.
const MaxLine = 16 << 10

// A Keyed value has a key. A value with the key "" is ignored.
type Keyed interface{ Key() string }

// A Journal is a file with one JSON object of type T per line. If several lines have the
// same key, the last one counts. An incomplete line is ignored, because a crash may have
// cut it. Memory and the Store hold only the offsets of the lines. Several goroutines may
// use it at once.
type Journal[T Keyed] struct {
	root *os.Root
	path string

	mu      sync.Mutex
	offsets Table    // by key: the offset of the last line, plus 1; 0 after Drop
	end     int64    // the length of the file
	reader  *os.File // nil if it is not open
	err     error    // the first error in writing
}

// OpenJournal returns the Journal of the file path in root, and keeps the offsets of its lines in s.
// If the file cannot be opened, the Journal is empty. If reading fails, the Journal lacks the lines
// after the failure. The first Put creates a missing file. The caller calls Close.
func OpenJournal[T Keyed](root *os.Root, path string, s *Store) *Journal[T] {
	j := &Journal[T]{root: root, path: path, offsets: Table{store: s}}
	f, err := root.Open(path)
	if err != nil {
		return j
	}
	j.reader = f
	_ = j.each(f, func(line T, at int64) error {
		j.offsets.Put(KeyOf(line.Key()), uint64(at+1))
		return nil
	})
	if info, err := f.Stat(); err == nil {
		j.end = info.Size()
	}
	return j
}

// each calls do with every line of r and its offset. It leaves out lines that are too long or
// invalid. It returns the first error of do or of r.
func (j *Journal[T]) each(r io.Reader, do func(line T, at int64) error) error {
	lines := bufio.NewReaderSize(r, MaxLine)
	isStart := true // false for the rest of a long line
	for at := int64(0); ; {
		text, err := lines.ReadSlice('\n')
		isLong := errors.Is(err, bufio.ErrBufferFull)
		var line T
		if isStart && !isLong && json.Unmarshal(text, &line) == nil && line.Key() != "" {
			if err := do(line, at); err != nil {
				return err
			}
		}
		at, isStart = at+int64(len(text)), !isLong
		switch {
		case err == io.EOF:
			return nil
		case err != nil && !isLong:
			return err
		}
	}
}

// offset returns 1 plus the offset of the last line with this key, or 0 if the journal lacks the
// key. The caller holds mu.
func (j *Journal[T]) offset(key string) int64 {
	v, _ := j.offsets.Get(KeyOf(key))
	return int64(v)
}

// Get returns the last line with this key. ok is false if the journal lacks the key, or if the line
// cannot be read.
func (j *Journal[T]) Get(key string) (line T, ok bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	offset := j.offset(key)
	if offset == 0 {
		return line, false
	}
	if j.reader == nil {
		f, err := j.root.Open(j.path)
		if err != nil {
			return line, false
		}
		j.reader = f
	}
	text, err := bufio.NewReaderSize(io.NewSectionReader(j.reader, offset-1, MaxLine), 512).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(text, &line)
	}
	return line, err == nil && line.Key() == key
}

// Err returns the first error of Put, or nil.
func (j *Journal[T]) Err() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.err
}

// Drop forgets a key: Get no longer finds it, and Save leaves its lines out.
func (j *Journal[T]) Drop(key string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.offset(key) != 0 {
		j.offsets.Put(KeyOf(key), 0)
	}
}

// Put appends a line to the file. Err and Save return its error.
func (j *Journal[T]) Put(line T) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.append(line); err != nil && j.err == nil {
		j.err = err
	}
}

// append appends a line to the file, and sets the offset of its key in j.offsets. It writes a line
// end before the line, too, because a crash may have cut the last line of the file. The caller
// holds mu.
func (j *Journal[T]) append(line T) error {
	text, err := json.Marshal(line)
	if err != nil {
		return err
	}
	f, err := j.root.OpenFile(j.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(append(append([]byte("\n"), text...), '\n'))
	if err == nil {
		j.offsets.Put(KeyOf(line.Key()), uint64(j.end+2))
	}
	if info, statErr := f.Stat(); statErr == nil {
		j.end = info.Size()
	}
	return errors.Join(err, f.Close())
}

// Save rewrites the file with the last line of each key for which keep returns true. If it returns
// true for no key, Save removes the file. After the Store has failed, Save leaves the file
// unchanged. It also returns the first error of Put. After a Save that succeeds, only Close may
// follow, because the offsets in memory are the offsets in the old file.
func (j *Journal[T]) Save(keep func(key string) bool) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.offsets.store.Err() != nil { // the offsets are lost
		return j.err
	}
	old, err := j.root.Open(j.path)
	if errors.Is(err, fs.ErrNotExist) {
		return j.err
	}
	if err != nil {
		return errors.Join(j.err, err)
	}
	fresh := j.path + ".new"
	n, err := j.copy(old, fresh, keep)
	old.Close()
	j.closeReader() // because some systems do not replace an open file
	switch {
	case err != nil:
		return errors.Join(j.err, err)
	case n == 0:
		return errors.Join(j.err, removeFile(j.root, fresh), removeFile(j.root, j.path))
	}
	return errors.Join(j.err, j.root.Rename(fresh, j.path))
}

// copy writes the last line of each key for which keep returns true from old to the file fresh. n is
// the number of these lines.
func (j *Journal[T]) copy(old io.Reader, fresh string, keep func(key string) bool) (n int, err error) {
	f, err := j.root.OpenFile(fresh, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return 0, err
	}
	w := bufio.NewWriter(f)
	err = j.each(old, func(line T, at int64) error {
		if j.offset(line.Key()) != at+1 || !keep(line.Key()) {
			return nil
		}
		n++
		return json.NewEncoder(w).Encode(line)
	})
	return n, errors.Join(err, w.Flush(), f.Close())
}

// Close closes the file. The Journal may still be used, and opens the file again.
func (j *Journal[T]) Close() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.closeReader()
}

// closeReader closes the file that Get reads, if it is open. The next Get opens it again.
func (j *Journal[T]) closeReader() {
	if j.reader != nil {
		j.reader.Close()
		j.reader = nil
	}
}

// removeFile removes a file, if it exists.
func removeFile(root *os.Root, name string) error {
	err := root.Remove(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
