package command

import "testing"

// What a line quotes of the arguments shows no password, and the rest of it is as
// it was.
func TestSay(t *testing.T) {
	for _, tt := range []struct{ arg, text, want string }{
		{"ftp://u:p@h/type", "ftp://u:p@h/type: no type=p", "ftp://u:xxxxx@h/type: no type=p"},
		{"u:p@h", "open u:p@h: people", "open u:xxxxx@h: people"},
		{"--set=u:p@h", "--set: u:p@h has u", "--set: u:xxxxx@h has u"},
	} {
		e := &Env{secrets: secretsIn([]string{tt.arg})}
		if got := e.hideSecrets(tt.text); got != tt.want {
			t.Errorf("with the argument %q: %q is shown as %q, want %q", tt.arg, tt.text, got, tt.want)
		}
	}
}
