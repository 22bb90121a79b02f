package console

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// ReadHidden reads a line from a terminal without showing it, and returns the line without its end.
// If from is not a terminal, it returns an error. If ctx ends first, it restores the terminal and
// returns the error of ctx, but the goroutine that reads continues: see [Await].
func ReadHidden(ctx context.Context, from *os.File) (string, error) {
	terminal := int(from.Fd())
	state, err := term.GetState(terminal)
	if err != nil {
		return "", err
	}
	text, err := Await(ctx, func() (string, error) {
		text, err := term.ReadPassword(terminal)
		return string(text), err
	})
	if ctx.Err() != nil {
		return "", errors.Join(ctx.Err(), term.Restore(terminal, state))
	}
	return text, err
}

// maxTyped limits the bytes of a line that ReadLine reads.
const maxTyped = 1 << 16

// ReadLine reads a line that a person types, and returns it without its line end. It reads byte by byte, because the
// next line may be a password that another reader must get. It returns at most maxTyped bytes, and leaves the rest of a
// longer line in r. If the input ends before a first byte, it returns io.EOF.
func ReadLine(r io.Reader) (string, error) {
	var line []byte
	for b := make([]byte, 1); len(line) < maxTyped; line = append(line, b[0]) {
		_, err := r.Read(b)
		if err == io.EOF && len(line) > 0 || err == nil && b[0] == '\n' {
			break
		}
		if err != nil {
			return "", err
		}
	}
	return strings.TrimSuffix(string(line), "\r"), nil
}

// UntilDone returns a Reader of r whose Read returns when ctx is done, even while it waits for the
// keyboard. It does not read ahead, so between two Reads others may read from the same file, for
// example to ask for a password. It is also an io.Seeker, whose Seek fails with
// errors.ErrUnsupported unless r is a regular file or another Seeker. After ctx is done, one Read
// of r may still be waiting, and the bytes that it reads are lost.
func UntilDone(ctx context.Context, r io.Reader) io.Reader { return &reading{ctx: ctx, r: r} }

// A reading is the Reader of UntilDone.
type reading struct {
	ctx context.Context
	r   io.Reader
	buf []byte // the buffer for r, because r may write into it after ctx is done
}

// Read reads from r. If the context ends first, it returns the error of the context, and drops the bytes that arrive
// later.
func (r *reading) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	if len(r.buf) < len(b) {
		r.buf = make([]byte, len(b))
	}
	n, err := Await(r.ctx, func() (int, error) { return r.r.Read(r.buf[:len(b)]) })
	return copy(b, r.buf[:n]), err
}

// Seek seeks in r. It fails for a file that is not regular, because some systems claim to seek in
// terminals.
func (r *reading) Seek(offset int64, whence int) (int64, error) {
	if f, ok := r.r.(*os.File); ok && !isRegular(f) {
		return 0, errors.ErrUnsupported
	}
	s, ok := r.r.(io.Seeker)
	if !ok {
		return 0, errors.ErrUnsupported
	}
	return s.Seek(offset, whence)
}

// isRegular reports whether f is a regular file.
func isRegular(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode().IsRegular()
}

// Await calls do in a goroutine, and returns its result, or the error of ctx if ctx ends first. In
// that case the goroutine continues until do returns, and its result is lost.
func Await[T any](ctx context.Context, do func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := do()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var zero T
		return zero, ctx.Err()
	}
}
