package gateway_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"locus/access"
	"locus/gateway"
	"locus/url"
)

// fresh is a listing of n entries, each of which is new memory, as from a server.
type fresh struct{ n, taken int }

func (f *fresh) Next() (access.Entry, error) {
	if f.taken == f.n {
		return access.Entry{}, io.EOF
	}
	f.taken++
	i := (f.taken * 7919) % f.n
	name := fmt.Sprintf("a-file-with-a-name-%08d.tar.gz", i)
	return access.Entry{
		Title: name, URL: url.MustParse("ftp://ftp.example.org/pub/d/" + name), Kind: access.Object, Type: "application/gzip", Size: int64(i),
		ModTime: time.Unix(int64(i), 0),
	}, nil
}

func (*fresh) Read([]byte) (int, error) { return 0, io.EOF }
func (*fresh) Close() error             { return nil }

// listings is an Engine with listings of n entries. A URL that ends with ".txt" is a text
// of 400 kB.
func listings(n int) access.Engine {
	text := strings.Repeat("A line of a text, as long as many are, about nothing that matters.\n", 6000)
	return access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		if strings.HasSuffix(req.URL.Path(), ".txt") {
			return content("text/plain", text)(req)
		}
		l := &fresh{n: n}
		return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: l, List: l}, nil
	})
}

// A stuck client does not read until it is released. Then it counts the bytes that it reads.
type stuck struct {
	header  http.Header
	begun   func()
	release <-chan bool
	once    sync.Once
	bytes   int
}

func (s *stuck) Header() http.Header { return s.header }
func (s *stuck) WriteHeader(int)     {}
func (s *stuck) Write(p []byte) (int, error) {
	s.once.Do(s.begun)
	<-s.release
	s.bytes += len(p)
	return len(p), nil
}

// Many clients that do not read need little memory, because they do not keep a listing, a text or a
// compressor in memory. The memory is free when they have gone. Each gets its whole page.
func TestAttackSlowReaders(t *testing.T) {
	// attack: Many clients ask for sorted listings and texts, and read nothing | the text that waits for them is
	// compressed, and the listings are freed
	const clients = 8
	for _, test := range []struct {
		path, encoding string
		most           uint64 // MiB for all clients
	}{
		{"/-/list?sort=-size&url=ftp://h/d/", "zstd", 3},
		{"/-/list?sort=-size&url=ftp://h/d/", "identity", 5},
		{"/ftp://h/x.txt", "gzip", 3},
	} {
		g := &gateway.Gateway{Engine: listings(1500), Harmless: isHere}
		one := &sink{header: make(http.Header)}
		fields := []string{"Accept-Encoding: " + test.encoding, "Accept: text/html", "Sec-Fetch-Site: none"}
		request(g, test.path, one, fields...)
		before := heap()
		release := make(chan bool)
		var begun, ended sync.WaitGroup
		all := make([]*stuck, clients)
		for i := range all {
			begun.Add(1)
			all[i] = &stuck{header: make(http.Header), begun: begun.Done, release: release}
			ended.Go(func() { request(g, test.path, all[i], fields...) })
		}
		begun.Wait()
		use := uint64(0)
		for until := time.Now().Add(time.Minute); time.Now().Before(until); time.Sleep(200 * time.Millisecond) { // until the pages are written
			if use = max(heap(), before) - before; use <= test.most<<20 {
				break
			}
		}
		t.Logf("%s, %s: %d KiB", test.path, test.encoding, use>>10)
		if use > test.most<<20 {
			t.Errorf("%s, %s: %d clients that read nothing need %d MiB, want %d", test.path, test.encoding, clients, use>>20, test.most)
		}
		close(release)
		ended.Wait()
		for _, c := range all {
			if c.bytes < one.bytes/2 {
				t.Fatalf("%s, %s: a client got %d bytes of a page of %d", test.path, test.encoding, c.bytes, one.bytes)
			}
		}
		all = nil
		heap()
		if after := heap(); after > before+8<<20 {
			t.Errorf("%s, %s: %d MiB are kept afterwards", test.path, test.encoding, (after-before)>>20)
		}
	}
}
