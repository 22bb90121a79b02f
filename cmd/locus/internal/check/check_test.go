package check

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/clitest"
)

// write makes files in a new folder, and returns the folder.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Flags that contradict each other are refused before check reads a file or connects.
func TestCheckMisuse(t *testing.T) {
	for args, want := range map[string]string{
		"":                                     "check needs a FILE, a DIR, a URL, or - for stdin",
		"--run x a":                            "--run needs --nats",
		"--join":                               "--join needs --nats",
		"--resume --no-resume a":               "--resume and --no-resume cannot be combined",
		"--nats n --resume a":                  "--resume and --no-resume cannot be combined with --nats",
		"--nats n --nats-cert c a":             "--nats-cert and --nats-key must be given together",
		"--since s --baseline b a":             "--since and --baseline cannot be combined",
		"--nats n --join a":                    "--join takes no arguments",
		"--nats n --join --recursive":          "--join does not take --recursive",
		"--nats n --lease 1ms a":               "--lease must be a duration of at least 100ms",
		"--html - --sarif - a":                 "--sarif - and --html - cannot be combined",
		"--json --junit - a":                   "--json and --junit - cannot be combined",
		"--ignore-robots a":                    "--ignore-robots needs --recursive",
		"--yes a":                              "--yes needs --fix",
		"--scope http://h/ a":                  "--scope needs --recursive",
		"--level 2 a":                          "--level needs --recursive",
		"--index x a":                          "--index needs the folder of a site",
		"--extension .x http://h/":             "--extension needs the folder of a site",
		"--exclude-url ( a":                    "missing closing )",
		"--fail-on dead,nope a":                "--fail-on must be one or more of",
		"--archive http://a/{url} a":           "--archive needs --archived",
		"--offline --recursive a":              "--offline and --recursive cannot be combined",
		"--offline --from-warc w a":            "--offline and --from-warc cannot be combined",
		"--offline a http://h/":                "--offline cannot check a page on a server: http://h/",
		"--all-places --json a":                "--all-places is only for the text report, and --json has all places",
		"--archived check --archive http:// a": "--archive must be a URL with a scheme and {url} in it",
		"--archived check --archive h/{url} a": "--archive must be a URL with a scheme and {url} in it",
		"--list-runs a --nats n":               "--list-runs and --forget-run take no arguments",
		"--list-runs --forget-run --nats n":    "--list-runs and --forget-run take no arguments",
		"--init a":                             "--init takes no arguments",
		"--include [ a":                        "not a valid pattern",
		"--base a a":                           "--base must be a URL with a scheme",
		"--nats nats://u:secret@[ a":           "--nats must be URLs such as",
		"--accept 99 a":                        "--accept must be status codes",
	} {
		status, stdout, stderr := clitest.Run(t, Verb(), clitest.Input{Dir: t.TempDir()}, strings.Fields(args)...)
		if status != 2 || stdout != "" || !strings.Contains(stderr, want) || strings.Contains(stderr, "secret") {
			t.Errorf("check %s = %d, %q, %q, want %q", args, status, stdout, stderr, want)
		}
	}
}

