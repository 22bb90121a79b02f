package serve

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/clitest"
	"locus/cmd/locus/internal/command"
	"locus/cmd/locus/internal/flags"
)

// run runs serve until stop is called, which returns its exit status. said reads the next line of
// its stderr, or returns "" at the end.
func run(t *testing.T, dir string, args ...string) (said func() string, stop func() int) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	e := cli.NewEnv(nil, w, w)
	e.Dir, e.LookupEnv = dir, func(string) (string, bool) { return "", false }
	ctx, cancel := context.WithCancel(t.Context())
	status := make(chan int, 1)
	go func() {
		p := &command.Program{Verbs: []command.Maker{{Name: "serve", Make: Verb}}}
		status <- p.Run(ctx, e.Env, append([]string{"locus", "serve", "--listen", "127.0.0.1:0"}, args...))
		w.Close()
	}()
	lines := bufio.NewReader(r)
	said = func() string { line, _ := lines.ReadString('\n'); return strings.TrimSuffix(line, "\n") }
	t.Cleanup(func() { cancel(); _, _ = io.Copy(io.Discard, r); r.Close() })
	return said, func() int { cancel(); return <-status }
}

// fetch returns the status and the body of a page. The status is 0 if no server answers.
func fetch(t *testing.T, page string, login ...string) (status int, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, page, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(login) == 2 {
		req.SetBasicAuth(login[0], login[1])
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Errorf("%s: %v", page, err)
	}
	return answer.StatusCode, string(text)
}

// serve shows the files below --root, and no others, to users who log in. It ends when it is
// interrupted. Then its ports are closed, and the same cache can be used again.
func TestRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"public/a": "this is a", "secret": "this is the secret",
		"users": "# who may\n\nada:$2a$04$8QAErsq5RIYQwTfS0THGoeEBfk.lfOse6mg6pdW.XK2aZaqaUV846\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../secret", filepath.Join(dir, "public", "link")); err != nil {
		t.Skip(err)
	}
	for round := range 2 {
		said, stop := run(t, dir, "--root", "public", "--cache-dir", "cache", "--auth", "users", "--admin", "0", "--log", "off")
		at, isGateway := strings.CutPrefix(said(), "locus: the gateway is at ")
		metrics, isAdmin := strings.CutPrefix(said(), "locus: its metrics are at ")
		if !isGateway || !isAdmin {
			t.Fatalf("round %d: serve prints the addresses %q and %q", round, at, metrics)
		}
		for _, test := range []struct {
			path   string
			login  []string
			status int // 0: any error
			has    string
		}{
			{"file:///a", []string{"ada", "sesame"}, 200, "this is a"},
			{"file:///a", []string{"ada", "sesam"}, 401, ""},
			{"file:///a", []string{"", ""}, 401, ""},
			{"file:///a", nil, 401, ""},
			{"file:///secret", []string{"ada", "sesame"}, 404, ""},
			{"file:///../secret", []string{"ada", "sesame"}, 0, ""},
			{"file:///%2e%2e/secret", []string{"ada", "sesame"}, 0, ""},
			{"file:///..%2Fsecret", []string{"ada", "sesame"}, 0, ""},
			{"file:///link", []string{"ada", "sesame"}, 403, ""},
			{"file:///a%00", []string{"ada", "sesame"}, 0, ""},
		} {
			status, body := fetch(t, at+test.path, test.login...)
			if status != test.status && (test.status != 0 || status < 400) || !strings.Contains(body, test.has) || strings.Contains(body, "the secret") {
				t.Errorf("the page %s as %q = %d, %.300s, want %d, %q", test.path, test.login, status, body, test.status, test.has)
			}
		}
		if status, body := fetch(t, metrics); status != 200 || !strings.Contains(body, "locus_") || strings.Contains(body, "ada") {
			t.Errorf("in round %d the metrics = %d, %.300s", round, status, body)
		}
		if status := stop(); status != 0 || said() != "" {
			t.Errorf("in round %d serve ends with %d", round, status)
		}
		for _, gone := range []string{at, metrics} {
			if status, body := fetch(t, gone); status != 0 {
				t.Errorf("after the end of serve %s answers %d, %.100s", gone, status, body)
			}
		}
	}
}

