package filelock

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/windows"
)

// lockOffset is where the locked byte is. It is far behind the end of every file, because
// on Windows a locked byte cannot be read or written through another open file.
const lockOffset = 1 << 62

// Try locks f, an open file, for this process. It does not wait: if the file is locked, the
// error is [ErrLocked]. The lock ends when f and all results of [Dup] for it are closed. It
// also ends with the process. A file system without locks has another error. Windows cannot
// lock a folder.
func Try(f *os.File) error {
	at := &windows.Overlapped{OffsetHigh: lockOffset >> 32}
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return ErrLocked
	}
	return os.NewSyscallError("LockFileEx", err)
}

// Close closes f, which unlocks it, because processes that are being started get no copies of its handle.
func Close(f *os.File) error { return f.Close() }

// Dup returns a Closer that keeps the lock of f until it is closed, even if f is closed first.
// The caller closes the Closer.
func Dup(f *os.File) (io.Closer, error) {
	this := windows.CurrentProcess()
	var h windows.Handle
	if err := windows.DuplicateHandle(this, windows.Handle(f.Fd()), this, &h, 0, false, windows.DUPLICATE_SAME_ACCESS); err != nil {
		return nil, os.NewSyscallError("DuplicateHandle", err)
	}
	return handle(h), nil
}

// A handle is a handle of an open file.
type handle windows.Handle

func (h handle) Close() error { return windows.CloseHandle(windows.Handle(h)) }
