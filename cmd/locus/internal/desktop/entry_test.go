package desktop

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestDefaults(t *testing.T) {
	with := func(d defaults) defaults { return d.with("gopher", testBrowser) }
	without := func(d defaults) defaults { return d.without("gopher", testBrowser) }
	for _, test := range []struct {
		name string
		do   func(defaults) defaults
		text string
		want string
	}{
		{"new", with, "", "[Default Applications]\nx-scheme-handler/gopher=locus-handler.desktop\n"},
		{"new group", with, "[Added Associations]\na/b=c\n", "[Added Associations]\na/b=c\n\n[Default Applications]\nx-scheme-handler/gopher=locus-handler.desktop\n"},
		{"empty group", with, "[Default Applications]", "[Default Applications]\nx-scheme-handler/gopher=locus-handler.desktop\n"},
		{
			"more", with, "# mine\n[Default Applications]\ntext/html=f.desktop\n\n[Other]\nx=y\n",
			"# mine\n[Default Applications]\ntext/html=f.desktop\nx-scheme-handler/gopher=locus-handler.desktop\n\n[Other]\nx=y\n",
		},
		{"before another", with, "[Default Applications]\nx-scheme-handler/gopher = a.desktop;b.desktop;\n", "[Default Applications]\nx-scheme-handler/gopher=locus-handler.desktop;a.desktop;b.desktop\n"},
		{"nothing named", with, "[Default Applications]\nx-scheme-handler/gopher\n", "[Default Applications]\nx-scheme-handler/gopher=locus-handler.desktop\n"},
		{"again", with, "[Default Applications]\nx-scheme-handler/gopher=locus-handler.desktop\n", "[Default Applications]\nx-scheme-handler/gopher=locus-handler.desktop\n"},
		{"to the front", with, "[Default Applications]\nx-scheme-handler/gopher=a.desktop;locus-handler.desktop\n", "[Default Applications]\nx-scheme-handler/gopher=locus-handler.desktop;a.desktop\n"},
		{
			"not in another group", with, "[Default Applications]\nq=r\n[Removed Associations]\nx-scheme-handler/gopher=a.desktop\n",
			"[Default Applications]\nq=r\nx-scheme-handler/gopher=locus-handler.desktop\n[Removed Associations]\nx-scheme-handler/gopher=a.desktop\n",
		},
		{"nothing to take back", without, "", ""},
		{"all taken back", without, "[Default Applications]\nx-scheme-handler/gopher=locus-handler.desktop;\nq=r\n", "[Default Applications]\nq=r\n"},
		{"one taken back", without, "[Default Applications]\nx-scheme-handler/gopher=a.desktop;locus-handler.desktop;b.desktop;\n", "[Default Applications]\nx-scheme-handler/gopher=a.desktop;b.desktop\n"},
		{"another left", without, "[Default Applications]\nx-scheme-handler/gopher=a.desktop;\n", "[Default Applications]\nx-scheme-handler/gopher=a.desktop;\n"},
		{"another scheme left", without, "[Default Applications]\nx-scheme-handler/gopherx=locus-handler.desktop\n", "[Default Applications]\nx-scheme-handler/gopherx=locus-handler.desktop\n"},
		{"another group left", without, "[X]\nx-scheme-handler/gopher=locus-handler.desktop\n", "[X]\nx-scheme-handler/gopher=locus-handler.desktop\n"},
		{"no lines", without, "garbage\n=\n[\n[Default Applications]\n=\n\x00\n", "garbage\n=\n[\n[Default Applications]\n=\n\x00\n"},
	} {
		if got := test.do(parseDefaults(test.text)).String(); got != test.want {
			t.Errorf("%s: the list %q becomes %q, want %q", test.name, test.text, got, test.want)
		}
	}
}

