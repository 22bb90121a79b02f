package browsertest

import (
	"bufio"
	"context"
	"flag"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"locus/cmd/locus/internal/command"
	"locus/cmd/locus/internal/demo"
	"locus/cmd/locus/internal/serve"
	servers "locus/demo"
)

func TestMain(m *testing.M) {
	// Tests wait for the browser more than they use a processor.
	_ = flag.Set("test.parallel", strconv.Itoa(max(4, runtime.GOMAXPROCS(0)))) // the flag -parallel overrides it
	status := m.Run()
	shared.close()
	os.Exit(status)
}

// startDemo runs "locus demo" until the test ends. It returns the URL of the demo's gateway, and
// the output.
func startDemo(t *testing.T) (at, help string) {
	t.Helper()
	args := []string{"demo", "--list", "--listen", "127.0.0.1:0"}
	for _, scheme := range servers.Schemes() {
		args = append(args, "--port", scheme+"=0")
	}
	help = start(t, "locus compose", args...)
	for line := range strings.Lines(help) {
		if at, isProxy := strings.CutPrefix(line, "ftp_proxy="); isProxy { // "ftp_proxy=URL curl …"
			at, _, _ = strings.Cut(at, " ")
			return at, help
		}
	}
	t.Fatalf("the demo prints no URL of a gateway: %s", help)
	return "", ""
}

// startServe runs "locus serve" with more arguments until the test ends. It returns the
// URL of the gateway, without a slash at the end.
func startServe(t *testing.T, args ...string) (at string) {
	t.Helper()
	const ready = "locus: the gateway is at "
	help := start(t, ready, append([]string{"serve", "--listen", "127.0.0.1:0", "--no-proxy", "--no-cache", "--log", "off"}, args...)...)
	_, at, _ = strings.Cut(help, ready)
	return strings.TrimSuffix(strings.TrimSpace(at), "/")
}

// start runs a verb until the test ends. It returns the lines of the output up to the line that
// begins with last.
func start(t *testing.T, last string, args ...string) (help string) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	e := command.NewEnv(os.Stdin, w, w)
	state := t.TempDir() // the certificates of servers of tests do not belong into the user's folder
	e.LookupEnv = func(name string) (string, bool) {
		if name == "XDG_STATE_HOME" {
			return state, true
		}
		return os.LookupEnv(name)
	}
	p := &command.Program{Verbs: []command.Maker{{Name: "demo", Make: demo.Verb}, {Name: "serve", Make: serve.Verb}}}
	ctx, interrupt := context.WithCancel(context.Background())
	ended := make(chan int, 1)
	go func() {
		status := p.Run(ctx, e, append([]string{"locus"}, args...))
		w.Close()
		ended <- status
	}()
	t.Cleanup(func() {
		interrupt()
		if status := <-ended; status != 0 {
			t.Errorf("%q ended with %d", args, status)
		}
		r.Close()
	})
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		help += line + "\n"
		if strings.HasPrefix(line, last) {
			go func() { _, _ = io.Copy(io.Discard, r) }() // a full pipe would block the verb
			return help
		}
	}
	t.Fatalf("%q ended: %s", args, help)
	return ""
}
