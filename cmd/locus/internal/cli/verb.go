// Package cli runs the verbs of the command locus. It holds what they share: flags, help
// and completion; streams, environment and folder; clients, logins, errors and hints.
//
// A verb is a struct Options, whose fields are its flags and arguments, and a function Run,
// which gets them filled. [New] makes a Verb of both. Each verb has a package beside this
// one, or a few small ones of one kind share a package.
package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"locus/internal/flags"
	"locus/internal/typo"
)

// A Verb is what help says of a verb, and how to run it. [New] makes one.
type Verb struct {
	Name        string
	Summary     string        // a few words
	Synopsis    string        // "locus ls [FLAG…] URL…"
	Description string        // paragraphs; the short help has the first
	Details     func() string // the end of the description, if it takes time to make; nil: none
	Common      string        // names of the flags in the short help, between blanks; "": all
	Kinds       []string      // the values of --as
	Examples    []string      // commands that work
	GCPercent   int           // how much garbage there may be while it runs; 0: as usual
	MemoryGoal  int64         // bytes of memory above which there may be less garbage; 0: none

	options func() any // returns a pointer to a new Options; nil: no flags and no arguments
	run     func(ctx context.Context, e *Env, options any) error
}

// New returns the verb that v describes. Its flags and arguments are the fields of O, a
// struct; see [Given] and the tags there. run gets them filled.
func New[O any](run func(context.Context, *Env, O) error, v Verb) *Verb {
	v.options = func() any { return new(O) }
	v.run = func(ctx context.Context, e *Env, options any) error { return run(ctx, e, *options.(*O)) }
	return &v
}

// command returns how the words of the verb are read.
func (v *Verb) command() *flags.Command {
	return &flags.Command{Name: v.Name, Synopsis: v.Synopsis, Help: "locus help " + v.Name, Flags: append(v.Flags(), helpFlag)}
}

// runWords runs the verb with the flags and arguments in words.
func (v *Verb) runWords(ctx context.Context, e *Env, words []string) error {
	command := v.command()
	found, err := command.Parse(words)
	if err != nil {
		return err
	}
	if found.IsTrue(helpFlag.Name) {
		return v.WriteHelp(e.Out, false)
	}
	options := v.options()
	if err := command.Fill(options, found); err != nil {
		return err
	}
	e.Quiet = found.IsTrue("quiet")
	if e.SetGarbage != nil {
		e.SetGarbage(v.GCPercent, v.MemoryGoal)
	}
	return v.run(ctx, e, options)
}

// A Program is the whole command: its verbs, and what it does without one.
type Program struct {
	Verb
	Verbs      []Maker
	FirstSteps string // is shown if there is no verb
	Version    func(*Env) error
}

// A Maker makes a verb. Only the verb that runs is made.
type Maker struct {
	Name string // that of the verb
	Make func() *Verb
}

// All makes all verbs.
func (p *Program) All() []*Verb {
	all := make([]*Verb, len(p.Verbs))
	for i, m := range p.Verbs {
		all[i] = m.Make()
	}
	return all
}

// Run runs args, of which the first is the name of the program. It returns the exit
// status: 0 if everything was done, 1 if something failed, 2 if the command was misused.
func (p *Program) Run(ctx context.Context, e *Env, args []string) int {
	e.secrets = secretsIn(args)
	err := p.runWords(ctx, e, args[1:])
	flushErr := e.Out.Flush()
	if err == nil || flushErr != nil && errors.Is(err, ErrReported) && !IsBrokenPipe(flushErr) {
		err = flushErr
	}
	switch {
	case err == nil, IsBrokenPipe(err):
		return 0
	case IsMisuse(err):
		e.Report(err)
		return 2
	case !errors.Is(err, ErrReported):
		e.Report(err)
	}
	return 1
}

// The flags that need no declaration: every verb has the first, and the program both.
var (
	helpFlag    = Flag{Spec: flags.Spec{Name: "help", Short: "h", Usage: "show help"}}
	versionFlag = Flag{Spec: flags.Spec{Name: "version", Usage: "print the version of locus"}}
)

// runWords runs the verb in words, with the words after it.
func (p *Program) runWords(ctx context.Context, e *Env, words []string) error {
	command := flags.Command{Help: "locus help", Flags: []Flag{versionFlag, helpFlag}, IsProgram: true}
	found, err := command.Parse(words)
	if err != nil {
		return err
	}
	needsHelp, args := found.IsTrue(helpFlag.Name), found.Arguments
	switch {
	case needsHelp && len(args) == 0:
		return p.WriteHelp(e.Out, true)
	case needsHelp:
		return p.help(ctx, e, helpOptions{Verbs: args[:1]})
	case len(args) > 0:
		return p.runVerb(ctx, e, args[0], args[1:])
	case found.IsTrue(versionFlag.Name):
		return p.Version(e)
	}
	fmt.Fprint(e.Stderr, p.FirstSteps)
	return &UsageError{Text: "a verb is missing", Hint: "locus help lists the verbs, locus help VERB explains one"}
}

// runVerb runs the verb with a name.
func (p *Program) runVerb(ctx context.Context, e *Env, name string, words []string) error {
	if strings.ContainsAny(name, ":/") { // a URL, perhaps with a password: not shown
		return &UsageError{Text: "a verb is missing before the URL", Hint: "locus get URL fetches it, locus open URL opens it"}
	}
	v, err := p.Find(name)
	if err != nil {
		return err
	}
	return v.runWords(ctx, e, words)
}

// Find returns the verb with a name, or an error that suggests another.
func (p *Program) Find(name string) (*Verb, error) {
	i := slices.IndexFunc(p.Verbs, func(m Maker) bool { return m.Name == name })
	if i >= 0 {
		return p.Verbs[i].Make(), nil
	}
	err := &UsageError{Text: "unknown verb " + strconv.Quote(name), Hint: "locus help lists the verbs"}
	if meant := typo.Meant(name, p.names()); meant != "" {
		err.Hint = "did you mean " + meant + "? " + err.Hint
	}
	return nil, err
}

func (p *Program) names() []string {
	var names []string
	for _, m := range p.Verbs {
		names = append(names, m.Name)
	}
	return names
}

// A UsageError says that the command was misused. Its Hint is shown, too.
type UsageError = flags.UsageError

// Misuse returns a UsageError without a hint.
func Misuse(format string, args ...any) error { return flags.Misuse(format, args...) }

// IsMisuse reports whether err is a UsageError.
func IsMisuse(err error) bool {
	_, ok := errors.AsType[*UsageError](err)
	return ok
}
