package handlers

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// TestInfoPlist reads the file as XML, and checks that each key has a value.
func TestInfoPlist(t *testing.T) {
	text := infoPlist([]string{"gopher", "wais"})
	values := map[string]string{} // of the outermost dictionary
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
		t.Errorf("the keys are %v, want %v", values, want)
	}
	if want := []string{"gopher", "wais"}; !reflect.DeepEqual(schemes, want) {
		t.Errorf("the schemes are %q, want %q", schemes, want)
	}
}

func TestAppleScript(t *testing.T) {
	got := appleScript(`/Users/me/it's "a"\b`, "http://127.0.0.1:1738/")
	for _, want := range []string{
		"on open location link\n",
		`set openCommand to "'/Users/me/it'\\''s \"a\"\\b' open --at 'http://127.0.0.1:1738/' -- " & quoted form of link` + "\n",
		`"telnet:"`, `"rlogin:"`, `"tn3270:"`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the script lacks %s:\n%s", want, got)
		}
	}
	if strings.Contains(got, `"gopher:"`) {
		t.Errorf("gopher is no session:\n%s", got)
	}
}

// macTools are programs that do for a test what those of macOS do: osacompile makes a
// folder with the script and another Info.plist, codesign notes what it signs.
var macTools = map[string]string{
	"osacompile": `mkdir -p "$2/Contents/Resources" && cp "$3" "$2/Contents/Resources/script" && echo other >"$2/Contents/Info.plist"`,
	"codesign":   `shift 3; grep -q locus.handler "$1/Contents/Info.plist" && touch "$1/signed"`,
}

func TestInstallMac(t *testing.T) {
	home := t.TempDir()
	app := filepath.Join(home, "Applications", "locus.app")
	for _, step := range []struct {
		options Options
		said    string
		schemes []string // of the application; nil: there is none
	}{
		{Options{Remove: true}, "", nil},
		{Options{DryRun: true, Schemes: []string{"gopher"}}, "# write " + infoName(app) + "\n<?xml", nil},
		{Options{Schemes: []string{"gopher"}}, "locus now opens links of these schemes: gopher\n", []string{"gopher"}},
		{Options{Schemes: []string{"ftp"}}, "these schemes: ftp, gopher\n", []string{"ftp", "gopher"}},
		{Options{Schemes: []string{"ftp"}, DryRun: true, Remove: true}, "# remove " + app, []string{"ftp", "gopher"}},
		{Options{Remove: true}, "", nil},
	} {
		said, err := installedWith(t, "darwin", home, macTools, step.options)
		if err != nil || !strings.Contains(said, step.said) {
			t.Errorf("%+v: %v, %q, want %q", step.options, err, said, step.said)
		}
		schemes, err := readApp(app)
		if err != nil || !reflect.DeepEqual(schemes, step.schemes) {
			t.Errorf("%+v: the application opens %q, %v, want %q", step.options, schemes, err, step.schemes)
		}
		if step.schemes == nil {
			continue
		}
		if _, err := os.Stat(filepath.Join(app, "signed")); err != nil {
			t.Errorf("%+v: %v", step.options, err)
		}
		script, err := os.ReadFile(filepath.Join(app, "Contents", "Resources", "script"))
		if err != nil || !strings.Contains(string(script), "'/opt/locus' open --at") {
			t.Errorf("%+v: the script is %q, %v", step.options, script, err)
		}
	}
}

// An application that has the name by chance is neither replaced nor removed. If a program
// of the system fails, the error says so.
func TestInstallMacRefuses(t *testing.T) {
	foreign := map[string]string{"Info.plist": "<plist><dict><key>CFBundleIdentifier</key><string>other</string></dict></plist>"}
	for _, tt := range []struct {
		name    string
		there   map[string]string // files of the application
		tools   map[string]string
		options Options
		want    string
	}{
		{"foreign", foreign, macTools, Options{}, "is not an application that locus made"},
		{"foreign, to remove", foreign, macTools, Options{Remove: true}, "is not an application that locus made"},
		{"no Info.plist", map[string]string{"x": ""}, macTools, Options{Remove: true}, "is not an application that locus made"},
		{"no XML", map[string]string{"Info.plist": "bplist00"}, macTools, Options{}, "EOF"},
		{"no compiler", nil, nil, Options{}, `"osacompile": executable file not found`},
		{"broken compiler", nil, map[string]string{"osacompile": "echo no disk >&2; exit 1", "codesign": ""}, Options{}, "osacompile: exit status 1: no disk"},
		{"https", nil, macTools, Options{Schemes: []string{"https"}}, "--scheme wants a scheme"},
		{"no gateway", nil, macTools, Options{At: "ftp://h/"}, "a gateway is at a URL such as"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			home := t.TempDir()
			contents := filepath.Join(home, "Applications", "locus.app", "Contents")
			for name, text := range tt.there {
				if err := os.MkdirAll(contents, 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(contents, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := installedWith(t, "darwin", home, tt.tools, tt.options); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
			for name, text := range tt.there {
				if got, err := os.ReadFile(filepath.Join(contents, name)); err != nil || string(got) != text {
					t.Errorf("%s is now %q, %v", name, got, err)
				}
			}
			if _, err := os.Stat(contents); tt.there == nil && err == nil {
				t.Error("half an application is left")
			}
		})
	}
}
