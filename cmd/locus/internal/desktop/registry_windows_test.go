package desktop

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// With the real registry, Windows starts the program for a URL after Install. Remove removes all
// keys of the program.
func TestRegistry(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	const scheme = "x-locus-test"
	opened := filepath.Join(t.TempDir(), "opened")
	t.Setenv("LOCUS_OPENED", opened)
	d := &Desktop{System: "windows", LookPath: exec.LookPath, Command: exec.CommandContext}
	h := Handler{
		Name: "locustest", About: "tests locus", Schemes: []string{scheme},
		Program: program, Args: []string{"-test.run=^TestOpened$", "--"},
	}
	remove := func() {
		t.Helper()
		plan, err := d.Remove(t.Context(), h)
		if err != nil {
			t.Fatal(err)
		}
		if err := plan.Do(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	plan, err := d.Install(t.Context(), h, h.Schemes, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Do(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer remove()

	key := classes + scheme + `\shell\open\command`
	out, err := exec.CommandContext(t.Context(), "reg", "query", key, "/ve").CombinedOutput()
	if want := `"` + program + `" -test.run=^TestOpened$ -- "%1"`; err != nil || !strings.Contains(string(out), want) {
		t.Errorf("%s: %s, %v, want %s", key, out, err, want)
	}
	t.Run("started", func(t *testing.T) {
		const url = scheme + "://h/a%2Fb?c=d"
		if out, err := exec.CommandContext(t.Context(), "cmd", "/c", "start", "/wait", "", url).CombinedOutput(); err != nil {
			t.Errorf("start: %v: %s", err, out)
		}
		if got, err := os.ReadFile(opened); err != nil || string(got) != url {
			t.Errorf("Windows opened %q, %v, want %q", got, err, url)
		}
	})
	other := h
	other.Name, other.Program = "locusother", `C:\other.exe`
	if plan, err := d.Install(t.Context(), other, h.Schemes, false); err != nil || len(plan.Kept) != 1 || len(plan.Opens) != 0 {
		t.Errorf("Install of a scheme that another program opens = %v, %v", plan, err)
	}

	remove()
	for _, key := range []string{classes + scheme, classes + h.Name + ".url", software + h.Name} {
		if out, err := exec.CommandContext(t.Context(), "reg", "query", key).CombinedOutput(); err == nil {
			t.Errorf("Remove left the key %s: %s", key, out)
		}
	}
	out, _ = exec.CommandContext(t.Context(), "reg", "query", software+"RegisteredApplications").CombinedOutput() // the key may not exist
	if strings.Contains(string(out), h.Name) {
		t.Errorf("the program is still registered: %s", out)
	}
}

// TestOpened is the program that Windows starts for a URL of TestRegistry.
func TestOpened(t *testing.T) {
	file := os.Getenv("LOCUS_OPENED")
	if file == "" || flag.NArg() != 1 {
		t.Skip("only TestRegistry starts this test")
	}
	if err := os.WriteFile(file, []byte(flag.Arg(0)), 0o600); err != nil {
		t.Fatal(err)
	}
}
