package command

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"locus/access"
)

// Say hides passwords in the arguments that a message quotes, and does not change the rest of the
// message.
func TestSay(t *testing.T) {
	for _, test := range []struct{ arg, text, want string }{
		{"ftp://u:p@h/type", "ftp://u:p@h/type: no type=p", "ftp://u:xxxxx@h/type: no type=p"},
		{"u:p@h", "open u:p@h: people", "open u:xxxxx@h: people"},
		{"--set=u:p@h", "--set: u:p@h has u", "--set: u:xxxxx@h has u"},
	} {
		e := &Env{secrets: secretsIn([]string{test.arg})}
		if got := e.hideSecrets(test.text); got != test.want {
			t.Errorf("with the argument %q Say(%q) writes %q, want %q", test.arg, test.text, got, test.want)
		}
	}
}

// The editor gets lines that end in LF, in a file with the suffix.
func TestEditText(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the test's editor is a shell script")
	}
	e, _ := newEnvHere(t)
	if _, err := e.EditText(t.Context(), "message", "a", ".eml"); err == nil || err.Error() != "no editor is set" || access.RemedyFor(err).String() != "set EDITOR to the name of one" {
		t.Errorf("EditText without an editor = %v", err)
	}
	for script, want := range map[string]string{
		"case \"$1\" in *.eml) echo c >> \"$1\";; esac": "a\nb\nc\n",
		"exit 1": "",
	} {
		name := filepath.Join(t.TempDir(), "editor")
		if err := os.WriteFile(name, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		e.LookupEnv = func(variable string) (string, bool) { return name, variable == "EDITOR" }
		got, err := e.EditText(t.Context(), "message", "a\r\nb\r\n", ".eml")
		if got != want || (err == nil) != (want != "") || err != nil && !strings.HasPrefix(err.Error(), "edit the message with "+name+": ") {
			t.Errorf("EditText with the editor %q = %q, %v, want %q", script, got, err, want)
		}
	}
}
