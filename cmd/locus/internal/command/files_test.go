package command

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestOpenInput(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"stdin": "typed", "file": "stored"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	stdin, err := os.Open(filepath.Join(dir, "stdin"))
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	e := &Env{Stdin: stdin, Dir: dir}
	for _, test := range []struct{ name, want, err string }{
		{"-", "typed", ""},
		{"file", "stored", ""},
		{".", "", `"." is a directory`},
		{"none", "", "open none: "},
	} {
		in, err := e.OpenInput(t.Context(), test.name)
		if test.err != "" {
			if err == nil || !strings.HasPrefix(err.Error(), test.err) {
				t.Errorf("OpenInput(%q) = %v, want %q", test.name, err, test.err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%q: %v", test.name, err)
		}
		got, err := io.ReadAll(in)
		if err != nil || string(got) != test.want || (in.Info == nil) != (test.name == "-") {
			t.Errorf("OpenInput(%q) has %q, %v, %v, want %q", test.name, got, in.Info, err, test.want)
		}
		if err := in.Close(); err != nil {
			t.Errorf("Close of %q = %v", test.name, err)
		}
	}
	if _, err := stdin.Stat(); err != nil {
		t.Errorf("after Close of \"-\" stdin fails with %v", err)
	}
}

func TestLookPath(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("on Windows a program has another name")
	}
	dir := t.TempDir()
	for _, name := range []string{"bin/program", "relative/other"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o777); err != nil { //nolint:gosec // a program
			t.Fatal(err)
		}
	}
	bin := filepath.Join(dir, "bin")
	e := &Env{Dir: dir, LookupEnv: func(name string) (string, bool) { return "relative:" + bin, name == "PATH" }}
	for name, want := range map[string]string{
		"program": filepath.Join(bin, "program"), "bin/program": filepath.Join(bin, "program"), "other": "", "sh": "",
	} {
		got, err := e.LookPath(name)
		if got != want || (want == "") != errors.Is(err, exec.ErrNotFound) {
			t.Errorf("LookPath(%q) = %q, %v, want %q", name, got, err, want)
		}
	}
}

// Names that the user types are relative to the folder of the Env, and errors show them as typed.
func TestEnvNames(t *testing.T) {
	dir := t.TempDir()
	e := &Env{Dir: dir}
	for name, want := range map[string]string{"a": dir + "/a", "a/": dir + "/a/", "../a": dir[:strings.LastIndexByte(dir, '/')] + "/a", "/a": "/a", "": ""} {
		if got := e.Path(name); got != want && os.PathSeparator == '/' {
			t.Errorf("Path(%q) = %q, want %q", name, got, want)
		}
	}
	_, openErr := e.Open("none")
	_, statErr := e.Stat("none")
	_, readErr := e.ReadFile("none")
	_, rootErr := e.OpenRoot("none")
	for _, err := range []error{openErr, statErr, readErr, rootErr} {
		if err == nil || strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), " none: ") {
			t.Errorf("opening a missing file = %v", err)
		}
	}
	if got := e.Short(dir + "/b/c"); got != "b/c" && os.PathSeparator == '/' {
		t.Errorf("Short = %q", got)
	}
	if got := e.Short("/elsewhere"); got != "/elsewhere" {
		t.Errorf("Short of a file elsewhere = %q", got)
	}
}
