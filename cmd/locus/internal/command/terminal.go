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

// Entries returns a Func that writes entries to stdout as text. On a terminal the lines fit its
// width, and each is shown at once.
func (e *Env) Entries() render.Func {
	if IsTerminal(e.Stdout) {
		return e.Flushed(render.Terminal(e.Out, e.columns()))
	}
	return render.Text(e.Out)
}

// columns returns the width of stdout, which is a terminal: $COLUMNS, or else its own width, or 80
// if it does not know its width.
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

// AskHidden asks for a line at the terminal without showing it. If ctx ends first it
// restores the terminal, and returns the error of ctx.
func (e *Env) AskHidden(ctx context.Context, prompt string) (string, error) {
	e.Ask(prompt)
	defer fmt.Fprintln(e.Stderr)
	return console.ReadHidden(ctx, e.Stdin)
}

// Ask shows a question on stderr. The caller reads the answer.
func (e *Env) Ask(prompt string) {
	e.Out.Flush()
	fmt.Fprintf(e.Stderr, "%s: %s: ", programName, render.Clean(prompt))
}

// Progress returns a Writer around w that shows its progress after a second, if stderr is
// a terminal and Quiet is not set. size is how many bytes will come; negative: unknown. The
// function removes the progress from the screen; call it before anything else is shown.
func (e *Env) Progress(w io.Writer, size int64) (io.Writer, func()) {
	if e.Quiet || !IsTerminal(e.Stderr) {
		return w, func() {}
	}
	m := board.NewMeter(w, e.Stderr, programName+": ", size)
	return m, m.Clear
}

// output is stdout. Its errors are of a type of their own. It has no ReadFrom, which
// would return other errors.
type output struct{ file *os.File }

// Write writes to the file. Its errors are outputErrors.
func (o output) Write(b []byte) (int, error) {
	n, err := o.file.Write(b)
	if err != nil {
		err = &outputError{err}
	}
	return n, err
}

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