// For any list, with sets the first entry of a scheme. A second call of with does not change the
// list, and without removes the entry.
func FuzzDefaults(f *testing.F) {
	f.Add("")
	f.Add("[Default Applications]\nx-scheme-handler/wais=a.desktop;b.desktop\n\n[Other]\n")
	f.Add("x\n[Default Applications]\n[Default Applications]\nx-scheme-handler/wais=locus-handler.desktop")
	f.Fuzz(func(t *testing.T, text string) {
		set := parseDefaults(text).with("wais", testBrowser)
		if got := set.firstEntry("wais"); got != testBrowser {
			t.Errorf("in the list %q the default is %q", set, got)
		}
		if again := parseDefaults(set.String()).with("wais", testBrowser); again.String() != set.String() {
			t.Errorf("with changes its own output %q to %q", set, again)
		}
		if gone := set.without("wais", testBrowser); gone.firstEntry("wais") == testBrowser {
			t.Errorf("without leaves the entry in %q", gone)
		}
	})
}

func TestDesktopEntry(t *testing.T) {
	h := Handler{Name: "opener", Program: `/home/me/a "b"/$x\y%z` + "`", Args: []string{"open", ""}}
	got := desktopEntry(h, true, []string{"telnet", "rlogin"})
	for _, want := range []string{
		"[Desktop Entry]\n", "\nName=opener\n", "\nTerminal=true\n", "\nMimeType=x-scheme-handler/telnet;x-scheme-handler/rlogin;\n",
		"\nExec=\"/home/me/a \\\\\"b\\\\\"/\\\\$x\\\\\\\\y%%z\\\\`\" open \"\" %u\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("desktopEntry does not contain %q:\n%s", want, got)
		}
	}
	if got := desktopEntry(h, false, []string{"wais"}); strings.Contains(got, "Terminal") {
		t.Errorf("desktopEntry of a browser opens a terminal:\n%s", got)
	}
}

// Install adds the entries that the desktop looks for. Remove restores the list.
func TestInstallEntries(t *testing.T) {
	home := t.TempDir()
	list, entry := filepath.Join(home, "config", "mimeapps.list"), filepath.Join(home, "data", "applications", testBrowser)
	const before = "[Default Applications]\nx-scheme-handler/gopher=other.desktop\ntext/html=f.desktop\n"
	write(t, list, before)
	d := newDesktop(t, "linux", home, nil)
	for _, step := range []struct {
		name         string
		plan         func() (*Plan, error)
		opens        []string
		kept         []Kept
		gopher, wais string // the entry that then opens URLs of the scheme
		entry        string // a part of the entry of the browser; "": the entry does not exist
	}{
		{"kept", install(d, false, "gopher", "wais"), []string{"wais"}, []Kept{{"gopher", "other.desktop"}}, "other.desktop", testBrowser, "\nMimeType=x-scheme-handler/wais;\n"},
		{"taken", install(d, true, "gopher"), []string{"gopher"}, nil, testBrowser, testBrowser, "\nMimeType=x-scheme-handler/gopher;x-scheme-handler/wais;\n"},
		{"again", install(d, false, "gopher"), []string{"gopher"}, nil, testBrowser, testBrowser, "\nExec=/opt/locus open -- %u\n"},
		{"a session", install(d, false, "telnet"), []string{"telnet"}, nil, testBrowser, testBrowser, "\nMimeType=x-scheme-handler/gopher;x-scheme-handler/wais;\n"},
		{"removed", remove(d), nil, nil, "other.desktop", "", ""},
		{"removed twice", remove(d), nil, nil, "other.desktop", "", ""},
	} {
		plan, err := step.plan()
		if err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if !slices.Equal(plan.Opens, step.opens) || !slices.Equal(plan.Kept, step.kept) {
			t.Errorf("%s: the plan opens %q and keeps %q", step.name, plan.Opens, plan.Kept)
		}
		if step.entry != "" && !strings.HasPrefix(plan.String(), "# write "+entry+"\n[Desktop Entry]\n") {
			t.Errorf("%s: the plan is\n%s", step.name, plan)
		}
		if err := plan.Do(t.Context()); err != nil {
			t.Errorf("%s: %v", step.name, err)
		}
		text, _ := os.ReadFile(list)
		written, _ := os.ReadFile(entry)
		if now := parseDefaults(string(text)); now.firstEntry("gopher") != step.gopher || now.firstEntry("wais") != step.wais {
			t.Errorf("%s: the list is\n%s", step.name, text)
		}
		if !strings.Contains(string(written), step.entry) || (len(written) > 0) != (step.entry != "") {
			t.Errorf("%s: the entry is\n%s", step.name, written)
		}
	}
	if text, _ := os.ReadFile(list); string(text) != before {
		t.Errorf("after all steps the list is %q, want %q", text, before)
	}
}

