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
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/urfave/cli/v3"

	"locus/access"
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

	flags func() []Flag // nil: none
	run   func(ctx context.Context, e *Env, given *cli.Command) error
}

// New returns the verb that v describes. Its flags and arguments are the fields of O, a
// struct; see [Given] and the tags there. run gets them filled.
func New[O any](run func(context.Context, *Env, O) error, v Verb) *Verb {
	v.flags = sync.OnceValue(func() []Flag { return flagsOf(new(O)) })
	v.run = func(ctx context.Context, e *Env, given *cli.Command) error {
		o := new(O)
		if err := fill(o, &v, given); err != nil {
			return v.withHint(err)
		}
		e.Quiet = given.Bool("quiet")
		if e.SetGarbage != nil {
			e.SetGarbage(v.GCPercent, v.MemoryGoal)
		}
		return run(ctx, e, *o)
	}
	return &v
}

// withHint adds to a UsageError where the flags are explained.
func (v *Verb) withHint(err error) error {
	if usage, ok := errors.AsType[*UsageError](err); ok && usage.Hint == "" {
		usage.Hint = "locus help " + v.Name
	}
	return err
}

// A Program is the whole command: its verbs, and what it does without one.
type Program struct {
	Verb
	Verbs      []*Verb
	FirstSteps string // is shown if there is no verb
	Version    func(*Env) error
}

