package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"locus/cmd/locus/internal/command"
)

// testEnv returns an Env of this process, without signals.
func testEnv(stdin, stdout, stderr *os.File) *command.Env {
	e := command.NewEnv(stdin, stdout, stderr)
	e.LookupEnv = os.LookupEnv
	e.Program, _ = os.Executable()
	return e
}

// runHere runs the command in this process, with text as stdin. It returns the exit status and the
// output.
func runHere(t *testing.T, text string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	return runUntil(t.Context(), t, text, args...)
}

// runUntil is runHere with a context that interrupts the command.
func runUntil(ctx context.Context, t *testing.T, text string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	dir := t.TempDir()
	open := func(name string) *os.File {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	in, out, errs := open("in"), open("out"), open("err")
	if _, err := in.WriteAt([]byte(text), 0); err != nil {
		t.Fatal(err)
	}
	status = program().Run(ctx, testEnv(in, out, errs), append([]string{"locus"}, args...))
	written := func(f *os.File) string {
		b, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	return status, written(out), written(errs)
}
