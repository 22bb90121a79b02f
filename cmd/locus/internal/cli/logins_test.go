package cli

import (
	"strings"
	"testing"
)

// PasswordWarning warns only of a password that is secret (RFC 1738 §6).
func TestPasswordWarning(t *testing.T) {
	const (
		history = "in the shell history and the process list; without it, locus asks for it"
		network = "on the network, because "
	)
	for _, test := range []struct{ args, want string }{
		{"http://h/ ftp://u@h/ mailto:u:p@h file -", ""},
		{"ftp://u:@h/ ftp://anonymous:me@example.org@h/ ftp://ftp:x@h/", ""},
		{"https://u:secret@h/a", "warning: others may see the password of https://u:xxxxx@h/a " + history},
		{"URL:telnet://u:secret@h/", "warning: others may see the password of telnet://u:xxxxx@h/ in the shell history and the process list; without it, the server asks for it"},
		{"x http://u:secret@h/ ftp://u:other@h/", "warning: others may see the password of http://u:xxxxx@h/ " + network + "http does not encrypt it, " + history},
		{"titan://h/a;token=secret", "warning: others may see the token of titan://h/a;token=xxxxx in the shell history and the process list; without it, locus takes the password in .netrc"},
		{"titan://h/a;size=3 titan://h/a;token=", ""},
		{"FTP://u:secret@h/", "warning: others may see the password of FTP://u:xxxxx@h/ on the network, if the server has no TLS, " + history},
	} {
		if got := passwordWarning(strings.Fields(test.args)); got != test.want {
			t.Errorf("passwordWarning(%q) = %q, want %q", test.args, got, test.want)
		}
	}
}
