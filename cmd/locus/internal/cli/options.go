package cli

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// The flags and arguments of a verb are the fields of a struct, its options:
//
//	type Options struct {
//		URLs   []string `args:"1-"`      // at least one argument
//		Output string   `flag:"output"`  // a flag of specs; "": not given
//		cli.Access                       // the flags of a group
//		Given  cli.Given                 // the flags that were given
//	}
//
// A flag that was not given leaves the zero value, or has the default of specs.

// Given are the names of the flags that were given, even if the value is the default.
type Given map[string]bool

// First returns the first of names that was given, with its dashes; "" if none was.
func (g Given) First(names ...string) string {
	for _, name := range names {
		if g[name] {
			return dashed(name)
		}
	}
	return ""
}

// A Flag is a flag of a verb.
type Flag struct {
	spec  spec
	index []int // of the field of its options
}

// Name returns the long name, without dashes.
func (f Flag) Name() string { return f.spec.name }

// Short returns the letter; "" if there is none.
func (f Flag) Short() string { return f.spec.short }

// Text returns how the flag is written, and what it does.
func (f Flag) Text() (written, usage string) { return f.spec.text() }

// AllFlags returns the flags of all verbs.
func AllFlags() []Flag {
	var all []Flag
	for _, s := range specs {
		all = append(all, Flag{spec: s})
	}
	return all
}

// Flags returns the flags of the verb, in the order of its help.
func (v *Verb) Flags() []Flag {
	if v.options == nil {
		return nil
	}
	return flagsOf(v.options())
}

// flagsOf returns the flags in the struct that options points to, in the order of its
// fields.
func flagsOf(options any) []Flag {
	var flags []Flag
	t := reflect.TypeOf(options).Elem()
	for _, f := range reflect.VisibleFields(t) {
		if name, ok := f.Tag.Lookup("flag"); ok {
			flags = append(flags, Flag{specOf(name), f.Index})
		}
	}
	return flags
}

// FlagNames returns the names of the flags in a group such as [Tree].
func FlagNames[Group any]() []string {
	var names []string
	for _, f := range flagsOf(new(Group)) {
		names = append(names, f.spec.name)
	}
	return names
}

// fill sets the fields of the struct that options points to. It returns a UsageError if
// a value is wrong.
func fill(options any, v *Verb, g *given) error {
	fields := reflect.ValueOf(options).Elem()
	names := make(Given)
	for _, f := range v.Flags() {
		names[f.spec.name] = g.isSet(f.spec.name)
		if err := f.fill(fields.FieldByIndex(f.index), v, g); err != nil {
			return err
		}
	}
	arguments := "0"
	for i := range fields.NumField() {
		if limits, ok := fields.Type().Field(i).Tag.Lookup("args"); ok {
			arguments = limits
			fields.Field(i).Set(reflect.ValueOf(g.arguments))
		}
		if fields.Field(i).Type() == reflect.TypeFor[Given]() {
			fields.Field(i).Set(reflect.ValueOf(names))
		}
	}
	return v.countArguments(arguments, len(g.arguments))
}

// fill sets a field to the value of its flag.
func (f Flag) fill(field reflect.Value, v *Verb, g *given) error {
	name := f.spec.name
	switch {
	case f.spec.isBool():
		field.SetBool(g.isTrue(name))
		return nil
	case f.spec.kind.list:
		for _, text := range g.values[name] {
			value, err := f.spec.parse(v, text)
			if err != nil {
				return err
			}
			field.Set(appendAll(field, reflect.ValueOf(value)))
		}
		return nil
	}
	text := f.spec.usual
	if g.isSet(name) {
		text = g.last(name)
	} else if text == "" {
		return nil
	}
	value, err := f.spec.parse(v, text)
	if err != nil {
		return err
	}
	if field.Kind() == reflect.Pointer {
		field.Set(reflect.New(field.Type().Elem()))
		field = field.Elem()
	}
	field.Set(reflect.ValueOf(value))
	return nil
}

// SetDefaults sets flags that were not given to values of a configuration: true or false, a
// number, a text, or a list of these. options points to the options of v, and given are
// its Given, to which the flags are added. The error names the flag.
func (v *Verb) SetDefaults(options any, given Given, values map[string]any) error {
	fields := reflect.ValueOf(options).Elem()
	for _, f := range v.Flags() {
		value, ok := values[f.spec.name]
		if !ok || given[f.spec.name] {
			continue
		}
		if err := f.setDefault(fields.FieldByIndex(f.index), v, value); err != nil {
			return err
		}
		given[f.spec.name] = true
	}
	return nil
}

func (f Flag) setDefault(field reflect.Value, v *Verb, value any) error {
	list, isList := value.([]any)
	isTrue, isBool := value.(bool)
	switch {
	case isBool != f.spec.isBool(), isList && !f.spec.kind.list:
		return Misuse("--%s does not take %v", f.spec.name, value)
	case isBool:
		field.SetBool(isTrue)
		return nil
	case !isList:
		list = []any{value}
	}
	if field.Kind() == reflect.Pointer {
		field.Set(reflect.New(field.Type().Elem()))
		field = field.Elem()
	}
	for _, item := range list {
		parsed, err := f.spec.parse(v, fmt.Sprint(item))
		switch {
		case err != nil:
			return err
		case f.spec.kind.list:
			field.Set(appendAll(field, reflect.ValueOf(parsed)))
		default:
			field.Set(reflect.ValueOf(parsed))
		}
	}
	return nil
}

// appendAll appends a value, or all values of a slice, to a slice.
func appendAll(list, value reflect.Value) reflect.Value {
	if value.Type() == list.Type() {
		return reflect.AppendSlice(list, value)
	}
	return reflect.Append(list, value)
}

// countArguments returns a UsageError unless there are as many arguments as a tag such
// as "2", "0-1" or "1-" says.
func (v *Verb) countArguments(limits string, n int) error {
	least, most, isRange := strings.Cut(limits, "-")
	if !isRange {
		most = least
	}
	from, err := strconv.Atoi(least)
	if err != nil {
		panic(fmt.Sprintf("%s: args:%q is no range", v.Name, limits)) // a tag of this command is wrong
	}
	to := n
	if most != "" {
		to, _ = strconv.Atoi(most)
	}
	hint := "locus help " + v.Name
	switch {
	case n < from:
		return &UsageError{v.Name + " wants more arguments: " + argumentsOf(v.Synopsis), hint}
	case to == 0 && n > 0:
		return &UsageError{v.Name + " takes no arguments", hint}
	case n > to:
		return &UsageError{v.Name + " wants fewer arguments: " + argumentsOf(v.Synopsis), hint}
	}
	return nil
}

// argumentsOf returns the arguments in a synopsis, without the verb and its flags.
func argumentsOf(synopsis string) string {
	var words []string
	isFlag := false
	for _, word := range strings.Fields(synopsis)[2:] {
		isFlag = isFlag || strings.HasPrefix(word, "[-") || strings.HasPrefix(word, "[FLAG")
		if !isFlag {
			words = append(words, word)
		}
		isFlag = isFlag && !strings.HasSuffix(word, "]") && !strings.HasSuffix(word, "]…")
	}
	return strings.Join(words, " ")
}
