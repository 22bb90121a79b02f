package fetch

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"sync"
	"time"

	"locus/access"
)

// NOTE: Several segments are written at the same time, each by a goroutine that calls copy.
//
// copy reads the body of one response and writes it at s.pos, the position of its segment. Only
// this goroutine changes s.pos, but it holds mu, because saveState reads the positions of all
// segments. Every checkpoint, write saves these positions, so that a run after a crash knows which
// ranges of the part it can keep. saveState flushes the part to the disk before it writes the
// state file. Otherwise the state could list bytes that a power cut has lost. The flush may take
// seconds, so saveState does not hold mu then, and the other segments go on. It reads the positions
// before the flush, because the flush may miss the bytes that are written meanwhile.
//
// finish runs when all segments are complete, so it does not need mu. Its order matters: it
// verifies the bytes first, then flushes them, then checks that no other process has changed the
// part, and renames it last. The state file is removed after that, so a crash at any moment leaves
// either a part with its state or a complete file.

// bufferSize is how many bytes are read at once. With so large a buffer the system calls cost
// little beside the copy.
const bufferSize = 256 << 10

// buffers are shared, so that many small files need only as much memory as one.
var buffers = sync.Pool{New: func() any { return new([bufferSize]byte) }}

// checkpoint is the time between two saves of the state while ranges are fetched.
const checkpoint = 5 * time.Second

