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
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"locus/cmd/locus/internal/clitest"
	"locus/internal/peers"
)

// natsCluster starts a cluster of three NATS servers. It returns the processes by name, and the
// URLs.
func natsCluster(t *testing.T) (nodes map[string]*exec.Cmd, urls string) {
	t.Helper()
	ports := clitest.FreePorts(t, 6)
	var all, routes []string
	for i := range 3 {
		all = append(all, fmt.Sprintf("nats://127.0.0.1:%d", ports[i]))
		routes = append(routes, fmt.Sprintf("nats://127.0.0.1:%d", ports[3+i]))
	}
	nodes = make(map[string]*exec.Cmd)
	for i := range 3 {
		name := fmt.Sprintf("n%d", i)
		cmd := peers.NATSCommand(t, uint16(ports[i]), t.TempDir(), "-n", name, "-cluster_name", "test",
			"-cluster", routes[i], "-routes", strings.Join(routes, ","))
		clitest.Start(t, cmd)
		nodes[name] = cmd
	}
	urls = strings.Join(all, ",")
	js := jetStreamAt(t, urls, nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.ReconnectWait(20*time.Millisecond))
	for begin := time.Now(); ; time.Sleep(pollTime) {
		err := storeInAll(t.Context(), js)
		if err == nil {
			return nodes, urls
		}
		if time.Since(begin) > time.Minute {
			t.Fatalf("the cluster does not start: %v", err)
		}
	}
}

// storeInAll returns an error if the three servers do not yet store a stream together. It removes the
// stream.
func storeInAll(ctx context.Context, js jetstream.JetStream) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	const name = "try"
	if _, err := js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{Name: name, Subjects: []string{name}, Replicas: 3}); err != nil {
		return err
	}
	return js.DeleteStream(ctx, name)
}

func jetStreamAt(t *testing.T, urls string, options ...nats.Option) jetstream.JetStream {
	t.Helper()
	conn, err := nats.Connect(urls, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// hostSites are the sites of many hosts, behind a proxy. The page n of a host links to the pages
// 2n+1 and 2n+2, and to page n of another host. hostSites record the largest number of simultaneous
// requests to one host, which must not exceed --per-host.
type hostSites struct {
	*httptest.Server
	mu    sync.Mutex
	asked map[string]int
	busy  map[string]int // the number of current requests, by host
	most  int            // the largest number of simultaneous requests to one host
	count int
	pause time.Duration // before each answer
	then  chan struct{} // closed after a quarter of the pages was requested
	ready chan struct{} // the first page is answered when it is closed
}

const siteHosts, sitePages = 16, 40

// timeLimit is the time limit of a test. On an idle machine a test takes seconds.
const timeLimit = 5 * time.Minute

// pollTime is the interval at which a test checks a condition, until timeLimit.
const pollTime = 10 * time.Millisecond

const firstPage = "http://h0.test/p/0"

func newHostSites(t *testing.T) *hostSites {
	t.Helper()
	s := &hostSites{asked: make(map[string]int), busy: make(map[string]int), then: make(chan struct{}), ready: make(chan struct{})}
	close(s.ready)
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

func (s *hostSites) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.asked[r.URL.String()]++
	s.busy[r.URL.Host]++
	s.most = max(s.most, s.busy[r.URL.Host])
	if s.count++; s.count == siteHosts*sitePages/4 {
		close(s.then)
	}
	pause, ready := s.pause, s.ready
	s.mu.Unlock()
	time.Sleep(pause)
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.busy[r.URL.Host]--
	}()
	if r.URL.String() == firstPage {
		select {
		case <-ready:
		case <-r.Context().Done():
		}
	}
	var host, n int
	_, err := fmt.Sscanf(r.URL.String(), "http://h%d.test/p/%d", &host, &n)
	if err != nil || n >= sitePages || n%10 == 9 {
		w.WriteHeader(http.StatusNotFound) // without a body, so that the client can reuse the connection
		return
	}
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprintf(w, "<p id=x><a href=/p/%d>a</a> <a href=/p/%d#y>b</a> <a href=http://h%d.test/p/%d#x>c</a>", 2*n+1, 2*n+2, (host+1)%siteHosts, n)
}

// perHost is the --per-host of checkAll.
const perHost = 2

// checkAll returns the arguments that check the sites, without the URL of the first page.
func (s *hostSites) checkAll() []string {
	return []string{"check", "--recursive", "--all", "--per-host", fmt.Sprint(perHost), "--proxy", s.URL, "--scope", "http://h", "--ignore-robots"}
}

// reportOnce is the report of one process that is not disturbed. It is made once, because it is the
// same for all hostSites.
var reportOnce struct {
	sync.Once
	text string
}

// undisturbed returns the report that each run must produce.
func undisturbed(t *testing.T) string {
	t.Helper()
	reportOnce.Do(func() {
		s := newHostSites(t)
		out, err := process(t.Context(), append(s.checkAll(), "--no-resume", firstPage)...).Output()
		if exit := (*exec.ExitError)(nil); !asExit(err, &exit) || exit.ExitCode() != 1 {
			t.Fatalf("check: %v\n%s", err, out)
		}
		if twice, most := s.reset(); twice > 0 || most > perHost {
			t.Fatalf("an undisturbed check requests %d URLs twice, and one host %d times at once", twice, most)
		}
		reportOnce.text = string(out)
	})
	if reportOnce.text == "" {
		t.Fatal("another test could not make the report of an undisturbed run")
	}
	return reportOnce.text
}

// slow makes every answer take d longer.
func (s *hostSites) slow(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pause = d
}

// hold delays the answer for the first page until release is called.
func (s *hostSites) hold() (release func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ready := make(chan struct{})
	s.ready = ready
	return func() { close(ready) }
}

// middle returns a channel that is closed when a quarter of the pages was requested.
func (s *hostSites) middle() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.then
}

