package main

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A silentServer accepts connections and datagrams, and never sends.
type silentServer struct {
	address string
	asked   chan struct{} // has a value after the first connection or datagram
	count   atomic.Int32  // the number of connections and datagrams
}

// ask records a connection or a datagram.
func (s *silentServer) ask() {
	s.count.Add(1)
	select {
	case s.asked <- struct{}{}:
	default:
	}
}

// wasAsked reports whether a client has connected or sent a datagram. It waits, because this
// process may still have to accept a connection.
func (s *silentServer) wasAsked() bool {
	select {
	case <-s.asked:
		return true
	case <-time.After(time.Minute):
		return false
	}
}

func newSilent(t *testing.T) *silentServer {
	s := &silentServer{asked: make(chan struct{}, 1)}
	var udp net.PacketConn
	err := errors.ErrUnsupported
	for range 100 { // another process may have the port for datagrams
		s.address = listen(t, func(c net.Conn) {
			s.ask()
			_, _ = io.Copy(io.Discard, c) // until the client closes the connection
		})
		if udp, err = net.ListenPacket("udp", s.address); err == nil {
			break
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { udp.Close() })
	go func() {
		for b := make([]byte, 2048); ; {
			if _, _, err := udp.ReadFrom(b); err != nil {
				return
			}
			s.ask()
		}
	}()
	return s
}

// silentURLs are URLs of each scheme that uses a network, by the way in which they ask the server.
// %s is the server's address.
var silentURLs = map[string][]string{
	"http":            {"http://%s/x/"},
	"https":           {"https://%s/x/"},
	"ftp":             {"ftp://%s/x/"},
	"ftp with TLS":    {"ftp://u:p@%s/x/", "--ftp-tls"},
	"ftps":            {"ftps://%s/x/"},
	"gopher":          {"gopher://%s/1x"},
	"wais":            {"wais://%s/x"},
	"prospero":        {"prospero://%s/x"},
	"nntp":            {"nntp://%s/misc.test"},
	"nntps":           {"nntps://%s/misc.test"},
	"news":            {"news://%s/misc.test"},
	"snews":           {"snews://%s/misc.test"},
	"telnet":          {"telnet://%s/"},
	"rlogin":          {"rlogin://u@%s/"},
	"tn3270":          {"tn3270://%s/"},
	"imap":            {"imap://u:p@%s/x"},
	"imaps":           {"imaps://u:p@%s/x"},
	"sftp":            {"sftp://u:p@%s/x"},
	"finger":          {"finger://%s/x"},
	"cso":             {"cso://%s/?x"},
	"dict":            {"dict://%s/d:x"},
	"gemini":          {"gemini://%s/x"},
	"titan":           {"titan://%s/x"},
	"gophers":         {"gophers://%s/1x"},
	"mid by imap":     {"mid:x@example.org", "--mail", "imap://u:p@%s/"},
	"cid by imaps":    {"cid:x@example.org", "--mail", "imaps://u:p@%s/"},
	"http by a proxy": {"http://h.invalid/x/", "--proxy", "http://%s/"},
	"ftp by SOCKS":    {"ftp://h.invalid/x/", "--proxy", "socks5h://%s/"},
	"nntp by CONNECT": {"nntp://h.invalid/x", "--proxy", "http://%s/"},
	"wais by gateway": {"wais://h.invalid/x", "--gateway", "wais=http://%s/"},
}

// silentVerbs are the verbs that open URLs. URL stands for the URL, FILE for a file, and NEW for
// the name of a file that does not exist.
var silentVerbs = []string{
	"get --retries 0 URL", "get --retries 0 -o NEW URL", "get --retries 0 -r --output-dir NEW URL", "mirror --retries 0 URL NEW",
	"ls URL", "stat URL", "extract URL", "check --retries 0 --state NEW URL", "check --retries 0 --recursive --state NEW URL", "open URL",
	"put --retries 0 FILE URL", "append FILE URL", "rm URL", "mkdir URL", "cp --retries 0 URL NEW", "cp --retries 0 FILE URL",
}

// Each verb that opens URLs ends with 1 and says so if the server of any scheme is silent. Actions
// that a scheme does not support are refused before the server is asked. In telnet and tn3270 the
// session begins with the connection, so ls, stat and check succeed.
func TestSilentServers(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"NETRC", "XDG_CACHE_HOME", "XDG_STATE_HOME"} {
		t.Setenv(name, filepath.Join(dir, name))
	}
	for _, name := range []string{"no_proxy", "NO_PROXY", "LOCUS_PASSWORD"} {
		t.Setenv(name, "")
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("From: ada@example.org\nSubject: x\n\ntext\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	turns := make(chan struct{}, 64) // so that a process does not wait for a second for the processor
	for _, verb := range silentVerbs {
		for name, url := range silentURLs {
			s := newSilent(t)
			words := strings.Fields(verb)
			switch {
			case words[0] == "open" && !isSession(name):
				continue // open lets the browser open it
			case words[0] == "check" && name == "titan":
				continue // a link for uploads is not checked
			case words[0] == "open" && name == "rlogin" && os.Geteuid() != 0:
				continue // rlogin needs a port below 1024
			}
			test, idle := testSilent, "1s"
			if (name == "telnet" || name == "tn3270") && slices.Contains([]string{"ls", "stat", "check"}, words[0]) {
				test, idle = testConnected, "20s" // a busy machine connects slowly
			}
			args := []string{words[0], "--idle", idle}
			for _, option := range url[1:] {
				args = append(args, strings.ReplaceAll(option, "%s", s.address))
			}
			for _, word := range words[1:] {
				switch word {
				case "URL":
					word = strings.ReplaceAll(url[0], "%s", s.address)
				case "FILE":
					word = file
				case "NEW":
					word = filepath.Join(t.TempDir(), "new")
				}
				args = append(args, word)
			}
			turns <- struct{}{}
			all.Go(func() {
				defer func() { <-turns }()
				test(t, s, args)
			})
		}
	}
	all.Wait()
}

func isSession(name string) bool {
	return slices.Contains([]string{"telnet", "rlogin", "tn3270"}, name)
}

func testSilent(t *testing.T, s *silentServer, args []string) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	status, stdout, stderr := runUntil(ctx, t, "", args...)
	text := stdout + stderr
	says := func(what string) bool { return strings.Contains(text, what+" for 1s") }
	switch {
	case strings.Contains(text, "net/http"), strings.Contains(text, "i/o timeout"):
		t.Errorf("%q shows an error of Go's library: %s", args, text)
	case ctx.Err() != nil:
		t.Errorf("%q has not ended", args)
	case status != 1:
		t.Errorf("%q exits with %d: %s", args, status, text)
	case strings.Contains(text, "it is not a file"): // cp of a session
	case strings.Contains(text, "unsupported operation") && len(s.asked) == 0: // refused before a server is asked
	case strings.Contains(text, "titan URLs are only for uploads") && len(s.asked) == 0:
	case strings.Contains(text, "gemini URLs can only be read") && len(s.asked) == 0:
	// A proxy says that there is no connection. A session that began to read late says "no text",
	// or "no text or screen".
	case !says("nothing") && !says("no connection") && !says("no text") && !says("no text or screen"):
		t.Errorf("%q does not say that the server is silent: %s", args, text)
	case !s.wasAsked():
		t.Errorf("%q did not connect to the server: %s", args, text)
	}
}

// testConnected tests a verb that succeeds after it has connected, because it does not wait for
// text.
func testConnected(t *testing.T, s *silentServer, args []string) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	status, stdout, stderr := runUntil(ctx, t, "", args...)
	found := strings.Contains(stdout, "terminal") || strings.Contains(stdout, "1 good")
	if status != 0 || !found || !s.wasAsked() || strings.Contains(stderr, "nothing for") {
		t.Errorf("%q exits with %d: %s%s", args, status, stdout, stderr)
	}
}

