package flags

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// Given has the long names of the flags that were given, even with their default values. The
// value is false for a flag that was given as --flag=false.
type Given map[string]bool

// First returns the first of names that was given, with its dashes; "" if none was. It ignores
// a flag that was given as --flag=false.
func (g Given) First(names ...string) string {
	for _, name := range names {
		if g[name] {
			return Dashed(name)
		}
	}
	return ""
}

// Fill sets the fields of the struct to which options points: a field for each flag, the arguments
// and Given. It returns a UsageError if a value is wrong, or if there are more or fewer arguments
// than the struct takes.
func (c *Command) Fill(options any, w *Words) error {
	fields := reflect.ValueOf(options).Elem()
	names := make(Given)
	for _, f := range c.Flags {
		if f.index == nil {
			continue // it has no field
		}
		if w.isSet(f.Name) {
			names[f.Name] = !f.isBool() || w.IsTrue(f.Name)
		}
		if err := f.fill(fields.FieldByIndex(f.index), w); err != nil {
			return c.withHelp(f.Name, err)
		}
	}
	arguments := "0"
	for i := range fields.NumField() {
		if limits, ok := fields.Type().Field(i).Tag.Lookup("args"); ok {
			arguments = limits
			fields.Field(i).Set(reflect.ValueOf(w.Arguments))
		}
		if fields.Field(i).Type() == reflect.TypeFor[Given]() {
			fields.Field(i).Set(reflect.ValueOf(names))
		}
	}
	return c.countArguments(arguments, len(w.Arguments))
}

// withHelp returns err, an error about the flag name. If err is a UsageError without a hint, it
// gets one: the command that explains the flag.
func (c *Command) withHelp(name string, err error) error {
	if usage, ok := errors.AsType[*UsageError](err); ok && usage.Hint == "" {
		usage.Hint = c.helpFor(name)
	}
	return err
}

// fill sets field to the value of the flag in w, or to the usual value if the flag was not given.
// Without either, a boolean field becomes false, and any other field stays unchanged. The values of
// a list are appended to the field.
func (f Flag) fill(field reflect.Value, w *Words) error {
	name := f.Name
	switch {
	case f.isBool():
		field.SetBool(w.IsTrue(name))
		return nil
	case f.Kind.List:
		for _, text := range w.values[name] {
			value, err := f.parse(text)
			if err != nil {
				return err
			}
			field.Set(appendAll(field, reflect.ValueOf(value)))
		}
		return nil
	}
	text := f.Usual
	if w.isSet(name) {
		text = w.last(name)
	} else if text == "" {
		return nil
	}
	value, err := f.parse(text)
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

// SetDefaults sets flags that were not given to values of a configuration, by their long names:
// true or false, a number, a text, or a list of these. It ignores names that are not flags of the
// struct. options points to the struct, and given is its Given, to which the flags are added. A
// value of the wrong type is a UsageError that names the flag.
func (c *Command) SetDefaults(options any, given Given, values map[string]any) error {
	fields := reflect.ValueOf(options).Elem()
	for _, f := range c.Flags {
		value, ok := values[f.Name]
		if _, isGiven := given[f.Name]; !ok || isGiven || f.index == nil {
			continue
		}
		if err := f.setDefault(fields.FieldByIndex(f.index), value); err != nil {
			return err
		}
		given[f.Name] = value != false
	}
	return nil
}

// setDefault sets field to a value of a configuration. A value that does not fit the flag is a
// UsageError.
func (f Flag) setDefault(field reflect.Value, value any) error {
	list, isList := value.([]any)
	isTrue, isBool := value.(bool)
	switch {
	case isBool != f.isBool(), isList && !f.Kind.List:
		return Misuse("--%s does not take %v", f.Name, value)
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
		switch item.(type) {
		case bool, []any, map[string]any:
			return Misuse("--%s does not take %v", f.Name, item)
		}
		parsed, err := f.parse(fmt.Sprint(item))
		switch {
		case err != nil:
			return err
		case f.Kind.List:
			field.Set(appendAll(field, reflect.ValueOf(parsed)))
		default:
			field.Set(reflect.ValueOf(parsed))
		}
	}
	return nil
}

// appendAll returns list with value appended, or with all elements of value if that is a slice of
// the same type.
func appendAll(list, value reflect.Value) reflect.Value {
	if value.Type() == list.Type() {
		return reflect.AppendSlice(list, value)
	}
	return reflect.Append(list, value)
}

// countArguments returns a UsageError unless n, the number of arguments, is within limits, a tag
// such as "2", "0-1" or "1-".
func (c *Command) countArguments(limits string, n int) error {
	least, most, isRange := strings.Cut(limits, "-")
	if !isRange {
		most = least
	}
	from, err := strconv.Atoi(least)
	if err != nil {
		panic(fmt.Sprintf("%s: args:%q is no range", c.Name, limits)) // a tag of this command is wrong
	}
	to := n
	if most != "" {
		to, _ = strconv.Atoi(most)
	}
	switch {
	case n < from:
		return &UsageError{c.Name + " needs more arguments: " + argumentsOf(c.Synopsis), c.Help}
	case to == 0 && n > 0:
		return &UsageError{c.Name + " takes no arguments", c.Help}
	case n > to:
		return &UsageError{c.Name + " takes fewer arguments: " + argumentsOf(c.Synopsis), c.Help}
	}
	return nil
}

// argumentsOf returns the arguments in a synopsis such as "locus get [FLAG…] URL…": "URL…".
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
