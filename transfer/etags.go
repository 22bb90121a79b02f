package transfer

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"
)

// etagsFile holds one JSON object of type etag per line. The last line of a name
// counts. A line that was cut short by a crash is ignored.
const (
	etagsFile = "etags"
	etagsPath = stateDir + "/" + etagsFile // below the root
)

// maxLine is the length of the longest line that is read.
const maxLine = 16 << 10

// An etag is what a mirror keeps of a page that has an ETag and no modification time.
type etag struct {
	Name    string    `json:"name"`
	ETag    string    `json:"etag"`
	Type    string    `json:"type,omitempty"`
	Size    int64     `json:"size"`     // of the local file
	ModTime time.Time `json:"modified"` // of the local file
}

// etags are the ETags of a mirror. They are in etagsFile; memory and the spool hold
// only their offsets.
type etags struct {
	mu      sync.Mutex
	root    *os.Root
	offsets table // by name: the offset of the last line, plus 1; 0 if there is none
	end     int64 // the length of the file
	err     error // the first one in writing
}

// loadETags reads the file, if there is one.
func loadETags(root *os.Root, s *spool) *etags {
	e := &etags{root: root, offsets: table{spool: s}}
	f, err := root.Open(etagsPath)
	if err != nil {
		return e
	}
	defer f.Close()
	_ = eachETag(f, func(k etag, at int64) error {
		e.offsets.put(keyOf(k.Name), uint64(at+1))
		return nil
	})
	if info, err := f.Stat(); err == nil {
		e.end = info.Size()
	}
	return e
}

// eachETag calls do with every line and its offset.
func eachETag(r io.Reader, do func(k etag, at int64) error) error {
	lines := bufio.NewReaderSize(r, maxLine)
	isStart := true // a line starts here, not the rest of a long one
	for at := int64(0); ; {
		line, err := lines.ReadSlice('\n')
		isLong := errors.Is(err, bufio.ErrBufferFull)
		var k etag
		if isStart && !isLong && json.Unmarshal(line, &k) == nil && k.Name != "" && k.ETag != "" {
			if err := do(k, at); err != nil {
				return err
			}
		}
		at, isStart = at+int64(len(line)), !isLong
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil && !isLong:
			return err
		}
	}
}

// offset returns the offset of the line of a name, plus 1; 0 if there is none.
func (e *etags) offset(name string) int64 {
	v, _ := e.offsets.get(keyOf(name))
	return int64(v)
}

// find returns the recorded ETag of a local file; false if there is none, or the file has
// changed since it was fetched.
func (e *etags) find(name string, info fs.FileInfo) (etag, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	offset := e.offset(name)
	if offset == 0 {
		return etag{}, false
	}
	f, err := e.root.Open(etagsPath)
	if err != nil {
		return etag{}, false
	}
	defer f.Close()
	var k etag
	err = json.NewDecoder(io.NewSectionReader(f, offset-1, maxLine)).Decode(&k)
	return k, err == nil && k.Name == name && k.Size == info.Size() && k.ModTime.Equal(info.ModTime())
}

// record keeps the ETag of a file that was fetched, if it has no modification time.
func (e *etags) record(name string, s state, mediaType string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	info, err := e.root.Lstat(name)
	if err != nil || s.ETag == "" || !s.ModTime.IsZero() {
		if e.offset(name) != 0 {
			e.offsets.put(keyOf(name), 0)
		}
		return
	}
	k := etag{Name: name, ETag: s.ETag, Type: mediaType, Size: info.Size(), ModTime: info.ModTime()}
	if err := e.append(k); err != nil && e.err == nil {
		e.err = err
	}
}

// append adds an empty line, because the last one may have been cut short, and a line.
func (e *etags) append(k etag) error {
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
		e.offsets.put(keyOf(k.Name), uint64(e.end+2))
	}
	if info, statErr := f.Stat(); statErr == nil {
		e.end = info.Size()
	}
	return errors.Join(err, f.Close())
}

// save rewrites the file with the last line of each name that keep accepts.
func (e *etags) save(keep func(name string) bool) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.offsets.spool.failure() != nil { // the offsets are lost
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
	n, err := e.copy(old, fresh, keep)
	old.Close()
	switch {
	case err != nil:
		return errors.Join(e.err, err)
	case n == 0:
		return errors.Join(e.err, removeFile(e.root, fresh), removeFile(e.root, etagsPath))
	}
	return errors.Join(e.err, e.root.Rename(fresh, etagsPath))
}

// copy writes the last line of each name that keep accepts. n counts them.
func (e *etags) copy(old io.Reader, fresh string, keep func(name string) bool) (n int, err error) {
	f, err := e.root.OpenFile(fresh, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return 0, err
	}
	w := bufio.NewWriter(f)
	err = eachETag(old, func(k etag, at int64) error {
		if e.offset(k.Name) != at+1 || !keep(k.Name) {
			return nil
		}
		n++
		return json.NewEncoder(w).Encode(k)
	})
	return n, errors.Join(err, w.Flush(), f.Close())
}
