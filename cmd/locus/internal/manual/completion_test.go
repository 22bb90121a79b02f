package manual

import (
	"strings"
	"testing"

	"locus/cmd/locus/internal/flags"
)

// tryProgram returns a program with the verb "try", which has a flag for each kind of completion.
func tryProgram() Program {
	flag := func(s flags.Spec) flags.Flag { return flags.Flag{Spec: s} }
	return Program{Page: Page{Name: "locus"}, URLStarts: func() []string { return []string{"ftp://", "mid:"} }, Verbs: []Page{
		{Name: "try", Program: "locus", Summary: "try it", Synopsis: "locus try [FLAG…]", Flags: []flags.Flag{
			flag(flags.Spec{Name: "output", Short: "o", Kind: flags.Text(), Usage: "write to `FILE`; - is stdout"}),
			flag(flags.Spec{Name: "as", Kind: flags.Word(), Choices: []string{"rfc1738", "rfc3986"}, ShowChoices: true, Usage: "read as `KIND`"}),
			flag(flags.Spec{Name: "scheme", Kind: flags.Word(), Likely: []string{"ftp", "gopher"}, Usage: "take only `SCHEME`"}),
			flag(flags.Spec{Name: "json", Usage: "write JSON, one object per line"}),
		}},
		{Name: "help", Program: "locus", Summary: "explain"},
		{Name: "completion", Program: "locus", Summary: "complete"},
		{Name: "ls", Program: "locus", Summary: "list", Synopsis: "locus ls [FLAG…] URL…"},
		{Name: "put", Program: "locus", Summary: "send", Synopsis: "locus put FILE… URL"},
	}}
}

// The words are the words before the cursor of a shell. The last one begins with "=".
func TestCompletion(t *testing.T) {
	for _, test := range []struct {
		words string
		want  string // the completions, separated by blanks
	}{
		{"=", "try help completion ls put"},
		{"=t", "try"},
		{"=x", ""},
		{"try =", ""}, // the shell completes file names
		{"try =--o", "--output"},
		{"try =-", "--output -o --as --scheme --json --help -h"},
		{"try --as =", "rfc1738 rfc3986"},
		{"try --as =rfc1", "rfc1738"},
		{"try =--as=rfc1", "--as=rfc1738"},
		{"try --as = =rfc1", "rfc1738"}, // bash splits --as=rfc1 into three words
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
		{"put =", ""}, // the shell completes file names
		{"nope =", ""},
		{"$(touch x) =`", ""}, // no command is run
	} {
		var b strings.Builder
		words := strings.Fields(test.words)
		last := len(words) - 1
		err := tryProgram().WriteWords(&b, words[:last], strings.TrimPrefix(words[last], "="))
		var got []string
		for line := range strings.Lines(b.String()) {
			word, meaning, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			if got = append(got, word); meaning == "" {
				t.Errorf("after %q the completion %q has no explanation", test.words, word)
			}
		}
		if err != nil || strings.Join(got, " ") != test.want {
			t.Errorf("after %q: %q, %v, want %q", test.words, got, err, test.want)
		}
	}
}

// The scripts ask for words, and never evaluate them.
func TestScripts(t *testing.T) {
	for _, script := range Scripts() {
		if !strings.Contains(script.Text, "locus completion words -- ") || strings.Contains(script.Text, "eval") {
			t.Errorf("the script for %s is\n%s", script.Shell, script.Text)
		}
	}
}