// Making a plan changes no files. Do keeps a list that is a symbolic link.
func TestPlanChangesNothing(t *testing.T) {
	home := t.TempDir()
	target, list := filepath.Join(home, "dotfiles", "mimeapps.list"), filepath.Join(home, "config", "mimeapps.list")
	write(t, target, "")
	if err := os.Mkdir(filepath.Dir(list), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, list); err != nil {
		t.Skip(err)
	}
	d := newDesktop(t, "linux", home, nil)
	plan, err := install(d, false, "gopher")()
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(target); err != nil || len(text) > 0 {
		t.Errorf("the plan wrote %q, %v", text, err)
	}
	if _, err := os.Stat(d.Data); err == nil {
		t.Error("Install made the folder of the entries before Do")
	}
	if err := plan.Do(t.Context()); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(target); err != nil || !strings.Contains(string(text), "x-scheme-handler/gopher=") {
		t.Errorf("the target of the link is %q, %v", text, err)
	}
	if info, err := os.Lstat(list); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is now %v, %v", info.Mode(), err)
	}
}

// If a file cannot be written, Do returns an error and does not leave a partial file.
func TestInstallEntriesFails(t *testing.T) {
	home := t.TempDir()
	d := newDesktop(t, "linux", home, nil)
	write(t, filepath.Join(home, "data"), "a file where the folder should be")
	plan, err := install(d, false, "gopher")()
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Do(t.Context()); err == nil {
		t.Error("Do with a file in place of the data folder = nil, want an error")
	}
	if _, err := os.Stat(d.Config); err == nil {
		t.Error("the list names an entry that was not written")
	}
	for name, d := range map[string]*Desktop{
		"no home":               {System: "linux"},
		"the list is a folder":  {System: "linux", Data: home, Config: mkdir(t, filepath.Join(home, "c"), "mimeapps.list")},
		"no home, to remove it": {System: "darwin"},
	} {
		if _, err := remove(d)(); err == nil {
			t.Errorf("%s: Install = nil, want an error", name)
		}
	}
	if _, err := d.Install(t.Context(), Handler{Name: "x"}, nil, false); err == nil {
		t.Error("Install of a handler without a program = nil, want an error")
	}
}

const testBrowser = "locus-handler.desktop"

// testHandler opens some schemes.
var testHandler = Handler{
	Name: "locus", About: "opens URLs", Program: "/opt/locus", Args: []string{"open", "--"},
	Schemes: []string{"ftp", "gopher", "telnet", "wais"}, Sessions: []string{"telnet"},
}

// newDesktop returns a desktop of a system whose only programs are programs. They are shell
// scripts.
func newDesktop(t *testing.T, system, home string, programs map[string]string) *Desktop {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the test needs a POSIX shell and POSIX file names")
	}
	bin := t.TempDir()
	for name, script := range programs {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return &Desktop{
		System: system, Home: home, Data: filepath.Join(home, "data"), Config: filepath.Join(home, "config"),
		LookPath: func(name string) (string, error) {
			if _, ok := programs[name]; !ok {
				return "", &exec.Error{Name: name, Err: exec.ErrNotFound}
			}
			return filepath.Join(bin, name), nil
		},
		Command: exec.CommandContext,
	}
}

func install(d *Desktop, takes bool, schemes ...string) func() (*Plan, error) {
	return func() (*Plan, error) { return d.Install(context.Background(), testHandler, schemes, takes) }
}

func remove(d *Desktop) func() (*Plan, error) {
	return func() (*Plan, error) { return d.Remove(context.Background(), testHandler) }
}

func mkdir(t *testing.T, folder, name string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(folder, name), 0o700); err != nil {
		t.Fatal(err)
	}
	return folder
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
