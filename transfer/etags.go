package transfer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
	"sync"
)

// etagsFile holds a known a line, the last one of a name being the one that
// counts. A line that was cut short by a crash is none.
const etagsFile = "etags"

// maxLine is how long a line of it may be.
const maxLine = 16 << 10

// etags are the pages whose only validator is an entity tag.
type etags struct {
	mu    sync.Mutex
	pages map[string]known
	err   error // of the file
}

func loadETags(root *os.Root) *etags {
	e := &etags{pages: make(map[string]known)}
	f, err := root.Open(path.Join(stateDir, etagsFile))
	if err != nil {
		return e
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		var k known
		if json.Unmarshal(lines.Bytes(), &k) == nil && k.Name != "" && k.ETag != "" {
			e.pages[k.Name] = k
		}
	}
	return e
}

// of returns what is known of a file, if it is still the one that was fetched.
func (e *etags) of(name string, info fs.FileInfo) (known, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	k, ok := e.pages[name]
	return k, ok && k.Size == info.Size() && k.ModTime.Equal(info.ModTime())
}

// note keeps the entity tag of a file that was fetched, if that is all that
// tells its versions apart.
func (e *etags) note(root *os.Root, name string, s state, mime string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	info, err := root.Lstat(name)
	if err != nil || s.ETag == "" || !s.ModTime.IsZero() {
		delete(e.pages, name)
		return
	}
	k := known{Name: name, ETag: s.ETag, Type: mime, Size: info.Size(), ModTime: info.ModTime()}
	e.pages[name] = k
	if err := appendLine(root, k); err != nil && e.err == nil {
		e.err = err
	}
}

func appendLine(root *os.Root, k known) error {
	line, err := json.Marshal(k)
	if err != nil {
		return err
	}
	f, err := root.OpenFile(path.Join(stateDir, etagsFile), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(append(append([]byte("\n"), line...), '\n')) // after a line that was cut short
	return errors.Join(err, f.Close())
}

// save writes what is known of those names that are wanted.
func (e *etags) save(root *os.Root, wanted func(name string) bool) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	var b bytes.Buffer
	for name, k := range e.pages {
		if !wanted(name) {
			delete(e.pages, name)
			continue
		}
		line, err := json.Marshal(k)
		if err != nil {
			return err
		}
		b.Write(append(line, '\n'))
	}
	file := path.Join(stateDir, etagsFile)
	if b.Len() == 0 {
		return errors.Join(e.err, removeFile(root, file))
	}
	fresh := file + ".new"
	if err := root.WriteFile(fresh, b.Bytes(), 0o666); err != nil {
		return err
	}
	return errors.Join(e.err, root.Rename(fresh, file))
}
