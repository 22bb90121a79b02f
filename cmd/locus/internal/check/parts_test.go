package check

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"locus/cmd/locus/internal/clitest"
)

// web is a proxy for hosts that exist only in the test. It counts the requests for each URL.
type web struct {
	mu    sync.Mutex
	asked map[string]int
}

func (s *web) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.asked[r.URL.String()]++
	s.mu.Unlock()
	switch r.URL.Path {
	case "/page":
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!DOCTYPE html><title>A page</title><p id="here">It is here.`)
	case "/moved":
		http.Redirect(w, r, "/page", http.StatusMovedPermanently)
	case "/found":
		http.Redirect(w, r, "/page", http.StatusFound)
	case "/forbidden":
		http.Error(w, "no", http.StatusForbidden)
	default:
		http.NotFound(w, r)
	}
}

// The reports of all parts of a run, joined, are the report of the whole run, in every format. No URL is asked for by two
// machines.
func TestJoinReports(t *testing.T) {
	var list strings.Builder
	for i := range 24 {
		for _, path := range []string{"page", "page#here", "page#missing", "moved", "moved#here", "found", "forbidden", "gone", "gone#a"} {
			fmt.Fprintf(&list, "http://h%d.example/%s\n", i, path)
		}
	}
	fmt.Fprintln(&list, "http://user:sesame@secret.example/gone\nhttp://HTTP.EXAMPLE:80/gone\nmailto:ada@mail.example\nurn:isbn:0\nhttp://[bad/")
	files := map[string]string{
		"list.txt":        list.String(),
		"doc/README.md":   "[a](other.md) [b](missing.md) [c](other.md#title) [d](other.md#none) [e](http://h3.example/gone) [f](http://h4.example/moved)\n",
		"doc/other.md":    "# Title\n\n[g](http://h3.example/gone) [h](http://h5.example/excluded)\n",
		"doc/sub/page.md": "[i](../README.md) [j](../../outside) [k](http://h3.example/gone#x)\n",
	}
	handler := &web{asked: make(map[string]int)}
	proxy := httptest.NewServer(handler)
	defer proxy.Close()
	common := []string{"--proxy", proxy.URL, "--examples", "--no-mx", "--no-resume", "--exclude-url", "/excluded$"}
	run := func(dir string, flags []string, args ...string) (int, string, string) {
		return clitest.Run(t, Verb(), clitest.Input{Dir: dir}, append(append([]string{}, flags...), args...)...)
	}
	machine := write(t, files)
	machines := []string{machine, write(t, files), write(t, files)} // each with another folder
	for _, test := range []struct {
		flags string // of the whole run, and of --join-reports
		part  string // of the run of a part
	}{
		{"", ""},
		{"--all-places", ""},
		{"--json", ""},
		{"--sarif -", ""},
		{"--html -", ""},
		{"--markdown -", ""},
		{"", "--all"},
		{"--all", "--all"},
		{"--json --all", "--all"},
		{"--junit -", "--all"},
		{"--junit - --all", "--all"},
	} {
		status, whole, _ := run(machine, append(common, strings.Fields(test.flags)...), "list.txt", "doc")
		if status != 1 || !strings.Contains(whole, "h3.example/gone") {
			t.Fatalf("check %s = %d, %.300q", test.flags, status, whole)
		}
		for _, count := range []int{1, 2, 5} {
			clear(handler.asked)
			var reports []string
			for part := 1; part <= count; part++ {
				flags := append(common, "--json", "--shard", fmt.Sprintf("%d/%d", part, count))
				_, report, stderr := run(machines[part%len(machines)], append(flags, strings.Fields(test.part)...), "list.txt", "doc")
				name := filepath.Join(machine, fmt.Sprint(part, ".json"))
				report = strings.ReplaceAll(report, machines[part%len(machines)], machine) // the names of its files
				if err := os.WriteFile(name, []byte(report), 0o600); err != nil {
					t.Fatal(err)
				}
				if report == "" {
					t.Fatalf("part %d/%d: %s", part, count, stderr)
				}
				reports = append([]string{name}, reports...) // in any order
			}
			asked := handler.asked["http://h7.example/gone"]
			joinedStatus, joined, stderr := run(machine, append([]string{"--join-reports"}, strings.Fields(test.flags)...), reports...)
			if joinedStatus != status || stderr != "" {
				t.Errorf("%d parts, --join-reports %s = %d, %q, want %d", count, test.flags, joinedStatus, stderr, status)
			}
			if got, want := withoutTimes(joined), withoutTimes(whole); got != want {
				t.Errorf("%d parts: --join-reports %s differs: %s", count, test.flags, firstDifference(got, want))
			}
			if asked != 1 {
				t.Errorf("%d parts ask %d times for one URL", count, asked)
			}
		}
	}
}

var times = regexp.MustCompile(`"time":"[^"]*","duration_ms":\d+`)

