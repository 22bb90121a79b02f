package locus_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"locus"
	"locus/access"
	"locus/cache"
	"locus/limit"
	"locus/url"
)

// A cache hit does not take a turn at the server.
func TestHitTakesNoTurn(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	folder, err := cache.OpenFolder(root, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) { hitTakesNoTurn(t, folder) })
}

func hitTakesNoTurn(t *testing.T, folder *cache.Folder) {
	c := &locus.Client{
		Cache:   &cache.Cache{Folder: folder},
		Limiter: &limit.Limiter{PerServer: 1, MaxWait: time.Minute},
		Engines: func(locus.Dial) map[string]locus.Scheme {
			return access.Table{"gopher": access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
				return &access.Resource{Entry: access.Entry{URL: req.URL, Size: 4}, Body: io.NopCloser(strings.NewReader("text"))}, nil
			})}.Schemes()
		},
	}
	read := func() (string, error) {
		r, err := c.Open(t.Context(), "gopher://h/0stored")
		if err != nil {
			return "", err
		}
		defer r.Body.Close()
		text, err := io.ReadAll(r.Body)
		return string(text), err
	}
	if text, err := read(); text != "text" || err != nil {
		t.Fatalf("%q, %v", text, err)
	}
	release, err := c.Limiter.Wait(t.Context(), "another", "gopher://h:70")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if text, err := read(); text != "text" || err != nil || c.Cache.Hits() != 1 {
		t.Errorf("a hit while the server is busy: %q, %v, %d hits", text, err, c.Cache.Hits())
	}
	if _, err := c.Open(t.Context(), "gopher://h/0other"); !errors.Is(err, limit.ErrServer) {
		t.Errorf("a miss while the server is busy: %v, want %v", err, limit.ErrServer)
	}
}

// If a fetch is refused because its client has too many turns, only that client fails.
// Other clients that share the fetch then ask for themselves.
func TestNoTurnIsNotShared(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	folder, err := cache.OpenFolder(root, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) { noTurnIsNotShared(t, folder) })
}

func noTurnIsNotShared(t *testing.T, folder *cache.Folder) {
	c := &locus.Client{
		Cache:   &cache.Cache{Folder: folder},
		Limiter: &limit.Limiter{PerServer: 2, Share: 1, MaxWait: time.Minute},
		Retries: -1,
		Engines: func(locus.Dial) map[string]locus.Scheme {
			return access.Table{"gopher": access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
				return &access.Resource{Entry: access.Entry{URL: req.URL, Size: 4}, Body: io.NopCloser(strings.NewReader("text"))}, nil
			})}.Schemes()
		},
	}
	release, err := c.Limiter.Wait(t.Context(), "greedy", "gopher://h:70")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	read := func(client string) (string, error) {
		r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("gopher://h/0text"), Client: client})
		if err != nil {
			return "", err
		}
		defer r.Body.Close()
		text, err := io.ReadAll(r.Body)
		return string(text), err
	}
	var all sync.WaitGroup
	all.Go(func() {
		if _, err := read("greedy"); !errors.Is(err, limit.ErrServer) || !errors.Is(err, access.ErrBusy) {
			t.Errorf("the client with too many turns: %v, want %v", err, limit.ErrServer)
		}
	})
	synctest.Wait() // it has begun the fetch
	began := time.Now()
	for _, client := range []string{"greedy", "other"} {
		all.Go(func() {
			text, err := read(client)
			if client == "other" && (text != "text" || err != nil) {
				t.Errorf("the client %q: %q, %v, want the text", client, text, err)
			}
			if client == "greedy" && !errors.Is(err, limit.ErrServer) {
				t.Errorf("the client %q once more: %q, %v, want %v", client, text, err, limit.ErrServer)
			}
		})
	}
	all.Wait()
	if waited := time.Since(began); waited != time.Minute {
		t.Errorf("all was done after %v, want MaxWait once", waited)
	}
}

// A gopher access that asks whether its text is whole has one turn, and one connection at a
// time. If the server refuses a second connection, the text counts as whole, and Warn is
// called.
func TestGopherAsksInItsTurn(t *testing.T) {
	for _, refuses := range []bool{false, true} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		served := make(chan int)
		go func() {
			n := 0
			defer func() { served <- n }()
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				n++
				if refuses {
					l.Close()
				}
				_, _ = bufio.NewReader(conn).ReadString('\n')
				_, _ = io.WriteString(conn, "one")
				conn.Close()
			}
		}()
		var warned []string
		c := &locus.Client{
			Dial: new(net.Dialer).DialContext, AllowPorts: []uint16{uint16(l.Addr().(*net.TCPAddr).Port)},
			Limiter: &limit.Limiter{PerServer: 1, MaxWait: time.Second},
			Warn:    func(u url.URL, err error) { warned = append(warned, err.Error()) },
		}
		r, err := c.Open(t.Context(), "gopher://"+l.Addr().String()+"/0a")
		if err != nil {
			t.Fatalf("Open with a server that refuses (%v): %v", refuses, err)
		}
		text, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil || string(text) != "one" || (len(warned) > 0) != refuses {
			t.Errorf("refuses %v: %q, %v, the warnings %q", refuses, text, err, warned)
		}
		l.Close()
		if n := <-served; n != 2 && !refuses || n != 1 && refuses {
			t.Errorf("refuses %v: %d connections", refuses, n)
		}
		c.Close()
	}
}
