package stream_test

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"locus/check"
	"locus/check/stream"
)

// The test binary is also a server of a cluster, and a worker.
func TestMain(m *testing.M) {
	switch os.Getenv("STREAM_TEST") {
	case "server":
		serve()
	case "worker":
		if err := help(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	default:
		os.Exit(m.Run())
	}
}

// serve is a server of a cluster until it is killed.
func serve() {
	port, _ := strconv.Atoi(os.Getenv("PORT"))
	clusterPort, _ := strconv.Atoi(os.Getenv("CLUSTER_PORT"))
	s, err := server.NewServer(&server.Options{
		ServerName: os.Getenv("NAME"), Host: "127.0.0.1", Port: port, JetStream: true, StoreDir: os.Getenv("DIR"), NoLog: true, NoSigs: true,
		Cluster: server.ClusterOpts{Name: "test", Host: "127.0.0.1", Port: clusterPort}, Routes: server.RoutesFromStr(os.Getenv("ROUTES")),
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	s.Start()
	s.WaitForShutdown()
}

// help is a worker until the run is finished. It says which URLs it opens.
func help() error {
	ctx := newContext()
	q, err := connect(os.Getenv("URLS"))
	if err != nil {
		return err
	}
	policy, err := q.Policy(ctx)
	if err != nil {
		return err
	}
	var mu sync.Mutex
	g := killGraph
	g.opened = func(u string) {
		mu.Lock()
		fmt.Println(u)
		mu.Unlock()
		time.Sleep(2 * time.Millisecond) // a server is not as quick as memory
	}
	return (&check.Checker{Opener: g, Policy: policy}).Run(ctx, q)
}

// killGraph has pages enough to be in the middle of.
var killGraph = graph{size: 80, hosts: 8}

func connect(urls string) (*stream.Queue, error) {
	conn, err := nats.Connect(urls, nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond), nats.RetryOnFailedConnect(true))
	if err != nil {
		return nil, err
	}
	return stream.Open(newContext(), conn, "kill", stream.Options{Shards: 8, Replicas: 3, Lease: time.Second, Helper: os.Getenv("STREAM_TEST") == "worker"})
}

// freePorts returns ports that nobody listens at just now.
func freePorts(t *testing.T, n int) []int {
	t.Helper()
	var ports []int
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports
}

// child starts this binary in another part. It is killed at the end.
func child(t *testing.T, part string, env ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), append(env, "STREAM_TEST="+part)...)
	cmd.Stderr = os.Stderr
	t.Cleanup(func() {
		if cmd.Process != nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	})
	return cmd
}

// cluster starts a cluster of three, and returns its URLs.
func cluster(t *testing.T) (servers []*exec.Cmd, urls string) {
	t.Helper()
	ports := freePorts(t, 6)
	var all, routes []string
	for i := range 3 {
		all = append(all, fmt.Sprintf("nats://127.0.0.1:%d", ports[i]))
		routes = append(routes, fmt.Sprintf("nats://127.0.0.1:%d", ports[3+i]))
	}
	for i := range 3 {
		cmd := child(t, "server", fmt.Sprintf("NAME=n%d", i), fmt.Sprintf("PORT=%d", ports[i]), fmt.Sprintf("CLUSTER_PORT=%d", ports[3+i]),
			"DIR="+t.TempDir(), "ROUTES="+strings.Join(routes, ","))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		servers = append(servers, cmd)
	}
	return servers, strings.Join(all, ",")
}

// A worker is a process that opens URLs.
type worker struct {
	*exec.Cmd
	mu     sync.Mutex
	opened []string
	ended  chan struct{}
}

// newWorker starts a worker, which is put into busy when it has opened some URLs.
func newWorker(t *testing.T, urls string, busy chan<- *worker) *worker {
	t.Helper()
	w := &worker{Cmd: child(t, "worker", "URLS="+urls), ended: make(chan struct{})}
	out, err := w.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(w.ended)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			w.mu.Lock()
			w.opened = append(w.opened, lines.Text())
			if len(w.opened) == 100 {
				busy <- w
			}
			w.mu.Unlock()
		}
	}()
	return w
}

// Two workers share a run that a cluster of three keeps. One worker and one
// server are killed in the middle. Nothing is lost, and the report is that of one
// process.
func TestKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts five processes")
	}
	g := killGraph
	g.opened = func(string) {}
	m := check.NewMemory()
	seed(t, m)
	if err := (&check.Checker{Opener: g, Policy: g.policy()}).Run(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	want := report(t, m)

	servers, urls := cluster(t)
	q, err := connect(urls)
	if err != nil {
		t.Fatal(err)
	}
	if err := q.SetPolicy(t.Context(), g.policy()); err != nil {
		t.Fatal(err)
	}
	seed(t, q)
	if err := q.Seeded(t.Context()); err != nil {
		t.Fatal(err)
	}
	busy := make(chan *worker, 2)
	first, second := newWorker(t, urls, busy), newWorker(t, urls, busy)
	if await(t, busy) == second {
		first, second = second, first
	}
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := servers[1].Process.Kill(); err != nil {
		t.Fatal(err)
	}
	await(t, first.ended)
	await(t, second.ended)
	if err := q.Read(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := report(t, q); got != want {
		t.Errorf("the report is not that of one process: %s, want %s", lastLine(got), lastLine(want))
	}
	if len(second.opened) == 0 {
		t.Error("the second worker had nothing to do")
	}
	twice := repeated(first.opened, second.opened)
	t.Logf("the killed worker opened %d URLs, the other %d, %d of them again", len(first.opened), len(second.opened), twice)
	if most := killGraph.hosts * 16; twice > most {
		t.Errorf("%d URLs were opened twice, more than the %d that can have been under way", twice, most)
	}
}

func await[T any](t *testing.T, c chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(2 * time.Minute):
		t.Fatal("it takes too long")
		panic("not reached")
	}
}

func repeated(lists ...[]string) int {
	seen, twice := map[string]bool{}, 0
	for _, list := range lists {
		for _, u := range list {
			if seen[u] {
				twice++
			}
			seen[u] = true
		}
	}
	return twice
}

func lastLine(s string) string { return s[strings.LastIndexByte(s, '\n')+1:] }
