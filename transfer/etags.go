package transfer

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"
)

// etagsFile holds a known a line, the last one of a name being the one that
// counts. A line that was cut short by a crash is none.
const (
	etagsFile = "etags"
	etagsPath = stateDir + "/" + etagsFile // below the root
)

// maxLine is how long a line of it may be.
const maxLine = 16 << 10

// etags are the pages whose only validator is an entity tag. What is known of them
// is in the file; in memory, and in the spool, is where.
type etags struct {
	mu     sync.Mutex
	root   *os.Root
	places table    // of the last line of each name: its offset, plus 1; 0 if nothing is known
	file   *os.File // to read from; nil until it is needed
	end    int64    // the length of the file
	err    error    // the first one in writing
}

// loadETags reads the file, if there is one.
func loadETags(root *os.Root, s *spool) *etags {
	e := &etags{root: root, places: table{spool: s}}
	f, err := root.Open(etagsPath)
	if err != nil {
		return e
	}
	defer f.Close()
	_ = eachKnown(f, func(k known, at int64) error {
		e.put(k.Name, at+1)
		return nil
	})
	if info, err := f.Stat(); err == nil {
		e.end = info.Size()
	}
	return e
}

// eachKnown calls do with every line, and the offset at which it begins.
func eachKnown(r io.Reader, do func(k known, at int64) error) error {
	lines := bufio.NewReaderSize(r, maxLine)
	whole := true // a line starts here, and not the rest of a long one
	for at := int64(0); ; {
		line, err := lines.ReadSlice('\n')
		isLong := errors.Is(err, bufio.ErrBufferFull)
		var k known
		if whole && !isLong && json.Unmarshal(line, &k) == nil && k.Name != "" && k.ETag != "" {
			if err := do(k, at); err != nil {
				return err
			}
		}
		at, whole = at+int64(len(line)), !isLong
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil && !isLong:
			return err
		}
	}
}

// put takes note of where the line of a name is.
func (e *etags) put(name string, place int64) {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(place))
	e.places.put(keyOf(hashOf(name)), tableValue(b[2:]))
}

// place returns where the line of a name is; 0 if there is none.
func (e *etags) place(name string) int64 {
	v, _ := e.places.get(keyOf(hashOf(name)))
	var b [8]byte
	copy(b[2:], v[:])
	return int64(binary.BigEndian.Uint64(b[:]))
}

// of returns what is known of a file, if it is still the one that was fetched.
func (e *etags) of(name string, info fs.FileInfo) (known, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	place := e.place(name)
	if place == 0 {
		return known{}, false
	}
	if e.file == nil {
		var err error
		if e.file, err = e.root.Open(etagsPath); err != nil {
			return known{}, false
		}
	}
	k, err := lineAt(e.file, place-1)
	return k, err == nil && k.Name == name && k.Size == info.Size() && k.ModTime.Equal(info.ModTime())
}

// lineAt reads the line at an offset.
func lineAt(f io.ReaderAt, at int64) (k known, err error) {
	line, err := bufio.NewReader(io.NewSectionReader(f, at, maxLine)).ReadBytes('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return known{}, err
	}
	return k, json.Unmarshal(line, &k)
}

// note keeps the entity tag of a file that was fetched, if that is all that
// tells its versions apart.
func (e *etags) note(name string, s state, mime string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	info, err := e.root.Lstat(name)
	if err != nil || s.ETag == "" || !s.ModTime.IsZero() {
		if e.place(name) != 0 {
			e.put(name, 0)
		}
		return
	}
	k := known{Name: name, ETag: s.ETag, Type: mime, Size: info.Size(), ModTime: info.ModTime()}
	if err := e.append(k); err != nil && e.err == nil {
		e.err = err
	}
}

// append adds a line, after an empty one: the last one may have been cut short.
func (e *etags) append(k known) error {
	line, err := json.Marshal(k)
	if err != nil {
		return err
	}
	f, err := e.root.OpenFile(etagsPath, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(append(append([]byte("\n"), line...), '\n'))
	if err == nil {
		e.put(k.Name, e.end+2)
	}
	if info, statErr := f.Stat(); statErr == nil {
		e.end = info.Size()
	}
	return errors.Join(err, f.Close())
}

// save writes what is known of those names that are wanted.
func (e *etags) save(wanted func(name string) bool) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closeFile()
	if e.places.spool.failure() != nil { // the file has all
		return e.err
	}
	old, err := e.root.Open(etagsPath)
	if errors.Is(err, fs.ErrNotExist) {
		return e.err
	}
	if err != nil {
		return errors.Join(e.err, err)
	}
	fresh := etagsPath + ".new"
	n, err := e.copy(old, fresh, wanted)
	old.Close()
	switch {
	case err != nil:
		return errors.Join(e.err, err)
	case n == 0:
		return errors.Join(e.err, removeFile(e.root, fresh), removeFile(e.root, etagsPath))
	}
	return errors.Join(e.err, e.root.Rename(fresh, etagsPath))
}

// copy writes the last line of each name that is wanted, and returns how many there
// are.
func (e *etags) copy(old io.Reader, fresh string, wanted func(name string) bool) (n int, err error) {
	f, err := e.root.OpenFile(fresh, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return 0, err
	}
	w := bufio.NewWriter(f)
	err = eachKnown(old, func(k known, at int64) error {
		if e.place(k.Name) != at+1 || !wanted(k.Name) {
			return nil
		}
		n++
		return json.NewEncoder(w).Encode(k)
	})
	return n, errors.Join(err, w.Flush(), f.Close())
}

// close lets go of the file.
func (e *etags) close() {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closeFile()
}

func (e *etags) closeFile() {
	if e.file != nil {
		e.file.Close()
		e.file = nil
	}
}
