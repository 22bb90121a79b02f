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
		{".", "", `"." is a folder`},
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

// A file that is saved is complete or as before. Errors have the name that the user typed.
func TestSave(t *testing.T) {
	dir := t.TempDir()
	e := &Env{Dir: dir}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "old"), []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, err string }{
		{"new", ""},
		{"old", ""},
		{"folder/new", ""},
		{"folder", `write "folder": `},
		{"none/new", "none/new: "},
		{"old/new", "old/new: "},
	} {
		canSave, saved := e.CanSave(test.name), e.SaveText(test.name, "text")
		for _, err := range []error{canSave, saved} {
			if (err == nil) != (test.err == "") || err != nil && (!strings.Contains(filepath.ToSlash(err.Error()), test.err) || strings.Contains(err.Error(), dir)) {
				t.Errorf("save %q: %v, want %q", test.name, err, test.err)
			}
		}
		if got, err := e.ReadFile(test.name); test.err == "" && (err != nil || string(got) != "text") {
			t.Errorf("the file %q has %q, %v, want the text", test.name, got, err)
		}
	}
	broken := errors.New("broken")
	for _, name := range []string{"old", "never"} {
		err := e.SaveAs(name, func(w io.Writer) error {
			_, err := io.WriteString(w, "half")
			return errors.Join(err, broken)
		})
		if got, _ := e.ReadFile(name); !errors.Is(err, broken) || string(got) == "half" {
			t.Errorf("SaveAs(%q) with an error = %v, and the file has %q, want the error and the text before", name, err, got)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 3 {
		t.Errorf("the folder has %v, %v, want folder, new and old", left, err)
	}
}
