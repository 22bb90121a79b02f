package flags

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// tryOptions are options with a field of each sort.
type tryOptions struct {
	URLs []string `args:"1-2"`
	tryMore
	Depth  *int   `flag:"depth"`
	Format string `flag:"format"`
	Given  Given
}

type tryMore struct {
	Quiet bool     `flag:"quiet"`
	Jobs  int      `flag:"jobs"`
	Hosts []string `flag:"host"`
	Codes []int    `flag:"accept"`
}

// tryCommand returns the command for options, whose help shows only --format.
func tryCommand(options *tryOptions) *Command {
	specs := map[string]Spec{
		"quiet":  {Name: "quiet", Short: "q"},
		"jobs":   {Name: "jobs", Short: "j", Kind: Count(1, 9), Usual: "4"},
		"host":   {Name: "host", Kind: Texts()},
		"accept": {Name: "accept", Kind: StatusCodes()},
		"depth":  {Name: "depth", Kind: Count(0, 9)},
		"format": {Name: "format", Kind: Word(), Choices: []string{"text", "json"}, Usual: "text"},
	}
	return &Command{
		Name: "try", Synopsis: "locus try [FLAG…] URL…", Help: "locus help try", FullHelp: "locus help --all try", Common: []string{"format"},
		Flags: Of(options, func(name string) Spec { return specs[name] }),
	}
}

// The fields get the values that were given, or the usual values.
func TestFill(t *testing.T) {
	zero := 0
	for _, test := range []struct {
		words string
		want  tryOptions
	}{
		{"a", tryOptions{URLs: []string{"a"}, tryMore: tryMore{Jobs: 4}, Format: "text", Given: Given{}}},
		{"a b -j 2 -q", tryOptions{
			URLs: []string{"a", "b"}, tryMore: tryMore{Jobs: 2, Quiet: true}, Format: "text", Given: Given{"jobs": true, "quiet": true},
		}},
		{"a --quiet=false --jobs 4", tryOptions{ // the Given tells a usual value that was typed from one that was not
			URLs: []string{"a"}, tryMore: tryMore{Jobs: 4}, Format: "text", Given: Given{"jobs": true, "quiet": false},
		}},
		{"a --depth 0 --format json", tryOptions{
			URLs: []string{"a"}, tryMore: tryMore{Jobs: 4}, Depth: &zero, Format: "json", Given: Given{"depth": true, "format": true},
		}},
		{"--jobs 2 --jobs 3 a", tryOptions{ // the last one counts
			URLs: []string{"a"}, tryMore: tryMore{Jobs: 3}, Format: "text", Given: Given{"jobs": true},
		}},
		{"--host h,i --host j --accept 200,404 --accept 500 a", tryOptions{
			URLs: []string{"a"}, tryMore: tryMore{Jobs: 4, Hosts: []string{"h,i", "j"}, Codes: []int{200, 404, 500}}, Format: "text",
			Given: Given{"host": true, "accept": true},
		}},
	} {
		var got tryOptions
		c := tryCommand(&got)
		words, err := c.Parse(strings.Fields(test.words))
		if err == nil {
			err = c.Fill(&got, words)
		}
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%q = %+v, %v, want %+v", test.words, got, err, test.want)
		}
	}
}

// An error names the flag or the arguments. Its hint is the help that lists the flag.
func TestFillFails(t *testing.T) {
	for _, test := range []struct{ words, text, hint string }{
		{"", "try needs more arguments: URL…", "locus help try"},
		{"a b c", "try takes fewer arguments: URL…", "locus help try"},
		{"a --jobs 10", `--jobs must be a number from 1 to 9, not "10"`, "locus help --all try"},
		{"a --format yaml", `--format must be text or json, not "yaml"`, "locus help try"},
		{"a --format=", `--format must be text or json, not ""`, "locus help try"},
		{"a --accept x", `--accept must be status codes, such as 200,429, not "x"`, "locus help --all try"},
		{"a --depth 1 --depth x", `--depth must be a number from 0 to 9, not "x"`, "locus help --all try"},
	} {
		var options tryOptions
		c := tryCommand(&options)
		words, err := c.Parse(strings.Fields(test.words))
		if err == nil {
			err = c.Fill(&options, words)
		}
		usage, ok := errors.AsType[*UsageError](err)
		if !ok || usage.Text != test.text || usage.Hint != test.hint {
			t.Errorf("%q: %#v, want %q with the hint %q", test.words, err, test.text, test.hint)
		}
	}
}

// A command without arguments refuses them.
func TestNoArguments(t *testing.T) {
	var options struct {
		Quiet bool `flag:"quiet"`
	}
	c := &Command{Name: "version", Synopsis: "locus version", Help: "locus help version", Flags: Of(&options, func(name string) Spec { return Spec{Name: name} })}
	if err := c.Fill(&options, &Words{Arguments: []string{"a"}}); err == nil || err.Error() != "version takes no arguments" || !IsMisuse(err) {
		t.Errorf("with an argument: %v", err)
	}
	if err := c.Fill(&options, &Words{}); err != nil {
		t.Errorf("without arguments: %v", err)
	}
}

