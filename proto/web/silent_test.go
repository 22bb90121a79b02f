package web

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"locus/access"
	"locus/access/accesstest"
	"locus/proto/internal/wire"
	"locus/proto/internal/wire/wiretest"
	"locus/url"
)

func TestConnection(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
	for _, test := range []struct{ url, greeting string }{
		{"http://h/", ""}, {"http://h/", "HTTP/1.1"}, {"http://h/", head}, {"http://h/", head + "abc"},
	} {
		wiretest.Test(t, wiretest.Engine{Greeting: test.greeting, Answers: true, Open: opener(test.url)})
	}
	wiretest.Test(t, wiretest.Engine{HasTLS: true, Open: opener("https://h/")})
}

// opener returns a function that opens a URL and reads it.
func opener(text string) func(context.Context, wire.Dialer) error {
	return func(ctx context.Context, d wire.Dialer) error {
		c := &Client{Dial: d.Dial, TLS: d.TLS, Security: d.Security, Idle: d.Idle}
		defer c.CloseIdleConnections()
		r, err := c.Do(ctx, &access.Request{URL: url.MustParse(text)})
		if err != nil {
			return err
		}
		defer r.Body.Close()
		_, err = io.Copy(io.Discard, r.Body)
		return err
	}
}

// The idle limit applies to a proxy that does not answer CONNECT.
func TestSilentProxy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &Client{Idle: 7 * time.Second, Proxy: func(url.URL) (url.URL, bool) { return url.MustParse("http://proxy/"), true }}
		c.Dial = server(func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) })
		start := time.Now()
		_, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("https://h/")})
		if err == nil || !strings.HasSuffix(err.Error(), "the server sent nothing for 7s") || time.Since(start) != 7*time.Second {
			t.Errorf("Open = %v after %v", err, time.Since(start))
		}
		time.Sleep(time.Minute) // net/http gives up too
	})
}

// The handshake timeout of net/http gives an IdleError.
func TestHandshakeTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dial := server(func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) })
		c := &Client{Idle: 7 * time.Second, Dial: dial}
		c.transports.plain = &http.Transport{DialContext: dial, TLSHandshakeTimeout: time.Second}
		_, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("https://h/")})
		if _, idle := errors.AsType[*wire.IdleError](err); !idle || strings.Contains(err.Error(), "net/http") {
			t.Errorf("Get = %v, want that the server is idle", err)
		}
	})
}

// server returns a Dial to a server that runs serve.
func server(serve func(conn net.Conn)) func(context.Context, string, string) (net.Conn, error) {
	return func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go func() {
			defer server.Close()
			serve(server)
		}()
		return client, nil
	}
}

// Pauses between requests, and pauses of the reader, do not count as idle.
func TestIdlePauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dialled := 0
		serve := server(func(conn net.Conn) {
			buf := make([]byte, 4096)
			for {
				if _, err := conn.Read(buf); err != nil {
					return
				}
				_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc")
				time.Sleep(6 * time.Second)
				_, _ = io.WriteString(conn, "def")
			}
		})
		c := &Client{Idle: 7 * time.Second, Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			dialled++
			return serve(ctx, network, address)
		}}
		defer c.CloseIdleConnections()
		for range 3 {
			r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("http://h/")})
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Hour)
			if text, err := io.ReadAll(r.Body); string(text) != "abcdef" || err != nil {
				t.Errorf("read %q, %v", text, err)
			}
			r.Body.Close()
			time.Sleep(20 * time.Second) // idle connections are kept longer
		}
		if dialled != 1 {
			t.Errorf("%d connections, want one that is kept", dialled)
		}
	})
}

