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
	Short   string // one letter; "": only the long form exists
	Kind    Kind
	Choices []string // the only values; nil: any
	Likely  []string // values for a shell to complete, where others are possible
	Usual   string   // the value without the flag, as text; "": the zero value
	Usage   string   // a sentence, with the name of the value in backquotes

	ShowChoices bool // the help lists the Choices after the sentence
}

// Help returns the flag --help, -h. It sets no field.
func Help() Flag { return Flag{Spec: Spec{Name: "help", Short: "h", Usage: "show help"}} }

// Text returns the flag as the help writes it, such as "--output, -o FILE", and its sentence, without backquotes.
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

// isBool reports whether the flag takes no value, or true or false.
func (s Spec) isBool() bool { return s.Kind.Parse == nil }

// parse converts text, the value of a flag that is not a boolean, to the type of its field. An invalid value is a
// UsageError.
func (s Spec) parse(text string) (any, error) {
	if s.Choices != nil && !slices.Contains(s.Choices, text) {
		return nil, Misuse("--%s must be %s, not %q", s.Name, inWords(s.Choices), text)
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

// A Flag is a flag and the field of a struct that it sets.
type Flag struct {
	Spec
	index []int // of the field in the struct of options; nil: the flag sets no field
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
	Synopsis  string   // "locus get [FLAG…] URL…"; errors show the words after the flags
	Help      string   // the command that explains this one: "locus help get"
	FullHelp  string   // the command that explains all flags: "locus help --all get"; "": Help does
	Common    []string // the long names of the flags that Help explains, if FullHelp is set
	Flags     []Flag
	IsProgram bool // the first argument names another command, to which all later words belong
}

// helpFor returns the command that explains the flag with a long name: Help for a common flag, and FullHelp, if it is
// set, for any other name.
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
