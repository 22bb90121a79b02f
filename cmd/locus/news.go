package main

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v3"

	"locus/access"
	"locus/proto/nntp"
)

// newsClient returns the news client that the flags of c and the environment ask for.
func newsClient(c *cli.Command) (nntp.Client, error) {
	client := nntp.Client{Server: newsServer(os.Getenv("NNTPSERVER"), "/etc")}
	switch required, never := c.Bool("news-tls"), c.Bool("news-no-tls"); {
	case required && never:
		return client, misuse("--news-tls and --news-no-tls exclude each other")
	case required:
		client.Security = access.RequireTLS
	case never:
		client.Security = access.NeverTLS
	}
	if dir := c.String("spool"); dir != "" {
		root, err := os.OpenRoot(dir) // it stays open while the command runs
		if err != nil {
			return client, err
		}
		client.Spool = nntp.NewSpool(root.FS())
	}
	return client, nil
}

// newsServer returns the user's news server; "" if there is none. It is $NNTPSERVER, or
// stands in a file in etc that other news readers use: news/server (tin, trn), nntpserver
// (Gnus), or the "server:" line of news/inn.conf (INN).
func newsServer(variable, etc string) string {
	if variable = strings.TrimSpace(variable); variable != "" {
		return variable
	}
	for _, file := range []struct{ name, key string }{
		{"news/server", ""}, {"nntpserver", ""}, {"news/inn.conf", "server:"},
	} {
		if server := lookUp(filepath.Join(etc, file.name), file.key); server != "" {
			return server
		}
	}
	return ""
}

// lookUp returns the word after key at the start of a line of a file; "" if there is
// none. For an empty key it is the first word of the file. It skips comments.
func lookUp(name, key string) string {
	f, err := os.Open(name)
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