// send ends if the server is silent.
func TestSilentSMTP(t *testing.T) {
	t.Setenv("NETRC", filepath.Join(t.TempDir(), "netrc"))
	var all sync.WaitGroup
	for _, scheme := range []string{"smtp", "smtps"} {
		for _, proxy := range []bool{false, true} {
			s := newSilent(t)
			args := []string{"send", "--idle", "1s", "--from", "ada@example.org"}
			if proxy {
				args = append(args, "--smtp", scheme+"://h.invalid/", "--proxy", "http://"+s.address+"/")
			} else {
				args = append(args, "--smtp", scheme+"://"+s.address+"/")
			}
			all.Go(func() {
				status, _, stderr := runHere(t, "", append(args, "mailto:bob@example.org")...)
				if status != 1 || !strings.Contains(stderr, " for 1s") || s.count.Load() != 1 {
					t.Errorf("%q exits with %d: %s", args, status, stderr)
				}
			})
		}
	}
	all.Wait()
}

// An idle limit must be greater than 0.
func TestIdleMisuse(t *testing.T) {
	for _, verb := range []string{"get", "ls", "stat", "extract", "check", "rm", "mkdir", "send"} {
		status, _, stderr := runHere(t, "", verb, "--idle", "0s", "http://127.0.0.1:1/")
		if want := "--idle must be a duration greater than 0, such as 30s"; status != 2 || !strings.Contains(stderr, want) {
			t.Errorf("%s --idle 0s exits with %d: %s, want %q", verb, status, stderr, want)
		}
	}
}

// If a server is silent, the gateway says so.
func TestSilentServe(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	gateway := startServe(t, "--idle", "1s")
	s := newSilent(t)
	resp, err := http.Get(gateway.at + "/ftp://" + s.address + "/x")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	page, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusGatewayTimeout || !strings.Contains(string(page), "nothing for 1s") {
		t.Errorf("status %d, %s, %v", resp.StatusCode, page, err)
	}
}
