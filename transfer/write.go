package transfer

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"sync"
	"time"

	"locus/access"
	"locus/retry"
	"locus/url"
)

// buffer is how much is read at once. A system call for so much costs little
// beside the copy.
const buffer = 256 << 10

// buffers are for the octets on their way, so that many small files cost no more
// memory than one.
var buffers = sync.Pool{New: func() any { return new([buffer]byte) }}

// checkpoint is how much time may pass until what came in ranges is on the
// disk.
const checkpoint = 5 * time.Second

// retrying returns the engine that repeats what fails for a while.
func (d *download) retrying() retry.Engine {
	return retry.Engine{Engine: d.opener, Policy: d.Retry, Notify: func(u url.URL, err error, wait time.Duration) {
		d.mu.Lock()
		if d.keep && d.done > 0 && d.known.Size <= small {
			_ = d.saveLocked() // should it fail, the file is begun again
		}
		d.mu.Unlock()
		d.tell(Event{Kind: Retrying, Err: err, Wait: wait})
	}}
}

// copy writes what r gives into a segment, up to its end.
func (d *download) copy(r io.Reader, s *segment) error {
	room := buffers.Get().(*[buffer]byte)
	defer buffers.Put(room)
	b := room[:]
	for s.end < 0 || s.pos < s.end || !d.split {
		p := b
		if s.end >= 0 && d.split {
			p = b[:min(int64(len(b)), s.end-s.pos)]
		}
		n, err := r.Read(p)
		if writeErr := d.write(p[:n], s); writeErr != nil {
			return writeErr
		}
		switch {
		case errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
			return d.ended(s)
		case errors.Is(err, access.ErrChanged), errors.Is(err, access.ErrRange), errors.Is(err, errors.ErrUnsupported):
			return &restart{why: err} // it could not be gone on with
		case err != nil:
			return err
		}
	}
	return nil
}

// ended judges the end of a resource.
func (d *download) ended(s *segment) error {
	if s.end >= 0 && s.pos != s.end {
		return &access.Error{Op: "read", URL: d.req.URL, Err: io.ErrUnexpectedEOF}
	}
	return nil
}

// write writes octets into the part.
func (d *download) write(p []byte, s *segment) error {
	if len(p) == 0 {
		return nil
	}
	if _, err := d.file.WriteAt(p, s.pos); err != nil {
		d.mu.Lock()
		d.local = true
		d.mu.Unlock()
		return err
	}
	d.mu.Lock()
	s.pos += int64(len(p))
	d.done += int64(len(p))
	now := time.Now()
	tell := d.Event != nil && now.Sub(d.told) >= time.Second/10
	if tell {
		d.told = now
	}
	var err error
	if d.split && now.Sub(d.saved) >= checkpoint {
		err = d.saveLocked()
	}
	d.mu.Unlock()
	if tell {
		d.tell(Event{Kind: Progress})
	}
	if d.MaxSize > 0 && d.done > d.MaxSize {
		return d.tooLarge()
	}
	return err
}

// save keeps what is needed to go on.
func (d *download) save() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.saveLocked()
}

// saveLocked writes the state, after the octets of which it speaks are on the
// disk.
func (d *download) saveLocked() error {
	d.saved = time.Now()
	if !d.hasName() { // the state would be taken for that of what has it
		return &restart{why: errNotOurs}
	}
	s := d.known
	if d.split {
		if err := d.file.Sync(); err != nil {
			return err
		}
		s.Done = spans(d.todo, s.Size)
	}
	d.noted = true
	err := s.save(d.parts, d.state)
	d.good = d.good || err == nil
	return err
}

// errNotKept says that a file was only to be read.
var errNotKept = errors.New("it is not kept")

// tell adds to an event what all have in common.
func (d *download) tell(e Event) {
	if d.Event == nil {
		return
	}
	d.mu.Lock()
	e.URL, e.Name, e.Done, e.Size = d.found, d.name, d.done, d.known.Size
	d.mu.Unlock()
	d.Event(e)
}

// finish verifies the file and gives it its name.
func (d *download) finish() error {
	d.known.Size = d.done
	if err := d.verify(); err != nil {
		return err
	}
	if d.Sync || time.Since(d.began) > checkpoint {
		if err := d.file.Sync(); err != nil {
			return err
		}
	}
	if err := d.isOurs(); err != nil { // last, since all of that takes time
		return err
	}
	err := d.file.Close()
	d.file = nil
	if err != nil {
		return err
	}
	if err := d.rename(); err != nil {
		return err
	}
	d.keep, d.mine = false, false
	if d.Sync {
		if dir, err := d.root.Open(path.Dir(d.name)); err == nil {
			_ = dir.Sync() // not every system can
			dir.Close()
		}
	}
	return d.forgetState()
}

// rename gives the part its time and the name of the file.
func (d *download) rename() error {
	t := d.known.ModTime
	if t.IsZero() {
		t = d.listed
	}
	var err error
	if !t.IsZero() {
		err = d.parts.Chtimes(d.part, t, t)
	}
	if err == nil {
		err = d.root.Rename(d.from, d.name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		if _, gone := d.parts.Lstat(d.part); gone != nil {
			return &restart{why: errNotOurs}
		}
	}
	return err
}

var errNotOurs = errors.New("the part was changed by somebody else")

// isOurs asks for a restart if the part has not its name and its size any more. Who
// is alone has names that nobody else uses.
func (d *download) isOurs() error {
	if d.alone {
		return nil
	}
	info, err := d.file.Stat()
	if err == nil && info.Size() == d.done && d.hasName() {
		return nil
	}
	return &restart{why: errNotOurs}
}

// hasName reports whether the name of the part is that of the file that is open.
func (d *download) hasName() bool {
	if d.alone {
		return true
	}
	info, err := d.file.Stat()
	if err != nil {
		return false
	}
	there, err := d.parts.Lstat(d.part)
	return err == nil && os.SameFile(info, there)
}

// verify holds the part to its digest, and shows it to a mirror.
func (d *download) verify() error {
	if err := d.Digest.Check(io.NewSectionReader(d.file, 0, d.done)); err != nil {
		return &access.Error{Op: "verify", URL: d.found, Err: err}
	}
	if d.inspect == nil {
		return nil
	}
	keep, err := d.inspect(io.NewSectionReader(d.file, 0, d.done), d.found, d.mime)
	if err == nil && !keep {
		err = &skip{Skipped, errNotKept}
	}
	return err
}
