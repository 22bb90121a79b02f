package bench

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os/exec"
	"strings"
	"testing"

	"locus/access"
	"locus/proto/gopher"
	"locus/url"
)

// menuLines is how many items the menu has.
const menuLines = 100_000

// menuServer answers every request on loopback with one long menu, and returns its URL and
// the size of the menu.
func menuServer(tb testing.TB) (u url.URL, size int64) {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { l.Close() })
	var menu strings.Builder
	for i := range menuLines {
		fmt.Fprintf(&menu, "0Item %d of a long menu\t/library/shelf-%d/item-%d.txt\tgopher.example.org\t70\r\n", i, i/100, i)
	}
	text := []byte(menu.String() + ".\r\n")
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				if _, err := bufio.NewReader(conn).ReadString('\n'); err == nil {
					_, _ = conn.Write(text)
				}
			}()
		}
	}()
	return url.MustParse("gopher://" + l.Addr().String() + "/1"), int64(len(text))
}

func openMenu(b *testing.B, u url.URL) *access.Resource {
	b.Helper()
	c := gopher.Client{Dial: new(net.Dialer).DialContext}
	r, err := c.Do(context.Background(), &access.Request{URL: u})
	if err != nil {
		b.Fatal(err)
	}
	return r
}

// BenchmarkMenuEntries reads the menu entry by entry, each with its URL.
func BenchmarkMenuEntries(b *testing.B) {
	u, size := menuServer(b)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		r := openMenu(b, u)
		l := r.List
		n := 0
		err := access.Entries(l, func(access.Entry) error { n++; return nil })
		if r.Body.Close(); err != nil || n != menuLines {
			b.Fatalf("%d entries, %v", n, err)
		}
	}
}

// BenchmarkMenuBytes reads the bytes of the menu, as for a pipe.
func BenchmarkMenuBytes(b *testing.B) {
	u, size := menuServer(b)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		r := openMenu(b, u)
		n, err := io.Copy(io.Discard, r.Body)
		if r.Body.Close(); err != nil || n != size-int64(len(".\r\n")) {
			b.Fatalf("%d bytes, %v", n, err)
		}
	}
}

// BenchmarkMenuFloor reads the bytes from a bare connection, because the engine cannot be
// faster.
func BenchmarkMenuFloor(b *testing.B) {
	u, size := menuServer(b)
	host, _ := u.Host()
	port, _ := u.Port()
	address := net.JoinHostPort(host, port)
	b.SetBytes(size)
	for b.Loop() {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			b.Fatal(err)
		}
		_, _ = io.WriteString(conn, "\r\n")
		if n, err := io.Copy(io.Discard, conn); err != nil || n != size {
			b.Fatalf("%d bytes, %v", n, err)
		}
		conn.Close()
	}
}

// BenchmarkMenuCurl runs curl. The time includes its start.
func BenchmarkMenuCurl(b *testing.B) { benchCommand(b, "curl", "-s", "-o", "/dev/null") }

// BenchmarkMenuCommand runs locus get. The time includes its start.
func BenchmarkMenuCommand(b *testing.B) {
	benchCommand(b, command(b), "get", "-o", "/dev/null")
}

func benchCommand(b *testing.B, name string, args ...string) {
	b.Helper()
	if _, err := exec.LookPath(name); err != nil {
		b.Skipf("no %s", name)
	}
	u, size := menuServer(b)
	b.SetBytes(size)
	for b.Loop() {
		if out, err := exec.Command(name, append(args, u.String())...).CombinedOutput(); err != nil {
			b.Fatalf("%s: %v\n%s", name, err, out)
		}
	}
}
