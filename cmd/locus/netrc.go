package main

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"locus/access"
)

// A netrcEntry is the login of .netrc for a machine.
type netrcEntry struct{ machine, login, password string }

// findNetrc returns the first entry of a .netrc for a host and, unless user is
// empty, for that user. An entry "default" is for every host.
func findNetrc(text, host, user string) (netrcEntry, bool) {
	for _, e := range parseNetrc(text) {
		if (e.machine == "" || strings.EqualFold(e.machine, host)) && (user == "" || e.login == user) {
			return e, true
		}
	}
	return netrcEntry{}, false
}

// parseNetrc reads a .netrc: words, of which machine, login, password and
// account have a word after them. A macro ends with an empty line.
func parseNetrc(text string) []netrcEntry {
	var all []netrcEntry
	words := netrcWords(text)
	for i := 0; i < len(words); i++ {
		next := ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		switch words[i] {
		case "default":
			all = append(all, netrcEntry{})
			continue
		case "machine":
			all = append(all, netrcEntry{machine: next})
		case "login":
			if len(all) > 0 {
				all[len(all)-1].login = next
			}
		case "password":
			if len(all) > 0 {
				all[len(all)-1].password = next
			}
		}
		i++
	}
	return all
}

// netrcWords returns the words outside of comments and macros.
func netrcWords(text string) []string {
	var words []string
	macro := false
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
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

// readNetrc returns the text of a .netrc: the named file, $NETRC or ~/.netrc. Only a
// named file must exist. If others can read the file it also returns an error: then its
// passwords must not be used.
func readNetrc(name string) (string, error) {
	named := name != ""
	name = cmp.Or(name, os.Getenv("NETRC"))
	if home, err := os.UserHomeDir(); name == "" && err == nil {
		name = filepath.Join(home, ".netrc")
	}
	info, err := os.Stat(name)
	if err != nil && !named {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(name)
	if err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		err = &exposed{name}
	}
	return string(text), err
}

// exposed is the error for a .netrc that others can read.
type exposed struct{ name string }

func (e *exposed) Error() string          { return e.name + " has a password, and others may read it" }
func (e *exposed) Suggest() access.Remedy { return access.Advice("chmod 600 keeps it to yourself") }
