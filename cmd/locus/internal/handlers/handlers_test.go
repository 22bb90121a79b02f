package handlers

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"locus/cmd/locus/internal/cli"
)

func TestDefaults(t *testing.T) {
	with := func(d defaults) defaults { return d.with("gopher", browserEntry) }
	without := func(d defaults) defaults { return d.without("gopher", browserEntry) }
	for _, tt := range []struct {
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
		if got := tt.do(parseDefaults(tt.text)).String(); got != tt.want {
			t.Errorf("%s: %q becomes %q, want %q", tt.name, tt.text, got, tt.want)
		}
	}
}

// Whatever the file has: what is set is found, setting it twice changes nothing
// more, and taking it back leaves no trace of it.
func FuzzDefaults(f *testing.F) {
	f.Add("")
	f.Add("[Default Applications]\nx-scheme-handler/wais=a.desktop;b.desktop\n\n[Other]\n")
	f.Add("x\n[Default Applications]\n[Default Applications]\nx-scheme-handler/wais=locus-handler.desktop")
	f.Fuzz(func(t *testing.T, text string) {
		set := parseDefaults(text).with("wais", browserEntry)
		if got := set.of("wais"); got != browserEntry {
			t.Errorf("in %q the default is %q", set, got)
		}
		if again := parseDefaults(set.String()).with("wais", browserEntry); again.String() != set.String() {
			t.Errorf("%q becomes %q", set, again)
		}
		if gone := set.without("wais", browserEntry); gone.of("wais") == browserEntry {
			t.Errorf("it is still in %q", gone)
		}
	})
}

func TestDesktopEntry(t *testing.T) {
	got := desktopEntry("locus", true, []string{"telnet", "rlogin"}, []string{`/home/me/a "b"/$x\y%z` + "`", "open"})
	for _, want := range []string{
		"[Desktop Entry]\n", "\nTerminal=true\n", "\nMimeType=x-scheme-handler/telnet;x-scheme-handler/rlogin;\n",
		"\nExec=\"/home/me/a \\\\\"b\\\\\"/\\\\$x\\\\\\\\y%%z\\\\`\" open %u\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the entry lacks %q:\n%s", want, got)
		}
	}
	if got := desktopEntry("locus", false, []string{"wais"}, []string{"x"}); strings.Contains(got, "Terminal") {
		t.Errorf("a browser is no terminal:\n%s", got)
	}
}

// installed runs the verb on a Linux desktop.
func installed(t *testing.T, home string, o Options) (said string, err error) {
	t.Helper()
	return installedWith(t, "linux", home, nil, o)
}

// installedWith runs the verb in a home, as on an operating system that has only these
// programs. They are shell scripts. It returns the verb's error and what it says.
func installedWith(t *testing.T, system, home string, programs map[string]string, o Options) (said string, err error) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("it needs a POSIX shell and file names")
	}
	bin := t.TempDir()
	for name, script := range programs {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	e := cli.NewEnv(nil, out, out)
	e.Program = "/opt/locus"
	variables := map[string]string{"HOME": home, "PATH": bin}
	e.LookupEnv = func(name string) (string, bool) { return variables[name], variables[name] != "" }
	err = o.runOn(t.Context(), e, system)
	e.Out.Flush()
	text, readErr := os.ReadFile(out.Name())
	if readErr != nil {
		t.Fatal(readErr)
	}
	return string(text), err
}

// What is installed is found by the desktop. What is removed leaves the list as it was.
func TestInstall(t *testing.T) {
	home := t.TempDir()
	list, entry := filepath.Join(home, ".config", "mimeapps.list"), filepath.Join(home, ".local", "share", "applications", browserEntry)
	const before = "[Default Applications]\nx-scheme-handler/gopher=other.desktop\ntext/html=f.desktop\n"
	if err := os.MkdirAll(filepath.Dir(list), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(list, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		options       Options
		said          string
		gopher, wais  string // which entry opens its URLs
		entry, noText string // in the entry of the browser, and not in it
	}{
		{Options{DryRun: true}, "# write " + entry, "other.desktop", "", "", ""},
		{Options{}, "gopher stays with other.desktop; --scheme gopher takes it", "other.desktop", browserEntry, "x-scheme-handler/wais;", "x-scheme-handler/gopher;"},
		{Options{Schemes: []string{"gopher"}}, "locus now opens links of these schemes: gopher\n", browserEntry, browserEntry, "Exec=/opt/locus open --at http://127.0.0.1:1738/ -- %u", "x-scheme-handler/http;"},
		{Options{Schemes: []string{"gopher"}, At: "http://gate.example/"}, "gopher", browserEntry, browserEntry, "--at http://gate.example/ --", "1738"},
		{Options{Remove: true}, "", "other.desktop", "", "", ""},
		{Options{Remove: true}, "", "other.desktop", "", "", ""},
	} {
		said, err := installed(t, home, step.options)
		text, _ := os.ReadFile(list)
		written, _ := os.ReadFile(entry)
		d := parseDefaults(string(text))
		if err != nil || !strings.Contains(said, step.said) || d.of("gopher") != step.gopher || d.of("wais") != step.wais {
			t.Errorf("%+v: %v, %q, and the list is\n%s", step.options, err, said, text)
		}
		if !strings.Contains(string(written), step.entry) || (len(written) > 0) != (step.entry != "") || step.noText != "" && strings.Contains(string(written), step.noText) {
			t.Errorf("%+v: the entry is\n%s", step.options, written)
		}
	}
	if text, _ := os.ReadFile(list); string(text) != before {
		t.Errorf("after all the list is %q, want %q", text, before)
	}
}

func TestInstallRefuses(t *testing.T) {
	home := t.TempDir()
	for _, tt := range []struct {
		home    string
		options Options
		want    string
	}{
		{home, Options{Schemes: []string{"http"}}, "--scheme wants a scheme of"},
		{home, Options{Schemes: []string{"nope"}}, `not "nope"`},
		{home, Options{At: "ftp://h/"}, "a gateway is at a URL such as"},
		{home, Options{At: "http://u:secret@h/path"}, "a gateway is at a URL such as"},
		{"", Options{}, "the home of the user is unknown"},
	} {
		if _, err := installed(t, tt.home, tt.options); err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%+v: %v, want %q", tt.options, err, tt.want)
		}
	}
	if left, _ := os.ReadDir(home); len(left) > 0 {
		t.Errorf("it has made %v", left)
	}
}
