package demo

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locus/cmd/locus/internal/cli"
	"locus/demo"
)

// freePorts returns the values of --port that give each server any free port.
func freePorts() (ports []string) {
	for _, scheme := range demo.Schemes() {
		ports = append(ports, scheme+"=0")
	}
	return ports
}

// The demo says which page to open, lists its servers, and serves until it is interrupted. Then it removes its files.
// Of the files of this machine, its gateway opens only its own.
func TestRun(t *testing.T) {
	temporary := t.TempDir()
	for _, name := range []string{"TMPDIR", "TMP"} {
		t.Setenv(name, temporary)
	}
	out, stdout, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	ended := make(chan error, 1)
	go func() {
		defer stdout.Close()
		o := Options{Listen: "127.0.0.1:0", Servers: "127.0.0.1", Ports: freePorts(), List: true, Given: cli.Given{"listen": true}}
		ended <- Run(ctx, cli.NewEnv(nil, stdout, os.Stderr), o)
	}()
	at, listed := "", ""
	lines := bufio.NewScanner(out)
	for at == "" && lines.Scan() {
		if line := strings.TrimSpace(lines.Text()); strings.HasPrefix(line, "http://127.0.0.1:") && strings.Contains(listed, "Open this page") {
			at = line
		}
		listed += lines.Text() + "\n"
	}
	go io.Copy(io.Discard, out)
	for _, want := range []string{"  gopher://127.0.0.1:", "  ftp://127.0.0.1:", "Try, in another terminal:", "locus compose"} {
		if !strings.Contains(listed, want) {
			t.Errorf("demo --list lacks %q:\n%.2000s", want, listed)
		}
	}
	for target, want := range map[string]int{"": http.StatusOK, "file:///texts/ftp.txt": http.StatusOK, "file:///etc/passwd": http.StatusNotFound} {
		resp, err := http.Get(at + target)
		if err != nil {
			t.Errorf("GET %s%s: %v", at, target, err)
			continue
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("GET %s%s = %d, want %d", at, target, resp.StatusCode, want)
		}
	}
	interrupt()
	if err := <-ended; err != nil {
		t.Errorf("Run = %v after the interrupt", err)
	}
	if left, err := filepath.Glob(filepath.Join(temporary, "*")); err != nil || len(left) > 0 {
		t.Errorf("the demo leaves %q, %v", left, err)
	}
}
