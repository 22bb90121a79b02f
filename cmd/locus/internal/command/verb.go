// Package command has the parts of a program with verbs, such as "locus get URL".
//
// A [Verb] is a struct of options, whose fields are its flags and arguments, and a function
// that gets them filled; [New] makes a Verb of both. A [Program] runs the verb that its
// arguments name, and has the verbs help and completion. A verb sees of the
// process only its [Env]: streams, environment, folder and signals. So a test can run verbs.
package command

import (
	"context"
	"io"
	"strings"

	"locus/cmd/locus/internal/flags"
	"locus/cmd/locus/internal/manual"
)

// A Verb has the help of a verb and the function that runs it. [New] makes one.
type Verb struct {
	Name        string
	Summary     string        // a few words
	Synopsis    string        // "locus ls [FLAG…] URL…"
	Description string        // paragraphs; the short help has only the first
	Details     func() string // returns the end of the description, if it takes time to make; may be nil
	Common      string        // names of the flags in the short help, with blanks between them; "": all
	Kinds       []string      // the values of --as
	Usages      [][2]string   // names of flags with their sentences in this verb, where their effect differs
	Examples    []string      // commands that work
	GCPercent   int           // replaces the default of GOGC while the verb runs; 0: as usual
	MemoryGoal  int64         // replaces the default of GOMEMLIMIT while the verb runs, in bytes; 0: as usual

	options func() any // returns a pointer to a new struct of options
	spec    Lookup
	run     func(ctx context.Context, e *Env, options any) error
}

// A Lookup returns the declaration of the flag with a long name.
type Lookup = func(name string) flags.Spec

// New returns the verb that v describes. Its flags and arguments are the fields of O, a struct with
// the tags of package flags. lookup returns the declarations of the flags; it may be nil if O has
// no flags. The verb calls run with the fields filled.
func New[O any](v Verb, lookup Lookup, run func(context.Context, *Env, O) error) *Verb {
	v.options, v.spec = func() any { return new(O) }, lookup
	v.run = func(ctx context.Context, e *Env, options any) error { return run(ctx, e, *options.(*O)) }
	return &v
}

// Flags returns the flags of the verb, in the order of its help, with the sentences and values for
// this verb.
func (v *Verb) Flags() []flags.Flag {
	return flags.Of(v.options(), func(name string) flags.Spec {
		s := v.spec(name)
		if name == "as" {
			s.Choices = v.Kinds
		}
		for _, own := range v.Usages {
			if own[0] == name {
				s.Usage = own[1]
			}
		}
		return s
	})
}

// SetDefaults sets flags that were not given to values of a configuration: see
// [flags.Command.SetDefaults].
func (v *Verb) SetDefaults(options any, given flags.Given, values map[string]any) error {
	return v.command().SetDefaults(options, given, values)
}

// WriteHelp writes the help of the verb: see [manual.Page.WriteHelp].
func (v *Verb) WriteHelp(w io.Writer, all bool) error { return v.page().WriteHelp(w, all) }

// page returns the manual page of the verb.
func (v *Verb) page() manual.Page {
	return manual.Page{
		Name: v.Name, Program: programName, Summary: v.Summary, Synopsis: v.Synopsis,
		Description: v.Description, Details: v.Details,
		Flags: v.Flags(), Common: v.Common, Examples: v.Examples,
	}
}

// command returns the parser of the flags and arguments after the name of the verb.
func (v *Verb) command() *flags.Command {
	c := &flags.Command{Name: v.Name, Synopsis: v.Synopsis, Help: programName + " help " + v.Name, Flags: append(v.Flags(), flags.Help())}
	if v.Common != "" {
		c.FullHelp, c.Common = programName+" help --all "+v.Name, strings.Fields(v.Common)
	}
	return c
}

// runWords parses words, the flags and arguments after the name of the verb, sets e.Quiet and the
// goals of the garbage collector, and runs the verb. For --help it writes the help instead.
func (v *Verb) runWords(ctx context.Context, e *Env, words []string) error {
	command := v.command()
	found, err := command.Parse(words)
	if err != nil {
		return err
	}
	if found.IsTrue("help") {
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
