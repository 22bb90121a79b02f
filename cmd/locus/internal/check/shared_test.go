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

	"locus/check"
	"locus/check/stream"
	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/clitest"
	"locus/internal/peers"
)

// countingServer answers each request with 200, but /gone with 404. It returns how often each
// path was asked for.
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

// A run and a worker share the URLs at a real server, and the run is removed at its end. The
// site is slow until the worker, which comes through a proxy, has asked for something.
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
			t.Errorf("the worker: %s", got)
		}
	case <-time.After(time.Minute):
		t.Fatal("the worker does not end")
	}
	for i := range 200 {
		if n := asked(fmt.Sprintf("/%d", i)); n != 1 {
			t.Errorf("/%d was asked for %d times", i, n)
		}
	}
	if status, stdout, stderr := clitest.Run(t, Verb(), in, "--nats", server, "--list-runs"); status != 0 || stdout+stderr != "" {
		t.Errorf("runs that are left: %d, %q, %q", status, stdout, stderr)
	}
}

// A run of the same name with other arguments is refused, listed and forgotten. Each error has
// a way out.
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
	for _, tt := range []struct {
		args   string
		status int
		stdout string // the start of it
		stderr string // a part of it
	}{
		{"--list-runs", 0, "left  http://a/ of 2", ""},
		{"--run left a.txt", 1, "", "hint: --run NAME starts one beside it"},
		{"--run left --split-host h http://a/", 1, "", "or flags: http://a/ of 2"},
		{"--run none --forget-run", 1, "", "hint: --list-runs lists them"},
		{"--run left --forget-run", 0, "", ""},
		{"--list-runs", 0, "", ""},
		{"--run b!d a.txt", 1, "", "is not a name for a run"},
		{"--replicas 3 a.txt", 1, "", "hint: start the other servers, or set a smaller --replicas"},
	} {
		status, stdout, stderr := clitest.Run(t, Verb(), in, append([]string{"--nats", server}, strings.Fields(tt.args)...)...)
		if status != tt.status || !strings.HasPrefix(stdout, tt.stdout) || !strings.Contains(stderr, tt.stderr) || tt.stderr == "" && stderr != "" {
			t.Errorf("check --nats %s = %d, %q, %q, want %d, %q, %q", tt.args, status, stdout, stderr, tt.status, tt.stdout, tt.stderr)
		}
	}
	status, _, stderr := clitest.Run(t, Verb(), in, "--nats", "127.0.0.1:1", "a.txt")
	if status != 1 || !strings.Contains(stderr, "connect to --nats") || !strings.Contains(stderr, "hint: nats-server -js") {
		t.Errorf("without a server: %d, %q", status, stderr)
	}
}

// The hosts that a shared run crawls are split, and those that a flag names. Others are not.
func TestSplitHosts(t *testing.T) {
	args := []string{"http://a.test/x/y", "http://b.test:8080/", "file.md"}
	for _, tt := range []struct {
		o           Options
		scope, want []string
	}{
		{Options{Args: args}, []string{"http://a.test/x/", "http://b.test:8080/"}, nil},
		{Options{Args: args, Crawl: Crawl{Recursive: true}}, []string{"http://a.test/x/", "http://b.test:8080/"}, nil},
		{Options{Args: args, Crawl: Crawl{Recursive: true}, Given: cli.Given{"nats": true}}, []string{"http://a.test/x/", "http://b.test:8080/"}, []string{"a.test", "b.test"}},
		{Options{Args: args, Crawl: Crawl{Recursive: true, Scope: []string{"http://c.test/"}}, Given: cli.Given{"nats": true}}, []string{"http://c.test/"}, []string{"a.test", "b.test"}},
		{Options{Args: args[2:], Shared: Shared{SplitHost: []string{"d.test"}}, Given: cli.Given{"nats": true}}, nil, []string{"d.test"}},
	} {
		k := &checker{Env: testEnv(t, t.TempDir()), options: tt.o}
		var err error
		if k.Policy, err = tt.o.policy(nil); err != nil {
			t.Fatal(err)
		}
		if k.addScopeAndSplit(); !slices.Equal(k.Split, tt.want) || !slices.Equal(k.Scope, tt.scope) {
			t.Errorf("%+v: the hosts %q are split, the scope is %q, want %q and %q", tt.o.Args, k.Split, k.Scope, tt.want, tt.scope)
		}
	}
}

