package handlers

import (
	"strings"
	"testing"
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
