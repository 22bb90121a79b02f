package check

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"locus/check"
	"locus/check/stream"
	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/clitest"
	"locus/internal/peers"
)

// countingServer answers requests for /gone with 404, and all others with 200. It returns the
// number of requests for a path.
func countingServer(t *testing.T) (server *httptest.Server, asked func(path string) int) {
	t.Helper()
	var mu sync.Mutex
	counts := make(map[string]int)
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		counts[r.URL.Path]++
		mu.Unlock()
		if r.URL.Path == "/gone" {
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server, func(path string) int {
		mu.Lock()
		defer mu.Unlock()
		return counts[path]
	}
}

// A run and a worker share the URLs at a real server, and the run is removed at its end. The site
// is slow until the worker, which connects through a proxy, has sent a request.
func TestSharedRun(t *testing.T) {
	site, asked := countingServer(t)
	joined := make(chan struct{})
	join := sync.OnceFunc(func() { close(joined) })
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		join()
		site.Config.Handler.ServeHTTP(w, r)
	}))
	t.Cleanup(proxy.Close)
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-joined:
		case <-time.After(2 * time.Second):
		}
		site.Config.Handler.ServeHTTP(w, r)
	}))
	t.Cleanup(slow.Close)
	var list strings.Builder
	for i := range 200 {
		fmt.Fprintf(&list, "%s/%d\n", slow.URL, i)
	}
	in := clitest.Input{Dir: write(t, map[string]string{"list.txt": list.String()})}
	server := peers.NATS(t).Addr
	worker := make(chan string, 1)
	go func() {
		status, stdout, stderr := clitest.Run(t, Verb(), in, "--nats", server, "--join", "--jobs", "4", "--proxy", proxy.URL)
		worker <- fmt.Sprintf("%d %s%s", status, stdout, stderr)
	}()
	status, stdout, stderr := clitest.Run(t, Verb(), in, "--nats", server, "--split-host", "127.0.0.1", "list.txt")
	if status != 0 || !strings.HasSuffix(stdout, "200 links: 200 good, 0 dead\n") || stderr != "" {
		t.Errorf("check = %d, %q, %q", status, stdout, stderr)
	}
	select {
	case got := <-worker:
		if got != "0 " {
			t.Errorf("the worker says %s", got)
		}
	case <-time.After(time.Minute):
		t.Fatal("the worker did not end with the run")
	}
	for i := range 200 {
		if n := asked(fmt.Sprintf("/%d", i)); n != 1 {
			t.Errorf("/%d was requested %d times, want once", i, n)
		}
	}
	if status, stdout, stderr := clitest.Run(t, Verb(), in, "--nats", server, "--list-runs"); status != 0 || stdout+stderr != "" {
		t.Errorf("check --list-runs after the run = %d, %q, %q", status, stdout, stderr)
	}
}

