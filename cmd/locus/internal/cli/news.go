package cli

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"

	"locus/access"
	"locus/proto/nntp"
)

// newsClient returns the news client that o and the environment ask for.
func (e *Env) newsClient(o Protocols) (nntp.Client, error) {
	client := nntp.Client{Server: newsServer(e.Getenv("NNTPSERVER"), "/etc"), User: o.NewsUser}
	switch {
	case o.NewsTLS && o.NewsNoTLS:
		return client, Misuse("--news-tls and --news-no-tls exclude each other")
	case o.NewsTLS:
		client.Security = access.RequireTLS
	case o.NewsNoTLS:
		client.Security = access.NeverTLS
	}
	if o.Spool != "" {
		root, err := e.OpenRoot(o.Spool) // it stays open while the command runs
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
