package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"

	"locus/cmd/locus/internal/desktop"
	"locus/cmd/locus/internal/flags"
	"locus/internal/render"
	"locus/url"
)

// An Env gives a verb the parts of the process that it may touch: its streams, files, environment and signals.
// Only main knows the process itself, so that tests can run verbs beside each other. Goroutines may share an Env,
// but only one of them may use Out and Report.
type Env struct {
	Stdin  *os.File
	Stdout *os.File      // only to ask whether it is a terminal; write to Out
	Stderr *os.File      // use Say and Report for messages
	Out    *bufio.Writer // of Stdout; it is flushed at the end, and before Stderr is written to

	Dir       string                                    // the folder in which relative file names start; "": the process's folder
	LookupEnv func(name string) (value string, ok bool) // reads an environment variable; nil: none is set
	Environ   []string                                  // the environment of programs that a verb starts; nil: the process's environment
	Program   string                                    // the file of this program; "": unknown
	Signals   Signals                                   // nil: no signal arrives

	// SetGarbage tunes the garbage collector: percent has the meaning of GOGC, and goal the
	// meaning of GOMEMLIMIT, in bytes; 0: as usual. nil: it cannot be tuned.
	SetGarbage func(percent int, goal int64)

	// Hint returns a sentence that says how the user can fix an error; "" if no fix is known.
	// If it is nil, only the Hint of a UsageError is shown.
	Hint func(error) string

	Quiet bool // --quiet: write errors only, neither progress nor retries

	secrets     []string     // arguments that may hold passwords
	interruptBy atomic.Value // the os.Signal that ended a context of UntilInterrupted
}

// Signals are the signals of the process, as in package os/signal.
type Signals interface {
	Notify(c chan<- os.Signal, signals ...os.Signal)
	Stop(c chan<- os.Signal)
	Reset(signals ...os.Signal)
}

// NewEnv returns an Env with these streams. The caller sets the other fields.
func NewEnv(stdin, stdout, stderr *os.File) *Env {
	return &Env{
		Stdin: stdin, Stdout: stdout, Stderr: stderr,
		Out: bufio.NewWriterSize(output{stdout}, 1<<16),
	}
}

// Getenv returns the value of an environment variable; "" if it is not set.
func (e *Env) Getenv(name string) string {
	if e.LookupEnv == nil {
		return ""
	}
	value, _ := e.LookupEnv(name)
	return value
}

// Folders returns the user's folders, as the environment of e names them.
func (e *Env) Folders() desktop.Folders {
	return desktop.Folders{System: runtime.GOOS, Getenv: e.Getenv}
}

// HomeDir returns the home folder of the user; "" if it is unknown.
func (e *Env) HomeDir() string { return e.Folders().Home() }

// CacheDir returns the folder for the caches of locus, below the user's folder for caches; "" if it
// is unknown. The folder may not exist.
func (e *Env) CacheDir() string { return below(e.Folders().Cache(), programName) }

// StateDir returns the folder in which locus keeps its state between runs; "" if it is unknown. The folder may not
// exist.
func (e *Env) StateDir() string { return below(e.Folders().State(), programName) }

// below joins dir and name, or returns "" if dir is "".
func below(dir, name string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, name)
}

// Command returns a program to run with the environment and the folder of e, as exec.CommandContext
// does. Its streams are not set.
func (e *Env) Command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env, cmd.Dir = e.Environ, e.Dir
	return cmd
}

// LookPath returns the path of a program. It looks for a name without a separator in the folders of e's PATH, and
// ignores folders that are not absolute. A name with a separator is a path, which starts in Dir if it is relative. The
// error wraps exec.ErrNotFound if PATH lacks the program.
func (e *Env) LookPath(name string) (string, error) {
	if filepath.Base(name) != name {
		return exec.LookPath(e.Path(name))
	}
	for _, dir := range filepath.SplitList(e.Getenv("PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if program, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return program, nil
		}
	}
	return "", &exec.Error{Name: name, Err: exec.ErrNotFound}
}

// UntilInterrupted returns a context that ends when the user interrupts the command, so that the
// verb can clean up. A second interrupt kills the process. A verb that does not use this context
// dies at the first interrupt.
func (e *Env) UntilInterrupted(ctx context.Context) (context.Context, context.CancelFunc) {
	return e.until(ctx, func(s os.Signal) { e.interruptBy.Store(&s) }, os.Interrupt, syscall.SIGTERM)
}

// Until returns a context that ends when one of signals arrives. Unlike UntilInterrupted, it does
// not make the process die by the signal, so that the verb can choose the exit status.
func (e *Env) Until(ctx context.Context, signals ...os.Signal) (context.Context, context.CancelFunc) {
	return e.until(ctx, func(os.Signal) {}, signals...)
}

// until returns a context that ends when one of signals arrives. It calls note with the signal first.
func (e *Env) until(ctx context.Context, note func(os.Signal), signals ...os.Signal) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	if e.Signals == nil {
		return ctx, cancel
	}
	arrived := make(chan os.Signal, 1)
	e.Signals.Notify(arrived, signals...)
	go func() {
		defer e.Signals.Stop(arrived)
		defer cancel()
		select {
		case s := <-arrived:
			note(s)
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// InterruptedBy returns the signal that ended a context of [Env.UntilInterrupted], or nil. A program
// whose verb failed then should die by that signal, because a shell goes on with its loop if the
// program exits.
func (e *Env) InterruptedBy() os.Signal {
	if s, ok := e.interruptBy.Load().(*os.Signal); ok {
		return *s
	}
	return nil
}

// Line writes text and a line end to Out.
func (e *Env) Line(text string) error {
	_, err := e.Out.WriteString(text + "\n")
	return err
}

// Say writes a line that begins with "locus: " to stderr, without the passwords that the user typed.
func (e *Env) Say(text string) {
	fmt.Fprintf(e.Stderr, "%s: %s\n", programName, render.Clean(e.hideSecrets(text)))
}

// Report writes an error to stderr, and a hint if it finds one. It first flushes Out. If the reader
// of stdout has gone, it does not write the error.
func (e *Env) Report(err error) {
	if flushErr := e.Out.Flush(); IsBrokenPipe(flushErr) {
		return // err may be the broken pipe itself
	}
	e.Say(err.Error())
	hint := ""
	if usage, ok := errors.AsType[*flags.UsageError](err); ok {
		hint = usage.Hint
	} else if e.Hint != nil {
		hint = e.Hint(err)
	}
	if hint != "" {
		e.Say("hint: " + hint)
	}
}

// hideSecrets returns text without passwords: it redacts each of the user's arguments that text quotes.
func (e *Env) hideSecrets(text string) string {
	for _, typed := range e.secrets {
		text = strings.ReplaceAll(text, typed, url.Redact(typed))
	}
	return text
}

// secretsIn returns the arguments that may hold passwords, and such values of flags. Each is in the
// list twice: as it was typed, and as %q writes it, without the quotes.
func secretsIn(args []string) []string {
	var secrets []string
	for _, arg := range args {
		_, value, _ := strings.Cut(arg, "=")
		for _, typed := range []string{arg, value} {
			if url.Redact(typed) != typed {
				quoted := strconv.Quote(typed)
				secrets = append(secrets, typed, quoted[1:len(quoted)-1])
			}
		}
	}
	return secrets
}