// copy writes r into the part at s.pos, and advances s.pos. It stops at the end of r or, if the
// file has several segments, at the end of s. If r ends at another offset than s, the error wraps
// io.ErrUnexpectedEOF. If the resource has changed, the error is a *restart.
func (d *Download) copy(r io.Reader, s *segment) error {
	buffer := buffers.Get().(*[bufferSize]byte)
	defer buffers.Put(buffer)
	for s.end < 0 || s.pos < s.end || !d.ranged {
		p := buffer[:]
		if s.end >= 0 && d.ranged {
			p = p[:min(bufferSize, s.end-s.pos)]
		}
		n, err := r.Read(p)
		if writeErr := d.write(p[:n], s); writeErr != nil {
			return writeErr
		}
		if access.IsEnd(err) {
			if s.end >= 0 && s.pos != s.end {
				return &access.Error{Op: "read", URL: d.req.URL, Err: io.ErrUnexpectedEOF}
			}
			return nil
		}
		if again := restartAfter(err); again != nil {
			return again // a retry could not resume
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// write counts p with CountBytes, writes it into the part at s.pos, and advances s.pos. From time
// to time it sends Progress and, if the file has several segments, saves the state. It returns an
// error if the file becomes too large.
func (d *Download) write(p []byte, s *segment) error {
	if len(p) == 0 {
		return nil
	}
	d.mu.Lock()
	err := d.reserve(d.done + int64(len(p)))
	d.mu.Unlock()
	if err != nil {
		return err
	}
	_, err = d.part.file.WriteAt(p, s.pos)
	d.mu.Lock()
	if err != nil {
		d.writeFailed = true
		d.mu.Unlock()
		return Local(err)
	}
	s.pos += int64(len(p))
	d.done += int64(len(p))
	done, now := d.done, time.Now()
	report := now.Sub(d.reported) >= time.Second/10
	if report {
		d.reported = now
	}
	isDue := d.ranged && now.Sub(d.saved) >= checkpoint
	if isDue {
		d.saved = now
	}
	d.mu.Unlock()
	if isDue && d.saving.TryLock() { // otherwise another goroutine still saves
		err = Local(d.saveState())
		d.saving.Unlock()
	}
	if report {
		d.emit(Event{Kind: Progress})
	}
	if d.MaxSize > 0 && done > d.MaxSize {
		return TooLarge(d.req.URL, d.MaxSize)
	}
	return err
}

// save writes the state file, so that a later run can resume the part. The error is a *restart if
// the part has lost its name.
func (d *Download) save() error {
	d.saving.Lock()
	defer d.saving.Unlock()
	return d.saveState()
}

// saveState is save for a caller that holds saving. If the state lists ranges, it first flushes
// their bytes to the disk.
func (d *Download) saveState() error {
	d.mu.Lock()
	d.saved = time.Now()
	s := d.state
	if d.ranged {
		s.Done = spans(d.segments, s.Size)
	}
	d.mu.Unlock()
	if !d.part.hasName() { // the state would describe another file
		return &restart{why: errStolen}
	}
	if d.ranged {
		if err := d.part.file.Sync(); err != nil {
			return err
		}
	}
	d.part.hasState = true
	err := s.save(d.part.Dir, d.part.Name+StateSuffix)
	d.part.stateValid = d.part.stateValid || err == nil
	return err
}

// emit sets the URL, the name, Done and Size of e from the download, and calls Event.
func (d *Download) emit(e Event) {
	d.mu.Lock()
	e.URL, e.Name, e.Done, e.Size = d.found, d.name, d.done, d.state.Size
	d.mu.Unlock()
	d.Event(e)
}

// finish verifies the file, gives it its name, and removes the state file. The error may be a *Skip
// of verify.
func (d *Download) finish() error {
	d.state.Size = d.done
	if err := d.checkSize(d.done); err != nil {
		return err
	}
	if err := d.verify(); err != nil {
		return err
	}
	if d.Sync || time.Since(d.began) > checkpoint {
		if err := d.part.file.Sync(); err != nil {
			return Local(err)
		}
	}
	if err := d.part.checkUnchanged(d.done); err != nil { // last, because the rest takes time
		return Local(err)
	}
	err := d.part.file.Close()
	d.part.file = nil
	if err != nil {
		return Local(err)
	}
	if err := d.rename(); err != nil {
		return Local(err)
	}
	d.resumable, d.part.owned = false, false
	if d.Sync {
		if dir, err := d.root.Open(path.Dir(d.name)); err == nil {
			_ = dir.Sync() // not every system can
			dir.Close()
		}
	}
	return d.part.removeState()
}

// checkSize returns an error that wraps ErrDigest if Options.Size requires another size than n.
func (d *Download) checkSize(n int64) error {
	if d.Options.Size <= 0 || n == d.Options.Size {
		return nil
	}
	err := fmt.Errorf("%w: it has %d bytes, not %d", ErrDigest, n, d.Options.Size)
	return &access.Error{Op: "verify", URL: d.found, Err: err}
}

// errNotKept is the reason for skipping a page that was only fetched for its links.
var errNotKept = errors.New("it was only read for its links")

// verify checks the digests that the caller and the server gave, and then lets a mirror Inspect the
// file. It returns a *Skip if Inspect does not keep the file.
func (d *Download) verify() error {
	if err := d.Digest.Check(io.NewSectionReader(d.part.file, 0, d.done)); err != nil {
		return &access.Error{Op: "verify", URL: d.found, Err: err}
	}
	open := func() io.Reader { return io.NewSectionReader(d.part.file, 0, d.done) }
	if err := d.checkServerDigests(open); err != nil {
		return &access.Error{Op: "verify", URL: d.found, Err: err}
	}
	if d.Inspect == nil {
		return nil
	}
	keep, err := d.Inspect(io.NewSectionReader(d.part.file, 0, d.done), d.found, d.mediaType)
	if err == nil && !keep {
		err = &Skip{errNotKept}
	}
	return err
}

// rename gives the part the modification time of the resource, or else of the listing, and renames
// it to the name of the file. The error is a *restart if the part has disappeared.
func (d *Download) rename() error {
	modTime := d.state.ModTime
	if modTime.IsZero() {
		modTime = d.ListedTime
	}
	var err error
	if !modTime.IsZero() {
		err = d.part.Dir.Chtimes(d.part.Name, modTime, modTime)
	}
	if err == nil {
		err = d.root.Rename(d.part.Path, d.name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		if _, gone := d.part.Dir.Lstat(d.part.Name); gone != nil {
			return &restart{why: errStolen}
		}
	}
	return err
}
