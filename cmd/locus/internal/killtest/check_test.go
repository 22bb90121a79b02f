package killtest

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

// A killSite is a site of pages that link to others. Some of the linked pages do not exist.
type killSite struct {
	*httptest.Server
	mu    sync.Mutex
	asked map[string]int
	count int
	when  int           // the number of requests after which then is closed
	then  chan struct{} // closed after when requests, whose successors are not answered; nil: all requests are answered
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
	if s.count++; s.then != nil && s.count == s.when {
		close(s.then)
	}
	held := s.then != nil && s.count >= s.when
	s.mu.Unlock()
	if held {
		<-r.Context().Done() // until the client is killed
		return
	}
	var n int
	if _, err := fmt.Sscanf(r.URL.Path, "/p/%d", &n); err != nil || n >= killPages || n%17 == 16 {
		w.WriteHeader(http.StatusNotFound) // without a body, so that the client can reuse the connection
		return
	}
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprintf(w, "<p id=here><a href=/p/%d>a</a> <a href=/p/%d#here>b</a>\n<a href=/p/%d#nowhere>c</a> <a href=/out/%d>d</a>", 2*n+1, 2*n+2, n/3, n%50)
}

// after returns a channel that is closed after n more requests. Requests after these are not
// answered until after is called again.
func (s *killSite) after(n int) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count, s.when, s.then = 0, n, make(chan struct{})
	return s.then
}

// answerAll answers all requests from now on.
func (s *killSite) answerAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.then = nil
}

// forget clears the log of requests.
func (s *killSite) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.asked)
}

// twice returns the number of pages that were requested more than once.
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

// checkAll returns the arguments that check the site, and the report of an undisturbed check.
func (s *killSite) checkAll(t *testing.T) (args []string, want string) {
	t.Helper()
	args = []string{"check", "--recursive", "--all", "--per-host", "8"}
	out, err := process(t.Context(), append(args, "--no-resume", s.URL+"/p/0")...).Output()
	if exit := (*exec.ExitError)(nil); err == nil || !asExit(err, &exit) || exit.ExitCode() != 1 {
		t.Fatalf("check: %v\n%s", err, out)
	}
	want = string(out)
	if !strings.Contains(want, "\n    "+s.URL+"/p/3:2:") || !strings.Contains(want, "dead  "+s.URL+"/p/16  404 Not Found\n") {
		t.Fatalf("the report says\n%.1000s", want)
	}
	return args, want
}

func asExit(err error, to **exec.ExitError) bool {
	e, ok := err.(*exec.ExitError)
	*to = e
	return ok
}

// A killed crawl is resumed by the next run, and its report equals the report of an undisturbed
// crawl.
func TestKilledCheck(t *testing.T) {
	t.Parallel()
	s := newKillSite(t)
	args, want := s.checkAll(t)
	args = append(args, "--state", t.TempDir(), s.URL+"/p/0")
	s.forget()
	for part, n := range []int{killPages / 3, killPages / 4} {
		then := s.after(n)
		ctx, kill := context.WithCancel(t.Context())
		go func() {
			<-then
			kill()
		}()
		out, err := process(ctx, args...).CombinedOutput()
		if ctx.Err() == nil {
			t.Fatalf("run %d of the crawl ended before it was killed: %v\n%s", part+1, err, out)
		}
	}
	s.answerAll()
	out, err := process(t.Context(), args...).Output()
	if err == nil || string(out) != want {
		t.Errorf("the report after two kills: %v\n%.2000s\nwant\n%.2000s", err, out, want)
	}
	if n := s.twice(); n > 2*64 {
		t.Errorf("%d pages were requested twice, more than were requested at the same time", n)
	} else {
		t.Logf("%d pages were requested twice", n)
	}
	if again, _ := process(t.Context(), args...).CombinedOutput(); string(again) != want {
		t.Errorf("the check after a complete run resumes it: %.2000s", again)
	}
}
