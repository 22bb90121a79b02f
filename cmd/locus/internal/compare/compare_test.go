package compare

import (
	"strings"
	"testing"

	"locus/cmd/locus/internal/clitest"
	"locus/compare"
)

func TestCompare(t *testing.T) {
	clitest.Table(t, Verb(), []clitest.Case{
		{Args: []string{"http://h/"}, Stdout: "http://h/\n  scheme    http\n  host      h\n  path      /\n  leads to  http h:80\n"},
		{Args: []string{"--lint", "http://h/"}, Stdout: "http://h/\n  all lead to http h:80\n"},
		{Stdin: "http://a/\nhttp://b/\n", Args: []string{"--lint"}, Stdout: "http://a/\n  all lead to http a:80\nhttp://b/\n  all lead to http b:80\n"},
		{Args: []string{"--nope"}, Status: 2, Stderr: "unknown flag --nope"},
	})
}

// A URL that an attacker writes so that two programs see two hosts is explained, and fails.
func TestCompareDiffering(t *testing.T) {
	for in, want := range map[string][]string{
		`http://good.example\@evil.example/`: {"! host", "good.example", "evil.example", "! leads to", "read by", "backslash at byte 19"},
		"http://0x7f.1/":                     {"127.0.0.1", "0x7f.1", "ipv4-shorthand"},
		"http://a@b@c/":                      {"RFC 1630", "b@c:80", "refused by RFC 3986"},
	} {
		shown, lint := run(t, in), run(t, "--lint", in)
		for _, text := range want {
			if !strings.Contains(shown+lint, text) {
				t.Errorf("compare %s does not write %q:\n%s%s", in, text, shown, lint)
			}
		}
	}
	status, _, stderr := clitest.Run(t, Verb(), clitest.Input{Stdin: "http://h/\nhttp:\\\\h\\x\n"})
	if status != 1 || stderr != "locus: parsers disagree about 1 of 2 URLs\n" {
		t.Errorf("compare of two URLs, of which one differs = %d, %q", status, stderr)
	}
	// Control characters are never written.
	if shown := run(t, "http://h/\x1b[2J"); strings.Contains(shown, "\x1b") {
		t.Errorf("compare writes the control character: %q", shown)
	}
}

func run(t *testing.T, args ...string) string {
	t.Helper()
	_, stdout, _ := clitest.Run(t, Verb(), clitest.Input{}, args...)
	return stdout
}

// Help names each parser, with the software that reads as it does.
func TestSoftware(t *testing.T) {
	for p := compare.RFC1738; p.Software() != ""; p++ {
		if line := p.String() + strings.Repeat(" ", max(0, 14-len(p.String()))) + "  " + p.Software() + "\n"; !strings.Contains(software()+"\n", line) {
			t.Errorf("help does not contain %q", line)
		}
	}
}
