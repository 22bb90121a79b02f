package run

import (
	"cmp"
	"errors"
	"io"

	"locus/check"
	"locus/retry"
)

// A journal is a byte sequence that is written at its end and read anywhere. The last
// bytes stay in memory until there are enough of them for the file.
type journal struct {
	create func() (check.File, error) // nil: everything stays in memory
	file   check.File
	base   int64  // bytes in the file
	tail   []byte // the bytes after them
	most   int    // the size of tail from which it is written to the file; 0: tailSize
}

const (
	tailSize   = 128 << 10
	maxJournal = 1 << 40 // an offset takes 40 bits
)

func (j *journal) size() int64 { return j.base + int64(len(j.tail)) }

// write appends p and returns its offset.
func (j *journal) write(p []byte) (at int64, err error) {
	at = j.size()
	if at+int64(len(p)) >= maxJournal {
		return 0, errors.New("the queue is larger than 1 TiB")
	}
	j.tail = append(j.tail, p...)
	if j.create != nil && len(j.tail) >= cmp.Or(j.most, tailSize) {
		err = j.flushFirst(len(j.tail) / 2) // the last bytes are read more often
	}
	return at, err
}

// flush moves tail into the file.
func (j *journal) flush() error { return j.flushFirst(len(j.tail)) }

// flushFirst moves the first n bytes of tail into the file.
func (j *journal) flushFirst(n int) error {
	if j.file == nil {
		f, err := j.create()
		if err != nil {
			return err
		}
		j.file = f
	}
	if _, err := j.file.WriteAt(j.tail[:n], j.base); err != nil {
		return err
	}
	j.base += int64(n)
	j.tail = append(j.tail[:0], j.tail[n:]...)
	return nil
}

// patch overwrites bytes at an offset.
func (j *journal) patch(p []byte, at int64) error {
	if at < j.base {
		n := min(int64(len(p)), j.base-at)
		if _, err := j.file.WriteAt(p[:n], at); err != nil {
			return err
		}
		p, at = p[n:], at+n
	}
	if len(p) > 0 {
		copy(j.tail[at-j.base:], p)
	}
	return nil
}

// ReadAt implements io.ReaderAt.
func (j *journal) ReadAt(p []byte, at int64) (int, error) {
	n := 0
	if at < j.base {
		n = int(min(int64(len(p)), j.base-at))
		if m, err := j.file.ReadAt(p[:n], at); m < n {
			return m, retry.UnexpectedEOF(err)
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

// close closes the file and empties the journal.
func (j *journal) close() error {
	f := j.file
	*j = journal{create: j.create, most: j.most}
	if f == nil {
		return nil
	}
	return f.Close()
}
