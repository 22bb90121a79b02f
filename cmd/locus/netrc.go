package main

import "strings"

// A netrcEntry is who logs in on a machine, says .netrc.
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
