package handlers

import (
	"strings"
	"testing"
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
