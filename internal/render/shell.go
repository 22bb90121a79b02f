package render

import "strings"

// plainInShell are the bytes that mean themselves in every shell, besides letters and digits.
const plainInShell = "%+,-./:@_"

// ShellWord returns text as one word for a POSIX shell. It adds single quotes if a shell would change the text.
func ShellWord(text string) string {
	isSpecial := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune(plainInShell, r)
	}
	if text != "" && !strings.ContainsFunc(text, isSpecial) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
