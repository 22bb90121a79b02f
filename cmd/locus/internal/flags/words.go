package flags

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"locus/internal/typo"
)

// Words are the flags and the arguments in the words of a command.
type Words struct {
	Arguments []string

	values map[string][]string // all values that each flag was given, by its long name; of a boolean "true" or "false"
}

// IsTrue reports whether a boolean flag, by its long name, was given, and not last as --flag=false.
func (w *Words) IsTrue(flag string) bool { return w.last(flag) == "true" }

// isSet reports whether a flag was given, even as --flag=false.
func (w *Words) isSet(flag string) bool { return len(w.values[flag]) > 0 }

// last returns the last value that was given for a flag; "" if the flag was not given.
func (w *Words) last(flag string) string {
	values := w.values[flag]
	if len(values) == 0 {
		return ""
	}
	return values[len(values)-1]
}

// Parse sorts words into flags and arguments. Flags stand before or after arguments, and
// "--" ends them:
//
//	--flag  --flag=VALUE  --flag VALUE  -f  -f VALUE  -fVALUE  -fg
//
// One dash before a long name is enough. The word "-" is an argument. After a word such as
// "-5", or with IsProgram after the first argument, all words are arguments, too. An error is
// a UsageError.
func (c *Command) Parse(words []string) (*Words, error) {
	p := parser{Command: c, words: words, found: Words{values: make(map[string][]string)}}
	for len(p.words) > 0 {
		word := p.words[0]
		if word == "--" {
			p.found.Arguments = append(p.found.Arguments, p.words[1:]...)
			break
		}
		if isNegative(word) || c.IsProgram && !isFlag(word) {
			p.found.Arguments = append(p.found.Arguments, p.words...)
			break
		}
		p.words = p.words[1:]
		if !isFlag(word) {
			p.found.Arguments = append(p.found.Arguments, word)
			continue
		}
		if err := p.flag(word); err != nil {
			return nil, err
		}
	}
	return &p.found, nil
}

// A parser parses the words of a command.
type parser struct {
	*Command
	words []string // are still to be read
	found Words
}

// isFlag reports whether word begins with "-", but is not "-" itself.
func isFlag(word string) bool { return len(word) > 1 && word[0] == '-' }

// isNegative reports whether word is "-" and a character that is not a letter or "-", as in "-5".
func isNegative(word string) bool {
	if !isFlag(word) || word[1] == '-' {
		return false
	}
	first, _ := utf8.DecodeRuneInString(word[1:])
	return !unicode.IsLetter(first)
}

// flag reads word as a flag, or as several letters with one dash. If the flag needs a value and word has none, flag
// takes the next of p.words.
func (p *parser) flag(word string) error {
	written, value, hasValue := strings.Cut(word, "=")
	name, isLong := strings.CutPrefix(written[1:], "-")
	if f := p.find(name); f != nil {
		return p.set(f, written, value, hasValue)
	}
	if isLong || !p.areLetters(name) && p.similar(name) != "" {
		return p.unknown(name)
	}
	return p.letters(word[1:])
}

// letters sets the flags whose letters are in text. The last one may have a value: the text after
// it, with or without "=", or else the next word. An error shows only one letter, because the
// others may be a password.
func (p *parser) letters(text string) error {
	for len(text) > 0 {
		_, size := utf8.DecodeRuneInString(text)
		letter, rest := text[:size], text[size:]
		f := p.find(letter)
		if f == nil {
			return p.misuse(letter, "unknown flag -%s", letter)
		}
		value, hasValue := strings.CutPrefix(rest, "=")
		if hasValue || !f.isBool() {
			return p.set(f, "-"+letter, value, rest != "")
		}
		if err := p.set(f, "-"+letter, "", false); err != nil {
			return err
		}
		text = rest
	}
	return nil
}

// areLetters reports whether every byte of name is the letter of a flag, and only the last of these
// flags takes a value.
func (p *parser) areLetters(name string) bool {
	for i := range len(name) {
		f := p.find(name[i : i+1])
		if f == nil || !f.isBool() && i < len(name)-1 {
			return false
		}
	}
	return true
}

// find returns the flag with a long name or a letter; nil if the flag does not exist.
func (p *parser) find(name string) *Flag {
	for i, f := range p.Flags {
		if f.IsCalled(name) {
			return &p.Flags[i]
		}
	}
	return nil
}

// set adds a value to a flag. Without a value, a boolean flag becomes true, and any other flag takes the next of
// p.words. hasValue distinguishes an empty value from a missing one. written is the flag as the user typed it, for
// errors.
func (p *parser) set(f *Flag, written, value string, hasValue bool) error {
	switch {
	case f.isBool():
		if value == "" {
			value = "true"
		}
		is, err := strconv.ParseBool(value)
		if err != nil {
			return p.misuse(f.Name, "%s must be true or false, not %q", Dashed(strings.TrimLeft(written, "-")), value)
		}
		value = strconv.FormatBool(is)
	case !hasValue && len(p.words) == 0:
		return p.misuse(f.Name, "the flag %s needs a value", written)
	case !hasValue:
		value, p.words = p.words[0], p.words[1:]
	}
	p.found.values[f.Name] = append(p.found.values[f.Name], value)
	return nil
}

// misuse returns a UsageError about the flag with a long name. Its hint is the command that explains the flag.
func (p *parser) misuse(name, format string, args ...any) error {
	return &UsageError{Text: fmt.Sprintf(format, args...), Hint: p.helpFor(name)}
}

// unknown returns the error for the flag name, which does not exist. It suggests a similar flag if there is one.
func (p *parser) unknown(name string) error {
	if meant := p.similar(name); meant != "" {
		return &UsageError{Text: "unknown flag " + Dashed(name), Hint: "did you mean --" + meant + "? " + p.helpFor(name) + " lists the flags"}
	}
	return p.misuse(name, "unknown flag %s", Dashed(name))
}

// similar returns the long name of the flag that the user probably meant by name; "" if no flag is similar.
func (p *parser) similar(name string) string {
	if len(name) == 1 {
		return ""
	}
	var names []string
	for _, f := range p.Flags {
		names = append(names, f.Name)
	}
	return typo.Meant(name, names)
}
