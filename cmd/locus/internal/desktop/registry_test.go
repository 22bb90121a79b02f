package desktop

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
)

func TestRegistration(t *testing.T) {
	got := registration(Handler{Name: "locus", About: `opens "URLs"`, Program: `C:\Program Files\locus.exe`, Args: []string{"open", "--"}}, []string{"gopher", "wais"})
	for _, want := range []string{
		"Windows Registry Editor Version 5.00\n\n",
		"\n[HKEY_CURRENT_USER\\Software\\Classes\\gopher]\n@=\"URL:gopher\"\n\"URL Protocol\"=\"\"\n",
		"\n[HKEY_CURRENT_USER\\Software\\Classes\\wais\\shell\\open\\command]\n" +
			`@="\"C:\\Program Files\\locus.exe\" open -- \"%1\""` + "\n",
		"\\URLAssociations]\n\"gopher\"=\"locus.url\"\n\"wais\"=\"locus.url\"\n",
		"\n" + `"ApplicationDescription"="opens \"URLs\""` + "\n",
		"\n[HKEY_CURRENT_USER\\Software\\RegisteredApplications]\n" + `"locus"="Software\\locus\\Capabilities"` + "\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("registration does not contain %q:\n%s", want, got)
		}
	}
}

func TestRemoval(t *testing.T) {
	got := removal(testHandler, []string{"gopher"})
	want := registryHead + "\n[-HKEY_CURRENT_USER\\Software\\Classes\\locus.url]\n[-HKEY_CURRENT_USER\\Software\\Classes\\gopher]\n" +
		"[-HKEY_CURRENT_USER\\Software\\locus]\n\n[HKEY_CURRENT_USER\\Software\\RegisteredApplications]\n\"locus\"=-\n"
	if got != want {
		t.Errorf("removal(%q, gopher) = %s, want %s", testHandler, got, want)
	}
}

func TestUTF16File(t *testing.T) {
	if got, want := string(utf16File("é\n𝄞")), "\xff\xfe\xe9\x00\r\x00\n\x00\x34\xd8\x1e\xdd"; got != want {
		t.Errorf("utf16File(%q) = %q, want %q", "é\n𝄞", got, want)
	}
}

// regIn returns a program that stands for the program reg of Windows in tests. It reads the keys
// from folder/keys, and copies imported files to folder/imported.
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
	d := newDesktop(t, "windows", "", regIn(folder))
	for _, step := range []struct {
		name  string
		plan  func() (*Plan, error)
		opens []string
		kept  []Kept
		want  []string // parts of the registry file
		not   string   // is not a part of the registry file
	}{
		{"kept", install(d, false, "gopher", "telnet", "wais"), []string{"gopher", "wais"}, []Kept{{Scheme: "telnet"}}, []string{`Classes\gopher]`, `Classes\wais]`}, `Classes\telnet]`},
		{"taken", install(d, true, "telnet"), []string{"telnet"}, nil, []string{`Classes\telnet]`}, `Classes\gopher]`},
		{"removed", remove(d), nil, nil, []string{`[-HKEY_CURRENT_USER\Software\Classes\wais]`, `[-HKEY_CURRENT_USER\Software\locus]`}, `telnet`},
	} {
		plan, err := step.plan()
		if err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if !slices.Equal(plan.Opens, step.opens) || !slices.Equal(plan.Kept, step.kept) {
			t.Errorf("%s: the plan opens %q and keeps %q", step.name, plan.Opens, plan.Kept)
		}
		imported := filepath.Join(folder, "imported")
		if _, err := os.Stat(imported); err == nil {
			t.Errorf("%s: the registry was changed before Do", step.name)
		}
		if err := plan.Do(t.Context()); err != nil {
			t.Errorf("%s: %v", step.name, err)
		}
		text, err := os.ReadFile(imported)
		if got := fromUTF16(text); err != nil || got != "\ufeff"+strings.ReplaceAll(plan.String(), "\n", "\r\n") {
			t.Errorf("%s: imported %q, %v, planned %q", step.name, got, err, plan)
		}
		for _, want := range step.want {
			if got := plan.String(); !strings.Contains(got, want) || strings.Contains(got, step.not) {
				t.Errorf("%s: the plan is %s\nwant %q, and not %q", step.name, got, want, step.not)
			}
		}
		if err := os.Remove(imported); err != nil {
			t.Error(err)
		}
	}
}

func TestInstallWindowsRefuses(t *testing.T) {
	if _, err := install(newDesktop(t, "windows", "", nil), false, "gopher")(); err == nil || !strings.Contains(err.Error(), `"reg": executable file not found`) {
		t.Errorf("Install without the program reg = %v", err)
	}
	failing := map[string]string{"reg": `[ "$1" = query ] || { echo ERROR: access is denied; exit 1; }`}
	plan, err := install(newDesktop(t, "windows", "", failing), false, "gopher")()
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Do(t.Context()); err == nil || !strings.Contains(err.Error(), "reg: exit status 1: ERROR: access is denied") {
		t.Errorf("Do with a reg that fails = %v", err)
	}
	d := newDesktop(t, "windows", "", regIn(t.TempDir()))
	if _, err := d.Remove(t.Context(), Handler{Name: "x"}); err == nil {
		t.Error("Remove of a handler without a program = nil, want an error")
	}
	for _, arg := range []string{"", "a b", `"`, "%1"} {
		h := testHandler
		h.Args = []string{arg}
		if _, err := d.Install(t.Context(), h, nil, false); err == nil {
			t.Errorf("Install of a handler with the argument %q = nil, want an error", arg)
		}
	}
}

// fromUTF16 decodes the output of utf16File.
func fromUTF16(b []byte) string {
	var units []uint16
	for i := 0; i+1 < len(b); i += 2 {
		units = append(units, binary.LittleEndian.Uint16(b[i:]))
	}
	return string(utf16.Decode(units))
}