// A run with the name of another run and other arguments is refused. The other run can be listed
// and forgotten. Each error suggests a remedy.
func TestRunsOfServer(t *testing.T) {
	server := peers.NATS(t).Addr
	conn, err := nats.Connect("nats://" + server)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	left, err := stream.Start(t.Context(), conn, "left", stream.Run{Args: []string{"http://a/"}, Shards: sharedShards}, stream.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer left.Close()
	in := clitest.Input{Dir: write(t, map[string]string{"a.txt": ""})}
	for _, test := range []struct {
		args   string
		status int
		stdout string // the beginning of stdout
		stderr string // a part of stderr
	}{
		{"--list-runs", 0, "left  http://a/ of 2", ""},
		{"--run left a.txt", 1, "", "hint: start another run with --run NAME"},
		{"--run left --split-host h http://a/", 1, "", "or flags: http://a/ of 2"},
		{"--run none --forget-run", 1, "", "hint: --list-runs lists them"},
		{"--run left --forget-run", 0, "", ""},
		{"--list-runs", 0, "", ""},
		{"--run b!d a.txt", 1, "", "is not a name for a run"},
		{"--replicas 3 a.txt", 1, "", "hint: start the other servers, or use a smaller --replicas"},
	} {
		status, stdout, stderr := clitest.Run(t, Verb(), in, append([]string{"--nats", server}, strings.Fields(test.args)...)...)
		if status != test.status || !strings.HasPrefix(stdout, test.stdout) || !strings.Contains(stderr, test.stderr) || test.stderr == "" && stderr != "" {
			t.Errorf("check --nats %s = %d, %q, %q, want %d, %q, %q", test.args, status, stdout, stderr, test.status, test.stdout, test.stderr)
		}
	}
	status, _, stderr := clitest.Run(t, Verb(), in, "--nats", "127.0.0.1:1", "a.txt")
	if status != 1 || !strings.Contains(stderr, "connect to --nats") || !strings.Contains(stderr, "hint: run the server with JetStream: nats-server -js") {
		t.Errorf("check --nats without a server = %d, %q", status, stderr)
	}
}

// A worker that joins a run with damaged jobs names them, and fails at the end, because their URLs may not be checked.
func TestWorkerOfDamagedRun(t *testing.T) {
	server := peers.NATS(t).Addr
	conn, err := nats.Connect("nats://" + server)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	left, err := stream.Start(t.Context(), conn, "left", stream.Run{Args: []string{"a.txt"}, Shards: 2}, stream.Options{Lease: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	log, err := js.Stream(t.Context(), "locus_left_log")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"jobs.0", "jobs.1"} {
		if _, err := js.Publish(t.Context(), strings.TrimSuffix(log.CachedInfo().Config.Subjects[0], ">")+part, []byte("damage")); err != nil {
			t.Fatal(err)
		}
	}
	if err := left.Seeded(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := left.Close(); err != nil {
		t.Fatal(err)
	}
	in := clitest.Input{Dir: write(t, map[string]string{"a.txt": ""})}
	status, stdout, stderr := clitest.Run(t, Verb(), in, "--nats", server, "--join", "--run", "left")
	if status != 1 || stdout != "" || !strings.Contains(stderr, "is damaged: if it had URLs to check, they are not known") {
		t.Errorf("check --join = %d, %q, %q, want 1 and the damage", status, stdout, stderr)
	}
}

// In a shared run, the crawled hosts and the hosts of --split-host are split. Other hosts are not
// split.
func TestSplitHosts(t *testing.T) {
	args := []string{"http://a.test/x/y", "http://b.test:8080/", "file.md"}
	for _, test := range []struct {
		o           Options
		scope, want []string
	}{
		{Options{Args: args}, []string{"http://a.test/x/", "http://b.test:8080/"}, nil},
		{Options{Args: args, Crawl: Crawl{Recursive: true}}, []string{"http://a.test/x/", "http://b.test:8080/"}, nil},
		{Options{Args: args, Crawl: Crawl{Recursive: true}, Given: cli.Given{"nats": true}}, []string{"http://a.test/x/", "http://b.test:8080/"}, []string{"a.test", "b.test"}},
		{Options{Args: args, Crawl: Crawl{Recursive: true, Scope: []string{"http://c.test/"}}, Given: cli.Given{"nats": true}}, []string{"http://c.test/"}, []string{"a.test", "b.test"}},
		{Options{Args: args[2:], Shared: Shared{SplitHost: []string{"d.test"}}, Given: cli.Given{"nats": true}}, nil, []string{"d.test"}},
	} {
		k := &checker{Env: testEnv(t, t.TempDir()), options: test.o}
		var err error
		if k.Policy, err = test.o.policy(nil); err != nil {
			t.Fatalf("%+v: %v", test.o.Args, err)
		}
		if k.addScopeAndSplit(); !slices.Equal(k.Split, test.want) || !slices.Equal(k.Scope, test.scope) {
			t.Errorf("check %+v splits the hosts %q in the scope %q, want %q and %q", test.o.Args, k.Split, k.Scope, test.want, test.scope)
		}
	}
}

// With --max-age, pages that were good recently are not requested again. Pages that were dead are
// requested again.
func TestMaxAge(t *testing.T) {
	site, asked := countingServer(t)
	dir := write(t, map[string]string{"a.txt": site.URL + "/good\n" + site.URL + "/gone\n"})
	run := func(args ...string) {
		t.Helper()
		args = append(args, "--state", filepath.Join(dir, "state"), "a.txt")
		status, stdout, stderr := clitest.Run(t, Verb(), clitest.Input{Dir: dir}, args...)
		if status != 1 || !strings.HasSuffix(stdout, "2 links: 1 good, 1 dead\n") || stderr != "" {
			t.Fatalf("check %q = %d, %q, %q", args, status, stdout, stderr)
		}
	}
	for _, step := range []struct {
		flags []string
		want  int // the number of requests for /good
	}{
		{[]string{"--max-age", "1h"}, 1}, {[]string{"--max-age", "1h"}, 1}, {nil, 2}, {[]string{"--max-age", "1ns"}, 3},
	} {
		gone := asked("/gone")
		if run(step.flags...); asked("/good") != step.want || asked("/gone") == gone {
			t.Errorf("check %s: /good was requested %d times in all, want %d, and /gone %d more times", step.flags, asked("/good"), step.want, asked("/gone")-gone)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "state", "checked.jsonl"), []byte("{\n\x00\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if run("--max-age", "1h"); asked("/good") != 4 {
		t.Errorf("with a broken file of results, /good was requested %d times in all, want 4", asked("/good"))
	}
}

// --archived names a copy of a dead page. It asks the archive only with the value check.
func TestArchived(t *testing.T) {
	site, asked := countingServer(t)
	in := clitest.Input{Dir: write(t, map[string]string{"a.txt": site.URL + "/gone\n"})}
	for _, test := range []struct {
		how, template string
		want          bool // the report names a copy
	}{
		{"propose", site.URL + "/copy/{url}", true},
		{"check", site.URL + "/copy?of={url}", true},
		{"check", site.URL + "/gone?of={url}", false},
	} {
		before := asked("/copy")
		status, stdout, stderr := clitest.Run(t, Verb(), in, "--archived", test.how, "--archive", test.template, "a.txt")
		named := strings.Contains(stdout, site.URL+"/copy")
		if status != 1 || named != test.want || stderr != "" || test.how == "propose" && asked("/copy") != before {
			t.Errorf("check --archived %s --archive %s = %d, %q, %q", test.how, test.template, status, stdout, stderr)
		}
	}
	if n := asked("/copy"); n == 0 {
		t.Error("check --archived check did not send a request to the archive")
	}
}

// The same command resumes an interrupted run, unless the run is too old or another process has it
// open.
func TestOwnQueue(t *testing.T) {
	dir := t.TempDir()
	open := func() (runQueue, string, error) {
		t.Helper()
		said, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
		if err != nil {
			t.Fatal(err)
		}
		defer said.Close()
		k := &checker{Env: cli.NewEnv(nil, nil, said), options: Options{Args: []string{"a"}}, state: dir}
		q, err := k.keptQueue()
		text, _ := os.ReadFile(said.Name())
		return q, string(text), err
	}
	q, said, err := open()
	if err != nil || said != "" {
		t.Fatalf("keptQueue() of the first run = %v, %q", err, said)
	}
	links := []check.Link{{URL: "http://h/", Line: 1, Column: 1}}
	if err := check.Seed(t.Context(), q, check.Source{Document: "a", Links: links}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := open(); err == nil || !strings.Contains(err.Error(), "another process is working on this run") {
		t.Errorf("keptQueue() while another process has the run open = %v", err)
	}
	q.close()
	if q, said, err = open(); err != nil || !strings.Contains(said, "resuming the interrupted run") {
		t.Fatalf("keptQueue() of the next run = %v, %q", err, said)
	}
	q.close()
	files, err := filepath.Glob(filepath.Join(dir, "check", "*.log"))
	if err != nil || len(files) != 1 {
		t.Fatalf("the folder of runs has the files %q, %v", files, err)
	}
	old := time.Now().Add(-maxResumeAge - time.Minute)
	if err := os.Chtimes(files[0], old, old); err != nil {
		t.Fatal(err)
	}
	if q, said, err = open(); err != nil || said != "" {
		t.Fatalf("keptQueue() after a day = %v, %q", err, said)
	}
	if err := q.end(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(files[0]); err == nil {
		t.Error("the file of the run exists after its end")
	}
	if _, err := (&checker{Env: testEnv(t, dir)}).keptQueue(); err == nil || !strings.Contains(err.Error(), "there is no user folder for state") {
		t.Errorf("keptQueue() without a state folder = %v", err)
	}
}
