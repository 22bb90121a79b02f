package list

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/clitest"
)

// A name cannot control a terminal or make two lines, in any format. JSON has the name unchanged.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const name = "a\x1b[2J\nb\t\u202ec"
	if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
		t.Skip("this system does not allow such names: ", err)
	}
	at := cli.NewEnv(nil, nil, nil).FileURL(dir).String() + "/"
	for _, args := range [][]string{{at}, {"-l", at}, {"--json", at}} {
		status, stdout, stderr := clitest.Run(t, Ls(), clitest.Input{}, args...)
		isJSON := strings.Contains(strings.Join(args, " "), "--json")
		if status != 0 || stderr != "" || strings.Count(stdout, "\n") != 1 || strings.ContainsAny(stdout, "\x1b\u202e") {
			t.Errorf("ls %q = %d, %q, %q", args, status, stdout, stderr)
		}
		if !isJSON {
			continue
		}
		var object struct{ Title string }
		if err := json.Unmarshal([]byte(stdout), &object); err != nil || object.Title != name {
			t.Errorf("ls %q writes the title %q, %v", args, object.Title, err)
		}
	}
}

// An empty folder has no lines, and several URLs are listed one after another. A misuse lists no
// URL.
func TestListMisuse(t *testing.T) {
	t.Parallel()
	empty := cli.NewEnv(nil, nil, nil).FileURL(t.TempDir()).String() + "/"
	for _, verb := range []*cli.Verb{Ls(), Stat()} {
		clitest.Table(t, verb, []clitest.Case{
			{Args: []string{empty, "--max-time", "0s"}, Status: 2, Stderr: "--max-time"},
			{Args: []string{empty, "--ftp-tls", "--ftp-no-tls"}, Status: 2, Stderr: "cannot be combined"},
			{Args: []string{empty, "--from-warc", "none.warc"}, Status: 1, Stderr: "none.warc"},
			{Args: []string{empty, "--record-syntax", "nosuch"}, Status: 2, Stderr: "--record-syntax"},
			{Args: []string{empty, "--from-warc", "none.warc", "--proxy", "socks5://h"}, Status: 2, Stderr: "--from-warc and --proxy cannot be combined"},
			{Args: []string{"a/b"}, Status: 1, Stderr: "hint: a URL starts with its scheme"},
			{Args: []string{"/etc/hosts"}, Status: 1, Stderr: "write file:///etc/hosts"},
			{Args: []string{"telnet://u:hush@h:25/"}, Status: 1, Stderr: "telnet://u:xxxxx@h:25/"},
			{Args: []string{""}, Status: 1, Stderr: "the URL is empty"},
		})
	}
	clitest.Table(t, Ls(), []clitest.Case{
		{Args: []string{empty}},
		{Args: []string{empty, empty, "--json"}},
		{Args: []string{empty, "-l", "--json"}, Status: 2, Stderr: "--long and --json cannot be combined"},
		{Args: []string{empty, "--min-rate", "-1"}, Status: 2, Stderr: "--min-rate"},
	})
	clitest.Table(t, Stat(), []clitest.Case{{Args: []string{empty, "-l"}, Status: 2, Stderr: "-l"}})
}
