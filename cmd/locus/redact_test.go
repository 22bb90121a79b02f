package main

import (
	"strings"
	"testing"
)

// A password is hidden where it stands, and a short one hides nothing else.
func TestShortPassword(t *testing.T) {
	address, _ := ftpRecorder(t)
	for password, want := range map[string]string{
		"p": "type=file is no help", "e": "type=file is no help", "type": "xxxxx=file is no help",
	} {
		status, _, stderr := runHere(t, "", "get", "ftp://u:"+password+"@"+address+"/"+password)
		if status != 1 || !strings.Contains(stderr, want) || !strings.Contains(stderr, "open ftp://u:xxxxx@"+address+"/"+password+": ") {
			t.Errorf("with the password %q: status %d, %s, want %q", password, status, stderr, want)
		}
	}
}

// What a line quotes of the arguments shows no password, and the rest of it is as
// it was.
func TestSay(t *testing.T) {
	for _, tt := range []struct{ arg, text, want string }{
		{"ftp://u:p@h/type", "ftp://u:p@h/type: no type=p", "ftp://u:xxxxx@h/type: no type=p"},
		{"u:p@h", "open u:p@h: people", "open u:xxxxx@h: people"},
		{"--set=u:p@h", "--set: u:p@h has u", "--set: u:xxxxx@h has u"},
	} {
		p := &process{secrets: secretsIn([]string{tt.arg})}
		if got := p.hideSecrets(tt.text); got != tt.want {
			t.Errorf("with the argument %q: %q is shown as %q, want %q", tt.arg, tt.text, got, tt.want)
		}
	}
}
