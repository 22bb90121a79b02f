package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// A killSite is a site of pages that link to others, of which some are gone.
type killSite struct {
	*httptest.Server
	mu    sync.Mutex
	asked map[string]int
	count int
	when  int           // so many requests have come
	then  chan struct{} // it is closed
}

const killPages = 400

func newKillSite(t *testing.T) *killSite {
	t.Helper()
	s := &killSite{asked: make(map[string]int)}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

func (s *killSite) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.asked[r.URL.Path]++
	if s.count++; s.count == s.when {
		close(s.then)
	}
	s.mu.Unlock()
	var n int
	if _, err := fmt.Sscanf(r.URL.Path, "/p/%d", &n); err != nil || n >= killPages || n%17 == 16 {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprintf(w, "<p id=here><a href=/p/%d>a</a> <a href=/p/%d#here>b</a>\n<a href=/p/%d#nowhere>c</a> <a href=/out/%d>d</a>", 2*n+1, 2*n+2, n/3, n%50)
}

// after returns what is closed when n more requests have come, which are counted
// anew.
func (s *killSite) after(n int) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.asked)
	s.count, s.when, s.then = 0, n, make(chan struct{})
	return s.then
}

// twice returns how many pages were asked for more than once.
func (s *killSite) twice() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for path, times := range s.asked {
		if strings.HasPrefix(path, "/p/") && times > 1 {
			n++
		}
	}
	return n
}

// checkAll returns the arguments that check the site, and what this says when it
// is not disturbed.
func (s *killSite) checkAll(t *testing.T) (args []string, want string) {
	t.Helper()
	args = []string{"check", "--recursive", "--all", "--per-host", "8"}
	out, err := itself(t.Context(), t, append(args, "--no-resume", s.URL+"/p/0")...).Output()
	if exit := (*exec.ExitError)(nil); err == nil || !asExit(err, &exit) || exit.ExitCode() != 1 {
		t.Fatalf("check: %v\n%s", err, out)
	}
	want = string(out)
	if !strings.Contains(want, "\n    "+s.URL+"/p/3:2:") || !strings.Contains(want, "dead  "+s.URL+"/p/16#here  404 Not Found\n") {
		t.Fatalf("the report says\n%.1000s", want)
	}
	return args, want
}

func asExit(err error, to **exec.ExitError) bool {
	e, ok := err.(*exec.ExitError)
	*to = e
	return ok
}

// A walk that is killed goes on when it is run again, and its report is that of
// one that was not.
func TestKilledCheck(t *testing.T) {
	t.Parallel()
	s := newKillSite(t)
	args, want := s.checkAll(t)
	args = append(args, "--state", t.TempDir(), s.URL+"/p/0")
	then := s.after(killPages / 3)
	for _, part := range []string{"first", "second"} {
		ctx, kill := context.WithCancel(t.Context())
		go func() {
			<-then
			kill()
		}()
		out, err := itself(ctx, t, args...).CombinedOutput()
		if ctx.Err() == nil {
			t.Fatalf("the %s run ended before it was killed: %v\n%s", part, err, out)
		}
		s.mu.Lock()
		s.count, s.when, s.then = 0, killPages/4, make(chan struct{})
		then = s.then
		s.mu.Unlock()
	}
	out, err := itself(t.Context(), t, args...).Output()
	if err == nil || string(out) != want {
		t.Errorf("after two kills: %v\n%.2000s\nwant\n%.2000s", err, out, want)
	}
	if n := s.twice(); n > 2*64 {
		t.Errorf("%d pages were asked for twice, more than can have been under way", n)
	} else {
		t.Logf("%d pages were asked for twice", n)
	}
	if again, _ := itself(t.Context(), t, args...).CombinedOutput(); string(again) != want {
		t.Errorf("a run that has ended is begun anew: %.2000s", again)
	}
}
