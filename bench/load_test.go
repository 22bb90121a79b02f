package bench

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A user is a client of a proxy with one persistent connection. It does as little as
// possible, because the client of net/http takes two to four times the processor time, and
// the proxies run on the same machine.
type user struct {
	proxy string
	conn  net.Conn
	in    *bufio.Reader
}

// connect returns a user of the proxy at an address. The caller closes it.
func connect(proxy string) (*user, error) {
	conn, err := net.Dial("tcp", proxy)
	if err != nil {
		return nil, err
	}
	return &user{proxy, conn, bufio.NewReaderSize(conn, 64<<10)}, nil
}

func (u *user) close() { u.conn.Close() }

// get asks for a URL and returns the length of the answer. The answer must have the status
// 200 and a length.
func (u *user) get(target string) (int64, error) {
	host := strings.Split(target, "/")[2]
	if _, err := io.WriteString(u.conn, "GET "+target+" HTTP/1.1\r\nHost: "+host+"\r\n\r\n"); err != nil {
		return 0, err
	}
	length, last, err := u.head()
	if err != nil {
		return 0, fmt.Errorf("%s: %w", target, err)
	}
	n, err := io.CopyN(io.Discard, u.in, length)
	if last && err == nil {
		u.close()
		var again *user
		if again, err = connect(u.proxy); err == nil {
			*u = *again
		}
	}
	return n, err
}

// head reads the header of an answer. It returns the length of the body, and whether the
// answer is the last one on the connection.
func (u *user) head() (length int64, last bool, err error) {
	status, err := u.in.ReadSlice('\n')
	if err != nil {
		return 0, false, err
	}
	if !bytes.HasPrefix(status, []byte("HTTP/1.1 200 ")) {
		return 0, false, fmt.Errorf("answered %q", status)
	}
	length = -1
	for {
		line, err := u.in.ReadSlice('\n')
		if err != nil {
			return 0, false, err
		}
		name, value, ok := bytes.Cut(bytes.TrimSpace(line), []byte(": "))
		switch {
		case !ok && length < 0:
			return 0, false, errors.New("no Content-Length")
		case !ok:
			return length, last, nil
		case bytes.EqualFold(name, []byte("Content-Length")):
			if length, err = strconv.ParseInt(string(value), 10, 64); err != nil {
				return 0, false, err
			}
		case bytes.EqualFold(name, []byte("Connection")):
			last = bytes.EqualFold(value, []byte("close"))
		}
	}
}

// A course is the result of a load.
type course struct {
	rate float64       // answers a second
	p99  time.Duration // the 99th percentile of the times
	busy time.Duration // processor time of the proxy for each answer
}

// load lets users ask for all targets, each once.
func (p proxy) load(b *testing.B, users int, targets []string) course {
	b.Helper()
	took := make([]time.Duration, len(targets))
	var next atomic.Int64
	var all sync.WaitGroup
	before, start := p.busy(b), time.Now()
	for range users {
		u, err := connect(p.addr)
		if err != nil {
			b.Fatal(err)
		}
		all.Go(func() {
			defer u.close()
			for i := next.Add(1) - 1; i < int64(len(targets)); i = next.Add(1) - 1 {
				begun := time.Now()
				if n, err := u.get(targets[i]); err != nil || n != int64(fileSize) {
					b.Errorf("%s: %d bytes, %v", p.name, n, err)
					return
				}
				took[i] = time.Since(begun)
			}
		})
	}
	all.Wait()
	n := len(targets)
	t := course{rate: float64(n) / time.Since(start).Seconds(), busy: (p.busy(b) - before) / time.Duration(n)}
	slices.Sort(took)
	t.p99 = took[n*99/100]
	return t
}

// busy returns the processor time of a proxy, user and system.
func (p proxy) busy(b *testing.B) time.Duration {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.pid))
	if err != nil {
		return 0 // not Linux
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest) // the fields from the third on
	const utime, stime = 14 - 3, 15 - 3
	var ticks int64
	for _, field := range []string{fields[utime], fields[stime]} {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * time.Second / 100 // the unit on most Linux machines
}
