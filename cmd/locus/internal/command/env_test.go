package command

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"locus/access"
)

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

// The editor gets lines that end in LF, in a file with the suffix.
func TestEditText(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the editor is a shell script")
	}
	e, _ := newEnvHere(t)
	if _, err := e.EditText(t.Context(), "message", "a", ".eml"); err == nil || err.Error() != "no editor is known" || access.RemedyFor(err).String() != "EDITOR names one" {
		t.Errorf("without an editor: %v", err)
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
			t.Errorf("with the editor %q: %q, %v, want %q", script, got, err, want)
		}
	}
}
