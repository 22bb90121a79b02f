// Package cli has the parts that the verbs of the command locus share: the declarations of their flags, the
// clients for these flags, the user's logins, and hints about errors.
//
// A verb is a struct Options, whose fields are its flags and arguments, and a function Run,
// which gets them filled. [New] makes a Verb of both. Each verb has a package beside this
// one, or a few small ones of one kind share a package.
//
// # How the pieces work together
//
// Options embeds groups of flags that several verbs have, such as Connect, Login and Retry (groups.go). flags.go has
// the name and the sentence of each flag, once for all verbs. Run gets an [Env], which has the standard streams and the
// user's logins (logins.go), because a verb may touch only the parts of the process that it was given. Env.Client makes
// the client of the verb from the groups (client.go), with the settings of each protocol (protocols.go, nfs.go,
// pins.go, ssh.go) and the user's gateways (gateways.go). The Env owns the clients and closes them after the verb.
// Env.Archives lets the client record its requests or replay an archive (archives.go, replayed.go). Files and URLs
// among the arguments are told apart in input.go, and EachURL calls a function for each URL of a list (each.go). An
// error that ends the verb gets its hint from a table of rules (hints.go).
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"syscall"

	"locus"
	"locus/cmd/locus/internal/command"
	"locus/cmd/locus/internal/flags"
	"locus/cmd/locus/internal/netrc"
)

// An Env gives a verb the parts of the process that it may touch, and the user's logins.
type Env struct {
	*command.Env
	logins        *netrc.Logins   // nil: not read yet
	logsInNowhere bool            // WithoutLogins was called
	clients       []*locus.Client // from Client; they are closed after the verb
}

// NewEnv returns an Env with these streams. The caller sets the other fields.
func NewEnv(stdin, stdout, stderr *os.File) *Env {
	return withHints(command.NewEnv(stdin, stdout, stderr))
}

// withHints returns an Env around e. It makes e find the hints of [Hint] and, before them, the hints of pathHint, for a
// user who typed the path of a file where a URL is wanted.
func withHints(e *command.Env) *Env {
	env := &Env{Env: e}
	e.Hint = func(err error) string { return cmp.Or(env.pathHint(err), Hint(err)) }
	return env
}

// New returns the verb that v describes. Its flags and arguments are the fields of O, a struct: see
// [Given] and the tags there. The verb calls run with these fields filled, and then closes the
// clients of its Env.
func New[O any](run func(context.Context, *Env, O) error, v Verb) *Verb {
	return command.New(v, Spec, func(ctx context.Context, e *command.Env, o O) error {
		env := withHints(e)
		defer env.closeClients()
		return run(ctx, env, o)
	})
}

// closeClients closes the idle connections of the clients. Servers of protocols that have a command for the end of a
// connection, such as QUIT, get it.
func (e *Env) closeClients() {
	var closing sync.WaitGroup
	for _, c := range e.clients {
		closing.Go(func() { _ = c.Close() }) // the work is done, so an error does not matter
	}
	closing.Wait()
}

// These are names from other packages that most verbs use.

// A Verb has the help of a verb and the function that runs it.
type Verb = command.Verb

// A Program is the whole command.
type Program = command.Program

// A Maker makes a verb of a program.
type Maker = command.Maker

// ErrReported ends the command with status 1. The reason has been reported.
var ErrReported = command.ErrReported

// ErrInterrupted ends the command after the user has interrupted it.
var ErrInterrupted = command.ErrInterrupted

// A Flag is a flag of a verb.
type Flag = flags.Flag

// Given are the names of the flags that were given, even if the value is the default.
type Given = flags.Given

// A Rule says that flags need other flags, or exclude them.
type Rule = flags.Rule

// A UsageError says that the command was misused. Its Hint is shown, too.
type UsageError = flags.UsageError

// Misuse returns a UsageError without a hint.
func Misuse(format string, args ...any) error { return flags.Misuse(format, args...) }

// FileError returns err, an error about the file that a flag names, with the name of the flag. It is a UsageError if
// the file was read, because then the content is wrong. It returns nil for nil.
func FileError(flag string, err error) error {
	if err == nil {
		return nil
	}
	_, isPath := errors.AsType[*fs.PathError](err)
	_, isSystem := errors.AsType[syscall.Errno](err) // of a package that leaves the path out
	if isPath || isSystem {
		return fmt.Errorf("%s: %w", flag, err)
	}
	return Misuse("%s: %v", flag, err)
}

// IsTerminal reports whether f is a terminal.
func IsTerminal(f *os.File) bool { return command.IsTerminal(f) }

// IsOutput reports whether err is an error of writing to stdout.
func IsOutput(err error) bool { return command.IsOutput(err) }

// IsBrokenPipe reports whether err says that the reader of stdout has gone.
func IsBrokenPipe(err error) bool { return command.IsBrokenPipe(err) }
