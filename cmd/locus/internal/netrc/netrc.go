// Package netrc reads the logins of a .netrc file: the names and passwords of a person at hosts.
package netrc

import (
	"os"
	"runtime"
	"slices"
	"strings"
	"unicode"

	"locus/access"
)

// A File has the entries of a .netrc, in their order.
type File []Entry

// An Entry is the login at a machine. An empty Machine stands for every machine, as the entry
// "default" does.
type Entry struct{ Machine, Login, Password string }

// Read reads a file. If the file does not exist, the error wraps fs.ErrNotExist. If others can read
// the file, the error is an [*ExposedError] and the File is valid: a program can use the logins,
// but should not use the passwords.
func Read(name string) (File, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(name)
	if err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		err = &ExposedError{Name: name}
	}
	return Parse(string(text)), err
}

// An ExposedError is the error for a file that others can read.
type ExposedError struct{ Name string }

// Error returns "NAME has a password, and others may read it".
func (e *ExposedError) Error() string { return e.Name + " has a password, and others may read it" }

// Suggest returns a remedy: to remove the permissions of others.
func (e *ExposedError) Suggest() access.Remedy {
	return access.Advice("make it readable only by you: chmod 600")
}

// Find returns the first entry for a host, or a "default" entry if that comes first. If user is not
// empty, the entry must be for that user. ok is false if f does not have such an entry.
func (f File) Find(host, user string) (entry Entry, ok bool) {
	for _, e := range f {
		if (e.Machine == "" || strings.EqualFold(e.Machine, host)) && (user == "" || e.Login == user) {
			return e, true
		}
	}
	return Entry{}, false
}

// withoutDefault returns a copy of f without the entries for every machine.
func (f File) withoutDefault() File {
	return slices.DeleteFunc(slices.Clone(f), func(e Entry) bool { return e.Machine == "" })
}

// Parse reads the text of a .netrc. It returns an Entry for each machine and each "default", in
// their order, with the login and the password that follow. It ignores accounts, macros, comments,
// unknown words and a byte order mark. A word in double quotes may have blanks. In it, "\n", "\r"
// and "\t" stand for control characters, and "\" makes any other byte stand for itself, as curl
// reads it.
func Parse(text string) File {
	var all File
	words := wordsOf(strings.TrimPrefix(text, "\ufeff"))
	for i := 0; i < len(words); i++ {
		next := ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		switch words[i] {
		case "default":
			all = append(all, Entry{})
			continue
		case "account":
		case "machine":
			all = append(all, Entry{Machine: next})
		case "login":
			if len(all) > 0 {
				all[len(all)-1].Login = next
			}
		case "password":
			if len(all) > 0 {
				all[len(all)-1].Password = next
			}
		default:
			continue
		}
		i++
	}
	return all
}

// wordsOf returns the words of a .netrc, without quotes, comments and macros. A macro is from a
// line that begins with macdef to the next empty line.
func wordsOf(text string) []string {
	var words []string
	macro := false
	for line := range strings.Lines(text) {
		fields := wordsIn(line)
		switch {
		case len(fields) == 0:
			macro = false
		case macro, strings.HasPrefix(fields[0], "#"):
		case fields[0] == "macdef":
			macro = true
		default:
			words = append(words, fields...)
		}
	}
	return words
}

// wordsIn returns the words of a line. A word in double quotes may have blanks and escapes, and is
// returned without the quotes, decoded. A quote that is not closed is an ordinary character.
func wordsIn(line string) []string {
	var words []string
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
		word, rest, ok := cutQuoted(line)
		if !ok {
			end := strings.IndexFunc(line, unicode.IsSpace)
			if end < 0 {
				end = len(line)
			}
			word, rest = line[:end], line[end:]
		}
		words, line = append(words, word), rest
	}
	return words
}

// unquoted returns the byte for which a backslash and c stand in a quoted word.
func unquoted(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}

// cutQuoted cuts a quoted word off the start of a line, which is not empty. It returns the word
// without quotes and with its escapes decoded, and the text after it. ok is false if the line does
// not begin with a quote, or if the quote is not closed.
func cutQuoted(line string) (word, rest string, ok bool) {
	if line[0] != '"' {
		return "", "", false
	}
	var b strings.Builder
	for i := 1; i < len(line); i++ {
		switch c := line[i]; {
		case c == '"':
			return b.String(), line[i+1:], true
		case c == '\\' && i+1 < len(line):
			i++
			b.WriteByte(unquoted(line[i]))
		default:
			b.WriteByte(c)
		}
	}
	return "", "", false
}
