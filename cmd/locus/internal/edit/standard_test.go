package edit

import (
	"strings"
	"testing"

	"locus/cmd/locus/internal/clitest"
)

// Parts that contradict each other, that a URL cannot have, or that would change another part are
// errors, and the URL is not written.
func TestEditRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		args   []string
		status int
		stderr string
	}{
		{[]string{"http://h/", "--set", "port=65536x"}, 1, "port"},
		{[]string{"http://h/", "--set", "scheme=1x"}, 1, "scheme"},
		{[]string{"mailto:a@b", "--set", "port=1"}, 1, "locus: "},
		{[]string{"http://h/", "--set", "ftp.type=i"}, 1, "ftp.type"},
		{[]string{"http://h/", "--unset", "nope"}, 2, "hint: locus help edit lists the parts"},
		{[]string{"http://h/", "--iterate", "nope=1"}, 2, "hint: locus help edit lists the parts"},
		{[]string{"http://h/", "--as", "nosuch"}, 2, "--as"},
		{[]string{"http://h/", "--set="}, 2, "--set"},
		{[]string{"http://h/", "--append-path="}, 2, `--append-path must be the name of a file or folder, not ""`},
		{[]string{"http://h/", "--append-path", "a", "--append-path", ""}, 2, `--append-path must be the name of a file or folder, not ""`},
		{[]string{"http://h/", "--append-path", "a", "--append-path", ".."}, 2, `--append-path must be the name of a file or folder, not ".."`},
		{[]string{"http://h/", "--append-path", "."}, 2, `--append-path must be the name of a file or folder, not "."`},
		{[]string{"http://h/?=1", "--unset-query="}, 2, `--unset-query must not be empty`},
		{[]string{"http://u:hush@h/", "--set", "host=a b\x00["}, 1, "host"},
		{[]string{"http://u:hush@[", "--unset", "path"}, 1, "parse"},
	} {
		status, stdout, stderr := clitest.Run(t, Verb(), clitest.Input{}, test.args...)
		if status != test.status || stdout != "" || !strings.Contains(stderr, test.stderr) || strings.Contains(stderr, "hush") {
			t.Errorf("edit %q = %d, %q, %q, want %d, %q", test.args, status, stdout, stderr, test.status, test.stderr)
		}
	}
}

// The lines of stdin are URLs of any length. They end in CR LF or LF, and the last one may have no
// end.
func TestEditLines(t *testing.T) {
	t.Parallel()
	long := "http://h/" + strings.Repeat("x", 1<<20)
	clitest.Table(t, Verb(), []clitest.Case{
		{Args: []string{"--set", "port=1"}},
		{Args: []string{"--set", "port=1"}, Stdin: "http://a/\r\nhttp://b/", Stdout: "http://a:1/\nhttp://b:1/\n"},
		{Args: []string{"--unset", "path"}, Stdin: long + "\nhttp://b/\n", Stdout: "http://h\nhttp://b\n"},
		{Args: []string{"--set", "port=1"}, Stdin: "http://[\nhttp://b/\n", Status: 1, Stdout: "http://b:1/\n", Stderr: "parse"},
		{Stdin: "HTTP://H/%7e?\n", Stdout: "HTTP://H/%7e?\n"}, // without edits a URL stays unchanged
	})
}