// reset clears the log of requests. It returns the number of URLs that were requested more than
// once, and the largest number of simultaneous requests to one host.
func (s *hostSites) reset() (twice, most int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.asked {
		if n > 1 {
			twice++
		}
	}
	most = s.most
	clear(s.asked)
	s.count, s.most, s.then = 0, 0, make(chan struct{})
	return twice, most
}

// aMoment is the time to wait for an answer of a cluster that may be unable to answer.
const aMoment = time.Second

// leader returns the node of a cluster that leads a part of a run: its log or its leases.
func leader(ctx context.Context, js jetstream.JetStream, run, part string) string {
	ctx, cancel := context.WithTimeout(ctx, aMoment)
	defer cancel()
	log, err := js.Stream(ctx, "locus_"+run+"_"+part)
	if err != nil {
		return ""
	}
	return log.CachedInfo().Cluster.Leader
}

// workers returns the number of processes that work on a run.
func workers(ctx context.Context, js jetstream.JetStream, run string) (n int) {
	ctx, cancel := context.WithTimeout(ctx, aMoment)
	defer cancel()
	leases, err := js.Stream(ctx, "locus_"+run+"_lease")
	if err != nil {
		return 0
	}
	info, err := leases.Info(ctx, jetstream.WithSubjectFilter("locus."+run+".lease.worker.>"))
	if err != nil {
		return 0
	}
	return len(info.State.Subjects)
}

// Three processes share a run that a cluster of three servers keeps. A worker, and the server that
// leads the log, are killed in the middle. The report equals the report of one process. Only a few
// URLs are requested twice, and --per-host holds for all processes together.
func TestKilledCluster(t *testing.T) {
	if testing.Short() {
		t.Skip("the test starts six processes")
	}
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), timeLimit) // the command then writes its log
	defer cancel()
	s := newHostSites(t)
	const jobs = 32
	args, want := s.checkAll(), undisturbed(t)

	release, middle := s.hold(), s.middle()
	nodes, urls := natsCluster(t)
	js, node := jetStreamAt(t, urls), make(chan string, 1)
	shared := []string{"--nats", urls, "--run", "test", "--jobs", fmt.Sprint(jobs)}
	worker := append([]string{"check", "--join", "--proxy", s.URL}, shared...)
	killed, helper := process(ctx, worker...), process(ctx, worker...)
	var told strings.Builder
	helper.Stderr = &told
	begin := time.Now()
	for _, w := range []*exec.Cmd{killed, helper} {
		clitest.Start(t, w)
	}
	go func() {
		for workers(ctx, js, "test") < 3 && ctx.Err() == nil {
			time.Sleep(pollTime)
		}
		release()
		<-middle
		_ = killed.Process.Kill()
		dead := leader(ctx, js, "test", "log")
		for dead == "" && ctx.Err() == nil {
			time.Sleep(pollTime)
			dead = leader(ctx, js, "test", "log")
		}
		if nodes[dead] != nil {
			_ = nodes[dead].Process.Kill()
		}
		node <- dead
	}()
	main := process(ctx, append(append(append(args, shared...), "--replicas", "3"), firstPage)...)
	var problems strings.Builder
	main.Stderr = &problems
	got, err := main.Output()
	if err == nil || string(got) != want {
		t.Errorf("the report after a worker and a server were killed: %v %s\n%.2000s\nwant\n%.2000s", err, &problems, got, want)
	}
	if err := killed.Wait(); err == nil {
		t.Error("the worker ended before it was killed")
	}
	if err := helper.Wait(); err != nil {
		t.Errorf("the other worker: %v %s", err, &told)
	}
	select {
	case dead := <-node:
		if nodes[dead] == nil {
			t.Errorf("no server was killed: %q", dead)
		}
	case <-ctx.Done():
		t.Error("the leader of the log was not killed in time")
	}
	twice, most := s.reset()
	t.Logf("the run took %v; %d URLs were requested twice, and one host %d times at once", time.Since(begin), twice, most)
	if underWay := 3 * jobs; twice > underWay || most > perHost {
		t.Errorf("%d URLs were requested twice, and one host %d times at once, want at most %d and %d", twice, most, underWay, perHost)
	}
}

