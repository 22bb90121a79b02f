package flags

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
)

// newCommand returns a command with two flags without values, one with a value, and a list.
func newCommand() *Command {
	return &Command{Help: "locus help try", Flags: []Flag{
		{Spec: Spec{Name: "json"}},
		{Spec: Spec{Name: "quiet", Short: "q"}},
		{Spec: Spec{Name: "recursive", Short: "r"}},
		{Spec: Spec{Name: "output", Short: "o", Kind: Text()}},
		{Spec: Spec{Name: "host", Kind: Texts()}},
		{Spec: Spec{Name: "help", Short: "h"}},
	}}
}

// "|" separates words.
func TestParseArguments(t *testing.T) {
	type values = map[string][]string
	for _, test := range []struct {
		words     string
		arguments string
		values    values
	}{
		{"a|b", "a|b", nil},
		{"--json|a", "a", values{"json": {"true"}}},
		{"a|--json", "a", values{"json": {"true"}}},
		{"-json", "", values{"json": {"true"}}},
		{"--q", "", values{"quiet": {"true"}}},
		{"--json=", "", values{"json": {"true"}}},
		{"--json=1", "", values{"json": {"true"}}},
		{"--json=f", "", values{"json": {"false"}}},
		{"--json|--json=false", "", values{"json": {"true", "false"}}},
		{"--output|f|a", "a", values{"output": {"f"}}},
		{"--output=f|a", "a", values{"output": {"f"}}},
		{"-o|f", "", values{"output": {"f"}}},
		{"-o=f", "", values{"output": {"f"}}},
		{"-o|", "", values{"output": {""}}},
		{"-o=|f", "f", values{"output": {""}}},
		{"-o|--json", "", values{"output": {"--json"}}},
		{"-o|--", "", values{"output": {"--"}}},
		{"-o|a=b", "", values{"output": {"a=b"}}},
		{"--output=a=b, c ", "", values{"output": {"a=b, c "}}},
		{"--host|a,b|--host=c", "", values{"host": {"a,b", "c"}}},
		{"-h", "", values{"help": {"true"}}},
		{"-rq|a", "a", values{"recursive": {"true"}, "quiet": {"true"}}},
		{"-rqo|f|a", "a", values{"recursive": {"true"}, "quiet": {"true"}, "output": {"f"}}},
		{"-qo=f", "", values{"quiet": {"true"}, "output": {"f"}}},
		{"-of|a", "a", values{"output": {"f"}}},
		{"-o4=5", "", values{"output": {"4=5"}}},
		{"-qofile|a", "a", values{"quiet": {"true"}, "output": {"file"}}},
		{"-qr=false", "", values{"quiet": {"true"}, "recursive": {"false"}}},
		{"a|--|--json|--", "a|--json|--", nil},
		{"--", "", nil},
		{"-|--json", "-", values{"json": {"true"}}},
		{"|--json", "", values{"json": {"true"}}},
		{" --json", " --json", nil},
		{"--json|-5|--quiet", "-5|--quiet", values{"json": {"true"}}},
	} {
		got, err := newCommand().Parse(strings.Split(test.words, "|"))
		if err != nil {
			t.Errorf("parse(%q): %v", test.words, err)
			continue
		}
		if strings.Join(got.Arguments, "|") != test.arguments || !maps.EqualFunc(got.values, test.values, slices.Equal) {
			t.Errorf("parse(%q) = %q, %v, want %q, %v", test.words, got.Arguments, got.values, test.arguments, test.values)
		}
	}
}

func TestParseArgumentsFails(t *testing.T) {
	const help = "locus help try"
	for _, test := range []struct{ words, want, hint string }{
		{"--nothing-like-it", "unknown flag --nothing-like-it", help},
		{"--ouptut|f", "unknown flag --ouptut", "did you mean --output? locus help try lists the flags"},
		{"--hepl", "unknown flag --hepl", "did you mean --help? locus help try lists the flags"},
		{"--ouptut=f", "unknown flag --ouptut", "did you mean --output? locus help try lists the flags"},
		{"--JSON", "unknown flag --JSON", help},
		{"---json", "unknown flag ---json", "did you mean --json? locus help try lists the flags"},
		{"--=x", "unknown flag --", help},
		{"-x", "unknown flag -x", help},
		{"-é", "unknown flag -é", help},
		{"-qx", "unknown flag -x", help},
		{"-xada:secret", "unknown flag -x", help}, // the word is not shown, because it may be a password
		{"-qé", "unknown flag -é", help},
		{"-ouptut", "unknown flag --ouptut", "did you mean --output? locus help try lists the flags"},
		{"--rq", "unknown flag --rq", help},
		{"-o", "the flag -o needs a value", help},
		{"--output", "the flag --output needs a value", help},
		{"-qo", "the flag -o needs a value", help},
		{"--json=no", `--json must be true or false, not "no"`, help},
		{"-q=no", `-q must be true or false, not "no"`, help},
	} {
		got, err := newCommand().Parse(strings.Split(test.words, "|"))
		usage, ok := errors.AsType[*UsageError](err)
		if !ok || got != nil || usage.Text != test.want || usage.Hint != test.hint {
			t.Errorf("parse(%q) = %v, %#v, want %q, %q", test.words, got, err, test.want, test.hint)
		}
	}
}

// The flags of the program stand before the verb, and the words after it belong to the verb.
func TestParseVerb(t *testing.T) {
	for words, want := range map[string]string{
		"get|--json|a":    "get|--json|a",
		"--help|get|-x":   "get|-x",
		"--|get|--json":   "get|--json",
		"--help":          "",
		"-|--json":        "-|--json",
		"--version|--|-x": "-x",
	} {
		c := Command{IsProgram: true, Flags: []Flag{{Spec: Spec{Name: "version"}}, {Spec: Spec{Name: "help"}}}}
		got, err := c.Parse(strings.Split(words, "|"))
		if err != nil || strings.Join(got.Arguments, "|") != want {
			t.Errorf("parse(%q) = %v, %v, want %q", words, got, err, want)
		}
	}
}
