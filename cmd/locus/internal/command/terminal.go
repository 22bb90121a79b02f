package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/term"

	"locus/access"
	"locus/cmd/locus/internal/board"
	"locus/cmd/locus/internal/console"
	"locus/internal/render"
)

// IsTerminal reports whether f is a terminal.
func IsTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// Entries returns a Func that writes each entry to stdout as text. On a terminal the lines fit its
// width, and each entry appears at once.
func (e *Env) Entries() render.Func {
	if IsTerminal(e.Stdout) {
		return e.Flushed(render.Terminal(e.Out, e.columns()))
	}
	return render.Text(e.Out)
}

// columns returns the number of columns of stdout, which is a terminal: $COLUMNS, or else the width
// that the terminal knows, or else 80.
func (e *Env) columns() int {
	if n, err := strconv.ParseUint(e.Getenv("COLUMNS"), 10, 15); err == nil && n > 0 {
		return int(n)
	}
	if n, _, err := term.GetSize(int(e.Stdout.Fd())); err == nil && n > 0 {
		return n
	}
	return 80
}

// Flushed returns a Func that calls write, and then flushes stdout, so that a terminal shows each
// entry at once.
func (e *Env) Flushed(write render.Func) render.Func {
	return func(entry access.Entry) error {
		if err := write(entry); err != nil {
			return err
		}
		return e.Out.Flush()
	}
}

// AskHidden shows prompt and reads a line from the terminal without showing it. If ctx ends first,
// it restores the terminal and returns the error of ctx.
func (e *Env) AskHidden(ctx context.Context, prompt string) (string, error) {
	e.Ask(prompt)
	defer fmt.Fprintln(e.Stderr)
	return console.ReadHidden(ctx, e.Stdin)
}

// Ask flushes Out and shows a question on stderr. The caller reads the answer.
func (e *Env) Ask(prompt string) {
	e.Out.Flush()
	fmt.Fprintf(e.Stderr, "%s: %s: ", programName, render.Clean(prompt))
}

// Progress returns a Writer around w that, after a second, shows on stderr how many bytes were
// written. Without a terminal on stderr, or with Quiet, it returns w itself. size is the expected
// number of bytes; negative: unknown. The function removes the progress from the screen; call it
// before anything else is shown.
func (e *Env) Progress(w io.Writer, size int64) (io.Writer, func()) {
	if e.Quiet || !IsTerminal(e.Stderr) {
		return w, func() {}
	}
	m := board.NewMeter(w, e.Stderr, programName+": ", size)
	return m, m.Clear
}

// An output writes to stdout, and marks its errors as outputErrors. It does not implement io.ReaderFrom, because
// then errors of reading would look like errors of stdout.
type output struct{ file *os.File }

// Write writes b to the file. Every error is an outputError.
func (o output) Write(b []byte) (int, error) {
	n, err := o.file.Write(b)
	if err != nil {
		err = &outputError{err}
	}
	return n, err
}

// An outputError is an error of writing to stdout.
type outputError struct{ err error }

func (e *outputError) Error() string { return e.err.Error() }
func (e *outputError) Unwrap() error { return e.err }

// IsOutput reports whether err is an error of writing to stdout.
func IsOutput(err error) bool {
	_, ok := errors.AsType[*outputError](err)
	return ok
}

// IsBrokenPipe reports whether err says that the reader of stdout has gone.
func IsBrokenPipe(err error) bool {
	var out *outputError
	if !errors.As(err, &out) {
		return false
	}
	const windowsBrokenPipe, windowsNoData = syscall.Errno(109), syscall.Errno(232)
	if runtime.GOOS == "windows" {
		return errors.Is(err, windowsBrokenPipe) || errors.Is(err, windowsNoData)
	}
	return errors.Is(err, syscall.EPIPE)
}
