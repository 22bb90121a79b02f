package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"locus/cmd/locus/internal/flags"
	"locus/cmd/locus/internal/manual"
	"locus/internal/typo"
)

// programName is the name by which users run the program. Messages begin with it.
const programName = "locus"

// A Program is the whole program: its verbs, and the text for a user who names no verb.
type Program struct {
	Summary     string // a few words
	Synopsis    string
	Description string // paragraphs
	Examples    []string
	Verbs       []Maker
	FirstSteps  string          // shown to a user who names no verb
	URLStarts   func() []string // how URLs may begin, such as "ftp://": for a shell to complete
	Version     func(*Env) error
}

// A Maker makes a verb. Only the verb that runs is made.
type Maker struct {
	Name string // of the verb
	Task string // the task of the verb, as a title in the help: "send and copy"; verbs of a task stand together
	Make func() *Verb
}

// All makes all verbs, in the order of p.Verbs.
func (p *Program) All() []*Verb {
	all := make([]*Verb, len(p.Verbs))
	for i, m := range p.Verbs {
		all[i] = m.Make()
	}
	return all
}

// Run runs the command line args, whose first element is the name of the program. It reports
// errors, and returns the exit status: 0 if everything was done or the reader of stdout has gone, 1
// if something failed, 2 if the program was misused.
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
	case flags.IsMisuse(err):
		e.Report(err)
		return 2
	case !errors.Is(err, ErrReported):
		e.Report(err)
	}
	return 1
}

// versionFlag returns the declaration of --version, the only flag of the program itself besides
// --help.
func versionFlag() flags.Flag {
	return flags.Flag{Spec: flags.Spec{Name: "version", Usage: "print the version of locus"}}
}

// runWords runs the command line without the name of the program. It shows the help or the version
// if a flag asks for it. Without a verb it shows the first steps, and returns a UsageError.
func (p *Program) runWords(ctx context.Context, e *Env, words []string) error {
	command := flags.Command{Help: programName + " help", Flags: []flags.Flag{versionFlag(), flags.Help()}, IsProgram: true}
	found, err := command.Parse(words)
	if err != nil {
		return err
	}
	needsHelp, args := found.IsTrue("help"), found.Arguments
	switch {
	case needsHelp && len(args) == 0:
		return p.manual().WriteHelp(e.Out)
	case needsHelp:
		return p.help(ctx, e, helpOptions{Verbs: args[:1]})
	case len(args) > 0:
		return p.runVerb(ctx, e, args[0], args[1:])
	case found.IsTrue("version"):
		return p.Version(e)
	}
	fmt.Fprint(e.Stderr, p.FirstSteps)
	return &flags.UsageError{Text: "a verb is missing", Hint: "locus help lists the verbs, locus help VERB explains one"}
}

// runVerb runs the verb called name with words, its flags and arguments. If name looks like a URL,
// the UsageError does not show it, because it may have a password.
func (p *Program) runVerb(ctx context.Context, e *Env, name string, words []string) error {
	if strings.ContainsAny(name, ":/") { // a URL, perhaps with a password: not shown
		return &flags.UsageError{Text: "a verb is missing before the URL", Hint: "locus get URL fetches it, locus open URL opens it"}
	}
	v, err := p.Find(name)
	if err != nil {
		return err
	}
	return v.runWords(ctx, e, words)
}

// Find makes the verb called name. For an unknown name, the error is a UsageError that suggests the
// verb that may be meant.
func (p *Program) Find(name string) (*Verb, error) {
	var names []string
	for _, m := range p.Verbs {
		if m.Name == name {
			return m.Make(), nil
		}
		names = append(names, m.Name)
	}
	err := &flags.UsageError{Text: "unknown verb " + strconv.Quote(name), Hint: "locus help lists the verbs"}
	if meant := typo.Meant(name, names); meant != "" {
		err.Hint = "did you mean " + meant + "? " + err.Hint
	}
	return nil, err
}

