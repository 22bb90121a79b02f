package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An event is a line of --json. doc/transfer.md describes it.
type event struct {
	Event string   `json:"event"`
	URL   any      `json:"url"`
	Name  any      `json:"name"`
	Done  int64    `json:"done"`
	Size  *int64   `json:"size"`
	Wait  *float64 `json:"wait"`
	Error *string  `json:"error"`
	Exit  *int     `json:"exit"`
}

// With --json every line is an object with the fields that doc/transfer.md names. The events of
// each file end with one final event, and the largest "exit" is the exit status.
func TestTransferJSON(t *testing.T) {
	web := newWeb(t)
	withLogin := strings.Replace(web.url, "http://", "http://ada:sesame@", 1)
	for _, test := range []struct {
		name   string
		args   []string
		last   string // the last event of each file; "" if the test ignores it
		status int
	}{
		{"done", []string{"get", "-o", "done", withLogin + "/text"}, "done", 0},
		{"retried", []string{"get", "-o", "retried", "--retry-wait", "1ms", web.url + "/flaky/json"}, "done", 0},
		{"not found", []string{"get", "-o", "none", web.url + "/none\u009b"}, "", 1},
		{"refused", []string{"get", "-o", "none", withLogin + "/none/%1B%5B"}, "failed", 1},
		{"broken", []string{"get", "-o", "short", "--retries", "0", withLogin + "/short"}, "failed", 1},
		{"a folder", []string{"get", "-o", ".", web.url + "/text"}, "", 1},
		{"mirrored", []string{"mirror", web.url + "/page.html", "tree"}, "done done", 0},
		{"planned", []string{"mirror", "--dry-run", web.url + "/page.html", "plan"}, "", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			args := append([]string{test.args[0], "--json"}, test.args[1:]...)
			status, stdout, stderr := runHere(t, "", args...)
			if status != test.status || (status != 0) != (stderr != "") {
				t.Errorf("locus %q: status %d, %q, want %d", args, status, stderr, test.status)
			}
			worst, last := 0, ""
			for line := range strings.Lines(stdout) {
				var e event
				d := json.NewDecoder(strings.NewReader(line))
				d.DisallowUnknownFields()
				if err := d.Decode(&e); err != nil || e.Event == "" || d.More() {
					t.Fatalf("%q: %v", line, err)
				}
				if strings.Contains(line, "sesame") || strings.ContainsAny(strings.TrimSuffix(line, "\n"), "\x1b\n\u009b") {
					t.Errorf("the event %q has an unknown field or an invalid value", line)
				}
				failed := e.Event == "failed" || e.Event == "retrying" || e.Event == "restarted"
				if failed && (e.Error == nil || *e.Error == "") || (e.Event == "retrying") != (e.Wait != nil) {
					t.Errorf("an event lacks what happened: %q", line)
				}
				if e.Exit != nil {
					last = strings.TrimSpace(last + " " + e.Event)
					worst = max(worst, *e.Exit)
				}
			}
			if test.last != "" && (last != test.last || worst != status) {
				t.Errorf("the last events are %q, exit %d; want %q, exit %d\n%s", last, worst, test.last, status, stdout)
			}
			if name := filepath.Base(test.args[2]); status != 0 && test.args[0] == "get" && name != "." {
				if _, err := os.Stat(name); err == nil {
					t.Errorf("the temporary file %q exists after the end", name)
				}
			}
		})
	}
}