// Behind a trusted proxy, the log has the client that the proxy names, in a header field or in a PROXY header.
func TestRunProxied(t *testing.T) {
	t.Parallel()
	const get = "GET /robots.txt HTTP/1.0\r\n"
	for _, test := range []struct{ flags, sent, client string }{
		{"--trusted-proxy 127.0.0.1", get + "X-Forwarded-For: 192.0.2.7\r\n\r\n", "client=192.0.2.7:0 "},
		{"--trusted-proxy 10.0.0.1 --trusted-proxy 127.0.0.0/8", get + "Forwarded: for=192.0.2.7\r\n\r\n", "client=192.0.2.7:0 "},
		{"--trusted-proxy 127.0.0.1 --proxy-protocol", "PROXY TCP4 192.0.2.7 192.0.2.1 4711 443\r\n" + get + "\r\n", "client=192.0.2.7:4711 "},
		{"--trusted-proxy 10.0.0.1", get + "X-Forwarded-For: 192.0.2.7\r\n\r\n", "client=127.0.0.1:"},
		{"", get + "X-Forwarded-For: 192.0.2.7\r\n\r\n", "client=127.0.0.1:"},
	} {
		said, stop := run(t, t.TempDir(), append([]string{"--no-cache", "--policy", "public"}, strings.Fields(test.flags)...)...)
		at, ok := strings.CutPrefix(said(), "locus: the gateway is at http://")
		if !ok {
			t.Fatalf("serve %s prints no address", test.flags)
		}
		conn, err := net.Dial("tcp", strings.TrimSuffix(at, "/"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, test.sent); err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(conn)
		conn.Close()
		if !strings.HasPrefix(string(answer), "HTTP/1.0 200 ") || err != nil {
			t.Errorf("serve %s answers %q with %q, %v", test.flags, test.sent, answer, err)
		}
		if line := said(); !strings.Contains(line, test.client) {
			t.Errorf("serve %s: %q is logged as %q, want %q", test.flags, test.sent, line, test.client)
		}
		if status := stop(); status != 0 {
			t.Errorf("serve %s ends with %d", test.flags, status)
		}
	}
}

// Impossible flags end serve before it listens. The error has the text that the user typed.
func TestRunRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "garbage"), []byte("garbage"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args   string
		status int
		stderr string
	}{
		{"--tls-cert garbage --tls-key garbage", 2, "--tls-cert and --tls-key: tls: failed to find any PEM data in certificate input"},
		{"--tls-cert none --tls-key garbage", 1, "none: "},
		{"--client-ca garbage", 2, "TLS needs both --tls-cert and --tls-key"},
		{"--auth none", 1, "open none: "},
		{"--auth garbage", 2, "--auth: garbage: line 1"},
		{"--root none", 1, "open none: "},
		{"--root garbage", 1, "garbage: "},
		{"--cache-dir garbage", 1, "garbage"},
		{"--cache-dir x --no-cache", 2, "--cache-dir and --no-cache cannot be combined"},
		{"--warc x --from-warc x", 2, "--warc and --from-warc cannot be combined"},
		{"--from-warc none", 1, `"none"`},
		{"--admin nonsense --no-cache", 2, `--admin must be HOST:PORT, not "nonsense"`},
		{"--admin ::1 --no-cache", 2, `--admin must be HOST:PORT, not "::1"`},
		{"--proxy-ca ca.pem --no-cache", 2, "--proxy-ca needs --warc or --from-warc"},
		{"--archive archive.example/{url} --no-cache", 2, "--archive must be a URL with a scheme and {url} in it"},
		{"--trusted-proxy 127.0.0.1 --no-cache", 2, "--trusted-proxy needs --policy, because the clients of a proxy are other people, even on 127.0.0.1"},
		{"--trusted-proxy ::/0 --policy public --no-cache", 2, `--trusted-proxy must be an address or a network, such as 10.0.0.7 or 10.1.0.0/16, not "::/0"`},
		{"--proxy-protocol --policy public --no-cache", 2, "--proxy-protocol needs --trusted-proxy"},
		{"--sessions 0 --no-cache", 2, `--sessions must be a number from 1 to 2147483647, not "0"`},
		{"more --no-cache", 2, "serve takes no arguments"},
	} {
		said, stop := run(t, dir, strings.Fields(test.args)...)
		line := said()
		status := stop()
		if status != test.status || !strings.HasPrefix(line, "locus: ") || !strings.Contains(line, test.stderr) {
			t.Errorf("serve %s = %d, %q, want %d, %q", test.args, status, line, test.status, test.stderr)
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("the refused commands leave %v, %v", left, err)
	}
}

// An address that others can reach needs a policy, with any other flags.
func TestRunExposed(t *testing.T) {
	t.Parallel()
	for _, address := range []string{":0", "0.0.0.0:0", "[::]:0"} {
		status, stdout, stderr := clitest.Run(t, Verb(), clitest.Input{}, "--listen", address, "--no-cache", "--scheme", "gopher")
		if status != 2 || stdout != "" || !strings.Contains(stderr, "everyone who can reach") {
			t.Errorf("--listen %s = %d, %q, %q", address, status, stdout, stderr)
		}
	}
}

// --cache-dir and --cache-size with --from-warc are a misuse, because an archive needs no cache.
func TestCacheOfArchive(t *testing.T) {
	t.Parallel()
	e, _ := envOf(t, nil)
	for _, flag := range []string{"cache-dir", "cache-size"} {
		o := Options{Replay: cli.Replay{From: "x.warc"}, Given: cli.Given{flag: true, "from-warc": true}}
		if _, err := o.cache(e, nil); !flags.IsMisuse(err) || err.Error() != "--"+flag+" and --from-warc cannot be combined" {
			t.Errorf("--from-warc with --%s: %v", flag, err)
		}
	}
}

// A gateway whose context ended before its start also ends.
func TestRunEnded(t *testing.T) {
	t.Parallel()
	said, stop := run(t, t.TempDir(), "--no-cache")
	if status := stop(); status != 0 {
		t.Errorf("serve with a cancelled context ends with %d", status)
	}
	for line := said(); line != ""; line = said() {
		if at, ok := strings.CutPrefix(line, "locus: the gateway is at http://"); ok {
			if conn, err := net.Dial("tcp", strings.TrimSuffix(at, "/")); err == nil {
				conn.Close()
				t.Errorf("serve with a cancelled context still listens at %s", at)
			}
		}
	}
}
