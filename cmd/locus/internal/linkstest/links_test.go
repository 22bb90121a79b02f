// Package linkstest runs the public cases of links in sources, with the verbs check and extract.
package linkstest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"locus/cmd/locus/internal/check"
	"locus/cmd/locus/internal/clitest"
	"locus/cmd/locus/internal/extract"
	"locus/internal/vectors"
)

// leastCases is the smallest number of cases, so that a truncated suite fails.
const leastCases = 69

// A linkCase is a case of the suite. Its README explains the fields.
type linkCase struct {
	Name, Why string
	Args      []string

	Files  map[string]string // for check
	Expect []struct{ URL, Status string }

	Extract bool // the case is for extract
	Stdin   string
	Lines   []string `json:"expect_lines"`
}

// suite reads the cases. It skips the test if they are absent.
func suite(t *testing.T) (cases []linkCase) {
	t.Helper()
	if err := json.Unmarshal(vectors.Read(t, "links/cases.json"), &cases); err != nil {
		t.Fatalf("cases.json: %v", err)
	}
	if len(cases) < leastCases {
		t.Errorf("cases.json has %d cases, want at least %d", len(cases), leastCases)
	}
	return cases
}

// expectedFailures returns the names in expected_failures.txt. It returns nil if there is no such file.
func expectedFailures(t *testing.T) (names []string) {
	t.Helper()
	text, err := os.ReadFile("expected_failures.txt")
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			names = append(names, line)
		}
	}
	return names
}

func TestCases(t *testing.T) {
	cases, failing := suite(t), expectedFailures(t)
	for _, name := range failing {
		if !slices.ContainsFunc(cases, func(c linkCase) bool { return c.Name == name }) {
			t.Errorf("expected_failures.txt has %q, which is not the name of a case", name)
		}
	}
	for _, test := range cases {
		t.Run(test.Name, func(t *testing.T) {
			t.Parallel()
			differences := test.differences(t)
			switch isExpected := slices.Contains(failing, test.Name); {
			case isExpected && len(differences) == 0:
				t.Errorf("%q succeeds, but is in expected_failures.txt", test.Name)
			case !isExpected && len(differences) > 0:
				t.Errorf("%s\nbecause: %s", strings.Join(differences, "\n"), test.Why)
			}
		})
	}
}

// differences runs a case, and returns a line for each difference from the expected result.
func (c linkCase) differences(t *testing.T) (all []string) {
	t.Helper()
	if c.Extract {
		_, stdout, stderr := clitest.Run(t, extract.Verb(), clitest.Input{Dir: t.TempDir(), Stdin: c.Stdin}, c.Args...)
		if strings.Join(c.Lines, "\n") != strings.TrimSuffix(stdout, "\n") {
			all = append(all, "extract writes\n"+stdout+stderr+"want\n"+strings.Join(c.Lines, "\n"))
		}
		return all
	}
	args := slices.Concat(strings.Fields("--json --all --retries 0 --no-mx"), c.Args, []string{"."})
	_, stdout, stderr := clitest.Run(t, check.Verb(), clitest.Input{Dir: c.write(t)}, args...)
	statuses := statusesOf(t, stdout)
	for _, want := range c.Expect {
		var got []string
		for url, list := range statuses {
			if strings.HasSuffix(url, want.URL) {
				got = append(got, list...)
			}
		}
		slices.Sort(got)
		if got = slices.Compact(got); !holds(want.Status, got) {
			all = append(all, "check says that "+want.URL+" is ["+strings.Join(got, " ")+"], want "+want.Status)
		}
	}
	if len(all) > 0 && stderr != "" {
		all = append(all, "check says on stderr: "+strings.TrimSpace(stderr))
	}
	return all
}

// holds reports whether the statuses of a URL are the wanted one.
func holds(want string, got []string) bool {
	switch want {
	case "absent":
		return len(got) == 0
	case "not-dead":
		return !slices.Contains(got, "dead")
	}
	return slices.Equal(got, []string{want})
}

// statusesOf returns the statuses of each URL in a report.
func statusesOf(t *testing.T, report string) map[string][]string {
	t.Helper()
	all := make(map[string][]string)
	for line := range strings.Lines(report) {
		var finding struct{ URL, Status string }
		if err := json.Unmarshal([]byte(line), &finding); err != nil {
			t.Fatalf("the report has the line %q: %v", line, err)
		}
		all[finding.URL] = append(all[finding.URL], finding.Status)
	}
	return all
}

// write makes the files of a case in a new folder, and returns the folder.
func (c linkCase) write(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range c.Files {
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
