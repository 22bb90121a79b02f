package send

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"locus/cmd/locus/internal/clitest"
)

func TestSendDryRun(t *testing.T) {
	const letter = "From: ada@example.org\nTo: bob@example.org\nBcc: eve@example.org\n\nHello\n"
	for _, test := range []struct {
		args   []string
		stdin  string
		want   string // a part of the message; "": no message
		stderr string
		status int
	}{
		{args: []string{"mailto:bob@example.org?subject=Hi", "--from", "ada@example.org"}, want: "Subject: Hi\r\n", stderr: "from ada@example.org to bob@example.org"},
		{args: []string{"MAILTO:bob@example.org", "--from", "ada@example.org"}, want: "To: <bob@example.org>", stderr: "to bob@example.org"},
		{stdin: letter, want: "\r\n\r\nHello\r\n", stderr: "from ada@example.org to bob@example.org, eve@example.org"},
		{args: []string{"-"}, stdin: letter, want: "Hello", stderr: "from ada"},
		{args: []string{"--from", "carol@example.org"}, stdin: letter, want: "Hello", stderr: "from carol@example.org to"},
		{args: []string{"--from", "carol"}, stdin: letter, stderr: "the sender must be an address", status: 2},
		{stdin: "To: bob@example.org\n\nx\n", stderr: "hint: name the sender with --from ADDRESS", status: 1},
		{stdin: "From: ada@example.org\n\nx\n", stderr: "read the message: ", status: 1},
		{stdin: "no header", stderr: "read the message: ", status: 1},
		{args: []string{"missing.eml"}, stderr: "hint: locus send takes a message in a file, or a mailto URL", status: 1},
		{args: []string{"a", "b"}, stderr: "send takes fewer arguments", status: 2},
	} {
		in := clitest.Input{Stdin: test.stdin, Dir: t.TempDir()}
		status, stdout, stderr := clitest.Run(t, Verb(), in, append([]string{"--dry-run"}, test.args...)...)
		if status != test.status || !strings.Contains(stdout, test.want) || (stdout == "") != (test.want == "") || !strings.Contains(stderr, test.stderr) {
			t.Errorf("send --dry-run %q = %d, %q, %q, want %d, %q, %q", test.args, status, stdout, stderr, test.status, test.want, test.stderr)
		}
		if strings.Contains(stdout, "Bcc") || strings.Contains(stdout, "eve@") {
			t.Errorf("send --dry-run %q shows the address in Bcc: %q", test.args, stdout)
		}
	}
}

// --smtp names a server in several forms. An invalid server is refused before send connects, and a
// password is never shown.
func TestSendServer(t *testing.T) {
	for server, want := range map[string]string{
		"http://u:secret@h/":       "http",
		"smtp://u:secret@[::1":     "parse ",
		"smtp://":                  "host",
		"smtp://h:99999":           "port",
		"u:secret@127.0.0.1:port/": "port",
		"smtp://u:secret@h/path":   "path",
		"smtp://h/?secret":         "path",
		"h/path":                   "path",
	} {
		status, stdout, stderr := clitest.Run(t, Verb(), clitest.Input{}, "--smtp", server, "--from", "a@example.org", "mailto:b@example.org")
		if status == 0 || stdout != "" || !strings.Contains(stderr, want) || strings.Contains(stderr, "secret") {
			t.Errorf("send --smtp %s = %d, %q, %q, want %q", server, status, stdout, stderr, want)
		}
	}
}

// Without a server the program sendmail gets the addresses as arguments, and the message with lines
// that end in LF. If the program fails, send fails, too.
func TestSendWithSendmail(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the test's sendmail is a shell script")
	}
	dir := t.TempDir()
	program := "#!/bin/sh\necho \"$@\" > " + dir + "/args\ncat > " + dir + "/text\nexit $(cat " + dir + "/status)\n"
	if err := os.WriteFile(filepath.Join(dir, "sendmail"), []byte(program), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, exit := range []string{"0", "75"} {
		if err := os.WriteFile(filepath.Join(dir, "status"), []byte(exit), 0o600); err != nil {
			t.Fatal(err)
		}
		in := clitest.Input{Env: map[string]string{"PATH": dir}}
		status, stdout, stderr := clitest.Run(t, Verb(), in, "--from", "-x@example.org", "mailto:b@example.org?body=text&bcc=c@example.org")
		if (status == 0) != (exit == "0") || stdout != "" || (status != 0) != strings.Contains(stderr, "send with "+dir+"/sendmail: exit status 75") {
			t.Errorf("send with a sendmail that ends with %s = %d, %q, %q", exit, status, stdout, stderr)
		}
		args, _ := os.ReadFile(filepath.Join(dir, "args"))
		text, _ := os.ReadFile(filepath.Join(dir, "text"))
		if string(args) != "-i -f -x@example.org -- b@example.org c@example.org\n" || !strings.HasSuffix(string(text), "\n\ntext\n") || strings.Contains(string(text), "\r") || strings.Contains(string(text), "Bcc") {
			t.Errorf("a sendmail that ends with %s gets the arguments %q and the message %q", exit, args, text)
		}
	}
}