// Time spent reading the caller's body does not count as idle. Time in which the
// server accepts no bytes does.
func TestIdleUpload(t *testing.T) {
	for _, test := range []struct {
		name  string
		serve func(conn net.Conn)
		body  io.Reader
		want  string
	}{
		{"a slow source", func(conn net.Conn) {
			var got strings.Builder
			buf := make([]byte, 4096)
			for !strings.Contains(got.String(), "end") {
				n, err := conn.Read(buf)
				if err != nil {
					return
				}
				got.Write(buf[:n])
			}
			_, _ = io.WriteString(conn, "HTTP/1.1 204 Stored\r\n\r\n")
		}, io.MultiReader(strings.NewReader("start"), delayedReader(time.Hour, "end")), ""},
		{"a server that takes no more", func(conn net.Conn) {
			_, _ = io.ReadFull(conn, make([]byte, 20_000))
			time.Sleep(time.Minute)
		}, strings.NewReader(strings.Repeat("x", 60_000)), "the server accepted nothing for 7s"},
		{"a slow server", func(conn net.Conn) {
			slow := slowReader{conn}
			req, err := http.ReadRequest(bufio.NewReaderSize(slow, 1024))
			if err != nil {
				return
			}
			_, _ = io.Copy(io.Discard, req.Body)
			_, _ = io.WriteString(conn, "HTTP/1.1 204 Stored\r\n\r\n")
		}, strings.NewReader(strings.Repeat("x", 60_000)), ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			c := &Client{Dial: server(afterOptions(test.serve)), Idle: 7 * time.Second}
			defer c.CloseIdleConnections()
			err := accesstest.Change(t.Context(), c, access.Put, &access.Request{URL: url.MustParse("http://h/x")}, test.body)
			_, idle := errors.AsType[*wire.IdleError](err)
			if idle != (test.want != "") || err != nil && !strings.HasSuffix(err.Error(), test.want) {
				t.Errorf("%s: %v, want %q", test.name, err, test.want)
			}
			time.Sleep(time.Minute) // until the server has gone
		})
	}
}

// afterOptions returns a server without WebDAV that answers the OPTIONS before an upload, and calls serve for every other
// request.
func afterOptions(serve func(net.Conn)) func(net.Conn) {
	return func(conn net.Conn) {
		in := bufio.NewReaderSize(conn, 16)
		if start, _ := in.Peek(len("OPTIONS")); string(start) != "OPTIONS" {
			serve(peekedConn{conn, in})
			return
		}
		if _, err := http.ReadRequest(bufio.NewReader(in)); err == nil {
			_, _ = io.WriteString(conn, "HTTP/1.1 405 No WebDAV\r\nContent-Length: 0\r\n\r\n")
		}
	}
}

// A peekedConn is a connection whose first bytes are in a Reader.
type peekedConn struct {
	net.Conn
	in *bufio.Reader
}

func (c peekedConn) Read(p []byte) (int, error) { return c.in.Read(p) }

// A slowReader reads at most 1024 bytes in two seconds.
type slowReader struct{ io.Reader }

func (r slowReader) Read(p []byte) (int, error) {
	time.Sleep(2 * time.Second)
	return r.Reader.Read(p[:min(len(p), 1024)])
}

// The idle limit applies to a connection without deadlines that accepts no bytes.
func TestIdleUploadWithoutDeadlines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dial := server(afterOptions(func(net.Conn) { time.Sleep(time.Hour) }))
		c := &Client{Idle: 7 * time.Second, Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dial(ctx, network, address)
			return noDeadlines{conn}, err
		}}
		defer c.CloseIdleConnections()
		start := time.Now()
		body := strings.NewReader(strings.Repeat("x", 60_000))
		err := accesstest.Change(t.Context(), c, access.Put, &access.Request{URL: url.MustParse("http://h/x")}, body)
		if _, idle := errors.AsType[*wire.IdleError](err); !idle || time.Since(start) > 2*c.Idle {
			t.Errorf("Put = %v after %v", err, time.Since(start))
		}
		time.Sleep(time.Hour) // until the server has gone
	})
}

type noDeadlines struct{ net.Conn }

func (noDeadlines) SetDeadline(time.Time) error      { return os.ErrNoDeadline }
func (noDeadlines) SetReadDeadline(time.Time) error  { return os.ErrNoDeadline }
func (noDeadlines) SetWriteDeadline(time.Time) error { return os.ErrNoDeadline }

// delayedReader returns a Reader that pauses before text.
func delayedReader(pause time.Duration, text string) io.Reader {
	r := strings.NewReader(text)
	return readerFunc(func(p []byte) (int, error) {
		time.Sleep(pause)
		return r.Read(p)
	})
}
