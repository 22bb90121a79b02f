// Package clitest runs verbs in tests, in this process.
package clitest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locus/cmd/locus/internal/command"
)

// Run runs a verb with arguments, in this process, and returns its exit status, stdout and stderr.
// The verb sees only the environment variables of in.
func Run(t testing.TB, v *command.Verb, in Input, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	dir := t.TempDir()
	var files [3]*os.File
	for i, name := range []string{"stdin", "stdout", "stderr"} {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		files[i] = f
	}
	if _, err := files[0].WriteAt([]byte(in.Stdin), 0); err != nil {
		t.Fatal(err)
	}
	e := command.NewEnv(files[0], files[1], files[2])
	e.Dir = in.Dir
	e.LookupEnv = func(name string) (string, bool) { value, ok := in.Env[name]; return value, ok }
	p := &command.Program{Verbs: []command.Maker{{Name: v.Name, Make: func() *command.Verb { return v }}}}
	status = p.Run(t.Context(), e, append([]string{"locus", v.Name}, args...))
	var written [2]string
	for i := range written {
		text, err := os.ReadFile(files[i+1].Name())
		if err != nil {
			t.Fatal(err)
		}
		written[i] = string(text)
	}
	return status, written[0], written[1]
}

// An Input has the stdin, the folder and the environment of a verb. The zero Input has an empty
// stdin, the folder of the process, and an empty environment.
type Input struct {
	Stdin string
	Dir   string
	Env   map[string]string
}

// A Case is a row of a table: how a verb is run, and the output that it must write.
type Case struct {
	Args   []string
	Stdin  string
	Status int
	Stdout string // the whole stdout
	Stderr string // a part of stderr; "": stderr must be empty
}

// Table runs a verb for each case, and reports each difference.
func Table(t *testing.T, v *command.Verb, cases []Case) {
	t.Helper()
	for _, test := range cases {
		status, stdout, stderr := Run(t, v, Input{Stdin: test.Stdin}, test.Args...)
		if status != test.Status || stdout != test.Stdout {
			t.Errorf("%s %q: status %d, stdout\n%s\nwant %d,\n%s", v.Name, test.Args, status, stdout, test.Status, test.Stdout)
		}
		if (stderr == "") != (test.Stderr == "") || !strings.Contains(stderr, test.Stderr) {
			t.Errorf("%s %q: stderr %q, want %q", v.Name, test.Args, stderr, test.Stderr)
		}
	}
}
