package open

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"locus/cmd/locus/internal/clitest"
)

// browserIn returns an Input whose browser is a script, and the URL of a running gateway.
func browserIn(t *testing.T, script string) (in clitest.Input, gateway string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the browser is a script named xdg-open")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "xdg-open"), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.URL.Path != "/-/ticket" || r.Header.Get("Origin") != "" {
			t.Errorf("the gateway got the request %s %s", r.Method, r.RequestURI)
		}
		if u := r.URL.Query().Get("url"); u == "file:///etc/hosts" { // other URLs get no ticket
			fmt.Fprint(w, "T1")
			return
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(server.Close)
	return clitest.Input{Dir: dir, Env: map[string]string{"PATH": dir}}, server.URL + "/"
}

// The browser gets one URL: a URL of the web unchanged, and any other as an escaped URL of the
// gateway, with the gateway's ticket if it gives one. The URL never has a password.
func TestBrowse(t *testing.T) {
	t.Parallel()
	in, at := browserIn(t, `echo "$#:$1"`)
	for _, test := range []struct{ url, want string }{
		{"https://h/a?b=c&d", "https://h/a?b=c&d"},
		{"http://h/'$(x)`y`", ""}, // a URL cannot contain `
		{"http://h/'$(x);y", "http://h/'$(x);y"},
		{"https://u:hush@h/", "https://u@h/"},
		{"URL:https://h/", "https://h/"},
		{"gopher://h/0a%20b?&#f", "GATEWAYgopher%3A%2F%2Fh%2F0a%2520b%3F%26%23f"},
		{"gopher://u:hush@h/", "GATEWAYgopher%3A%2F%2Fu%40h%2F"},
		{"file:///etc/hosts", "GATEWAYfile%3A%2F%2F%2Fetc%2Fhosts&ticket=T1"},
		{"mid:a@b", "GATEWAYmid%3Aa%40b"},
		{"ftp:u:hush@h", ""},
		{"https:", ""},
		{"http://h:99999/", ""},
	} {
		status, stdout, stderr := clitest.Run(t, Verb(), in, "--at", at, test.url)
		want := ""
		if test.want != "" {
			want = "1:" + strings.ReplaceAll(test.want, "GATEWAY", at+"-/open?url=") + "\n"
		}
		if stdout != want || (status == 0) != (want != "") || (stderr == "") != (want != "") || strings.Contains(stdout+stderr, "hush") {
			t.Errorf("open %s = %d, %q, %q, want %q", test.url, status, stdout, stderr, want)
		}
	}
}

// A link of another program gets no ticket, so that the gateway asks the user.
func TestAttackHandledLinks(t *testing.T) {
	// attack: A link to a file or to a private address is clicked in a mail, a chat or another program, and the desktop
	// opens it with locus | the gateway asks, because `install-handlers` runs `locus open --link`, which gets no ticket
	t.Parallel()
	in, at := browserIn(t, `echo "$1"`)
	for _, test := range []struct{ url, want string }{
		{"file:///etc/hosts", at + "-/open?url=file%3A%2F%2F%2Fetc%2Fhosts"},
		{"gopher://127.0.0.1:7070/0a", at + "-/open?url=gopher%3A%2F%2F127.0.0.1%3A7070%2F0a"},
		{"https://h/a", "https://h/a"},
	} {
		status, stdout, stderr := clitest.Run(t, Verb(), in, "--link", "--at", at, "--", test.url)
		if status != 0 || stdout != test.want+"\n" || stderr != "" {
			t.Errorf("open --link %s = %d, %q, %q, want %q", test.url, status, stdout, stderr, test.want)
		}
	}
}

