package cli

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
)

// tryOptions are flags of each way to complete.
type tryOptions struct {
	Args    []string `args:"0-"`
	Output  string   `flag:"output"`
	As      string   `flag:"as"`
	Schemes []string `flag:"scheme"`
	JSON    bool     `flag:"json"`
}

// newProgram returns a program with the verb "try", and its own help and completion.
func newProgram() *Program {
	run := func(context.Context, *Env, tryOptions) error { return nil }
	try := New(run, Verb{Name: "try", Summary: "try it", Synopsis: "locus try [FLAG…]", Kinds: []string{"rfc1738", "rfc3986"}})
	p := &Program{Verb: Verb{Name: "locus"}}
	p.Verbs = []Maker{{"try", func() *Verb { return try }}, {"help", p.Help}, {"completion", p.Completion}}
	return p
}

// run runs the program, and returns its status and what it writes to both streams.
func (p *Program) run(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var written [2]string
	var files [2]*os.File
	for i := range files {
		f, err := os.CreateTemp(t.TempDir(), "")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		files[i] = f
	}
	status = p.Run(t.Context(), NewEnv(nil, files[0], files[1]), append([]string{"locus"}, args...))
	for i, f := range files {
		text, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		written[i] = string(text)
	}
	return status, written[0], written[1]
}

// The words are those that a shell has before the cursor; the last one begins with "=".
func TestCompletion(t *testing.T) {
	for _, tt := range []struct {
		words string
		want  string // what is offered, with blanks between
	}{
		{"=", "try help completion"},
		{"=t", "try"},
		{"=x", ""},
		{"try =", ""}, // names of files
		{"try =--o", "--output"},
		{"try =-", "--output -o --as --scheme --json --help -h"},
		{"try --as =", "rfc1738 rfc3986"},
		{"try --as =rfc1", "rfc1738"},
		{"try =--as=rfc1", "--as=rfc1738"},
		{"try --as = =rfc1", "rfc1738"}, // bash makes three words of --as=rfc1
		{"try --as ==", "rfc1738 rfc3986"},
		{"try --scheme =gop", "gopher"},
		{"try =--scheme=gop", "--scheme=gopher"},
		{"try --output =", ""},
		{"try -o =", ""},
		{"try - =", ""},
		{"try --json =--j", "--json"},
		{"help =t", "try"},
		{"completion =", "bash fish powershell zsh"},
		{"completion =p", "powershell"},
		{"nope =", ""},
		{"$(touch x) =`", ""}, // nothing is run
	} {
		status, stdout, stderr := newProgram().run(t, append([]string{"completion", "words", "--"}, strings.Fields(tt.words)...)...)
		var got []string
		for line := range strings.Lines(stdout) {
			word, meaning, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			if got = append(got, word); meaning == "" {
				t.Errorf("after %q: %q has no meaning", tt.words, word)
			}
		}
		if status != 0 || strings.Join(got, " ") != tt.want || stderr != "" {
			t.Errorf("after %q: %d, %q, %q, want %q", tt.words, status, got, stderr, tt.want)
		}
	}
}

// There is a script for each shell, which asks for words and evaluates none of them.
func TestCompletionScripts(t *testing.T) {
	p := newProgram()
	for shell, script := range completionScripts() {
		status, stdout, stderr := p.run(t, "completion", shell)
		if status != 0 || stdout != script || stderr != "" || !strings.Contains(script, "locus completion words -- ") || strings.Contains(script, "eval") {
			t.Errorf("completion %s = %d, %q, %q", shell, status, stdout, stderr)
		}
	}
	for _, args := range [][]string{nil, {"tcsh"}, {"bash", "zsh"}} {
		if status, stdout, stderr := p.run(t, append([]string{"completion"}, args...)...); status != 2 || stdout != "" || !strings.Contains(stderr, "completion wants bash, fish, powershell or zsh") {
			t.Errorf("completion %q = %d, %q, %q", args, status, stdout, stderr)
		}
	}
}

