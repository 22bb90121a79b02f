package killtest

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"locus/cmd/locus/internal/clitest"
	"locus/internal/peers"
)

// requests are the times of requests.
type requests struct {
	mu    sync.Mutex
	times []time.Time
	asked map[string]int
}

func (r *requests) add(u string) (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.times = append(r.times, time.Now())
	r.asked[u]++
	return len(r.times)
}

// count returns the number of requests between two times.
func (r *requests) count(from, to time.Time) (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, at := range r.times {
		if !at.Before(from) && at.Before(to) {
			n++
		}
	}
	return n
}

// pause returns the longest time without a request in the minute after a time.
func (r *requests) pause(from time.Time) (longest time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	last := from
	for _, at := range r.times {
		if at.After(from) && at.Before(from.Add(time.Minute)) {
			longest = max(longest, at.Sub(last))
			last = at
		}
	}
	return longest
}

// twice returns the number of URLs that were requested more than once.
func (r *requests) twice() (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, times := range r.asked {
		if times > 1 {
			n++
		}
	}
	return n
}

// The server that leads the log or the leases of a run is killed. Two workers are as fast as before
// within a minute, or within 10 seconds on an idle machine. All URLs are checked, and only a few
// are checked twice.
func TestKilledLeader(t *testing.T) {
	if testing.Short() {
		t.Skip("the test starts servers, and takes half a minute")
	}
	t.Parallel()
	for _, part := range []string{"log", "lease"} {
		t.Run(part, func(t *testing.T) {
			t.Parallel()
			testKilledLeader(t, part)
		})
	}
}

func testKilledLeader(t *testing.T, part string) {
	const (
		hosts, pages = 16, 130
		answer       = 200 * time.Millisecond
		jobs         = 32
	)
	ctx, cancel := context.WithTimeout(t.Context(), timeLimit)
	defer cancel()
	all, middle := &requests{asked: make(map[string]int)}, make(chan struct{})
	site := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if all.add(r.URL.String()) == 4*hosts*int(time.Second/answer) { // that takes at least four seconds
			close(middle)
		}
		time.Sleep(answer)
	}))
	defer site.Close()
	var list strings.Builder
	for i := range hosts * pages {
		fmt.Fprintf(&list, "http://h%d.test/%d\n", i%hosts, i/hosts)
	}
	name := filepath.Join(t.TempDir(), "list.txt")
	if err := os.WriteFile(name, []byte(list.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	nodes, urls := natsCluster(t)
	shared := []string{"--nats", urls, "--jobs", fmt.Sprint(jobs), "--proxy", site.URL}
	helper := process(ctx, append([]string{"check", "--join"}, shared...)...)
	clitest.Start(t, helper)
	js, killed := jetStreamAt(t, urls), make(chan time.Time, 1)
	go func() {
		select {
		case <-middle:
		case <-ctx.Done():
			return
		}
		node := ""
		for node == "" && ctx.Err() == nil {
			time.Sleep(pollTime)
			node = leader(ctx, js, "check", part)
		}
		if nodes[node] != nil {
			killed <- time.Now()
			_ = nodes[node].Process.Kill()
		}
	}()
	out, err := process(ctx, append([]string{"check", "--examples", "--per-host", "1", "--replicas", "3", name}, shared...)...).CombinedOutput()
	if err != nil || !strings.Contains(string(out), fmt.Sprintf("%d links: %[1]d good", hosts*pages)) {
		t.Errorf("check: %v\n%.2000s", err, out)
	}
	if err := helper.Wait(); err != nil {
		t.Errorf("the worker ended with %v", err)
	}
	var at time.Time
	select {
	case at = <-killed:
	default:
		t.Fatal("the leader was not killed")
	}
	const span = 3 * time.Second
	before, after, pause := all.count(at.Add(-span), at), 0, 10*time.Second
	for ; 10*after < 7*before && pause < time.Minute; pause += time.Second { // the machine may be busy
		after = all.count(at.Add(pause), at.Add(pause+span))
	}
	t.Logf("%d requests in %v before the kill, %d in the 10 seconds after it, %d in %[2]v up to %[5]v after it; %[6]d URLs were requested twice, and the longest pause was %[7]v",
		before, span, all.count(at, at.Add(10*time.Second)), after, pause+span-time.Second, all.twice(), all.pause(at))
	if 10*after < 7*before {
		t.Errorf("no interval of %v from 10 seconds after the kill on has the %d requests of the interval before it", span, before)
	}
	if n := all.twice(); n > 2*jobs { // both workers may lose their leases
		t.Errorf("%d URLs were requested twice, want at most %d", n, 2*jobs)
	}
}

// Two workers share the pages of one host, and obey its limit together.
func TestSplitHost(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), timeLimit)
	defer cancel()
	const most, pages = 4, 300
	var mu sync.Mutex
	now, atOnce, asked := 0, 0, [2]int{}
	proxy := func(worker int) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			asked[worker]++
			now++
			atOnce = max(atOnce, now)
			pause := 40 * time.Millisecond
			if asked[worker] > 30 && asked[1-worker] < 30 { // the other worker has not had its share yet
				pause = time.Second
			}
			mu.Unlock()
			time.Sleep(pause)
			mu.Lock()
			now--
			mu.Unlock()
			w.Header().Set("Content-Type", "text/html")
			var n int
			if _, err := fmt.Sscanf(r.URL.String(), "http://h.test/p/%d", &n); err == nil && 2*n+2 < pages {
				fmt.Fprintf(w, "<a href=/p/%d>a</a><a href=/p/%d>b</a>", 2*n+1, 2*n+2)
			}
		}))
		t.Cleanup(s.Close)
		return s.URL
	}
	server := peers.NATS(t).Addr
	helper := process(ctx, "check", "--join", "--nats", server, "--proxy", proxy(1))
	clitest.Start(t, helper)
	out, err := process(ctx, "check", "--recursive", "--ignore-robots", "--per-host", fmt.Sprint(most), "--nats", server, "--proxy", proxy(0), "http://h.test/p/0").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "good, 0 dead") {
		t.Errorf("check: %v\n%.2000s", err, out)
	}
	if err := helper.Wait(); err != nil {
		t.Errorf("the worker ended with %v", err)
	}
	t.Logf("the workers sent %d requests, %d at once", asked, atOnce)
	if atOnce > most || min(asked[0], asked[1]) < 30 || asked[0]+asked[1] > pages {
		t.Errorf("the workers sent %d requests, %d at once, want at least 30 of each, and at most %d at once", asked, atOnce, most)
	}
}
