package spill

import (
	"cmp"
	"errors"
	"io"
)

// A Log is a byte sequence that is written at its end and read anywhere. The last
// bytes stay in memory until there are enough of them for the file.
type Log struct {
	Create func() (File, error) // nil: all bytes stay in memory
	Most   int                  // the size at which tail is written to the file; 0: TailSize

	file File
	base int64  // bytes in the file
	tail []byte // the bytes after them
}

const (
	// TailSize is how many bytes stay in memory if Log.Most is 0.
	TailSize = 128 << 10

	// MaxLog is the size of the largest Log, because an offset has 40 bits.
	MaxLog = 1 << 40
)

// Continue makes the Log continue in f, a file of size bytes, which are the first bytes of the
// Log. Close closes f.
func (l *Log) Continue(f File, size int64) { l.file, l.base, l.tail = f, size, nil }

// Spilled returns how many bytes of the Log are in the file.
func (l *Log) Spilled() int64 { return l.base }

// Size returns how many bytes the Log has.
func (l *Log) Size() int64 { return l.base + int64(len(l.tail)) }

// Append appends p, and returns the offset of its first byte. It may write bytes to the file.
func (l *Log) Append(p []byte) (at int64, err error) {
	at = l.Size()
	if at+int64(len(p)) >= MaxLog {
		return 0, errors.New("the log is larger than 1 TiB")
	}
	l.tail = append(l.tail, p...)
	if l.Create != nil && len(l.tail) >= cmp.Or(l.Most, TailSize) {
		err = l.flushFirst(len(l.tail) / 2) // the last bytes stay, because they are read more often
	}
	return at, err
}

// Flush moves all bytes from memory into the file. It creates the file if necessary.
func (l *Log) Flush() error { return l.flushFirst(len(l.tail)) }

// flushFirst moves the first n bytes of tail into the file. It creates the file if necessary.
func (l *Log) flushFirst(n int) error {
	if l.file == nil {
		f, err := l.Create()
		if err != nil {
			return err
		}
		l.file = f
	}
	if _, err := l.file.WriteAt(l.tail[:n], l.base); err != nil {
		return err
	}
	l.base += int64(n)
	l.tail = append(l.tail[:0], l.tail[n:]...)
	return nil
}

// Patch overwrites the bytes from offset at on with p. They must exist.
func (l *Log) Patch(p []byte, at int64) error {
	if at < l.base {
		n := min(int64(len(p)), l.base-at)
		if _, err := l.file.WriteAt(p[:n], at); err != nil {
			return err
		}
		p, at = p[n:], at+n
	}
	if len(p) > 0 {
		copy(l.tail[at-l.base:], p)
	}
	return nil
}

// ReadAt implements io.ReaderAt, for bytes in the file and in memory. The error is io.EOF if
// the Log ends before p is full, and io.ErrUnexpectedEOF if the file lacks bytes.
func (l *Log) ReadAt(p []byte, at int64) (int, error) {
	n := 0
	if at < l.base {
		n = int(min(int64(len(p)), l.base-at))
		if m, err := l.file.ReadAt(p[:n], at); m < n {
			return m, unexpected(err)
		}
	}
	if rest := at + int64(n) - l.base; n < len(p) && rest < int64(len(l.tail)) {
		n += copy(p[n:], l.tail[rest:])
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Close closes the file and empties the Log, which may be used again.
func (l *Log) Close() error {
	f := l.file
	*l = Log{Create: l.Create, Most: l.Most}
	if f == nil {
		return nil
	}
	return f.Close()
}
