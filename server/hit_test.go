package server

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"locus/access"
	"locus/cache"
	"locus/gateway"
	"locus/guard"
)

// BenchmarkHit answers a client of a proxy with 4 KiB from the cache. Its figures include the server
// of net/http and a minimal client.
func BenchmarkHit(b *testing.B) {
	root, err := os.OpenRoot(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer root.Close()
	folder, err := cache.OpenFolder(root, 0)
	if err != nil {
		b.Fatal(err)
	}
	cached := &cache.Cache{Folder: folder, Engine: access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		body := io.NopCloser(strings.NewReader(strings.Repeat("\x00", 4096)))
		return &access.Resource{Entry: access.Entry{URL: req.URL, Type: "application/octet-stream", Size: 4096, ModTime: time.Date(1994, 12, 1, 0, 0, 0, 0, time.UTC)}, Body: body}, nil
	})}
	g := &gateway.Gateway{Engine: access.Follow{Engine: guard.Ports{Engine: cached}}}
	benchmarkAnswers(b, &Server{Handler: g})
	if cached.Hits() < uint64(b.N)-1 {
		b.Errorf("%d hits of %d", cached.Hits(), b.N)
	}
}

// BenchmarkPlain answers with the same 4 KiB by net/http and http.ServeContent alone. It is the lower limit of
// BenchmarkHit.
func BenchmarkPlain(b *testing.B) {
	body, changed := make([]byte, 4096), time.Date(1994, 12, 1, 0, 0, 0, 0, time.UTC)
	benchmarkAnswers(b, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/octet-stream")
		http.ServeContent(w, r, "", changed, bytes.NewReader(body))
	}))
}

// benchmarkAnswers requests 4 KiB from h repeatedly, as one client of a proxy.
func benchmarkAnswers(b *testing.B, h http.Handler) {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	server := newHTTPServer(b.Context(), h)
	defer server.Close()
	go server.Serve(l)
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	request := []byte("GET ftp://ftp.example.org/pub/file.bin HTTP/1.1\r\nHost: ftp.example.org\r\n\r\n")
	in := bufio.NewReaderSize(conn, 64<<10)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := conn.Write(request); err != nil {
			b.Fatal(err)
		}
		if err := skipAnswer(in, 4096); err != nil {
			b.Fatal(err)
		}
	}
}

// skipAnswer reads a response 200 with n bytes of body.
func skipAnswer(in *bufio.Reader, n int) error {
	status, err := in.ReadSlice('\n')
	if err != nil || !bytes.HasPrefix(status, []byte("HTTP/1.1 200 ")) {
		return fmt.Errorf("answered %q, %w", status, err)
	}
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return err
		}
		if len(line) == len("\r\n") {
			_, err := in.Discard(n)
			return err
		}
	}
}