// --max-age asks for no page that was good a while ago, and again for one that was not.
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
		want  int // how often /good was asked for
	}{
		{[]string{"--max-age", "1h"}, 1}, {[]string{"--max-age", "1h"}, 1}, {nil, 2}, {[]string{"--max-age", "1ns"}, 3},
	} {
		gone := asked("/gone")
		if run(step.flags...); asked("/good") != step.want || asked("/gone") == gone {
			t.Errorf("with %q, the good page was asked for %d times, want %d; the dead one %d times more", step.flags, asked("/good"), step.want, asked("/gone")-gone)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "state", "checked.jsonl"), []byte("{\n\x00\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if run("--max-age", "1h"); asked("/good") != 4 {
		t.Errorf("with a broken file the good page was asked for %d times, want 4", asked("/good"))
	}
}

// --archived names a copy of a dead page, and asks for it only if it shall.
func TestArchived(t *testing.T) {
	site, asked := countingServer(t)
	in := clitest.Input{Dir: write(t, map[string]string{"a.txt": site.URL + "/gone\n"})}
	for _, tt := range []struct {
		how, template string
		want          bool // a copy is named
	}{
		{"propose", site.URL + "/copy/{url}", true},
		{"check", site.URL + "/copy?of={url}", true},
		{"check", site.URL + "/gone?of={url}", false},
	} {
		before := asked("/copy")
		status, stdout, stderr := clitest.Run(t, Verb(), in, "--archived", tt.how, "--archive", tt.template, "a.txt")
		named := strings.Contains(stdout, site.URL+"/copy")
		if status != 1 || named != tt.want || stderr != "" || tt.how == "propose" && asked("/copy") != before {
			t.Errorf("check --archived %s --archive %s = %d, %q, %q", tt.how, tt.template, status, stdout, stderr)
		}
	}
	if n := asked("/copy"); n == 0 {
		t.Error("--archived check does not ask the archive")
	}
}

// An interrupted run is resumed by the same command, unless it is too old or another process
// has it.
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
		q, err := k.ownQueue()
		text, _ := os.ReadFile(said.Name())
		return q, string(text), err
	}
	q, said, err := open()
	if err != nil || said != "" {
		t.Fatalf("the first run: %v, %q", err, said)
	}
	links := []check.Link{{URL: "http://h/", Line: 1, Column: 1}}
	if err := check.Seed(t.Context(), q, check.Source{Document: "a", Links: links}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := open(); err == nil || !strings.Contains(err.Error(), "another process works on this run") {
		t.Errorf("beside another process: %v", err)
	}
	q.close()
	if q, said, err = open(); err != nil || !strings.Contains(said, "resuming the interrupted run") {
		t.Fatalf("the next run: %v, %q", err, said)
	}
	q.close()
	files, err := filepath.Glob(filepath.Join(dir, "check", "*.log"))
	if err != nil || len(files) != 1 {
		t.Fatalf("the files are %q, %v", files, err)
	}
	old := time.Now().Add(-maxResumeAge - time.Minute)
	if err := os.Chtimes(files[0], old, old); err != nil {
		t.Fatal(err)
	}
	if q, said, err = open(); err != nil || said != "" {
		t.Fatalf("after a day: %v, %q", err, said)
	}
	if err := q.end(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(files[0]); err == nil {
		t.Error("the file is left after the end")
	}
	if _, err := (&checker{Env: testEnv(t, dir)}).ownQueue(); err == nil || !strings.Contains(err.Error(), "no state folder") {
		t.Errorf("without a state folder: %v", err)
	}
}
