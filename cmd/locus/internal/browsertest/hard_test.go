package browsertest

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"locus/internal/weburl/hard"
)

// A listener is a web server that accepts any request target, and remembers the targets. A server of
// net/http refuses "/100%".
type listener struct {
	net.Listener
	page string // the answer to a request for "/"

	mu      sync.Mutex
	targets []string
}

// newListener starts a listener that the end of the test closes.
func newListener(t *testing.T, page string) *listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	s := &listener{Listener: l, page: page}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go s.answer(conn)
		}
	}()
	return s
}

// answer reads one request and answers it.
func (s *listener) answer(conn net.Conn) {
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
	r := bufio.NewReader(conn)
	line, err := r.ReadString('\n')
	if err != nil {
		return // Chromium opens connections in advance
	}
	for field := ""; field != "\r\n" && err == nil; field, err = r.ReadString('\n') {
	}
	target := strings.TrimSuffix(strings.TrimPrefix(line, "GET "), " HTTP/1.1\r\n")
	body := ""
	if target == "/" {
		body = s.page
	} else {
		s.mu.Lock()
		s.targets = append(s.targets, target)
		s.mu.Unlock()
	}
	fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %d\r\nConnection: close\r\n\r\n", len(body))
	io.WriteString(conn, body)
}

// heard returns the targets that were requested.
func (s *listener) heard() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.targets)
}

// The table of hard references says what Chromium sends. Other tests send the references through each
// edge at which locus reads URLs of the web, and compare the requests with the table.
func TestBrowserHardReferences(t *testing.T) {
	t.Parallel()
	var page strings.Builder
	page.WriteString("<!doctype html><title>hard</title>")
	for i, ref := range hard.References() {
		fmt.Fprintf(&page, `<img alt="" src="/%d/%s">`, i, html.EscapeString(ref.Text))
	}
	s := newListener(t, page.String())
	b := newBrowser(t)
	b.do(chromedp.Navigate("http://" + s.Addr().String() + "/"))
	for i, ref := range hard.References() {
		want := fmt.Sprintf("/%d%s", i, ref.Target)
		for deadline := time.Now().Add(10 * time.Second); !slices.Contains(s.heard(), want); time.Sleep(20 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Errorf("Chromium does not request %q for the reference %q; it requested %q", want, ref.Text, s.heard())
				return
			}
		}
	}
}
