package check

import (
	"errors"
	"io"
)

// A File is what a [Spool] writes and reads again, such as an *os.File that is
// empty at first.
type File interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
}

// A journal is what is written once, at its end, and read anywhere. Its last
// octets are in memory until there are enough of them for the file.
type journal struct {
	create func() (File, error) // nil: all stays in memory
	file   File
	base   int64 // octets in the file
	tail   []byte
}

const (
	journalTail = 128 << 10
	journalMost = 1 << 40 // so that a place in it takes 40 bits
)

func (j *journal) size() int64 { return j.base + int64(len(j.tail)) }

// write appends p as a whole, and returns where it is.
func (j *journal) write(p []byte) (at int64, err error) {
	at = j.size()
	if at+int64(len(p)) >= journalMost {
		return 0, errors.New("the queue is longer than a tebibyte")
	}
	j.tail = append(j.tail, p...)
	if j.create != nil && len(j.tail) >= journalTail {
		err = j.flush()
	}
	return at, err
}

func (j *journal) flush() error {
	if j.file == nil {
		f, err := j.create()
		if err != nil {
			return err
		}
		j.file = f
	}
	if _, err := j.file.WriteAt(j.tail, j.base); err != nil {
		return err
	}
	j.base += int64(len(j.tail))
	j.tail = j.tail[:0]
	return nil
}

// patch replaces a part of what was written as a whole.
func (j *journal) patch(p []byte, at int64) error {
	if at >= j.base {
		copy(j.tail[at-j.base:], p)
		return nil
	}
	_, err := j.file.WriteAt(p, at)
	return err
}

// ReadAt implements io.ReaderAt.
func (j *journal) ReadAt(p []byte, at int64) (int, error) {
	n := 0
	if at < j.base {
		n = int(min(int64(len(p)), j.base-at))
		if m, err := j.file.ReadAt(p[:n], at); m < n {
			return m, unexpected(err)
		}
	}
	if rest := at + int64(n) - j.base; n < len(p) && rest < int64(len(j.tail)) {
		n += copy(p[n:], j.tail[rest:])
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// unexpected returns err, but for an end where there should be none.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// close gives the file back, and all that was written is gone.
func (j *journal) close() error {
	f := j.file
	*j = journal{create: j.create}
	if f == nil {
		return nil
	}
	return f.Close()
}
