package examples

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"locus/demo"
)

// Each program does what its comment says, with the servers of the demo.
func TestPrograms(t *testing.T) {
	programs := build(t)
	d, err := demo.Start(t.Context(), demo.Config{Listen: net.Listen})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	const motd = "The message of the day is the same every day"
	for _, test := range []struct {
		program, arg, stdin string
		want                string // a part of its output
		code                int
	}{
		{program: "open", arg: d.Service("gopher").URL + "0/etc/motd", want: motd},
		{program: "open", arg: d.Service("gopher").URL + "0/nothing", want: "does not exist", code: 1},
		{program: "open", want: "usage: open URL", code: 1},
		{program: "httpclient", arg: d.Service("ftp").URL + "etc/motd", want: motd},
		{program: "httpclient", arg: d.Service("ftp").URL + "nothing", want: "404", code: 1},
		{program: "httpclient", arg: "-register " + d.Service("ftp").URL + "etc/motd", want: motd},
		{program: "httpclient", arg: d.Service("http").URL, want: "<"},
		{program: "safefetch", stdin: d.Service("http").URL + "\n", want: "refused: open http://127.0.0.1"},
		{program: "safefetch", stdin: "http://good.example\\@evil.example/\nnothing\n", want: "failed: "},
		{program: "walk", arg: d.Service("gopher").URL + "1/texts", want: "ftp.txt\n"},
		{program: "finger", arg: "finger://" + fingerd(t) + "/ada", want: "ada is here"},
		{program: "finger", arg: "finger://127.0.0.1:1079/a%0D%0Ab", want: "must not have escapes", code: 1},
		{program: "extract", stdin: "see <gopher://h.example/1/>, or\nftp://h.example/a.", want: "1:6 gopher://h.example/1/\n2:1 ftp://h.example/a\n"},
		{program: "compare", arg: "http://example.org/a", want: "all lead to http example.org:80"},
		{program: "compare", arg: `http://good.example\@evil.example/`, want: "do not open it", code: 1},
	} {
		args := strings.Fields(test.arg)
		cmd := exec.CommandContext(t.Context(), filepath.Join(programs, test.program), args...)
		cmd.Stdin = strings.NewReader(test.stdin)
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil {
			t.Fatalf("%s: %v", test.program, err)
		}
		if code := cmd.ProcessState.ExitCode(); code != test.code || !strings.Contains(string(out), test.want) {
			t.Errorf("%s %s: exit %d, want %d; it printed %q, want %q", test.program, test.arg, code, test.code, out, test.want)
		}
	}
	t.Run("gateway", func(t *testing.T) { testGateway(t, filepath.Join(programs, "gateway"), d, motd) })
}

// build builds every program into a folder, without symbols, because that takes half as
// long.
func build(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", folder, "./...").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return folder
}

// fingerd starts a server that answers one request. It returns its address.
func fingerd(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		user, _ := bufio.NewReader(conn).ReadString('\n')
		_, _ = io.WriteString(conn, strings.TrimSpace(user)+" is here\r\n")
	}()
	return l.Addr().String()
}

// testGateway asks the program for its own page, and for a page over gopher.
func testGateway(t *testing.T, program string, d *demo.Demo, motd string) {
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, program, "127.0.0.1:0")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		stop()
		_ = cmd.Wait() // it was killed
	}()
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	base := strings.TrimSpace(line)
	for path, want := range map[string]string{
		"about":                                "the site's own",
		d.Service("gopher").URL + "0/etc/motd": motd,
	} {
		resp, err := http.Get(base + path)
		if err != nil {
			t.Fatalf("GET %s: %v", path, err)
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("GET %s%s: %s %q %v, want %q", base, path, resp.Status, text, err, want)
		}
	}
}
