package desktop

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestInfoPlist reads the file as XML, and checks that each key has a value.
func TestInfoPlist(t *testing.T) {
	text := infoPlist(testHandler, []string{"gopher", "wais"})
	values := map[string]string{} // the outermost dictionary
	var path, key string
	var schemes []string
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			path += "/" + token.Name.Local
			if path == "/plist/dict/true" || path == "/plist/dict/array" {
				values[key] = token.Name.Local
			}
		case xml.EndElement:
			path = path[:strings.LastIndexByte(path, '/')]
		case xml.CharData:
			switch path {
			case "/plist/dict/key":
				key = string(token)
			case "/plist/dict/string":
				values[key] = string(token)
			case "/plist/dict/array/dict/array/string":
				schemes = append(schemes, string(token))
			}
		}
	}
	want := map[string]string{
		"CFBundleExecutable": "applet", "CFBundleIdentifier": "locus.handler", "CFBundleInfoDictionaryVersion": "6.0",
		"CFBundleName": "locus", "CFBundlePackageType": "APPL", "CFBundleURLTypes": "array", "LSUIElement": "true",
		"NSAppleEventsUsageDescription": "locus opens sessions in Terminal.",
	}
	if !reflect.DeepEqual(values, want) {
		t.Errorf("infoPlist has the keys %v, want %v", values, want)
	}
	if want := []string{"gopher", "wais"}; !reflect.DeepEqual(schemes, want) {
		t.Errorf("infoPlist has the schemes %q, want %q", schemes, want)
	}
}

func TestAppleScript(t *testing.T) {
	got := appleScript(Handler{Program: `/Users/me/it's "a"\b`, Args: []string{"open", "--"}, Sessions: []string{"telnet", "rlogin"}})
	for _, want := range []string{
		"on open location link\n",
		`set openCommand to "'/Users/me/it'\\''s \"a\"\\b' open -- " & quoted form of link` + "\n",
		`in {"telnet:", "rlogin:"}`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("appleScript does not contain %s:\n%s", want, got)
		}
	}
}

// macTools stand for programs of macOS in tests: osacompile makes a folder with the script and a
// foreign Info.plist, and codesign marks the folder that it signs.
var macTools = map[string]string{
	"osacompile": `mkdir -p "$2/Contents/Resources" && cp "$3" "$2/Contents/Resources/script" && echo other >"$2/Contents/Info.plist"`,
	"codesign":   `shift 3; grep -q locus.handler "$1/Contents/Info.plist" && touch "$1/signed"`,
}

func TestInstallMac(t *testing.T) {
	home := t.TempDir()
	app := filepath.Join(home, "Applications", "locus.app")
	d := newDesktop(t, "darwin", home, macTools)
	for _, step := range []struct {
		name string
		plan func() (*Plan, error)
		text string   // a part of the plan
		want []string // the schemes of the application; nil: it does not exist
	}{
		{"nothing to remove", remove(d), "# remove " + app + "\n", nil},
		{"installed", install(d, false, "gopher"), "# write " + infoName(app) + "\n<?xml", []string{"gopher"}},
		{"one more", install(d, false, "ftp", "gopher"), "# compile into " + app + "\n", []string{"ftp", "gopher"}},
		{"removed", remove(d), "# remove " + app + "\n", nil},
	} {
		plan, err := step.plan()
		if err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if !slices.Equal(plan.Opens, step.want) || !strings.Contains(plan.String(), step.text) {
			t.Errorf("%s: the plan opens %q:\n%s", step.name, plan.Opens, plan)
		}
		if err := plan.Do(t.Context()); err != nil {
			t.Errorf("%s: %v", step.name, err)
		}
		schemes, err := testHandler.readApp(app)
		if err != nil || !slices.Equal(schemes, step.want) {
			t.Errorf("%s: the application opens %q, %v, want %q", step.name, schemes, err, step.want)
		}
		if step.want == nil {
			continue
		}
		if _, err := os.Stat(filepath.Join(app, "signed")); err != nil {
			t.Errorf("%s: %v", step.name, err)
		}
		script, err := os.ReadFile(filepath.Join(app, "Contents", "Resources", "script"))
		if err != nil || !strings.Contains(string(script), "\"/opt/locus open -- ") {
			t.Errorf("%s: the script is %q, %v", step.name, script, err)
		}
	}
}

// An application that locus did not make is neither replaced nor removed. If a program of the
// system fails, the error contains its output.
func TestInstallMacRefuses(t *testing.T) {
	foreign := map[string]string{"Info.plist": "<plist><dict><key>CFBundleIdentifier</key><string>other</string></dict></plist>"}
	for _, test := range []struct {
		name     string
		there    map[string]string // files of the application
		tools    map[string]string
		isRemove bool
		want     string
	}{
		{"foreign", foreign, macTools, false, "is an application that locus did not make"},
		{"foreign, to remove", foreign, macTools, true, "is an application that locus did not make"},
		{"no Info.plist", map[string]string{"x": ""}, macTools, true, "is an application that locus did not make"},
		{"no XML", map[string]string{"Info.plist": "bplist00"}, macTools, false, "EOF"},
		{"no compiler", nil, nil, false, `"osacompile": executable file not found`},
		{"no signer", nil, map[string]string{"osacompile": "exit 0"}, false, `"codesign": executable file not found`},
		{"broken compiler", nil, map[string]string{"osacompile": "echo no disk >&2; exit 1", "codesign": ""}, false, "osacompile: exit status 1: no disk"},
	} {
		t.Run(test.name, func(t *testing.T) {
			home := t.TempDir()
			contents := filepath.Join(home, "Applications", "locus.app", "Contents")
			for name, text := range test.there {
				write(t, filepath.Join(contents, name), text)
			}
			d := newDesktop(t, "darwin", home, test.tools)
			plan, err := install(d, false, "gopher")()
			if test.isRemove {
				plan, err = remove(d)()
			}
			if err == nil {
				err = plan.Do(t.Context())
			}
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the plan, or Do of it = %v, want %q", err, test.want)
			}
			for name, text := range test.there {
				if got, err := os.ReadFile(filepath.Join(contents, name)); err != nil || string(got) != text {
					t.Errorf("%s is now %q, %v", name, got, err)
				}
			}
			if _, err := os.Stat(contents); test.there == nil && err == nil {
				t.Error("Do that failed left a partial application")
			}
		})
	}
}