// Workers of one run check each URL once, obey --per-host together, and end successfully with the
// run.
func TestSharedCheck(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), timeLimit)
	defer cancel()
	s := newHostSites(t)
	nats := peers.NATS(t).Addr
	for range 3 {
		var workers []*exec.Cmd
		var told [2]strings.Builder
		for i := range told {
			w := process(ctx, "check", "--join", "--proxy", s.URL, "--nats", nats)
			w.Stderr = &told[i]
			clitest.Start(t, w)
			workers = append(workers, w)
		}
		out, err := process(ctx, "check", "--recursive", "--per-host", "1", "--proxy", s.URL, "--scope", "http://h", "--ignore-robots", "--nats", nats, firstPage).Output()
		if exit := (*exec.ExitError)(nil); !asExit(err, &exit) || exit.ExitCode() != 1 {
			t.Fatalf("check: %v\n%.2000s", err, out)
		}
		for i, w := range workers {
			if err := w.Wait(); err != nil {
				t.Errorf("worker %d: %v %s", i, err, &told[i])
			}
		}
		if twice, most := s.reset(); twice > 0 || most > 1 {
			t.Errorf("%d URLs were requested twice, and one host %d times at once", twice, most)
		}
	}
}

// A run that was killed is not mixed with another run. It is listed, and can be forgotten.
func TestLeftRun(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), timeLimit)
	defer cancel()
	s := newHostSites(t)
	nats := peers.NATS(t).Addr
	check := func(args ...string) (string, error) {
		out, err := process(ctx, append([]string{"check", "--nats", nats, "--proxy", s.URL}, args...)...).CombinedOutput()
		return string(out), err
	}
	list := func(want string) {
		t.Helper()
		if got, err := check("--list-runs"); err != nil || !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("--list-runs: %v %s, want %q", err, got, want)
		}
	}
	left := process(ctx, "check", "--nats", nats, "--proxy", s.URL, firstPage)
	clitest.Start(t, left)
	for {
		s.mu.Lock()
		asked := s.count
		s.mu.Unlock()
		if asked > 0 || ctx.Err() != nil {
			break
		}
		time.Sleep(pollTime)
	}
	_ = left.Process.Kill()
	_ = left.Wait()
	list("check  " + firstPage + " of 2")
	const other = "http://h1.test/p/1"
	if got, err := check(other); err == nil || !strings.Contains(got, firstPage) || !strings.Contains(got, "remove this one with --forget-run") {
		t.Errorf("another run with the name of the killed one: %v %s", err, got)
	}
	if got, err := check("--forget-run"); err != nil || got != "" {
		t.Errorf("--forget-run: %v %s", err, got)
	}
	list("")
	if got, err := check("--forget-run"); err == nil || !strings.Contains(got, `no run "check"`) {
		t.Errorf("--forget-run without a run: %v %s", err, got)
	}
	if got, _ := check("--all", other); strings.Contains(got, firstPage) || !strings.Contains(got, other) {
		t.Errorf("the report of the other run: %s", got)
	}
}

// A connection to NATS over TLS uses the given authority, certificate and key.
func TestNATSOverTLS(t *testing.T) {
	t.Parallel()
	s, key := peers.NATSOverTLS(t)
	for _, test := range []struct {
		flags []string
		want  string // part of the error; "" for success
	}{
		{nil, "certificate"},
		{[]string{"--nats-ca", s.PEM}, "tls"},
		{[]string{"--nats-ca", s.PEM, "--nats-cert", s.PEM, "--nats-key", key}, ""},
		{[]string{"--nats-ca", s.PEM, "--nats-creds", key}, "has no credentials"},
	} {
		out, err := process(t.Context(), append([]string{"check", "--nats", "tls://" + s.Addr, "--list-runs"}, test.flags...)...).CombinedOutput()
		if (err == nil) != (test.want == "") || !strings.Contains(string(out), test.want) {
			t.Errorf("%q: %v %s, want %q", test.flags, err, out, test.want)
		}
	}
}