// The status is 1 if a link fails or an argument cannot be read, and otherwise 0. Each link is
// reported with its place.
func TestCheckFiles(t *testing.T) {
	files := map[string]string{
		"good.md": "[a](dead.md)\n", "dead.md": "x\n[a](none.md)\n", "anchor.md": "# Top\n[a](#top) [b](#none)\n",
		"odd.md": "<nope:x>\n", "web.md": "[a](none) [b](http://h.net/)\n", "many.md": strings.Repeat("[a](none)\n", 7),
		"moved/_redirects": "/old /new.html 301\n", "moved/index.html": "<a href=/old>x</a>", "moved/new.html": "x",
	}
	for _, test := range []struct {
		args, stdin string
		status      int
		stdout      string // a part of stdout
		stderr      string // a part of stderr; "": stderr must be empty
	}{
		{"good.md", "", 0, "1 link: 1 good, 0 dead\n", ""},
		{"dead.md", "", 1, "    dead.md:2:5\n1 link: 0 good, 1 dead\n", ""},
		{"--fail-on none dead.md", "", 0, "1 dead", ""},
		{"--fail-on unchecked odd.md", "", 1, "unchecked  nope:x", ""},
		{"odd.md", "", 0, "1 unchecked", ""},
		{"anchor.md", "", 1, `#none  the page has no anchor named "none"`, ""},
		{"--exclude-url none\\.md anchor.md dead.md", "", 1, "3 links: 1 good, 1 dead, 1 excluded", ""},
		{"-", "FOLDER/good.md FOLDER/none", 1, "1 good, 1 dead", ""},
		{"missing good.md", "", 1, "1 good", "missing: no such file"},
		{"--root missing good.md", "", 1, "", "--root: stat missing: no such file"},
		{"127.0.0.1:8080/x", "", 1, "", "hint: the URL of a page begins with its scheme: http://127.0.0.1:8080/x"},
		{"moved", "", 0, "moved  ", ""},
		{"--fail-on moved moved", "", 1, "moved  ", ""},
		{"--all good.md", "", 0, "good  ", ""},
		{"--offline web.md", "", 1, "dead  file://", ""},
		{"--offline web.md", "", 1, "2 links: 0 good, 1 dead, 1 excluded", ""},
		{"--offline --all web.md", "", 1, "excluded  http://h.net/  it needs the network\n", ""},
		{"many.md", "", 1, "    many.md:5:5\n    and 2 more places\n", ""},
		{"--all-places many.md", "", 1, "    many.md:7:5\n1 link", ""},
		{"--json dead.md", "", 1, `"status":"dead"`, ""},
		{"--include *.txt .", "", 0, "0 links", ""},
	} {
		dir := write(t, files)
		in := clitest.Input{Dir: dir, Stdin: strings.ReplaceAll(test.stdin, "FOLDER", "file://"+filepath.ToSlash(dir))}
		status, stdout, stderr := clitest.Run(t, Verb(), in, strings.Fields(test.args)...)
		if status != test.status || !strings.Contains(stdout, test.stdout) || !strings.Contains(stderr, test.stderr) || (stderr == "") != (test.stderr == "") {
			t.Errorf("check %s = %d, stderr %q, stdout\n%s\nwant %d, %q, %q", test.args, status, stderr, stdout, test.status, test.stdout, test.stderr)
		}
	}
}

// --since reports new dead links and updates its file. --baseline does not change its file.
func TestCheckSince(t *testing.T) {
	dir := write(t, map[string]string{"a.md": "[a](x) [b](y)\n"})
	in := clitest.Input{Dir: dir}
	for _, step := range []struct {
		args   string
		status int
	}{
		{"--since s a.md", 1}, {"--since s a.md", 0}, {"--baseline s a.md", 0}, {"--baseline none a.md", 1}, {"a.md", 1},
	} {
		if status, stdout, stderr := clitest.Run(t, Verb(), in, strings.Fields(step.args)...); status != step.status {
			t.Errorf("check %s = %d, want %d: %s%s", step.args, status, step.status, stdout, stderr)
		}
	}
	before, err := os.ReadFile(filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.md"), []byte("[a](x) [c](z)\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	status, stdout, _ := clitest.Run(t, Verb(), in, "--baseline", "s", "a.md")
	if status != 1 || !strings.Contains(stdout, "/z") || strings.Contains(stdout, "/x") {
		t.Errorf("check --baseline with a new dead link = %d, %s", status, stdout)
	}
	if after, _ := os.ReadFile(filepath.Join(dir, "s")); string(after) != string(before) {
		t.Errorf("check --baseline changed its file to %s", after)
	}
	if status, _, stderr := clitest.Run(t, Verb(), in, "--baseline", "a.md", "a.md"); status != 2 || !strings.Contains(stderr, "need a file that --since or --json wrote") {
		t.Errorf("check --baseline a.md, which is not a report = %d, %q", status, stderr)
	}
}

// Reports are written in addition to stdout. If a file cannot be written, check fails before the
// run.
func TestCheckReports(t *testing.T) {
	dir := write(t, map[string]string{"a.md": "[a](x)\n"})
	status, stdout, stderr := clitest.Run(t, Verb(), clitest.Input{Dir: dir}, strings.Fields("--junit j.xml --sarif s.json --html h.html --markdown m.md a.md")...)
	if status != 1 || !strings.Contains(stdout, "1 dead") || stderr != "" {
		t.Errorf("check = %d, %q, %q", status, stdout, stderr)
	}
	for name, want := range map[string]string{"j.xml": "<testsuite", "s.json": `"version": "2.1.0"`, "h.html": "<!doctype html>", "m.md": "|"} {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s does not contain %q: %v, %.200s", name, want, err, text)
		}
	}
	status, stdout, stderr = clitest.Run(t, Verb(), clitest.Input{Dir: dir}, "--junit", "none/j.xml", "a.md")
	if status != 1 || stdout != "" || !strings.Contains(stderr, "none/") {
		t.Errorf("check that writes into a missing folder = %d, %q, %q", status, stdout, stderr)
	}
}