// If the browser fails, or is not installed, the error says so, and the hint has the URL.
func TestBrowserFails(t *testing.T) {
	t.Parallel()
	in, at := browserIn(t, "echo no display >&2; exit 3")
	status, stdout, stderr := clitest.Run(t, Verb(), in, "https://h/")
	if status != 1 || stdout != "" || !strings.HasPrefix(stderr, "no display\nlocus: xdg-open cannot open https://h/: exit status 3") {
		t.Errorf("open with a browser that fails = %d, %q, %q", status, stdout, stderr)
	}
	in.Env["PATH"] = t.TempDir()
	status, _, stderr = clitest.Run(t, Verb(), in, "--at", at, "gopher://u:hush@h/")
	if status != 1 || !strings.Contains(stderr, "the program xdg-open, which opens a browser, is not installed\nlocus: hint: open "+at+"-/open?url=gopher") || strings.Contains(stderr, "hush") {
		t.Errorf("open without a browser = %d, %q", status, stderr)
	}
}

// An impossible address of a gateway is a misuse. An address without a gateway is an error with a
// hint. The flag takes precedence over the variable.
func TestBrowseGateway(t *testing.T) {
	t.Parallel()
	in, at := browserIn(t, `echo "$1"`)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	gone := "http://u:hush@" + l.Addr().String() + "/"
	for _, test := range []struct {
		at, variable string
		status       int
		stderr       string
	}{
		{at, gone, 0, ""},
		{"", at, 0, ""},
		{gone, at, 1, "locus: no gateway at http://u:xxxxx@127.0.0.1:"},
		{"", gone, 1, "hint: start one with locus serve, or name another with --at URL"},
		{"gopher://h/", at, 2, "the address of a gateway must be a URL such as"},
		{"http://u:hush@h/x", at, 2, "the address of a gateway must be a URL such as"},
		{"", "nonsense", 2, "the address of a gateway must be a URL such as"},
	} {
		args := []string{"gopher://h/"}
		if test.at != "" {
			args = append(args, "--at", test.at)
		}
		in.Env["LOCUS_GATEWAY"] = test.variable
		status, stdout, stderr := clitest.Run(t, Verb(), in, args...)
		if status != test.status || (stdout == "") != (status != 0) || !strings.Contains(stderr, test.stderr) || strings.Contains(stdout+stderr, "hush") {
			t.Errorf("open %q with %q = %d, %q, %q, want %d, %q", args, test.variable, status, stdout, stderr, test.status, test.stderr)
		}
	}
}

// Flags that do not go together are a misuse, with or without an archive.
func TestOpenConflicts(t *testing.T) {
	t.Parallel()
	clitest.Table(t, Verb(), []clitest.Case{
		{Args: []string{"--from-warc", "none.warc", "https://h/"}, Status: 1, Stderr: "none.warc"},
		{Args: []string{"--model", "6", "tn3270://h/"}, Status: 2, Stderr: "--model must be 2, 3, 4 or 5"},
		{Args: []string{"--code-page", "1", "tn3270://h/"}, Status: 2, Stderr: "--code-page must be one of"},
		{Args: []string{"--escape", "", "telnet://h/"}, Status: 2, Stderr: "--escape must not be empty"},
		{Args: []string{"--max-time", "0s", "telnet://h/"}, Status: 2, Stderr: "--max-time"},
		{Args: []string{"--proxy", "ftp://u:hush@h/", "telnet://h/"}, Status: 2, Stderr: "--proxy"},
		{Args: []string{"telnet://h/", "telnet://h/"}, Status: 2, Stderr: "open takes fewer arguments"},
		{Args: nil, Status: 2, Stderr: "open needs more arguments"},
		{Args: []string{""}, Status: 2, Stderr: `open needs a complete URL, not ""`},
		{Args: []string{"telnet:h"}, Status: 1, Stderr: "telnet:h"},
		{Args: []string{"z39.50://h/"}, Status: 1, Stderr: "locus: hint: locus schemes lists the schemes that it can open"},
		{Args: []string{"tn3270://a%0Ab@127.0.0.1/"}, Status: 1, Stderr: "user"},
		{Args: []string{"http://h/a b`"}, Status: 1, Stderr: "hint: write it as http://h/a%20b%60"},
	})
}
