// Package flags reads the words of a command into a struct.
//
// The fields of the struct are the flags and arguments of the command:
//
//	type Options struct {
//		URLs   []string `args:"1-"`     // at least one argument
//		Output string   `flag:"output"` // "": not given, or the default of its Spec
//		Connect                         // an embedded struct with more flags
//		Given  flags.Given              // the flags that were given
//	}
//
// A tag has the name of a flag. The [Spec] of the flag has its meaning, and several commands can share it.
//
// A [Command] parses the words that a person has typed ([Command.Parse]) and fills the struct with them
// ([Command.Fill]). [Given.Check] then checks rules for flags that need or exclude others.
package flags

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// A Spec declares a flag: its names, its values and its meaning.
type Spec struct {
	Name    string
	Short   string // one letter; "" if there is none
	Kind    Kind
	Choices []string // the only values; nil: any
	Likely  []string // values for a shell to complete, where others are possible
	Usual   string   // the value without the flag, as text; "": the zero value
	Usage   string   // a sentence; between backquotes stands the name of the value

	ShowChoices bool // the help lists the Choices after the sentence
}

// Help returns the flag --help. It has no field.
func Help() Flag { return Flag{Spec: Spec{Name: "help", Short: "h", Usage: "show help"}} }

// Text returns the flag as the help writes it, such as "--output, -o FILE", and its sentence.
func (s Spec) Text() (written, usage string) {
	written, usage = Dashed(s.Name), s.Usage
	if s.Short != "" {
		written += ", " + Dashed(s.Short)
	}
	if before, after, ok := strings.Cut(usage, "`"); ok {
		value, rest, _ := strings.Cut(after, "`")
		written, usage = written+" "+value, before+value+rest
	}
	return written, usage
}

// IsCalled reports whether name is the long name or the letter of the flag.
func (s Spec) IsCalled(name string) bool { return name != "" && (name == s.Name || name == s.Short) }

func (s Spec) isBool() bool { return s.Kind.Parse == nil }

// parse converts text to a value of the flag.
func (s Spec) parse(text string) (any, error) {
	if s.Choices != nil && !slices.Contains(s.Choices, text) {
		return nil, Misuse("--%s wants %s, not %q", s.Name, inWords(s.Choices), text)
	}
	return s.Kind.Parse(s.Name, text)
}

// inWords joins values for an error: "text, json or off".
func inWords(values []string) string {
	if len(values) > 4 {
		return "one of " + strings.Join(values, ", ")
	}
	last := len(values) - 1
	if last == 0 {
		return values[0]
	}
	return strings.Join(values[:last], ", ") + " or " + values[last]
}

// A Flag is a flag of a struct.
type Flag struct {
	Spec
	index []int // of its field; nil: it has none
}

// Of returns the flags in the struct that options points to, in the order of its fields.
// lookup returns the Spec of a flag by its long name.
func Of(options any, lookup func(name string) Spec) []Flag {
	var flags []Flag
	for _, f := range reflect.VisibleFields(reflect.TypeOf(options).Elem()) {
		if name, ok := f.Tag.Lookup("flag"); ok {
			flags = append(flags, Flag{lookup(name), f.Index})
		}
	}
	return flags
}

// A Command has flags and takes arguments.
type Command struct {
	Name      string   // in errors
	Synopsis  string   // "locus get [FLAG…] URL…": what follows the second word stands in errors
	Help      string   // the command that explains this one: "locus help get"
	FullHelp  string   // the command that explains all flags: "locus help --all get"; "": Help does
	Common    []string // the long names of the flags that Help explains, if FullHelp is set
	Flags     []Flag
	IsProgram bool // the first argument is the name of a command, and the rest belongs to that
}

// helpFor returns the command that explains a flag with a long name: the short help for a common flag, and the full
// help for any other flag, also for a flag that does not exist.
func (c *Command) helpFor(name string) string {
	if c.FullHelp == "" || slices.Contains(c.Common, name) {
		return c.Help
	}
	return c.FullHelp
}

// A UsageError says that a command was misused.
type UsageError struct {
	Text string
	Hint string // what to do; "" if unknown
}

func (e *UsageError) Error() string { return e.Text }

// Misuse returns a UsageError without a hint.
func Misuse(format string, args ...any) error {
	return &UsageError{Text: fmt.Sprintf(format, args...)}
}

// IsMisuse reports whether err is a UsageError.
func IsMisuse(err error) bool {
	_, ok := errors.AsType[*UsageError](err)
	return ok
}

// Dashed returns the name of a flag with its dashes: one for a letter, two for a long name.
func Dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}
