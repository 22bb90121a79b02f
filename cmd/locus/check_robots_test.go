package main

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"locus/cmd/locus/internal/clitest"
)

// If the robots.txt of a site cannot be read, the site is not crawled and check fails, even if all
// links that it found are good or unchanged.
func TestCheckRobots(t *testing.T) {
	for _, test := range []struct {
		name   string
		status int
		args   []string
		exit   int
		stdout string
		stderr string
	}{
		{
			"broken", 500, nil, 1, "unchecked  SITE/b  robots.txt cannot be fetched: 500 Internal Server Error\n    SITE/:1:9\n2 links: 1 good, 0 dead, 1 unchecked\n",
			"locus: not all pages were crawled, because the robots.txt of their server could not be read\nlocus: hint: to crawl without it, use --ignore-robots\n",
		},
		{
			"broken, and nothing new", 500,
			[]string{"--since", filepath.Join(t.TempDir(), "since")},
			1, "2 links: 1 good, 0 dead, 1 unchecked\n",
			"locus: not all pages were crawled, because the robots.txt of their server could not be read\nlocus: hint: to crawl without it, use --ignore-robots\n",
		},
		{"broken, but nothing to walk", 500, []string{"--exclude-url", "/b"}, 0, "2 links: 1 good, 0 dead, 1 excluded\n", ""},
		{"ignored", 500, []string{"--ignore-robots"}, 0, "2 links: 2 good, 0 dead\n", ""},
		{"none", 404, nil, 0, "2 links: 2 good, 0 dead\n", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				switch r.URL.Path {
				case "/":
					_, _ = w.Write([]byte("<a href=/b>b</a>"))
				case "/robots.txt":
					w.WriteHeader(test.status)
				}
			}))
			defer s.Close()
			var stdout, stderr bytes.Buffer
			cmd := clitest.Process(t.Context(), t, append([]string{"check", "--recursive", "--no-resume"}, append(test.args, s.URL+"/")...)...)
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			err, exit := cmd.Run(), 0
			if e, ok := errors.AsType[*exec.ExitError](err); ok {
				exit = e.ExitCode()
			}
			if got := strings.ReplaceAll(stdout.String(), s.URL, "SITE"); exit != test.exit || got != test.stdout || stderr.String() != test.stderr {
				t.Errorf("check ends with %d (%v), stdout\n%sstderr\n%swant %d,\n%s%s", exit, err, got, stderr.String(), test.exit, test.stdout, test.stderr)
			}
		})
	}
}