// Run runs args, of which the first is the name of the program. It returns the exit
// status: 0 if everything was done, 1 if something failed, 2 if the command was misused.
func (p *Program) Run(ctx context.Context, e *Env, args []string) int {
	e.secrets = secretsIn(args)
	withoutLibraryHelp()
	err := p.command(e, args).Run(ctx, args)
	if flushErr := e.Out.Flush(); err == nil {
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

// withoutLibraryHelp turns the library's own help off. It has no other place for that.
var withoutLibraryHelp = sync.OnceFunc(func() { cli.HelpFlag = nil })

// command returns the program for the library that parses flags. It has only the verbs in
// args: all of them take half a millisecond.
func (p *Program) command(e *Env, args []string) *cli.Command {
	root := &cli.Command{
		Name: p.Name, Writer: e.Out, ErrWriter: e.Stderr,
		HideHelpCommand: true, // it would take the URL "h" for itself
		HideVersion:     true,
		HideHelp:        true,
		ExitErrHandler:  func(context.Context, *cli.Command, error) {},
		Flags:           []cli.Flag{helpFlag(), &cli.BoolFlag{Name: "version", Local: true}},
		Action:          func(_ context.Context, c *cli.Command) error { return p.noVerb(e, c) },
	}
	p.prepare(root, &p.Verb)
	for _, v := range p.Verbs {
		if !slices.Contains(args, v.Name) {
			continue
		}
		c := &cli.Command{
			Name: v.Name, HideHelp: true, HideHelpCommand: true,
			Flags: append(libraryFlags(v.Flags()), helpFlag()),
			Action: func(ctx context.Context, c *cli.Command) error {
				if c.Bool("help") {
					return v.WriteHelp(e.Out, false)
				}
				return v.run(ctx, e, c)
			},
		}
		p.prepare(c, v)
		root.Commands = append(root.Commands, c)
	}
	return root
}

// prepare sets what the program and its verbs have in common.
func (p *Program) prepare(c *cli.Command, v *Verb) {
	c.DisableSliceFlagSeparator = true // a value may hold a comma
	c.OnUsageError = func(_ context.Context, _ *cli.Command, err error, _ bool) error {
		e := &UsageError{Text: flagProblem(err), Hint: strings.TrimSuffix("locus help "+strings.TrimPrefix(v.Name, "locus"), " ")}
		if name, ok := strings.CutPrefix(e.Text, unknownFlag+"--"); ok {
			if meant := nearest(name, v.flagNames()); meant != "" {
				e.Hint = "did you mean --" + meant + "? " + e.Hint + " lists the flags"
			}
		}
		return e
	}
}

func helpFlag() cli.Flag {
	return &cli.BoolFlag{Name: "help", Aliases: []string{"h"}, Local: true}
}

func (v *Verb) flagNames() []string {
	var names []string
	for _, f := range v.Flags() {
		names = append(names, f.spec.name)
	}
	return names
}

// noVerb is the action without a verb, or with one that does not exist.
func (p *Program) noVerb(e *Env, c *cli.Command) error {
	switch {
	case c.NArg() == 0 && c.Bool("help"):
		return p.WriteHelp(e.Out, true)
	case c.NArg() == 0 && c.Bool("version"):
		return p.Version(e)
	case c.NArg() == 0:
		fmt.Fprint(e.Stderr, p.FirstSteps)
		return &UsageError{Text: "a verb is missing", Hint: "locus help lists the verbs, locus help VERB explains one"}
	}
	name := c.Args().First()
	if strings.ContainsAny(name, ":/") { // a URL, perhaps with a password: not shown
		return &UsageError{Text: "a verb is missing before the URL", Hint: "locus get URL fetches it, locus open URL opens it"}
	}
	_, err := p.Find(name)
	return err
}

// Find returns the verb with a name, or an error that suggests another.
func (p *Program) Find(name string) (*Verb, error) {
	i := slices.IndexFunc(p.Verbs, func(v *Verb) bool { return v.Name == name })
	if i >= 0 {
		return p.Verbs[i], nil
	}
	err := &UsageError{Text: "unknown verb " + strconv.Quote(name), Hint: "locus help lists the verbs"}
	if meant := nearest(name, p.names()); meant != "" {
		err.Hint = "did you mean " + meant + "? " + err.Hint
	}
	return nil, err
}

func (p *Program) names() []string {
	var names []string
	for _, v := range p.Verbs {
		names = append(names, v.Name)
	}
	return names
}

// A UsageError says that the command was misused.
type UsageError struct{ Text, Hint string }

func (e *UsageError) Error() string { return e.Text }

// Suggest returns the hint.
func (e *UsageError) Suggest() access.Remedy { return access.Advice(e.Hint) }

// Misuse returns a UsageError without a hint.
func Misuse(format string, args ...any) error {
	return &UsageError{Text: fmt.Sprintf(format, args...)}
}

// IsMisuse reports whether err is a UsageError.
func IsMisuse(err error) bool {
	_, ok := errors.AsType[*UsageError](err)
	return ok
}

const unknownFlag = "unknown flag "

// badValue matches the library's error for a value of the wrong type. Only flags that
// are true or false have one there.
var badValue = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)^invalid value (".*") for flag -(\S+): (.*)$`)
})

// flagProblem returns the text of this command for the library's error about a flag.
func flagProblem(err error) string {
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: -"); ok {
		return unknownFlag + dashed(name)
	}
	if name, ok := strings.CutPrefix(text, "flag needs an argument: "); ok {
		return "the flag " + name + " needs a value"
	}
	if m := badValue().FindStringSubmatch(text); m != nil {
		return dashed(m[2]) + " wants true or false, not " + m[1]
	}
	return text
}

// dashed returns the name of a flag as it is written.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// nearest returns the word that the user probably meant; "" if none is similar. It
// accepts one mistake for every three letters, and two at most.
func nearest(typed string, words []string) string {
	best, least := "", min(2, (len(typed)+2)/3)+1
	for _, word := range words {
		if n := mistakes(typed, word); n < least {
			best, least = word, n
		}
	}
	return best
}

// mistakes returns the number of bytes that are missing, added, changed, or swapped with
// the next one, between a and b.
func mistakes(a, b string) int {
	var before []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		last := row
		row = make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			change := last[j]
			if a[i] != b[j] {
				change++
			}
			row[j+1] = min(change, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before = last
	}
	return row[len(b)]
}
