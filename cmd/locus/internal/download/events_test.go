package download

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/flags"
	"locus/transfer"
	"locus/url"
)

// newReporterIn returns a reporter, and a function that returns its output.
func newReporterIn(t *testing.T, asJSON bool) (*reporter, func() (stdout, stderr string)) {
	t.Helper()
	var files [2]*os.File
	for i := range files {
		f, err := os.CreateTemp(t.TempDir(), "")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		files[i] = f
	}
	return newReporter(cli.NewEnv(nil, files[0], files[1]), asJSON), func() (string, string) {
		stdout, _ := os.ReadFile(files[0].Name())
		stderr, err := os.ReadFile(files[1].Name())
		if err != nil {
			t.Fatal(err)
		}
		return string(stdout), string(stderr)
	}
}

// With --json each event is written at once, except that progress of a URL is written at most once
// a second. Without --json only delays are explained.
func TestReporter(t *testing.T) {
	u, other := url.MustParse("http://h/a"), url.MustParse("http://h/b")
	events := []transfer.Event{
		{Kind: transfer.Started, URL: u, Size: 4},
		{Kind: transfer.Progress, URL: u, Done: 1, Size: 4},
		{Kind: transfer.Progress, URL: u, Done: 2, Size: 4},
		{Kind: transfer.Progress, URL: other, Done: 3, Size: 4},
		{Kind: transfer.Retrying, URL: u, Err: errors.New("broken"), Wait: 2 * time.Second},
		{Kind: transfer.Restarted, URL: u, Err: errors.New("changed")},
		{Kind: transfer.Done, URL: u, Done: 4, Size: 4},
	}
	for _, asJSON := range []bool{true, false} {
		r, written := newReporterIn(t, asJSON)
		for _, e := range events {
			r.event(e)
		}
		stdout, stderr := written()
		wantLines, wantSaid := 6, ""
		if !asJSON {
			wantLines, wantSaid = 0, "locus: broken; trying again in 2s\nlocus: http://h/a: started again: changed\n"
		}
		if strings.Count(stdout, "\n") != wantLines || stderr != wantSaid {
			t.Errorf("events with JSON %v: stdout %s, stderr %q, want %d lines and %q", asJSON, stdout, stderr, wantLines, wantSaid)
		}
	}
	r, written := newReporterIn(t, false)
	r.env.Quiet = true
	for _, e := range events {
		r.event(e)
	}
	if _, stderr := written(); stderr != "" {
		t.Errorf("explain with --quiet writes %q, want \"\"", stderr)
	}
}

// With --quiet, JSON has neither progress nor retries.
func TestReporterQuietJSON(t *testing.T) {
	u := url.MustParse("http://h/a")
	r, written := newReporterIn(t, true)
	r.env.Quiet = true
	for _, kind := range []transfer.Kind{transfer.Started, transfer.Progress, transfer.Retrying, transfer.Restarted, transfer.Done} {
		r.event(transfer.Event{Kind: kind, URL: u, Size: 4, Err: errors.New("broken")})
	}
	stdout, _ := written()
	if strings.Count(stdout, "\n") != 2 || !strings.Contains(stdout, `"event":"started"`) || !strings.Contains(stdout, `"event":"done"`) {
		t.Errorf("events with --json --quiet: %s, want only started and done", stdout)
	}
}

// Several downloads that want the same password ask for it once.
func TestAskingOnce(t *testing.T) {
	r, _ := newReporterIn(t, false)
	asked := map[string]int{}
	ask := r.asking(func(_ context.Context, prompt string) (string, error) {
		asked[prompt]++
		if prompt == "c" {
			return "", errors.New("no terminal")
		}
		return "password of " + prompt, nil
	})
	var all sync.WaitGroup
	for range 10 {
		for _, prompt := range []string{"a", "b"} {
			all.Go(func() {
				if got, err := ask(t.Context(), prompt); got != "password of "+prompt || err != nil {
					t.Errorf("ask(%q) = %q, %v", prompt, got, err)
				}
			})
		}
	}
	all.Wait()
	for range 2 { // a failed question is asked again
		if _, err := ask(t.Context(), "c"); err == nil {
			t.Error("ask of a prompt that fails = nil, want an error")
		}
	}
	if asked["a"] != 1 || asked["b"] != 1 || asked["c"] != 2 {
		t.Errorf("the prompts were %v", asked)
	}
	if r.asking(nil) != nil {
		t.Error("asking(nil) is not nil")
	}
}

func TestLimitSize(t *testing.T) {
	f := &Fetcher{}
	if err := f.LimitSize(nil); err != nil || f.Options.MaxSize != 0 {
		t.Errorf("LimitSize(nil) = %v, and MaxSize is %d", err, f.Options.MaxSize)
	}
	if err := f.LimitSize(new(int64(3))); err != nil || f.Options.MaxSize != 3 {
		t.Errorf("LimitSize(3) = %v, and MaxSize is %d", err, f.Options.MaxSize)
	}
	if err := f.LimitSize(new(int64(0))); !flags.IsMisuse(err) {
		t.Errorf("LimitSize(0) = %v, want a UsageError", err)
	}
}

// Copying a tree ends with a summary, where a summary is wanted.
func TestSummarize(t *testing.T) {
	for _, test := range []struct {
		hasFailed   bool
		json, quiet bool
		want        string
	}{
		{hasFailed: false},
		{hasFailed: true, want: "locus: 0 sent, 1 failed\n"},
		{hasFailed: true, json: true},
		{hasFailed: true, quiet: true},
	} {
		r, written := newReporterIn(t, test.json)
		r.env.Quiet = test.quiet
		r.summarize("0 sent, 1 failed", test.hasFailed)
		if _, stderr := written(); stderr != test.want {
			t.Errorf("%+v: %q, want %q", test, stderr, test.want)
		}
	}
}
