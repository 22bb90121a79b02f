package edit

import (
	"strings"
	"testing"

	"locus/cmd/locus/internal/clitest"
)

func TestEdit(t *testing.T) {
	for _, test := range []struct{ args, want string }{ // args are separated by blanks
		{"http://h/a?q#f --unset query --unset fragment", "http://h/a"},
		{"http://h/a --set port=8080 --set user=me", "http://me@h:8080/a"},
		{"http://h/a --set port=1 --set port=2", "http://h:2/a"},
		{"http://h/a --unset path --set path=/b", "http://h/b"},
		{"http://h/a --set path=/%41%zz", "http://h/%41%25zz"}, // an escape is kept, and another "%" is escaped
		{"http://h/a/ --append-path b/c --append-path d", "http://h/a/b%2Fc/d"},
		{"ftp://h/a;type=a --set ftp.type=i", "ftp://h/a;type=i"},
		{"gopher://h/0a --set gopher.selector=/b", "gopher://h/0/b"},
		{"http://h/?a=1&b=2&a=3 --unset-query a", "http://h/?b=2"},
		{"http://h/?a=1 --unset-query *", "http://h/"},
		{"http://h/?%5B=1&%5B%5D=2 --unset-query [", "http://h/?%5B%5D=2"}, // "[" is not special
		{"http://h/?b=1&a=2 --sort-query --add-query a=1", "http://h/?a=2&a=1&b=1"},
		{"http://h/?a=1&b=2 --set-query a=x&y", "http://h/?a=x%26y&b=2"},
		{"http://h/?%61=1 --sort-query", "http://h/?%61=1"}, // unchanged pairs keep their text
		{"http://h/?a=1 --set query=b=2 --add-query c=3", "http://h/?b=2&c=3"},
		{"http://h/ --iterate port=1 --iterate user=a", "http://a@h:1/"},
		{"--guess example.org --set path=/x", "https://example.org/x"},
		{"--as rfc1738 http://h/a --set-query q=1/2", "http://h/a?q=1%2F2"},
	} {
		status, stdout, stderr := clitest.Run(t, Verb(), clitest.Input{}, strings.Fields(test.args)...)
		if status != 0 || stdout != test.want+"\n" || stderr != "" {
			t.Errorf("edit %s = %d, %q, %q, want %q", test.args, status, stdout, stderr, test.want)
		}
	}
}

// For parts without escapes, the hint does not say to escape a byte.
func TestEditHints(t *testing.T) {
	for _, set := range []string{"port=8 0", "scheme=a b"} {
		status, _, stderr := clitest.Run(t, Verb(), clitest.Input{}, "ftp://h/a", "--set", set)
		if status != 1 || stderr == "" || strings.Contains(stderr, "hint:") {
			t.Errorf("edit --set %q = %d, %q, want an error without a hint", set, status, stderr)
		}
	}
}

func TestEditInput(t *testing.T) {
	clitest.Table(t, Verb(), []clitest.Case{
		{Args: []string{"--set", "port=1"}, Stdin: "http://a/\nhttp://b/\n", Stdout: "http://a:1/\nhttp://b:1/\n"},
		{Args: []string{"", "--set", "scheme=https", "--set", "host=h"}, Stdout: "https://h\n"},
		{Args: []string{"http://h/", "--iterate", "port=1 2", "--iterate", "path=/a /b"}, Stdout: "http://h:1/a\nhttp://h:1/b\nhttp://h:2/a\nhttp://h:2/b\n"},
		// An invalid URL is reported, and the other URLs are edited. A misuse ends the command.
		{Args: []string{":", "http://h/", "--unset", "path"}, Status: 1, Stdout: "http://h\n", Stderr: `parse ":"`},
		{Args: []string{"--set", "ftp.type=i"}, Stdin: "ftp://h/a\nhttp://h/b\nftp://h/c\n", Status: 1, Stdout: "ftp://h/a;type=i\nftp://h/c;type=i\n", Stderr: `"ftp.type" in a URL of scheme "http"`},
		{Args: []string{"http://h/", "--set", "http.colour=i"}, Status: 2, Stderr: "http.colour"},
		{Args: []string{"http://h/", "http://i/", "--set", "nope=1"}, Status: 2, Stderr: "nope"},
		{Args: []string{"http://h/", "--set", "port"}, Status: 2, Stderr: "--set must be PART=VALUE"},
		{Args: []string{"http://h/", "--set-query", "=x"}, Status: 2, Stderr: "--set-query must be NAME=VALUE"},
		{Args: []string{"http://h/", "--add-query", "x"}, Status: 2, Stderr: "--add-query must be NAME=VALUE"},
		{Args: []string{"http://h/", "--unset-query", "x", "--set-query", "a=1", "--iterate", "port"}, Status: 2, Stderr: "--iterate must be PART=VALUE"},
		{Args: []string{"http://h/", "--iterate", "port= "}, Status: 2, Stderr: "--iterate must be PART=VALUE"},
	})
}

// The error for an invalid part does not show a password, not even an escaped one.
func TestEditHidesPasswords(t *testing.T) {
	for _, set := range []string{"host=u:secret@x", "host=u:se cret@x", "host=secret@[", "port=u:secret@1"} {
		for _, flag := range []string{"--set", "--iterate"} {
			status, stdout, stderr := clitest.Run(t, Verb(), clitest.Input{}, "http://h/", flag, set)
			if status == 0 || stdout != "" || stderr == "" || strings.Contains(stderr, "secret") || strings.Contains(stderr, "cret@") {
				t.Errorf("edit %s %q = %d, %q, %q", flag, set, status, stdout, stderr)
			}
		}
	}
}
