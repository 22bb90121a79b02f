//go:build unix

package killtest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"locus/cmd/locus/internal/clitest"
	"locus/internal/peers"
)

// If the servers have no disk space for the run, the check says so. It can be resumed when there is
// space.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), timeLimit)
	defer cancel()
	port, dir := clitest.FreePorts(t, 1)[0], t.TempDir()
	serve := func(room string) *exec.Cmd {
		config := filepath.Join(t.TempDir(), "nats.conf")
		if err := os.WriteFile(config, []byte("jetstream { max_file_store: "+room+" }"), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := peers.NATSCommand(t, uint16(port), dir, "-c", config)
		clitest.Start(t, cmd)
		return cmd
	}
	small := serve("60KB")
	address := fmt.Sprintf("127.0.0.1:%d", port)
	jetStreamAt(t, address, nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.ReconnectWait(20*time.Millisecond))
	awaitServer(ctx, t, address)
	s := newSharedSite(t, address)
	begin := time.Now()
	out, err := process(ctx, s.args...).CombinedOutput()
	text := string(out)
	if exit := (*exec.ExitError)(nil); !asExit(err, &exit) || !strings.Contains(text, "no space left") || !strings.Contains(text, "hint: free some space") {
		t.Fatalf("with a full disk: %v\n%.2000s", err, text)
	}
	if took := time.Since(begin); took > time.Minute {
		t.Errorf("a check whose servers have a full disk ended after %v", took)
	}
	_ = small.Process.Kill()
	_ = small.Wait()
	serve("1GB")
	awaitServer(ctx, t, address)
	s.finish(t, process(ctx, s.args...), killedPending)
}

// awaitServer waits until a server accepts connections.
func awaitServer(ctx context.Context, t *testing.T, address string) {
	t.Helper()
	for {
		conn, err := nats.Connect(address)
		if err == nil {
			conn.Close()
			return
		}
		if ctx.Err() != nil {
			t.Fatal(err)
		}
		time.Sleep(pollTime)
	}
}

// A run that wants more replicas than there are servers cannot start, and says why. If one of three
// servers is offline, a run with three replicas starts with the other two.
func TestServerOffline(t *testing.T) {
	if testing.Short() {
		t.Skip("the test starts three servers, and waits for them")
	}
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), timeLimit)
	defer cancel()
	nodes, urls := natsCluster(t)
	s := newSharedSite(t, urls)
	begin := time.Now()
	out, err := process(ctx, append(s.args, "--replicas", "5")...).CombinedOutput()
	took := time.Since(begin)
	if exit := (*exec.ExitError)(nil); !asExit(err, &exit) || took > time.Minute ||
		!strings.Contains(string(out), "the run needs more replicas than the cluster has servers online") || !strings.Contains(string(out), "hint: start the other servers, or use a smaller --replicas") {
		t.Errorf("five replicas on three servers: %v after %v\n%.2000s", err, took, out)
	}
	_ = nodes["n2"].Process.Signal(os.Interrupt) // it tells the others
	_ = nodes["n2"].Wait()
	s.finish(t, process(ctx, append(s.args, "--replicas", "3")...), 0)
}

// hostGaps are the longest times between two requests to each host.
type hostGaps struct {
	mu   sync.Mutex
	last map[string]time.Time
	gap  map[string]time.Duration
}

func (g *hostGaps) see(host string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	if last, ok := g.last[host]; ok {
		g.gap[host] = max(g.gap[host], now.Sub(last))
	}
	g.last[host] = now
}

