package manual

import (
	"strings"
	"testing"

	"locus/cmd/locus/internal/flags"
)

// tryProgram returns a program with the verb "try", which has flags of each way to complete.
func tryProgram() Program {
	flag := func(s flags.Spec) flags.Flag { return flags.Flag{Spec: s} }
	return Program{Page: Page{Name: "locus"}, URLStarts: func() []string { return []string{"ftp://", "mid:"} }, Verbs: []Page{
		{Name: "try", Program: "locus", Summary: "try it", Synopsis: "locus try [FLAG…]", Flags: []flags.Flag{
			flag(flags.Spec{Name: "output", Short: "o", Kind: flags.Text(), Usage: "write to `FILE`; - is stdout"}),
			flag(flags.Spec{Name: "as", Kind: flags.Word(), Choices: []string{"rfc1738", "rfc3986"}, ShowChoices: true, Usage: "read as `KIND`"}),
			flag(flags.Spec{Name: "scheme", Kind: flags.Word(), Likely: []string{"ftp", "gopher"}, Usage: "take only `SCHEME`"}),
			flag(flags.Spec{Name: "json", Usage: "write JSON, one object a line"}),
		}},
		{Name: "help", Program: "locus", Summary: "explain"},
		{Name: "completion", Program: "locus", Summary: "complete"},
		{Name: "ls", Program: "locus", Summary: "list", Synopsis: "locus ls [FLAG…] URL…"},
		{Name: "put", Program: "locus", Summary: "send", Synopsis: "locus put FILE… URL"},
	}}
}

// The words are those that a shell has before the cursor; the last one begins with "=".
func TestCompletion(t *testing.T) {
	for _, tt := range []struct {
		words string
		want  string // what is offered, with blanks between
	}{
		{"=", "try help completion ls put"},
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
		{"ls =", "ftp:// mid:"},
		{"ls ftp://h/ =m", "mid:"},
		{"ls =x", ""},
		{"put =", ""}, // or names of files
		{"nope =", ""},
		{"$(touch x) =`", ""}, // nothing is run
	} {
		var b strings.Builder
		words := strings.Fields(tt.words)
		last := len(words) - 1
		err := tryProgram().WriteWords(&b, words[:last], strings.TrimPrefix(words[last], "="))
		var got []string
		for line := range strings.Lines(b.String()) {
			word, meaning, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			if got = append(got, word); meaning == "" {
				t.Errorf("after %q: %q has no meaning", tt.words, word)
			}
		}
		if err != nil || strings.Join(got, " ") != tt.want {
			t.Errorf("after %q: %q, %v, want %q", tt.words, got, err, tt.want)
		}
	}
}

// The scripts ask for words, and evaluate none of them.
func TestScripts(t *testing.T) {
	for _, script := range Scripts() {
		if !strings.Contains(script.Text, "locus completion words -- ") || strings.Contains(script.Text, "eval") {
			t.Errorf("the script for %s is\n%s", script.Shell, script.Text)
		}
	}
}
