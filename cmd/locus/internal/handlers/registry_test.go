package handlers

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"
)

func TestRegistration(t *testing.T) {
	got := registration(`C:\Program Files\locus.exe`, "http://127.0.0.1:1738/", []string{"gopher", "wais"})
	for _, want := range []string{
		"Windows Registry Editor Version 5.00\n\n",
		"\n[HKEY_CURRENT_USER\\Software\\Classes\\gopher]\n@=\"URL:gopher\"\n\"URL Protocol\"=\"\"\n",
		"\n[HKEY_CURRENT_USER\\Software\\Classes\\wais\\shell\\open\\command]\n" +
			`@="\"C:\\Program Files\\locus.exe\" open --at http://127.0.0.1:1738/ -- \"%1\""` + "\n",
		"\\URLAssociations]\n\"gopher\"=\"locus.url\"\n\"wais\"=\"locus.url\"\n",
		`"locus"="Software\\locus\\Capabilities"`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the file lacks %q:\n%s", want, got)
		}
	}
}

func TestRemoval(t *testing.T) {
	got := removal([]string{"gopher"})
	want := registryHead + "\n[-HKEY_CURRENT_USER\\Software\\Classes\\locus.url]\n[-HKEY_CURRENT_USER\\Software\\Classes\\gopher]\n" +
		"[-HKEY_CURRENT_USER\\Software\\locus]\n\n[HKEY_CURRENT_USER\\Software\\RegisteredApplications]\n\"locus\"=-\n"
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestUTF16File(t *testing.T) {
	if got, want := string(utf16File("é\n𝄞")), "\xff\xfe\xe9\x00\r\x00\n\x00\x34\xd8\x1e\xdd"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// regIn returns a program that does for a test what reg does on Windows. It finds the
// keys in folder/keys, and copies what it imports to folder/imported.
func regIn(folder string) map[string]string {
	return map[string]string{"reg": `case $1 in
query) grep -F -A1 -- "[$2]" "` + folder + `/keys" ;;
import) cp "$2" "` + folder + `/imported" ;;
esac`}
}

func TestInstallWindows(t *testing.T) {
	folder := t.TempDir()
	const keys = `[HKEY_CLASSES_ROOT\telnet\shell\open\command]` + "\n" + `rundll32 url.dll,TelnetProtocolHandler %l` + "\n" +
		`[HKEY_CLASSES_ROOT\wais\shell\open\command]` + "\n" + `"/opt/locus" open -- "%1"` + "\n"
	if err := os.WriteFile(filepath.Join(folder, "keys"), []byte(keys), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		options  Options
		said     string
		imported []string // parts of the registry file; nil: none is imported
		not      string   // no part of it
	}{
		{Options{DryRun: true}, "\n[HKEY_CURRENT_USER\\Software\\Classes\\gopher]\n", nil, ""},
		{Options{}, "telnet stays with another program; --scheme telnet takes it", []string{`Classes\gopher]`, `Classes\wais]`}, `Classes\telnet]`},
		{Options{Schemes: []string{"telnet"}}, "locus now opens links of these schemes: telnet\n", []string{`Classes\telnet]`}, `Classes\gopher]`},
		{Options{Remove: true, DryRun: true}, "\n[-HKEY_CURRENT_USER\\Software\\Classes\\wais]\n", nil, ""},
		{Options{Remove: true}, "", []string{`[-HKEY_CURRENT_USER\Software\Classes\wais]`, `[-HKEY_CURRENT_USER\Software\locus]`}, `telnet`},
	} {
		said, err := installedWith(t, "windows", "", regIn(folder), step.options)
		if err != nil || !strings.Contains(said, step.said) {
			t.Errorf("%+v: %v, %q, want %q", step.options, err, said, step.said)
		}
		text, err := os.ReadFile(filepath.Join(folder, "imported"))
		if (err == nil) != (step.imported != nil) {
			t.Errorf("%+v: imported %q, %v", step.options, text, err)
		}
		for _, want := range step.imported {
			if got := fromUTF16(text); !strings.Contains(got, want) || strings.Contains(got, step.not) {
				t.Errorf("%+v: it imports %s\nwant %q, and no %q", step.options, got, want, step.not)
			}
		}
		_ = os.Remove(filepath.Join(folder, "imported")) // there may be none
	}
}

func TestInstallWindowsRefuses(t *testing.T) {
	for _, tt := range []struct {
		name    string
		tools   map[string]string
		options Options
		want    string
	}{
		{"no reg", nil, Options{}, `"reg": executable file not found`},
		{"failed import", map[string]string{"reg": `[ "$1" = query ] || { echo ERROR: access is denied; exit 1; }`}, Options{Schemes: []string{"gopher"}}, "reg: exit status 1: ERROR: access is denied"},
		{"https", regIn(t.TempDir()), Options{Schemes: []string{"https"}}, "--scheme wants a scheme"},
		{"no gateway", regIn(t.TempDir()), Options{At: "ftp://h/"}, "a gateway is at a URL such as"},
	} {
		if _, err := installedWith(t, "windows", "", tt.tools, tt.options); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// fromUTF16 reads what utf16File writes.
func fromUTF16(b []byte) string {
	var units []uint16
	for i := 0; i+1 < len(b); i += 2 {
		units = append(units, binary.LittleEndian.Uint16(b[i:]))
	}
	return string(utf16.Decode(units))
}
