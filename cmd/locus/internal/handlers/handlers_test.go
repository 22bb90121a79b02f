package handlers

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"locus/cmd/locus/internal/cli"
)

// installedOn runs the verb in a home folder, on an operating system that has only the given
// programs. They are shell scripts. It returns the output and the error of the verb.
func installedOn(t *testing.T, system, home string, programs map[string]string, o Options) (said string, err error) {
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

// Each system has its own way to install a handler. The script install_handlers tests more of
// Linux.
func TestInstall(t *testing.T) {
	other := map[string]string{"reg": `case $1 in query) case $2 in *\\telnet\\*) echo other;; *) exit 1;; esac;; esac`}
	mac := map[string]string{"osacompile": `mkdir -p "$2/Contents"`, "codesign": ""}
	for _, test := range []struct {
		system   string
		programs map[string]string
		options  Options
		said     []string
	}{
		{"linux", nil, Options{}, []string{"locus now opens links of these schemes: "}},
		{"linux", nil, Options{DryRun: true, Schemes: []string{"gopher"}, At: "http://gate.example"}, []string{
			"# write ", "/.local/share/applications/locus-handler.desktop\n", "\nExec=/opt/locus open --link --at http://gate.example/ -- %u\n", "\nx-scheme-handler/gopher=locus-handler.desktop\n",
		}},
		{"windows", other, Options{}, []string{"telnet stays with another program; --scheme telnet takes it\n", "schemes: ", "gopher, "}},
		{"windows", other, Options{Schemes: []string{"telnet"}}, []string{"locus now opens links of these schemes: telnet\n"}},
		{"windows", other, Options{DryRun: true, Remove: true}, []string{`[-HKEY_CURRENT_USER\Software\locus]`}},
		{"darwin", mac, Options{Schemes: []string{"gopher"}}, []string{"locus now opens links of these schemes: gopher\n"}},
		{"darwin", mac, Options{DryRun: true}, []string{"/Applications/locus.app\non open location link\n", `"telnet:"`, `/opt/locus open --link --at http://127.0.0.1:1738/ -- `, "<string>wais</string>\n"}},
	} {
		said, err := installedOn(t, test.system, t.TempDir(), test.programs, test.options)
		if err != nil {
			t.Errorf("%s %+v: %v", test.system, test.options, err)
		}
		for _, want := range test.said {
			if !strings.Contains(said, want) {
				t.Errorf("install-handlers on %s with %+v writes %q, want %q", test.system, test.options, said, want)
			}
		}
		if strings.Contains(said, "https") || len(test.options.Schemes) == 0 && strings.Contains(said, "mailto") {
			t.Errorf("install-handlers on %s with %+v takes https or mailto: %q", test.system, test.options, said)
		}
	}
}

func TestInstallRefuses(t *testing.T) {
	for _, system := range []string{"linux", "darwin", "windows"} {
		home := t.TempDir()
		for _, test := range []struct {
			options Options
			want    string
		}{
			{Options{Schemes: []string{"http"}}, "--scheme must be a scheme that"},
			{Options{Schemes: []string{"nope"}}, `not "nope"`},
			{Options{At: "ftp://h/"}, "the address of a gateway must be a URL such as"},
			{Options{At: "http://u:secret@h/path"}, "the address of a gateway must be a URL such as"},
		} {
			_, err := installedOn(t, system, home, nil, test.options)
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("%s %+v: %v, want %q", system, test.options, err, test.want)
			}
		}
		if left, _ := os.ReadDir(home); len(left) > 0 {
			t.Errorf("install-handlers that fails on %s made %v", system, left)
		}
	}
	if _, err := installedOn(t, "linux", "", nil, Options{}); err == nil || !strings.Contains(err.Error(), "the user's home folder is unknown") {
		t.Errorf("install-handlers without a home folder = %v", err)
	}
}
