package compose

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"locus/cmd/locus/internal/clitest"
)

var ada = map[string]string{"EMAIL": "Ada <ada@example.org>"}

func TestCompose(t *testing.T) {
	for _, test := range []struct {
		args   []string
		want   string // a part of the message; "": no message
		stderr string
		status int
	}{
		{args: []string{"mailto:bob@example.org?subject=H%C3%A9&body=a%0D%0Ab"}, want: "From: <ada@example.org>\r\nTo: <bob@example.org>\r\nSubject: =?utf-8?"},
		{args: []string{"mailto:bob@example.org?body=a%0D%0Ab"}, want: "\r\n\r\na\r\nb\r\n"},
		{args: []string{"--from", "eve@example.org", "mailto:bob@example.org"}, want: "From: <eve@example.org>"},
		{args: []string{"mailserver:majordomo@example.org/Hi/subscribe%20news/end"}, want: "To: <majordomo@example.org>\r\nSubject: Hi\r\n"},
		{args: []string{"mailserver:majordomo@example.org//subscribe%20news/end"}, want: "\r\n\r\nsubscribe news\r\nend\r\n"},
		// The URL of a stranger cannot set the sender, nor a header field that programs obey.
		{args: []string{"mailto:bob@example.org?from=x@y&attach=/etc/passwd&x-a=b"}, want: "From: <ada@example.org>", stderr: `left out, because they are unsafe or repeated: "from", "attach", "x-a"`},
		{args: []string{"mailto:bob@example.org?subject=a%0D%0ABcc:x@y"}, stderr: `header field "subject" has CR`, status: 1},
		{args: []string{"--from", "nobody", "mailto:bob@example.org"}, stderr: "the sender must be an address such as", status: 2},
		{args: []string{"http://u:secret@h/"}, stderr: "http://u:xxxxx@h/ is not a mailto URL\nlocus: hint: locus get opens other URLs", status: 1},
		{args: []string{"mailto:bob@@x y"}, stderr: "parse", status: 1},
		{args: []string{"--edit", "mailto:bob@example.org"}, stderr: "no editor is set\nlocus: hint: set EDITOR to the name of one", status: 1},
		{stderr: "compose needs more arguments", status: 2},
	} {
		status, stdout, stderr := clitest.Run(t, Verb(), clitest.Input{Env: ada}, test.args...)
		if status != test.status || !strings.Contains(stdout, test.want) || (stdout == "") != (test.want == "") || !strings.Contains(stderr, test.stderr) || (stderr == "") != (test.stderr == "") {
			t.Errorf("compose %q = %d, %q, %q, want %d, %q, %q", test.args, status, stdout, stderr, test.status, test.want, test.stderr)
		}
	}
}

// --output writes into the user's folder, and stdout stays empty.
func TestComposeOutput(t *testing.T) {
	dir := t.TempDir()
	status, stdout, stderr := clitest.Run(t, Verb(), clitest.Input{Dir: dir, Env: ada}, "-o", "m.eml", "mailto:bob@example.org")
	text, err := os.ReadFile(filepath.Join(dir, "m.eml"))
	if status != 0 || stdout != "" || stderr != "" || err != nil || !strings.Contains(string(text), "To: <bob@example.org>\r\n") {
		t.Errorf("compose -o = %d, %q, %q; the file has %q, %v", status, stdout, stderr, text, err)
	}
}

// The editor gets lines that end in LF. The text that it saves is written with CR LF.
func TestComposeEdit(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the test's editor is a shell script")
	}
	dir := t.TempDir()
	for script, want := range map[string]string{
		"#!/bin/sh\ngrep -q \"$(printf '\\r')\" \"$1\" && exit 1\nprintf 'edited\\n' >> \"$1\"\necho shown\n": "\r\n\r\nedited\r\n",
		"#!/bin/sh\nexit 1\n": "",
	} {
		editor := filepath.Join(dir, "editor")
		if err := os.WriteFile(editor, []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		env := map[string]string{"EMAIL": ada["EMAIL"], "EDITOR": "none", "VISUAL": editor, "PATH": os.Getenv("PATH")}
		status, stdout, stderr := clitest.Run(t, Verb(), clitest.Input{Env: env}, "--edit", "mailto:bob@example.org")
		if (status == 0) != (want != "") || !strings.HasSuffix(stdout, want) || strings.Contains(stdout, "shown") {
			t.Errorf("compose --edit with the editor %q = %d, %q, %q, want %q at the end", script, status, stdout, stderr, want)
		}
		if want == "" && (stdout != "" || !strings.Contains(stderr, "edit the message with "+editor)) {
			t.Errorf("compose --edit with the editor %q, which fails, = %q, %q", script, stdout, stderr)
		}
	}
}