// What is misused has the status 2, and says what to type.
func TestProgramMisuse(t *testing.T) {
	for args, want := range map[string]string{
		"":                          "a verb is missing\nlocus: hint: locus help lists the verbs",
		"tyr":                       "unknown verb \"tyr\"\nlocus: hint: did you mean try? locus help lists the verbs",
		"nothing-like-it":           "unknown verb \"nothing-like-it\"\nlocus: hint: locus help lists the verbs",
		"http://u:secret@h/":        "a verb is missing before the URL",
		"help tyr":                  "did you mean try?",
		"try --as word":             "--as wants rfc1738 or rfc3986, not \"word\"",
		"try --ouptut x":            "unknown flag --ouptut\nlocus: hint: did you mean --output?",
		"try --output":              "the flag --output needs a value",
		"try --scheme http://u:p@h": "--scheme wants the name of a scheme",
	} {
		status, stdout, stderr := newProgram().run(t, strings.Fields(args)...)
		if status != 2 || stdout != "" || !strings.Contains(stderr, want) || strings.Contains(stderr, "secret") {
			t.Errorf("locus %s = %d, %q, %q, want %q", args, status, stdout, stderr, want)
		}
	}
}

// Short help has the common flags, all of it every flag, and man(7) source no line that
// begins with a dot by accident.
func TestHelp(t *testing.T) {
	p := newProgram()
	try := p.All()[0]
	try.Common = "output"
	try.Description = "First.\n\n.Second 'quoted' \\ paragraph.\n\nThird."
	_, short, _ := p.run(t, "help", "try")
	_, all, _ := p.run(t, "help", "--all", "try")
	_, man, _ := p.run(t, "help", "--man", "try")
	if !strings.Contains(short, "--output, -o FILE") || strings.Contains(short, "--json") || strings.Contains(short, "Second") || !strings.Contains(short, "locus help --all try shows everything: 3 more flags.") {
		t.Errorf("the short help is\n%s", short)
	}
	for _, f := range try.Flags() {
		if written, usage := f.Text(); !strings.Contains(all, "   "+written) || !strings.Contains(all, usage) {
			t.Errorf("help --all lacks %s", written)
		}
	}
	if !strings.Contains(man, "\\&.Second \\(aqquoted\\(aq \\e paragraph.\n.PP\nThird.") {
		t.Errorf("the manual page is\n%s", man)
	}
	for _, args := range [][]string{{"try", "--help"}, {"try", "x", "-h"}, {"--help", "try"}, {"-h", "try", "--nope"}} {
		if status, viaFlag, _ := p.run(t, args...); status != 0 || viaFlag != short {
			t.Errorf("%q = %d,\n%s\nwant\n%s", args, status, viaFlag, short)
		}
	}
	if got := slices.Sorted(slices.Values(strings.Fields(strings.Join(p.names(), " ")))); !slices.Equal(got, []string{"completion", "help", "try"}) {
		t.Errorf("the verbs are %q", got)
	}
}

// What is left out of the short help is the end of a sentence.
func TestShortened(t *testing.T) {
	for _, tt := range []struct {
		text string
		most int
		want string
	}{
		{"write to FILE; - is stdout", 26, "write to FILE; - is stdout"},
		{"write to FILE; - is stdout", 25, "write to FILE"},
		{"at most DURATION, such as 30s (default: no limit)", 30, "at most DURATION, such as 30s"},
		{"at most DURATION, such as 30s (default: no limit)", 20, "at most DURATION"},
		{"through the proxy (http, socks5)", 20, "through the proxy"},
		{"one (two), three; repeatable", 5, "one"},
		{"a sentence without an end", 5, "a sentence without an end"},
	} {
		if got := shortened(tt.text, tt.most); got != tt.want {
			t.Errorf("shortened(%q, %d) = %q, want %q", tt.text, tt.most, got, tt.want)
		}
	}
	if got, want := filled(strings.Repeat("word ", 20)), strings.Repeat("word ", 15)+"word\n"+strings.Repeat("word ", 3)+"word"; got != want {
		t.Errorf("filled = %q, want %q", got, want)
	}
}
