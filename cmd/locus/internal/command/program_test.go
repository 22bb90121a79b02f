package command

import (
	"context"
	"os"
	"strings"
	"testing"

	"locus/cmd/locus/internal/flags"
	"locus/cmd/locus/internal/manual"
)

// tryOptions has a flag for each kind of completion.
type tryOptions struct {
	Args   []string `args:"0-"`
	Output string   `flag:"output"`
	As     string   `flag:"as"`
	Scheme string   `flag:"scheme"`
	JSON   bool     `flag:"json"`
}

// specOf returns the declarations of the flags in these tests.
func specOf(name string) flags.Spec {
	return map[string]flags.Spec{
		"output": {Name: name, Short: "o", Kind: flags.Text(), Usage: "write to `FILE`"},
		"as":     {Name: name, Kind: flags.Word(), Usage: "read as `KIND`"},
		"scheme": {Name: name, Kind: flags.Word(), Usage: "take only `SCHEME`", Choices: []string{"ftp", "gopher"}},
		"json":   {Name: name, Usage: "write JSON"},
		"all":    {Name: name, Usage: "show everything"},
		"man":    {Name: name, Usage: "write a manual page"},
	}[name]
}

// newProgram returns a program with the verb "try", and its own help and completion.
func newProgram() *Program {
	run := func(context.Context, *Env, tryOptions) error { return nil }
	try := New(Verb{Name: "try", Summary: "try it", Synopsis: "locus try [FLAG…]", Kinds: []string{"rfc1738", "rfc3986"}}, specOf, run)
	p := &Program{Verbs: []Maker{{Name: "try", Make: func() *Verb { return try }}}}
	p.Verbs = append(p.Verbs,
		Maker{Name: "help", Make: func() *Verb { return p.Help(specOf) }},
		Maker{Name: "completion", Make: p.Completion})
	return p
}

// run runs the program, and returns its status and both outputs.
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

// A shell gets the words that can follow.
func TestCompletion(t *testing.T) {
	for words, want := range map[string]string{
		"=t":             "try\ttry it\n",
		"try =--o":       "--output\twrite to FILE\n",
		"try --as =":     "rfc1738\tread as KIND\nrfc3986\tread as KIND\n",
		"try =":          "", // the shell completes file names
		"completion =zs": "zsh\twrite a completion script for a shell\n",
	} {
		status, stdout, stderr := newProgram().run(t, append([]string{"completion", "words", "--"}, strings.Fields(words)...)...)
		if status != 0 || stdout != want || stderr != "" {
			t.Errorf("after %q: %d, %q, %q, want %q", words, status, stdout, stderr, want)
		}
	}
}

// The program has a completion script for each shell.
func TestCompletionScripts(t *testing.T) {
	p := newProgram()
	for _, script := range manual.Scripts() {
		status, stdout, stderr := p.run(t, "completion", script.Shell)
		if status != 0 || stdout != script.Text || stderr != "" {
			t.Errorf("completion %s = %d, %q, %q", script.Shell, status, stdout, stderr)
		}
	}
	for _, args := range [][]string{nil, {"tcsh"}, {"bash", "zsh"}} {
		if status, stdout, stderr := p.run(t, append([]string{"completion"}, args...)...); status != 2 || stdout != "" || !strings.Contains(stderr, "completion needs the name of a shell: bash, fish, powershell or zsh") {
			t.Errorf("completion %q = %d, %q, %q", args, status, stdout, stderr)
		}
	}
}

// A misuse has the status 2, and a hint.
func TestProgramMisuse(t *testing.T) {
	for args, want := range map[string]string{
		"":                          "a verb is missing\nlocus: hint: locus help lists the verbs",
		"tyr":                       "unknown verb \"tyr\"\nlocus: hint: did you mean try? locus help lists the verbs",
		"nothing-like-it":           "unknown verb \"nothing-like-it\"\nlocus: hint: locus help lists the verbs",
		"http://u:secret@h/":        "a verb is missing before the URL",
		"help tyr":                  "did you mean try?",
		"try --as word":             "--as must be rfc1738 or rfc3986, not \"word\"",
		"try --ouptut x":            "unknown flag --ouptut\nlocus: hint: did you mean --output?",
		"try --output":              "the flag --output needs a value",
		"try --scheme http://u:p@h": "--scheme must be ftp or gopher, not \"http://u:xxxxx@h\"",
	} {
		status, stdout, stderr := newProgram().run(t, strings.Fields(args)...)
		if status != 2 || stdout != "" || !strings.Contains(stderr, want) || strings.Contains(stderr, "secret") {
			t.Errorf("locus %s = %d, %q, %q, want %q", args, status, stdout, stderr, want)
		}
	}
}

// The short help has the common flags, the full help has every flag, and in the manual page no line
// begins with a dot by accident.
func TestHelp(t *testing.T) {
	p := newProgram()
	try := p.Verbs[0].Make()
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
			t.Errorf("help --all does not contain %s", written)
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
	_, whole, _ := p.run(t, "help")
	for _, verb := range []string{"completion", "help", "try"} {
		if !strings.Contains(whole, "\n   "+verb+" ") {
			t.Errorf("help does not contain the verb %s:\n%s", verb, whole)
		}
	}
}
