package cli

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"locus/cmd/locus/internal/command"
)

// allOptions has a field of each kind.
type allOptions struct {
	Args    []string      `args:"1-2"`
	Output  string        `flag:"output"`
	JSON    bool          `flag:"json"`
	MaxSize *int64        `flag:"max-size"`
	Search  *string       `flag:"search"`
	Codes   []int         `flag:"accept"`
	Schemes []string      `flag:"scheme"`
	Rate    float64       `flag:"rate"`
	Size    int64         `flag:"cache-size"`
	MaxTime time.Duration `flag:"max-time"`
	Connect
	Retry
	Given Given
}

// runOptions parses args as the arguments of a verb, and returns the verb's options, the exit
// status and stderr.
func runOptions(t *testing.T, args ...string) (got *allOptions, status int, stderr string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "stderr")
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	run := func(_ context.Context, _ *Env, o allOptions) error {
		got = &o
		return nil
	}
	verb := New(run, Verb{Name: "try", Synopsis: "locus try [FLAG…] A [B]"})
	p := &Program{Verbs: []Maker{{Name: verb.Name, Make: func() *Verb { return verb }}}}
	status = p.Run(t.Context(), command.NewEnv(nil, file, file), append([]string{"locus", "try"}, args...))
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return got, status, string(text)
}

func TestFill(t *testing.T) {
	zero, words := int64(0), ""
	for _, test := range []struct {
		args string
		want func(*allOptions)
	}{
		{"a", func(*allOptions) {}},
		{"a -o f --json", func(o *allOptions) { o.Output, o.JSON = "f", true }},
		{"--max-size 0 a", func(o *allOptions) { o.MaxSize = &zero }},
		{"--search= a", func(o *allOptions) { o.Search = &words }},
		{"a --accept 200,429 --accept 503", func(o *allOptions) { o.Codes = []int{200, 429, 503} }},
		{"a --scheme FTP:// --scheme gopher", func(o *allOptions) { o.Schemes = []string{"ftp", "gopher"} }},
		{"a --rate 0.5 --cache-size 2K", func(o *allOptions) { o.Rate, o.Size = 0.5, 2048 }},
		{"a --retries 0 --retry-wait 1m", func(o *allOptions) { o.Retries, o.RetryWait = -1, time.Minute }},
		{"a --allow-port 25 --allow-port 110", func(o *allOptions) { o.AllowPort = []uint16{25, 110} }},
		{"-- --json", func(o *allOptions) { o.Args = []string{"--json"} }},
	} {
		got, status, stderr := runOptions(t, strings.Fields(test.args)...)
		if status != 0 || got == nil {
			t.Errorf("%q: status %d, %s", test.args, status, stderr)
			continue
		}
		want := &allOptions{Args: []string{"a"}, Size: 1 << 30, Given: got.Given} // cache-size has a default
		test.want(want)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q fills %+v, want %+v", test.args, got, want)
		}
		for name, isGiven := range got.Given {
			isThere := strings.Contains(" "+test.args, " --"+name) || name == "output" && got.Output != ""
			if strings.HasPrefix(test.args, "-- ") {
				isThere = false
			}
			if isGiven != isThere {
				t.Errorf("%q: Given[%q] = %v", test.args, name, isGiven)
			}
		}
	}
}

func TestFillRefuses(t *testing.T) {
	for args, want := range map[string]string{
		"":                        "locus: try needs more arguments: A [B]\nlocus: hint: locus help try\n",
		"a b c":                   "locus: try takes fewer arguments: A [B]\n",
		"a --max-size -1":         "locus: --max-size must be a number of bytes",
		"a --accept 20":           "locus: --accept must be status codes",
		"a --scheme 1x":           "locus: --scheme must be the name of a scheme",
		"a --rate 0":              "locus: --rate must be a number of requests a second",
		"a --retries -1":          "locus: --retries must be a number from 0 to",
		"a --max-time 0s":         "locus: --max-time must be a duration greater than 0",
		"a --max-time soon":       "locus: --max-time must be a duration, such as 30s",
		"a --allow-port 65536":    "locus: --allow-port must be a number from 0 to 65535",
		"a --json=perhaps":        "locus: --json must be true or false",
		"a --ouptut f":            "locus: hint: did you mean --output?",
		"a --output":              "locus: the flag --output needs a value\n",
		"a --proxy=":              "locus: --proxy must not be empty",
		"a --cache-size 1e400":    "locus: --cache-size must be a number of bytes",
		"a --retry-wait 1h1":      "locus: --retry-wait must be a duration, such as",
		"a --proxy=ftp://u:pw@h/": "",
	} {
		got, status, stderr := runOptions(t, strings.Fields(args)...)
		if want == "" { // the verb itself checks the value
			if status != 0 || got == nil || got.Proxy != "ftp://u:pw@h/" {
				t.Errorf("%q: status %d, %s", args, status, stderr)
			}
			continue
		}
		if status != 2 || got != nil || !strings.Contains(stderr, want) {
			t.Errorf("%q: status %d, %q, want %q", args, status, stderr, want)
		}
	}
}