// A configuration sets the flags that were not given. Its values are of the types of TOML.
func TestSetDefaults(t *testing.T) {
	values := map[string]any{
		"quiet": true, "jobs": int64(7), "depth": int64(3), "format": "json", "host": []any{"a", "b"}, "accept": int64(404), "unheard": "x",
	}
	var got tryOptions
	c := tryCommand(&got)
	words, err := c.Parse([]string{"u", "--jobs", "2", "--quiet=false", "--host", "typed"})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Fill(&got, words); err != nil {
		t.Fatal(err)
	}
	if err := c.SetDefaults(&got, got.Given, values); err != nil {
		t.Fatal(err)
	}
	if got.Quiet || got.Jobs != 2 || got.Format != "json" || got.Depth == nil || *got.Depth != 3 || !slices.Equal(got.Hosts, []string{"typed"}) || !slices.Equal(got.Codes, []int{404}) {
		t.Errorf("the options are %+v", got)
	}
	if want := (Given{"jobs": true, "quiet": false, "host": true, "depth": true, "format": true, "accept": true}); !maps.Equal(got.Given, want) {
		t.Errorf("given are %v, want %v", got.Given, want)
	}
}

func TestSetDefaultsFails(t *testing.T) {
	for _, test := range []struct {
		name  string
		value any
		want  string
	}{
		{"quiet", "yes", "--quiet does not take yes"},
		{"quiet", int64(1), "--quiet does not take 1"},
		{"jobs", true, "--jobs does not take true"},
		{"jobs", []any{int64(1)}, "--jobs does not take [1]"},
		{"jobs", int64(10), `--jobs must be a number from 1 to 9, not "10"`},
		{"format", "yaml", `--format must be text or json, not "yaml"`},
		{"accept", []any{int64(200), true}, "--accept does not take true"},
		{"host", []any{"a", []any{"b"}}, "--host does not take [b]"},
		{"host", []any{map[string]any{"b": "c"}}, "--host does not take map[b:c]"},
		{"accept", []any{int64(200), "x"}, `--accept must be status codes, such as 200,429, not "x"`},
	} {
		var options tryOptions
		err := tryCommand(&options).SetDefaults(&options, Given{}, map[string]any{test.name: test.value})
		if err == nil || err.Error() != test.want || !IsMisuse(err) {
			t.Errorf("%s = %v: %v, want %s", test.name, test.value, err, test.want)
		}
	}
}

// The help writes a flag with its letter and the name of its value.
func TestSpecText(t *testing.T) {
	for _, test := range []struct {
		spec           Spec
		written, usage string
	}{
		{Spec{Name: "json", Usage: "write JSON"}, "--json", "write JSON"},
		{Spec{Name: "output", Short: "o", Usage: "write to `FILE`; - is stdout"}, "--output, -o FILE", "write to FILE; - is stdout"},
		{Spec{Name: "0", Usage: "end with NUL"}, "-0", "end with NUL"},
	} {
		if written, usage := test.spec.Text(); written != test.written || usage != test.usage {
			t.Errorf("the text of %+v is %q, %q, want %q, %q", test.spec, written, usage, test.written, test.usage)
		}
	}
}

// The flags that the command handles itself have no field.
func TestFlagWithoutField(t *testing.T) {
	var options tryOptions
	c := tryCommand(&options)
	c.Flags = append(c.Flags, Help())
	words, err := c.Parse([]string{"-h", "a"})
	if err == nil {
		err = c.Fill(&options, words)
	}
	if err != nil || !words.IsTrue("help") || len(options.Given) > 0 {
		t.Errorf("after -h help is %v, and given are %v, %v, want true, and no flag of the struct", words.IsTrue("help"), options.Given, err)
	}
	if err := c.SetDefaults(&options, options.Given, map[string]any{"help": "x"}); err != nil || len(options.Given) > 0 {
		t.Errorf("SetDefaults of a flag without a field = %v, given are %v, want that it is ignored", err, options.Given)
	}
}

// The tag args limits the number of arguments.
func TestArgumentCounts(t *testing.T) {
	var one struct {
		URLs []string `args:"1"`
	}
	var every struct {
		URLs []string `args:"0-"`
	}
	var some struct {
		URLs []string `args:"2-3"`
	}
	const few, many = "try needs more arguments: A…", "try takes fewer arguments: A…"
	for _, test := range []struct {
		limits  string
		options any
		n       int
		want    string // the error; "": nil
	}{
		{"1", &one, 0, few},
		{"1", &one, 1, ""},
		{"1", &one, 2, many},
		{"0-", &every, 0, ""},
		{"0-", &every, 100, ""},
		{"2-3", &some, 1, few},
		{"2-3", &some, 2, ""},
		{"2-3", &some, 3, ""},
		{"2-3", &some, 4, many},
	} {
		c := &Command{Name: "try", Synopsis: "locus try [FLAG…] A…", Help: "locus help try"}
		err := c.Fill(test.options, &Words{Arguments: make([]string, test.n)})
		if text := fmt.Sprint(err); test.want == "" && err != nil || test.want != "" && (text != test.want || !IsMisuse(err)) {
			t.Errorf("%d arguments within %s: %v, want %q", test.n, test.limits, err, test.want)
		}
	}
}