// A worker is killed. Another worker continues its hosts within 10 seconds. A worker that starts
// late also gets hosts.
func TestRateAfterKill(t *testing.T) {
	if testing.Short() {
		t.Skip("the test takes half a minute")
	}
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), timeLimit)
	defer cancel()
	gaps := hostGaps{last: make(map[string]time.Time), gap: make(map[string]time.Duration)}
	var byWorker [3]atomic.Int64
	busy := make(chan struct{})
	proxy := func(n int) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			gaps.see(r.URL.Host)
			if byWorker[n].Add(1) == 40 && n == 1 {
				close(busy)
			}
			time.Sleep(200 * time.Millisecond)
		}))
		t.Cleanup(s.Close)
		return s.URL
	}
	const hosts, pages = 16, 75
	var list strings.Builder
	for i := range hosts * pages {
		fmt.Fprintf(&list, "http://h%d.test/%d\n", i%hosts, i/hosts)
	}
	name := filepath.Join(t.TempDir(), "list.txt")
	if err := os.WriteFile(name, []byte(list.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	server := peers.NATS(t).Addr
	worker := func(n int) *exec.Cmd {
		cmd := process(ctx, "check", "--join", "--nats", server, "--proxy", proxy(n))
		clitest.Start(t, cmd)
		return cmd
	}
	killed := worker(1)
	late := make(chan *exec.Cmd, 1)
	go func() {
		select {
		case <-busy:
		case <-ctx.Done():
		}
		_ = killed.Process.Kill()
		late <- worker(2)
	}()
	out, err := process(ctx, "check", "--examples", "--per-host", "1", "--nats", server, "--proxy", proxy(0), name).CombinedOutput()
	if err != nil || !strings.Contains(string(out), fmt.Sprintf("%d links: %[1]d good", hosts*pages)) {
		t.Errorf("check: %v\n%.2000s", err, out)
	}
	if err := (<-late).Wait(); err != nil || byWorker[2].Load() < 40 {
		t.Errorf("the late worker: %v, %d requests", err, byWorker[2].Load())
	}
	longest := time.Duration(0)
	for _, gap := range gaps.gap {
		longest = max(longest, gap)
	}
	t.Logf("the longest pause of a host is %v, the requests of the workers are %d, %d and %d", longest, byWorker[0].Load(), byWorker[1].Load(), byWorker[2].Load())
	if longest > 10*time.Second {
		t.Errorf("a host got no request for %v", longest)
	}
}

// Processes are killed at random times and started again, or suspended. The report equals the
// report of one undisturbed process. KILL_ROUNDS is the number of runs.
func TestKilledAtRandom(t *testing.T) {
	if testing.Short() {
		t.Skip("the test starts many processes")
	}
	t.Parallel()
	rounds := 2
	if text := os.Getenv("KILL_ROUNDS"); text != "" {
		rounds, _ = strconv.Atoi(text)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rounds)*timeLimit)
	defer cancel()
	s := newSharedSite(t, peers.NATS(t).Addr, "--lease", "1s")
	for range rounds {
		killed := s.disturb(ctx, t)
		// For each process that was killed, or whose lease expired while it was suspended, up to
		// --jobs URLs are checked twice.
		s.finish(t, process(ctx, s.args...), (killed+3)*killedJobs)
	}
}

// disturb starts three workers, one of which starts the run. It kills and restarts some of them,
// and suspends others for longer than a lease. It returns the number of kills and suspensions.
func (s *sharedSite) disturb(ctx context.Context, t *testing.T) (killed int) {
	s.slow(30 * time.Millisecond)
	commands := [][]string{s.args, append(s.worker, "--proxy", s.URL), append(s.worker, "--proxy", s.URL)}
	var running [3]*exec.Cmd
	for n, args := range commands {
		running[n] = process(ctx, args...)
		clitest.Start(t, running[n])
	}
	select {
	case <-s.middle():
	case <-ctx.Done():
		t.Fatal("the run has not begun in time")
	}
	for range 4 {
		time.Sleep(rand.N(500 * time.Millisecond))
		n := rand.IntN(len(running))
		killed++
		if rand.IntN(3) == 0 { // the process continues after it has lost its leases
			process := running[n].Process
			_ = process.Signal(syscall.SIGSTOP)
			time.AfterFunc(1500*time.Millisecond, func() { _ = process.Signal(syscall.SIGCONT) })
			continue
		}
		_ = running[n].Process.Kill()
		_ = running[n].Wait()
		running[n] = process(ctx, commands[n]...)
		clitest.Start(t, running[n])
	}
	_ = running[0].Process.Kill() // finish resumes the run
	_ = running[0].Wait()
	s.slow(0)
	return killed + 1
}