// WriteManual writes the manual page of the program, as man(7) source.
func (p *Program) WriteManual(w io.Writer) error { return p.manual().WriteManual(w) }

// manual returns the manual of the program and its verbs.
func (p *Program) manual() manual.Program {
	m := manual.Program{Page: manual.Page{
		Name: programName, Summary: p.Summary, Synopsis: p.Synopsis, Description: p.Description,
		Flags: []flags.Flag{versionFlag()}, Examples: p.Examples,
	}, URLStarts: p.URLStarts}
	for _, maker := range p.Verbs {
		page := maker.Make().page()
		page.Task = maker.Task
		m.Verbs = append(m.Verbs, page)
	}
	return m
}

// helpOptions are the flags and arguments of help.
type helpOptions struct {
	Verbs []string `args:"0-1"`
	All   bool     `flag:"all"`
	Man   bool     `flag:"man"`
	JSON  bool     `flag:"json"`
}

// Help returns the verb help. lookup returns the declarations of --all, --man and --json.
func (p *Program) Help(lookup Lookup) *Verb {
	return New(Verb{
		Name:     "help",
		Summary:  "explain locus or one of its verbs",
		Synopsis: "locus help [--all] [--man] [--json] [VERB]",
		Usages:   [][2]string{{"all", "show every paragraph, every flag and every example"}},
		Examples: []string{"locus help parse", "locus help --all get"},
	}, lookup, p.help)
}

// help writes the list of verbs, or the help of the verb in o, as text, JSON or a manual page.
func (p *Program) help(_ context.Context, e *Env, o helpOptions) error {
	if len(o.Verbs) == 0 {
		switch {
		case o.JSON:
			return p.manual().WriteJSON(e.Out)
		case o.Man:
			return p.WriteManual(e.Out)
		}
		return p.manual().WriteHelp(e.Out)
	}
	v, err := p.Find(o.Verbs[0])
	switch {
	case err != nil:
		return err
	case o.JSON:
		page, _ := p.manual().Verb(o.Verbs[0])
		return page.WriteJSON(e.Out)
	case o.Man:
		return v.page().WriteManual(e.Out)
	}
	return v.WriteHelp(e.Out, o.All)
}

// completionOptions are the arguments of completion.
type completionOptions struct {
	Args []string `args:"0-"` // a shell; or "words" and what was typed: see manual.Script
}

// Completion returns the verb completion, which writes a script for a shell.
func (p *Program) Completion() *Verb {
	return New(Verb{
		Name:     "completion",
		Summary:  "write a completion script for a shell",
		Synopsis: "locus completion bash|fish|powershell|zsh",
		Description: "Write the script to stdout. For bash add this line to ~/.bashrc:\n" +
			"   source <(locus completion bash)\n" +
			"For PowerShell add this line to $PROFILE:\n" +
			"   locus completion powershell | Out-String | Invoke-Expression",
		Examples: []string{"locus completion bash"},
	}, nil, p.complete)
}

// complete writes the completion script of the shell that the argument names. An unknown shell is a
// UsageError.
//
// The scripts call complete with "words" and the words of a command line, the last of which the
// user is typing. Then it writes the words that can take the place of the last.
func (p *Program) complete(_ context.Context, e *Env, o completionOptions) error {
	if len(o.Args) > 1 && o.Args[0] == "words" {
		last := len(o.Args) - 1
		return p.manual().WriteWords(e.Out, o.Args[1:last], strings.TrimPrefix(o.Args[last], "="))
	}
	scripts := manual.Scripts()
	i := slices.IndexFunc(scripts, func(s manual.Script) bool { return len(o.Args) == 1 && s.Shell == o.Args[0] })
	if i < 0 {
		return &flags.UsageError{Text: "completion needs the name of a shell: bash, fish, powershell or zsh", Hint: "locus help completion"}
	}
	_, err := e.Out.WriteString(scripts[i].Text)
	return err
}