// withoutTimes returns a report in JSON without the times of its checks, and every other text unchanged.
func withoutTimes(report string) string { return times.ReplaceAllString(report, "") }

// firstDifference returns the first line in which two texts differ.
func firstDifference(a, b string) string {
	first, second := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(first), len(second)) {
		if first[i] != second[i] {
			return fmt.Sprintf("line %d: %.300q, want %.300q", i+1, first[i], second[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(first), len(second))
}

// Reports that are not all parts of one run are refused, and so are flags that belong to the runs of the parts.
func TestJoinReportsMisuse(t *testing.T) {
	head := func(part, of int) string {
		return fmt.Sprintf(`{"part":%d,"of":%d,"all":false,"counts":{"good":1}}`+"\n", part, of)
	}
	dir := write(t, map[string]string{
		"1": head(1, 2), "2": head(2, 2), "3": head(1, 3), "0": head(0, 2), "json": `{"url":"http://h/"}`, "text": "dead", "empty": "",
		"broken": strings.Replace(head(2, 2), "\n", "\n{\"url\":", 1), "incomplete": strings.Replace(head(2, 2), "{", `{"incomplete":true,`, 1),
	})
	for _, test := range []struct {
		args   string
		status int
		stderr string
	}{
		{"--join-reports 1 2", 0, ""},
		{"--join-reports 2 1", 0, ""},
		{"--join-reports 1 incomplete", 1, ""},
		{"--join-reports", 2, "--join-reports needs the report of each part"},
		{"--join-reports 1", 2, "1: it is part 1 of 2, and the number of reports is 1"},
		{"--join-reports 1 1", 2, "1: another report is part 1 of 2, too"},
		{"--join-reports 1 2 3", 2, "1: it is part 1 of 2, and the number of reports is 3"},
		{"--join-reports 1 3", 2, "3: it is part 1 of 3, and the number of reports is 2"},
		{"--join-reports 0 1", 2, "0: 0 of 2 is not a part"},
		{"--join-reports 1 json", 2, "the report does not say which part it is"},
		{"--join-reports 1 text", 2, "--join-reports: "},
		{"--join-reports 1 empty", 2, "--join-reports: "},
		{"--join-reports 1 broken", 1, "unexpected EOF"},
		{"--join-reports 1 missing", 1, "missing: "},
		{"--join-reports --all 1 2", 2, "--all needs reports with every link"},
		{"--join-reports --junit - 1 2", 2, "--junit needs reports with every link"},
		{"--join-reports --json --sarif - 1 2", 2, "--json and --sarif - cannot be combined"},
		{"--join-reports --fail-on none 1 2", 2, "--join-reports does not take --fail-on; give it to the runs with --shard"},
		{"--join-reports --shard 1/2 1 2", 2, "--join-reports does not take --shard"},
		{"--join-reports --retries 3 1 2", 2, "--join-reports does not take --retries"},
		{"--shard 3/2 1", 2, `--shard must be a part from 1/N to N/N, such as 1/4, not "3/2"`},
		{"--shard 1/2 --recursive 1", 2, "--shard cannot be combined with --recursive, because the pages of a site link to hosts of all parts"},
		{"--shard 1/2 --nats n 1", 2, "--shard and --nats cannot be combined"},
		{"--shard 1/2 --fix 1", 2, "--shard and --fix cannot be combined"},
		{"--shard 1/2 --since s 1", 2, "--shard and --since cannot be combined"},
		{"--shard 1/2 http://user:sesame@h.example/", 2, "--shard divides the links of files, not of the page http://user:xxxxx@h.example/"},
	} {
		status, _, stderr := clitest.Run(t, Verb(), clitest.Input{Dir: dir}, strings.Fields(test.args)...)
		if status != test.status || !strings.Contains(stderr, test.stderr) || (stderr == "") != (test.stderr == "") {
			t.Errorf("check %s = %d, %q, want %d, %q", test.args, status, stderr, test.status, test.stderr)
		}
	}
}
