package open

import (
	"testing"

	"locus/cmd/locus/internal/clitest"
)

// A URL that open cannot open, or whose flags do not fit, is refused before open connects, with a
// hint.
func TestOpenRefuses(t *testing.T) {
	clitest.Table(t, Verb(), []clitest.Case{
		{Args: []string{"--escape", "long", "telnet://h/"}, Status: 2, Stderr: "--escape must be a key such as ^] or ~, or none"},
		{Args: []string{"--charset", "klingon", "telnet://h/"}, Status: 2, Stderr: "klingon"},
		{Args: []string{"--charset", "latin1", "ftp://h/"}, Status: 2, Stderr: "--charset works only for sessions"},
		{Args: []string{"--charset", "latin1", "tn3270://h/"}, Status: 2, Stderr: "name the code page of the host with --code-page"},
		{Args: []string{"--model", "3", "telnet://h/"}, Status: 2, Stderr: "--model works only for tn3270"},
		{Args: []string{"--code-page", "273", "rlogin://h/"}, Status: 2, Stderr: "--code-page works only for tn3270"},
		{Args: []string{"--model", "3", "ftp://h/"}, Status: 2, Stderr: "--model works only for tn3270"},
		{Args: []string{"--send-user", "tn3270://h/"}, Status: 2, Stderr: "--send-user works only for telnet"},
		{Args: []string{"--escape", "~", "ftp://h/"}, Status: 2, Stderr: "--escape works only for sessions"},
		{Args: []string{"--link", "telnet://127.0.0.1:1/"}, Status: 1, Stderr: "a link leads to a session at telnet://127.0.0.1:1/, and there is no terminal to confirm it on"},
		{Args: []string{"--link", "rlogin://u:secret@127.0.0.1:1/"}, Status: 1, Stderr: "a link leads to a session at rlogin://u:xxxxx@127.0.0.1:1/, and there"},
		{Args: []string{"--link", "telnet://h/$(a);b"}, Status: 1, Stderr: "hint: to open it, run locus open 'telnet://h/$(a);b'"},
		{Args: []string{"example"}, Status: 2, Stderr: "if it is a host, write https://example/ or telnet://example/"},
		{Args: []string{"a/b"}, Status: 2, Stderr: "a URL starts with its scheme"},
		{Args: []string{"x-none://h/"}, Status: 1, Stderr: "x-none"},
		{Args: []string{"telnet://u:secret@h:99999/"}, Status: 1, Stderr: "99999"},
	})
}
