// Package runfile keeps the runs of a check in files: in temporary files, and in files with which a
// later process can resume a run.
package runfile

import (
	"errors"
	"os"
	"time"

	"locus/check"
	"locus/check/report"
	"locus/internal/filelock"
)

// ErrLocked is the error of Open if another process has the run open.
var ErrLocked = errors.New("another process is working on this run")

// Temporary creates a file in the folder for temporary files ([os.TempDir]). Close deletes the
// file. Where the system allows it, the file loses its name at once.
func Temporary() (check.File, error) {
	f, err := os.CreateTemp("", "locus-check-")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(f.Name()) // fails where the system cannot delete an open file; then Close deletes it
	return temporary{f}, nil
}

// A temporary is a file that Close deletes.
type temporary struct{ *os.File }

// Close closes the file and deletes it.
func (f temporary) Close() error {
	err := f.File.Close()
	_ = os.Remove(f.Name()) // already deleted, except on Windows
	return err
}

// A Run is a queue that is kept in a file. [Open] makes one. At the end call Close, which keeps the
// file for another process, or End, which deletes the file.
type Run struct {
	check.Queue
	IsResumed bool // an earlier process began the run

	name string // of the file
}

// Open opens the run in the file name, or begins a new one if the file is missing or empty. The
// folder of the file must exist. If the file has not changed for maxAge, Open begins the run again.
// The error is ErrLocked if another process has the run open. Where the file system has no locks,
// two processes can open the same run.
func Open(name string, maxAge time.Duration) (*Run, error) {
	f, err := lock(name)
	if err != nil {
		return nil, err
	}
	r := &Run{name: name}
	info, err := f.Stat()
	switch {
	case err != nil, info.Size() == 0:
	case time.Since(info.ModTime()) > maxAge:
		err = f.Truncate(0)
	default:
		r.IsResumed = true
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	if r.Queue, err = report.OpenQueue(locked{f}, Temporary); err != nil {
		return nil, err
	}
	return r, nil
}

// End closes the run and deletes its file.
func (r *Run) End() error {
	if err := r.Close(); err != nil {
		return err
	}
	return os.Remove(r.name)
}

// A locked is a file that lock has returned.
type locked struct{ *os.File }

// Close unlocks and closes the file.
func (f locked) Close() error { return filelock.Close(f.File) }

// lock opens a file, makes it if necessary, and locks it. The error is ErrLocked if another process
// has the lock. The lock ends when the file is closed or the process ends.
func lock(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	err = filelock.Try(f)
	if errors.Is(err, filelock.ErrLocked) {
		err = ErrLocked
	}
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		f.Close()
		return nil, err
	}
	return f, nil
}