// Annotations for GitHub go to stderr, and not to stdout.
func TestCheckAnnotates(t *testing.T) {
	in := clitest.Input{Dir: write(t, map[string]string{"a.md": "[a](x)\n"}), Env: map[string]string{"GITHUB_ACTIONS": "true"}}
	status, stdout, stderr := clitest.Run(t, Verb(), in, "a.md")
	if status != 1 || !strings.HasPrefix(stderr, "::error file=a.md,line=1,") || strings.Contains(stdout, "::error") {
		t.Errorf("check = %d, %q, %q", status, stdout, stderr)
	}
}

// A recorded failure is not tried again, because an archive always has the same answer.
func TestCheckReplayedFailure(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer server.Close()
	in := clitest.Input{Dir: write(t, map[string]string{
		"a.md":             "[a](" + server.URL + "/)\n",
		"locus-check.toml": "[[host]]\nname = \"127.0.0.1\"\nretries = 3\n",
	})}
	for _, test := range []struct{ args, tries string }{
		{"--warc a.warc.gz --retry-wait 1ms --json a.md", `"tries":4`},
		{"--from-warc a.warc.gz --retry-wait 1ms --json a.md", `"tries":1`},
	} {
		if status, stdout, stderr := clitest.Run(t, Verb(), in, strings.Fields(test.args)...); !strings.Contains(stdout, test.tries) {
			t.Errorf("check %s = %d, %q, %q, want %s", test.args, status, stdout, stderr, test.tries)
		}
	}
}

// --fix rewrites a file only if the user agrees, and keeps the file's mode.
func TestCheckFix(t *testing.T) {
	mux := http.NewServeMux()
	mux.Handle("/old", http.RedirectHandler("/new", http.StatusMovedPermanently))
	mux.HandleFunc("/new", func(http.ResponseWriter, *http.Request) {})
	server := httptest.NewServer(mux)
	defer server.Close()
	link := func(path string) string { return "[a](" + server.URL + path + ")" }
	dir := write(t, map[string]string{"page.md": "x\n" + link("/old") + "\n"})
	page := filepath.Join(dir, "page.md")
	if err := os.Chmod(page, 0o640); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args   string
		status int
		stderr string
		want   string
	}{
		{"--fix page.md", 1, "--- page.md\n+++ page.md\n@@ -2 +2 @@\n-" + link("/old") + "\n+" + link("/new") + "\nlocus: links not changed: 1", "/old"},
		{"--fix --yes page.md", 0, "+" + link("/new") + "\n", "/new"},
		{"--fix page.md", 0, "", "/new"},
	} {
		status, stdout, stderr := clitest.Run(t, Verb(), clitest.Input{Dir: dir}, strings.Fields(test.args)...)
		text, _ := os.ReadFile(page)
		info, err := os.Stat(page)
		if status != test.status || !strings.Contains(stderr, test.stderr) || !strings.Contains(string(text), link(test.want)) {
			t.Errorf("check %s = %d, %q, %q; the page is %s", test.args, status, stdout, stderr, text)
		}
		if err != nil || info.Mode().Perm() != 0o640 {
			t.Errorf("check %s: the mode is %v, %v", test.args, info.Mode(), err)
		}
	}
}

// The same command uses the same file for its unfinished run. Other commands use other files.
func TestRunFile(t *testing.T) {
	names := map[string]Options{}
	dir := t.TempDir()
	for _, o := range []Options{
		{Args: []string{"a"}},
		{Args: []string{"b"}},
		{Args: []string{"a", "b"}},
		{Args: []string{"a"}, Crawl: Crawl{Recursive: true}},
		{Args: []string{"a"}, Crawl: Crawl{Level: 1}},
		{Args: []string{"a"}, Site: Site{Root: "r"}},
		{Args: []string{"a"}, Site: Site{Index: []string{"i"}}},
		{Args: []string{"a"}, Links: Links{ExcludeURL: []string{"x"}}},
	} {
		for range 2 {
			k := &checker{options: o, state: dir}
			k.Env = testEnv(t, dir)
			var err error
			if k.Policy, err = o.policy(nil); err != nil {
				t.Fatalf("the policy of %+v: %v", o, err)
			}
			name, err := k.runFile()
			if other, known := names[name]; err != nil || known && !equal(other, o) || filepath.Dir(filepath.Dir(name)) != dir {
				t.Errorf("runFile() of %+v = %q, %v, which is also the file of %+v", o, name, err, other)
			}
			names[name] = o
		}
	}
	if len(names) != 8 {
		t.Errorf("8 different runs use %d files, want 8", len(names))
	}
}

func testEnv(t *testing.T, dir string) *cli.Env {
	t.Helper()
	e := cli.NewEnv(nil, nil, nil)
	e.Dir = dir
	return e
}

func equal(a, b Options) bool { return reflect.DeepEqual(a, b) }
