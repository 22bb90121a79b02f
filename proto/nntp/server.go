package nntp

import (
	"bufio"
	"io/fs"
	"strings"
)

// FindServer returns the user's news server, for Client.Server; "" if it finds none. variable is
// the value of the environment variable NNTPSERVER. If it is empty, FindServer looks into the files
// of other news readers and servers. Below etc, usually /etc, these are
//
//	news/server    tin, trn
//	nntpserver     Gnus
//	news/inn.conf  INN, in the line "server:"
//
// It skips comments, which begin with "#", and files that cannot be read.
func FindServer(variable string, etc fs.FS) string {
	if variable = strings.TrimSpace(variable); variable != "" {
		return variable
	}
	for _, file := range []struct{ name, key string }{
		{"news/server", ""}, {"nntpserver", ""}, {"news/inn.conf", "server:"},
	} {
		if server := lookUp(etc, file.name, file.key); server != "" {
			return server
		}
	}
	return ""
}

// lookUp returns the word after key at the start of a line of the file name in etc. For an empty
// key it returns the first word of the file. It returns "" if the word is missing or the file
// cannot be opened.
func lookUp(etc fs.FS, name, key string) string {
	f, err := etc.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line, _, _ := strings.Cut(lines.Text(), "#")
		value, ok := strings.CutPrefix(strings.TrimSpace(line), key)
		if words := strings.Fields(value); ok && len(words) > 0 {
			return strings.Trim(words[0], `"`)
		}
	}
	return ""
}
